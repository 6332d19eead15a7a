"""Tables of Arrow's C stream interface (polars, DuckDB, pyarrow), in and out, without these libraries.

Reads numbers, decimals without a fraction, booleans, texts and dictionaries of them; writes whole numbers, floats,
booleans and texts. Whole numbers stay whole where some are missing, and a column's type depends on its name alone.
"""
# mypy: ignore-errors

import ctypes

from optgap._library import ffi, lib
from optgap._columns import converted, kind_of

NAME = b"arrow_array_stream"
NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "e": "f2", "f": "f4", "g": "f8"}
TEXTS = {"u": "i4", "U": "i8"}
EXPORTED = {}  # what C holds, by its handle, until it is released
INVALID = 22  # errno EINVAL


def pythonapi(name, result, *arguments):
    function = getattr(ctypes.pythonapi, name)
    function.restype, function.argtypes = result, arguments
    return function


def is_stream(table):
    """True for a table of another library; pandas has its own way."""
    return hasattr(table, "__arrow_c_stream__") and not hasattr(table, "iloc")


# ---- in ----


def frame_of_stream(table):
    """A DataFrame with the table's columns. Those of other types are left out: `attrs["unread"]` has their messages."""
    import pandas

    capsule = table.__arrow_c_stream__()
    pointer = pythonapi("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(capsule, NAME)
    stream = ffi.cast("struct ArrowArrayStream *", pointer)
    schema = ffi.new("struct ArrowSchema *")
    check(stream.get_schema(stream, schema), stream)
    try:
        if ffi.string(schema.format) != b"+s":
            raise ValueError("the Arrow stream has no columns; give a table, not a series")
        children = {ffi.string(schema.children[i].name).decode(): i for i in range(schema.n_children)}
        unread = {name: f"column '{name}' has the Arrow type '{form}', which is not supported; turn it into texts or numbers"
                  for name, i in children.items() if not is_read(form := form_of(schema.children[i]))}
        parts = {name: [] for name in children if name not in unread}
        for array in batches(stream):
            for name, part in parts.items():
                part.append(column_of(schema.children[children[name]], array.children[children[name]], name))
    finally:
        if schema.release != ffi.NULL:
            schema.release(schema)
    frame = pandas.DataFrame({name: joined(part) for name, part in parts.items()})
    frame.attrs["unread"] = unread
    return frame


def form_of(schema):
    """The format of a column; of a dictionary that of its words."""
    return form_of(schema.dictionary) if schema.dictionary != ffi.NULL else ffi.string(schema.format).decode()


def is_read(form):
    return form in NUMBERS or form in TEXTS or form in ("n", "b", "vu") or is_whole(form)


def is_whole(form):
    """True for decimals of 128 bits without a fraction: d:precision,0."""
    return form.startswith("d:") and form.split(",")[1:] in (["0"], ["0", "128"])


def check(status, stream):
    if status != 0:
        text = stream.get_last_error(stream)
        raise ValueError(f"the Arrow stream failed: {ffi.string(text).decode() if text != ffi.NULL else status}")


def batches(stream):
    while True:
        array = ffi.new("struct ArrowArray *")
        check(stream.get_next(stream, array), stream)
        if array.release == ffi.NULL:
            return
        try:
            yield array
        finally:
            array.release(array)


def joined(parts):
    import numpy as np
    import pandas

    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(parts)
    if any(isinstance(part, pandas.api.extensions.ExtensionArray) for part in parts):
        return pandas.array([value for part in parts for value in part], "UInt64" if all(
            str(part.dtype).lower().startswith("u") for part in parts) else "Int64")
    return [value for part in parts for value in (part.tolist() if isinstance(part, np.ndarray) else part)]


def buffer_of(array, number, kind, count):
    """A copy of the first `count` numbers of a buffer."""
    import numpy as np

    pointer = array.buffers[number]
    kind = np.dtype(kind)
    if pointer == ffi.NULL or count == 0:
        return np.zeros(count, kind)
    return np.frombuffer(ffi.buffer(pointer, count * kind.itemsize), kind).copy()


def bits_of(array, number):
    import numpy as np

    count = array.offset + array.length
    bits = np.unpackbits(buffer_of(array, number, "u1", (count + 7) // 8), bitorder="little")
    return bits[array.offset:count].astype(bool)


def column_of(schema, array, name):
    """An array, with pandas' NA for missing whole numbers, or a list with None for what is missing."""
    form = ffi.string(schema.format).decode()
    start, end = array.offset, array.offset + array.length
    if schema.dictionary != ffi.NULL:
        words = list(column_of(schema.dictionary, array.dictionary, name))
        values = [words[code] if 0 <= code < len(words) else None
                  for code in buffer_of(array, 1, NUMBERS[form], end)[start:].tolist()]
    elif form == "n":
        return [None] * array.length
    elif form in NUMBERS:
        values = buffer_of(array, 1, NUMBERS[form], end)[start:]
    elif form == "b":
        values = bits_of(array, 1)
    elif form in TEXTS:
        ends = buffer_of(array, 1, TEXTS[form], end + 1 if array.length else 0).tolist()
        text = bytes(ffi.buffer(array.buffers[2], ends[-1])) if ends and ends[-1] else b""
        values = [text[ends[i]:ends[i + 1]].decode() for i in range(start, end)]
    elif is_whole(form):
        values = [int.from_bytes(value.tobytes(), "little", signed=True) for value in buffer_of(array, 1, "V16", end)[start:]]
    elif form == "vu":
        values = [view_of(array, view) for view in buffer_of(array, 1, "V16", end)[start:]]
    else:
        raise ValueError(f"column '{name}' has the Arrow type '{form}', which is not supported; turn it into texts or numbers")
    if array.null_count == 0 or array.buffers[0] == ffi.NULL:
        return values
    if not isinstance(values, list) and NUMBERS.get(form, "f")[0] in "iu":
        import pandas

        return pandas.arrays.IntegerArray(values, ~bits_of(array, 0))
    values = values if isinstance(values, list) else values.tolist()
    return [value if known else None for value, known in zip(values, bits_of(array, 0))]


def view_of(array, view):
    """A text of a column of views: at most 12 bytes within it, else a place in a buffer."""
    view = view.tobytes()
    length = int.from_bytes(view[:4], "little")
    if length <= 12:
        return view[4:4 + length].decode()
    number, start = int.from_bytes(view[8:12], "little"), int.from_bytes(view[12:], "little")
    return bytes(ffi.buffer(ffi.cast("char *", array.buffers[2 + number]) + start, length)).decode()


# ---- out ----


class Column:
    """A column of rows as Arrow's buffers, of a kind (_columns.py)."""

    def __init__(self, name, values, kind):
        import numpy as np

        values = [converted(value, kind) for value in values]
        self.name, self.count = name.encode(), len(values)
        known = np.array([value is not None for value in values], bool)
        self.nulls = int((~known).sum())
        if kind == "truth":
            self.form, parts = b"b", [packed(np.array([bool(value) for value in values], bool))]
        elif kind == "text":
            words = [b"" if value is None else value.encode() for value in values]
            self.form, parts = b"U", [np.cumsum([0, *map(len, words)]).astype("i8").tobytes(), b"".join(words)]
        else:
            form = "i8" if kind == "whole" else "f8"
            self.form, parts = b"l" if kind == "whole" else b"g", [np.array([value or 0 for value in values], form).tobytes()]
        self.buffers = [packed(known), *parts]


def packed(bits):
    import numpy as np

    return np.packbits(bits, bitorder="little").tobytes()


def capsule_of(rows, own=(), columns=()):
    """A capsule with a stream of one batch: the rows, dicts of plain values. Kinds and columns as of report.frame_of."""
    names = dict.fromkeys((*columns, *(name for row in rows for name in row)))
    found = {name: [row.get(name) for row in rows] for name in names}
    columns = [Column(name, values, kind_of(name, own, values)) for name, values in found.items()]
    stream = lib.python_new_stream()
    stream.get_schema, stream.get_next = lib.arrow_schema, lib.arrow_next
    stream.get_last_error, stream.release = lib.arrow_error, lib.arrow_end_stream
    stream.private_data = kept([columns, len(rows), True])
    new = pythonapi("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(int(ffi.cast("intptr_t", stream)), NAME, int(ffi.cast("intptr_t", ffi.addressof(lib, "python_end_stream"))))


def kept(value):
    """A handle of a value that lives until released()."""
    handle = ffi.new_handle(value)
    EXPORTED[int(ffi.cast("intptr_t", handle))] = handle, value
    return handle


def released(struct):
    EXPORTED.pop(int(ffi.cast("intptr_t", struct.private_data)), None)
    struct.release = ffi.NULL


def fill(struct, children, end, **fields):
    """Writes a schema or an array; what it points to lives until it is released."""
    pointers = ffi.new(f"{ffi.typeof(struct).item.cname} *[]", children or [ffi.NULL])
    alive = [pointers, *children, *fields.values()]
    for name, value in fields.items():
        setattr(struct, name, value)
    struct.n_children, struct.children, struct.dictionary = len(children), pointers, ffi.NULL
    struct.release, struct.private_data = end, kept(alive)
    return struct


@ffi.def_extern(error=INVALID)
def arrow_schema(stream, out):
    columns = ffi.from_handle(stream.private_data)[0]
    nullable = 2
    children = [fill(ffi.new("struct ArrowSchema *"), [], lib.arrow_end_schema, format=ffi.new("char[]", one.form),
                     name=ffi.new("char[]", one.name), flags=nullable) for one in columns]
    fill(out, children, lib.arrow_end_schema, format=ffi.new("char[]", b"+s"), name=ffi.new("char[]", b""), flags=0)
    return 0


@ffi.def_extern(error=INVALID)
def arrow_next(stream, out):
    state = ffi.from_handle(stream.private_data)
    columns, count, left = state
    if not left:
        out.release = ffi.NULL
        return 0
    state[2] = False
    children = []
    for one in columns:
        memory = [ffi.new("char[]", part or b"\0") for part in one.buffers]
        child = fill(ffi.new("struct ArrowArray *"), [], lib.arrow_end_array, buffers=ffi.new("const void *[]", memory),
                     length=count, null_count=one.nulls, offset=0, n_buffers=len(memory))
        EXPORTED[int(ffi.cast("intptr_t", child.private_data))][1].extend(memory)
        children.append(child)
    fill(out, children, lib.arrow_end_array, buffers=ffi.new("const void *[]", [ffi.NULL]), length=count, null_count=0,
         offset=0, n_buffers=1)
    return 0


@ffi.def_extern()
def arrow_error(stream):
    return ffi.NULL


@ffi.def_extern()
def arrow_end_stream(stream):
    released(stream)


def release_all(struct):
    for i in range(struct.n_children):
        if struct.children[i].release != ffi.NULL:
            struct.children[i].release(struct.children[i])
    released(struct)


@ffi.def_extern()
def arrow_end_schema(schema):
    release_all(schema)


@ffi.def_extern()
def arrow_end_array(array):
    release_all(array)
