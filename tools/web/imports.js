// The two functions that glue.c calls, for emcc --js-library. They call the object `lab` that the Worker
// gave to the module. HEAPF64 is read at each call, because the engine's memory may have grown.
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
