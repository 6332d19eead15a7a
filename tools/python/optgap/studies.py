"""Studies: grids of problems in an SQLite file, as the program's sweep fills and reads it."""

import contextlib
import os
import pathlib
import sqlite3

from optgap._library import ffi, lib
from optgap.report import Report
from optgap.work import Request, ask, encode


def sweep(database, *, study=None, retry=False, cell_seconds=0, recompute=(), part=None, merge=None,
          progress=False, threads=0, memory=0, time_limit=0, **grid):
    """Every problem of a grid with every policy, into a database; what is there is not computed again.

    grid: the program's options: prior="1,1" or a list, instances="2,5:20:5", budget="1:12",
    policies="kg,opt-kg", ties, runs, seed, truth ("grid:0:1:0.1" too, without runs), assume="1:4,1:4" or a
    list. study: a file of lines "key = value".
    part: (1, 8) is the first of eight parts of the grid; merge: a database whose problems are stored
    in this one too, instead of a grid. Returns how many problems there are, were stored, computed, or ended by a limit.
    """
    request = Request(threads=threads, memory=memory, time_limit=time_limit)
    of = ffi.new("og_grid *")
    of.database = request.keep_text(database)
    of.file = request.keep_text(study)
    pairs = []
    for name, value in grid.items():
        many = name in ("prior", "policy", "assume", "believe") and isinstance(value, (list, tuple))
        pairs += [(name.replace("_", "-"), one) for one in (value if many else [value])]
    of.count = len(pairs)
    of.key = request.keep(ffi.new("char *[]", [request.keep(ffi.new("char[]", encode(k))) for k, _ in pairs]))
    of.text = request.keep(ffi.new("char *[]", [request.keep(ffi.new("char[]", encode(v))) for _, v in pairs]))
    of.part, of.parts = part or (0, 0)
    of.merge = request.keep_text(merge)
    of.retry = retry
    of.cell_seconds_max = cell_seconds
    names = [request.keep(ffi.new("char[]", encode(name)))
             for name in ([recompute] if isinstance(recompute, str) else recompute)]
    of.recompute = request.keep(ffi.new("char *[]", names))
    of.recompute_count = len(names)
    return Report(ask(lib.og_sweep, request, of, progress=progress))


class Study:
    """A database that sweep filled."""

    def __init__(self, database):
        self.database = os.fspath(database)
        if not os.path.exists(self.database):
            raise FileNotFoundError(f"there is no study {self.database}")

    def frame(self):
        """A DataFrame: a row for each problem, policy and rule for ties."""
        import pandas

        name = pathlib.Path(self.database).absolute().as_uri() + "?mode=ro"
        with contextlib.closing(sqlite3.connect(name, uri=True)) as opened:
            return pandas.read_sql_query("SELECT * FROM result", opened)

    def plot(self, ax=None, **more):
        """Gaps against the budget, on matplotlib's axes, which are returned."""
        from optgap.figures import draw_study

        return draw_study(self.frame(), ax, **more)
