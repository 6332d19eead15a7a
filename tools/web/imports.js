// The two functions that glue.c calls, for emcc --js-library: they go on to the object `lab` that the
// Worker handed to the module. The engine's memory may have grown since, so HEAPF64 is looked up anew.
mergeInto(LibraryManager.library, {
    lab_progress: function (settled, states, memoryBytes, seconds) {
        return Module["lab"].progress({ settled: settled, states: states, memoryBytes: memoryBytes, seconds: seconds }) ? 1 : 0;
    },

    lab_choose: function (which, left, budget, count, number, answer, message, messageBytes) {
        var said = Module["lab"].choose(which, left, budget, count, HEAPF64.subarray(number >>> 3));
        if (said.error !== undefined) {
            stringToUTF8(said.error, message, messageBytes);
            return 0;
        }
        HEAPF64.set(said.numbers, answer >>> 3);
        return said.kind;
    },
});
