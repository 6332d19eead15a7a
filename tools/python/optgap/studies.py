"""Studies: grids of problems, stored in an SQLite file that `optgap sweep` can also read and fill."""

import contextlib
import os
import pathlib
import sqlite3
from typing import TYPE_CHECKING

from optgap._library import ffi, lib
from optgap.report import Report
from optgap.work import Request, ask, encode

if TYPE_CHECKING:
    import pandas


def sweep(database, *, study=None, retry=False, cell_seconds=0, recompute=(), part=None, merge=None,
          progress=False, threads=0, memory=0, time_limit=0, **grid):
    """Evaluates policies in each problem of a grid, and stores the results in a database.

    database: a file; it is created if missing. Stored results are not computed again.
    grid: the program's options: prior="1,1" or a list, instances="2,5:20:5", budget="1:12",
    policies="kg,opt-kg", ties, runs, seed, truth (also "grid:0:1:0.1", without runs), assume="1:4,1:4"
    or a list. study: a file with the grid as lines "key = value".
    retry: compute again the problems that a limit ended. recompute: policies to compute again.
    cell_seconds: time limit of each problem; time_limit: of the whole sweep; 0 (default): none.
    part: (1, 8) is the first of eight parts of the grid.
    merge: instead of a grid, a database whose results are copied into this one.

    Returns a Report with the numbers of problems: in all, stored before, computed, ended by a limit.
    ValueError: a wrong grid, or a database of another version.
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
    """Reads a database that sweep filled. FileNotFoundError if there is none."""

    def __init__(self, database):
        self.database = os.fspath(database)
        if not os.path.exists(self.database):
            raise FileNotFoundError(f"there is no study {self.database}")

    def frame(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each problem, policy and tie-breaking rule."""
        import pandas

        name = pathlib.Path(self.database).absolute().as_uri() + "?mode=ro"
        with contextlib.closing(sqlite3.connect(name, uri=True)) as opened:
            return pandas.read_sql_query("SELECT * FROM result", opened)

    def plot(self, ax=None, **more):
        """Draws gaps against the budget on matplotlib axes (None: new ones). Returns them."""
        from optgap.figures import draw_study

        return draw_study(self.frame(), ax, **more)
