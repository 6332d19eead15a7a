#!/usr/bin/env python3
"""Tables of Arrow's stream interface, in and out, against a producer and a reader of this file (with ctypes).

    test_arrow.py PROGRAM [unittest option...]
"""

import ctypes
import gc
import math
import pathlib
import random
import struct
import sys
import unittest

import numpy as np
import optgap
import optgap._arrow

try:
    import pandas as pd
except ImportError:
    pd = None

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LABELS = ROOT / "tests" / "data" / "sample-labels.tsv"
CAPSULE = b"arrow_array_stream"
void, int64, text = ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


END_SCHEMA, END_ARRAY = (ctypes.CFUNCTYPE(None, ctypes.POINTER(of)) for of in (Schema, Array))
Schema._fields_ = [("format", text), ("name", text), ("metadata", text), ("flags", int64), ("n_children", int64),
                   ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
                   ("release", END_SCHEMA), ("private_data", void)]
Array._fields_ = [("length", int64), ("null_count", int64), ("offset", int64), ("n_buffers", int64), ("n_children", int64),
                  ("buffers", ctypes.POINTER(void)), ("children", ctypes.POINTER(ctypes.POINTER(Array))),
                  ("dictionary", ctypes.POINTER(Array)), ("release", END_ARRAY), ("private_data", void)]
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, void, ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, void, ctypes.POINTER(Array))
GET_ERROR, END_STREAM = ctypes.CFUNCTYPE(void, void), ctypes.CFUNCTYPE(None, void)
Stream._fields_ = [("get_schema", GET_SCHEMA), ("get_next", GET_NEXT), ("get_last_error", GET_ERROR), ("release", END_STREAM),
                   ("private_data", void)]


def bits(values):
    return np.packbits(np.array(values, bool), bitorder="little").tobytes()


class Column:
    """A column as a format and buffers. skipped: values before the offset, which a reader must not see."""

    def __init__(self, name, form, values, dictionary=None, skipped=0):
        self.name, self.form, self.dictionary, self.offset = name, form, dictionary, skipped
        self.length, self.nulls = len(values), sum(value is None for value in values)
        values = values[:1] * skipped + values
        plain = [0 if value is None else value for value in values]
        words = [b"" if value is None else str(value).encode() for value in values]
        if form == "b":
            parts = [bits(plain)]
        elif form in ("u", "U"):
            parts = [np.cumsum([0] + [len(word) for word in words]).astype({"u": "i4", "U": "i8"}[form]).tobytes(), b"".join(words)]
        elif form == "vu":
            far, views = b"", b""
            for word in words:
                views += struct.pack("<i", len(word))
                views += word.ljust(12, b"\0") if len(word) <= 12 else word[:4] + struct.pack("<ii", 0, len(far))
                far += word if len(word) > 12 else b""
            parts = [views, far, struct.pack("<q", len(far))]
        elif form.startswith("d:"):
            parts = [b"".join(value.to_bytes(16, "little", signed=True) for value in plain)]
        elif form == "n":
            parts = []
        else:
            parts = [np.array(plain, optgap._arrow.NUMBERS[form]).tobytes()]
        self.buffers = [bits([value is not None for value in values]) if self.nulls else None, *parts] if form != "n" else []


class Producer:
    """An object with __arrow_c_stream__. released counts what the reader gave back."""

    def __init__(self, *batches, error=None):
        self.batches, self.error, self.alive, self.released, self.made = list(batches), error, [], 0, 0

    def keep(self, value):
        self.alive.append(value)
        return value

    def filled(self, out, of, end, children, dictionary, **fields):
        self.made += 1

        def release(pointer):
            self.released += 1
            pointer.contents.release = end()

        for name, value in fields.items():
            setattr(out, name, value)
        out.n_children = len(children)
        out.children = self.keep((ctypes.POINTER(of) * max(1, len(children)))(*map(ctypes.pointer, children)))
        if dictionary is not None:
            out.dictionary = ctypes.pointer(dictionary)
        out.release = self.keep(end(release))
        return self.keep(out)

    def schema(self, column, out):
        inner = None if column.dictionary is None else self.schema(column.dictionary, Schema())
        return self.filled(out, Schema, END_SCHEMA, [], inner, format=self.keep(column.form.encode()),
                           name=self.keep(column.name.encode()), flags=2)

    def array(self, column, out):
        inner = None if column.dictionary is None else self.array(column.dictionary, Array())
        memory = [None if part is None else ctypes.cast(self.keep(ctypes.create_string_buffer(part, len(part) + 1)), void)
                  for part in column.buffers]
        return self.filled(out, Array, END_ARRAY, [], inner, length=column.length, null_count=column.nulls, offset=column.offset,
                           n_buffers=len(memory), buffers=self.keep((void * max(1, len(memory)))(*memory)))

    def __arrow_c_stream__(self, requested_schema=None):
        left = iter(self.batches)

        def get_schema(_, out):
            children = [self.schema(column, Schema()) for column in self.batches[0]]
            self.filled(out.contents, Schema, END_SCHEMA, children, None, format=b"+s", name=b"", flags=0)
            return 0

        def get_next(_, out):
            batch = next(left, None)
            if batch is None:
                if self.error:
                    return 5
                out.contents.release = END_ARRAY()
                return 0
            children = [self.array(column, Array()) for column in batch]
            self.filled(out.contents, Array, END_ARRAY, children, None, length=batch[0].length if batch else 0, null_count=0,
                        offset=0, n_buffers=1, buffers=self.keep((void * 1)(None)))
            return 0

        failed = self.keep(ctypes.create_string_buffer((self.error or "").encode()))
        stream = self.keep(Stream(self.keep(GET_SCHEMA(get_schema)), self.keep(GET_NEXT(get_next)),
                                  self.keep(GET_ERROR(lambda _: ctypes.addressof(failed))), self.keep(END_STREAM(lambda _: None))))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, (void, text, void)
        return new(ctypes.addressof(stream), CAPSULE, None)


def read(table):
    """The columns of an object with __arrow_c_stream__, as this file reads them: {name: (format, values)}."""
    capsule = table.__arrow_c_stream__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = void, (ctypes.py_object, text)
    stream = Stream.from_address(get(capsule, CAPSULE))
    schema, array, more = Schema(), Array(), Array()
    at = ctypes.addressof(stream)
    assert stream.get_schema(at, schema) == stream.get_next(at, array) == stream.get_next(at, more) == 0
    assert schema.format == b"+s" and not more.release and array.n_children == schema.n_children
    found = {}
    for i in range(schema.n_children):
        of, data = schema.children[i].contents, array.children[i].contents
        assert data.length == array.length and data.offset == 0
        count = data.length
        known = [bool(ctypes.string_at(data.buffers[0], count // 8 + 1)[k // 8] >> k % 8 & 1) for k in range(count)]
        assert known.count(False) == data.null_count
        form = of.format.decode()
        if form == "U":
            ends = struct.unpack(f"<{count + 1}q", ctypes.string_at(data.buffers[1], 8 * count + 8))
            values = [ctypes.string_at(data.buffers[2] + a, b - a).decode() for a, b in zip(ends, ends[1:])]
        elif form == "b":
            values = [bool(ctypes.string_at(data.buffers[1], count // 8 + 1)[k // 8] >> k % 8 & 1) for k in range(count)]
        else:
            values = list(struct.unpack(f"<{count}{dict(l='q', g='d')[form]}", ctypes.string_at(data.buffers[1], 8 * count)))
        found[of.name.decode()] = form, [value if there else None for value, there in zip(values, known)]
    for one in (array, schema):
        one.release(one)
        assert not one.release
    stream.release(at)
    return found


class OutTest(unittest.TestCase):
    def test_results_are_tables(self):
        for result in (optgap.compare(4, "3x1,1 2,1@0.3", policies="kg,uniform,thompson", runs=20), optgap.query(3, "2x1,1 2,1"),
                       optgap.bound(4, "2x1,1"), optgap.tree(3, "2x1,1"), optgap.index("kg", 4), optgap.next(LABELS, budget=9, batch=9),
                       optgap.solve(3, "2x1,1")):
            rows = result._plain_rows()
            found = read(result)
            self.assertEqual(set(found), {name for row in rows for name in row})
            for name, (form, values) in found.items():
                given = [row.get(name) for row in rows]
                self.assertEqual(values, [value if value is None or form != "U" else str(value) for value in given], name)
        gc.collect()
        self.assertEqual(optgap._arrow.EXPORTED, {})

    def test_a_stream_that_nobody_reads_is_freed(self):
        result = optgap.compare(2, "2x1,1", policies="kg")
        result.__arrow_c_stream__()
        gc.collect()
        self.assertEqual(optgap._arrow.EXPORTED, {})


@unittest.skipIf(pd is None, "pandas is not installed")
class InTest(unittest.TestCase):
    def check(self, *batches):
        producer = Producer(*batches)
        frame = optgap._arrow.frame_of_stream(producer)
        self.assertEqual(producer.released, 2 + (len(batches) - 1))  # the schema, and each batch
        return frame

    def test_every_type_is_read(self):
        words = ["a", "", "zwölf Zeichen und mehr", None, "\u4e2d", "b" * 12, "c" * 13]
        for skipped in (0, 3, 9):
            columns = [Column(form, form, [1, 0, 3, 2, 5, 6, 7], skipped=skipped) for form in optgap._arrow.NUMBERS]
            columns += [Column("b", "b", [True, False, None, True, True, False, True], skipped=skipped)]
            columns += [Column(form + " text", form, words, skipped=skipped) for form in ("u", "U", "vu")]
            columns += [Column("none", "n", [None] * 7), Column("some", "l", [1, None, 3, 4, None, 6, 7], skipped=skipped)]
            columns += [Column("kind", "i", [0, 1, None, 0, 1, 1, 0], Column("", "u", ["cat", "dog"]), skipped=skipped)]
            columns += [Column("whole", "d:38,0", [1, -2, 10**20, 0, None, 5, 6], skipped=skipped)]
            frame = self.check(columns, columns)
            self.assertEqual([None if x is None else int(x) for x in frame["whole"]], [1, -2, 10**20, 0, None, 5, 6] * 2)
            for name in optgap._arrow.NUMBERS:
                self.assertEqual(frame[name].tolist(), [1, 0, 3, 2, 5, 6, 7] * 2)
                self.assertEqual(frame[name].dtype, np.dtype(optgap._arrow.NUMBERS[name]))
            self.assertEqual(frame["b"].tolist(), [True, False, None, True, True, False, True] * 2)
            for form in ("u", "U", "vu"):
                self.assertEqual(frame[form + " text"].tolist(), words * 2)
            self.assertEqual(frame["kind"].tolist(), ["cat", "dog", None, "cat", "dog", "dog", "cat"] * 2)
            self.assertEqual(frame["some"].dtype, pd.Int64Dtype())  # whole numbers stay whole
            self.assertEqual([None if x is pd.NA else x for x in frame["some"]], [1, None, 3, 4, None, 6, 7] * 2)

    def test_labels_of_a_stream_are_those_of_a_frame(self):
        draw = random.Random(5)
        rows = [(f"task {i // 4}", i % 3, draw.choice(["no", "yes"])) for i in range(40)]
        frame = pd.DataFrame(rows, columns=["task", "worker", "label"])
        stream = [Column("task", "vu", list(frame["task"])), Column("worker", "l", frame["worker"].tolist()),
                  Column("label", "U", list(frame["label"]))]
        gold = frame.groupby("task")["label"].first().reset_index()
        true = [Column("task", "u", list(gold["task"])), Column("label", "u", list(gold["label"]))]
        self.assertEqual(optgap.fit(Producer(stream)), optgap.fit(frame))
        for words in ({"budget": 9, "batch": 3}, {"final": True}):
            found, known = optgap.next(Producer(stream), prior="1,1", **words), optgap.next(frame, prior="1,1", **words)
            self.assertEqual(found.table.values.tolist(), known.table.values.tolist())
        runs = dict(policies="uniform", runs=2)
        self.assertEqual([row.points[-1].accuracy for row in optgap.replay(Producer(stream), Producer(true), **runs).rows],
                         [row.points[-1].accuracy for row in optgap.replay(frame, gold, **runs).rows])

    def test_what_is_wrong_is_said(self):
        day = Column("label", "i", [1, 1])
        day.form = "tdD"
        with self.assertRaisesRegex(ValueError, "column 'label' has the Arrow type 'tdD', which is not supported"):
            optgap.fit(Producer([Column("task", "i", [1, 2]), day]))
        day.name = "when"
        labels = Producer([Column("task", "i", [1, 2]), day, Column("label", "i", [1, 0])])
        self.assertEqual(optgap.next(labels, prior="1,1", final=True).table["call"].tolist(), ["1", "0"])
        with self.assertRaisesRegex(ValueError, "the Arrow stream failed: no disk"):
            optgap.fit(Producer([Column("label", "i", [1])], error="no disk"))
        with self.assertRaisesRegex(ValueError, "no column 'task'; there are: label"):
            optgap.fit(Producer([Column("label", "i", [1])]))

    def test_our_own_stream_is_read(self):
        result = optgap.compare(4, "3x1,1", policies="kg,uniform")
        frame = optgap._arrow.frame_of_stream(result)
        self.assertEqual(frame["value"].tolist(), result.table["value"].tolist())
        self.assertEqual(frame["policy"].tolist(), ["kg", "uniform"])

    def test_libraries_that_are_there(self):
        """polars, pyarrow and DuckDB read a result; each that is missing is skipped."""
        result = optgap.compare(4, "3x1,1", policies="kg,uniform")
        for module in ("polars", "pyarrow", "duckdb"):
            with self.subTest(module=module):
                try:
                    library = __import__(module)
                except ImportError:
                    self.skipTest(f"{module} is not installed")
                table = {"polars": lambda: library.DataFrame(result), "pyarrow": lambda: library.table(result),
                         "duckdb": lambda: library.sql("SELECT * FROM result")}[module]()
                self.assertEqual(optgap._arrow.frame_of_stream(table)["policy"].tolist(), ["kg", "uniform"])


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
