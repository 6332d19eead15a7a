"""Studies: grids of problems, stored in an SQLite file that `optgap sweep` can also read and fill.

Functions are evaluated here, in processes; their rows are like the program's, with a hash of their source.
"""

import contextlib
import os
import pathlib
import sqlite3
import tempfile
import time
import weakref
from typing import TYPE_CHECKING

from optgap._library import ffi, lib
from optgap.report import Report
from optgap.shown import plain
from optgap.work import Progress, Request, ask, check_policy, encode, text_of

if TYPE_CHECKING:
    from typing import Any

    import pandas

KEYS = ("prior", "instances", "budget", "policy", "ties")
REFERENCE = "opt-kg"  # where all policies are functions
NOT_WITH_FUNCTIONS = ("runs", "truth", "assume", "believe", "study", "merge")


def listed(values):
    """Values of a grid as the program's text: a range or a list with commas."""
    return text_of(list(values) if hasattr(values, "__iter__") and not isinstance(values, (str, bytes)) else values)


def sweep(database=None, *, policies=(), K=None, T=None, study=None, retry=False, cell_seconds=0, recompute=(), part=None,
          merge=None, processes=0, progress=False, threads=0, memory=0, time_limit=0, **grid):
    """Evaluates policies in each problem of a grid, and stores the results in a database. Returns its Study.

    database: a file; it is created if missing. Stored results are not computed again. None: a temporary file
    that lives as long as the Study.
    policies: names and functions, as for compare. A function is evaluated again if its source has changed.
    K: numbers of instances, T: budgets: 5, [5, 10], range(5, 21) or the program's text ("2,5:20:5").
    grid: the program's options: prior="1,1" (default) or a list, ties, runs, seed, truth (also "grid:0:1:0.1",
    without runs), assume="1:4,1:4" or a list; not runs, truth and assume with functions.
    study: a file with the grid as lines "key = value".
    retry: compute again the problems that a limit ended. recompute: names of policies to compute again.
    cell_seconds: time limit of each problem; time_limit: of the whole sweep; 0 (default): none.
    part: (1, 8) is the first of eight parts of the grid.
    merge: instead of a grid, a database whose results are copied into this one.
    processes: for functions; 0 (default): one per core.

    The Study also has the numbers of problems: .cells, .found, .finished, .limited. After an interruption the
    same call continues. ValueError: a wrong grid, or a database of another version.
    """
    start = time.monotonic()
    functions, names = split(policies)
    given = {"instances": K, "budget": T}
    grid.update({key: listed(value) for key, value in given.items() if value is not None})
    if functions or names:
        grid["policies"] = ",".join(names) or REFERENCE
    if functions or given["instances"] is not None or given["budget"] is not None:
        grid.setdefault("prior", "1,1")
    wrong = [name for name in NOT_WITH_FUNCTIONS if (grid.get(name) or {"study": study, "merge": merge}.get(name)) is not None]
    if functions and wrong:
        raise TypeError(f"a sweep with functions does not support {wrong[0]}; give policies by name, or compare them one by one")
    folder = tempfile.TemporaryDirectory(prefix="optgap-") if database is None else None
    database = os.path.join(folder.name, "study.db") if folder else database
    request = Request(threads=threads, memory=memory, time_limit=time_limit)
    of = grid_of(request, database, study, merge, grid, recompute)
    of.part, of.parts = part or (0, 0)
    of.retry = retry
    of.cell_seconds_max = cell_seconds
    weight = len(names or [1]) / (len(names or [1]) + len(functions))
    document = ask(lib.og_sweep, request, of, progress=scaled(progress, 0, weight))
    if functions:
        left = time_limit and max(0.01, time_limit - (time.monotonic() - start))
        add_functions(database, functions, grid, document, retry=retry, cell_seconds=cell_seconds, left=left,
                      processes=processes, memory=memory, progress=scaled(progress, weight, 1 - weight))
    return Study(database, document, folder)


def split(policies):
    """Functions, and names."""
    policies = [policies] if isinstance(policies, str) or not hasattr(policies, "__iter__") else list(policies or ())
    for policy in policies:
        check_policy(policy)
    return [one for one in policies if not isinstance(one, str)], [one for one in policies if isinstance(one, str)]


def scaled(progress, begin, share):
    """A function of progress whose share is a part of the whole; progress itself if it is no function."""
    return (lambda at: progress(at.part(begin, share))) if callable(progress) else progress


def grid_of(request, database, study, merge, grid, recompute):
    """The og_grid of these arguments; the request keeps its texts."""
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
    of.merge = request.keep_text(merge)
    names = [request.keep(ffi.new("char[]", encode(name)))
             for name in ([recompute] if isinstance(recompute, str) else recompute)]
    of.recompute = request.keep(ffi.new("char *[]", names))
    of.recompute_count = len(names)
    return of


# ---- functions ----


def hash_of(policy):
    """63 bits of a policy's source and look, for the column file_hash."""
    import hashlib
    import inspect

    try:
        source = inspect.getsource(policy.function)
    except (OSError, TypeError):
        code = getattr(policy.function, "__code__", None)
        source = repr((code.co_code, code.co_names, [one for one in code.co_consts if not hasattr(one, "co_code")])
                      if code is not None else type(policy.function))
    return int.from_bytes(hashlib.sha256(f"{policy.look}\n{source}".encode()).digest()[:8], "big") >> 1


def problem_of_cell(prior, instances):
    """Instances and options of a cell: "2,1 --workers-prior=4,1" has options behind its words."""
    words, options = [], {}
    for word in prior.split():
        name, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--"):
            options.setdefault(name.replace("-", "_"), []).append(value if equals else True)
        else:
            words.append(f"{instances}x{word}")
    return words, {name: one[0] if len(one) == 1 else one for name, one in options.items()}


def evaluate(job):
    """The rows of one cell for the table policy. Runs in a process of its own."""
    import warnings

    from optgap import compare

    cell, (prior, instances, budget), policies, ties, options = job
    words, problem = problem_of_cell(prior, instances)
    start = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare(budget, words, policies=[policy for policy, _ in policies], ties=ties, runs=0, max_states=1, threads=1,
                        **problem, **options)
    seconds = (time.monotonic() - start) / max(1, len(found.rows))
    hashes = {policy.name: number for policy, number in policies}
    for row in found.json["policies"]:
        value, error = row["value"], row["error_bound"]
        ends = (None, None) if value is None else (value - error, value + error)
        yield (cell, row["name"], row["ties"], "ok" if value is not None else "limit", row["limit"], value, row["gain"], error,
               *ends, row["tolerance_ties"], row.get("states"), seconds, hashes[row["name"]])


def rows_of(number):
    return list(evaluate(JOBS[number]))


JOBS = []  # of the sweep that is at work; processes are forked with them


def add_functions(database, functions, grid, document, *, retry, cell_seconds, left, processes, memory, progress):
    """Evaluates functions in the cells of the grid that lack them, and stores each cell as it is done."""
    import multiprocessing

    from optgap.work import Bar

    ties = grid.get("ties") or "random"
    ties = ties.split(",") if isinstance(ties, str) else list(ties)
    hashes = {policy.name: hash_of(policy) for policy in functions}
    start = time.monotonic()
    with contextlib.closing(sqlite3.connect(database, timeout=60)) as db:
        JOBS[:] = missing_jobs(db, functions, hashes, grid, ties, retry, dict(
            time_limit=cell_seconds or None, memory=memory))
        bar, done = Bar(progress), 0
        count = max(1, min(processes or os.cpu_count() or 1, len(JOBS)))
        pool = multiprocessing.get_context("fork").Pool(count) if JOBS else contextlib.nullcontext()
        try:
            with pool as at_work:
                for rows in at_work.imap_unordered(rows_of, range(len(JOBS))) if JOBS else ():
                    with db:
                        db.executemany("INSERT OR REPLACE INTO policy (cell, policy, ties, status, reason, value, gain, error, low,"
                                       " high, tolerance_ties, states, seconds, file_hash, program, commit_id)"
                                       f" SELECT {'?, ' * 14}program, commit_id FROM run ORDER BY id DESC LIMIT 1", rows)
                    done += 1
                    seconds = time.monotonic() - start
                    bar.show(Progress(0, 0, 0, done / len(JOBS), seconds))
                    if left and seconds > left and done < len(JOBS):
                        document.update(interrupted=True, status="time limit",
                                        reason=f"time limit reached after {done} of {len(JOBS)} problems")
                        break
        finally:
            bar.close()
            JOBS.clear()
    document["finished_with_functions"] = done


def missing_jobs(db, functions, hashes, grid, ties, retry, options):
    """A job for each cell of the grid that lacks a row of a function, or has one of another source."""
    prior = grid["prior"]
    priors = [" ".join(text_of(one).split()) for one in (prior if isinstance(prior, (list, tuple)) else [prior])]
    cells = db.execute("SELECT id, prior, instances, budget FROM cell WHERE runs = 0 AND truth = 'prior'").fetchall()
    instances, budgets = numbers_of(grid["instances"]), numbers_of(grid["budget"])
    stored = {row[:3]: row[3:] for row in db.execute("SELECT cell, policy, ties, file_hash, status FROM policy")}
    for cell, *key in sorted(cells, key=lambda row: -row[2] * row[3]):  # the largest first
        if key[0] in priors and key[1] in instances and key[2] in budgets:
            wanted = [policy for policy in functions if any(
                stored.get((cell, policy.name, rule), (None,))[0] != hashes[policy.name] or
                retry and stored[cell, policy.name, rule][1] == "limit" for rule in ties)]
            if wanted:
                yield cell, key, [(policy, hashes[policy.name]) for policy in wanted], ties, options


def numbers_of(text):
    """The numbers of a text such as "2,5:20:5"."""
    found = set()
    for word in str(text).split(","):
        ends = [int(part) for part in word.split(":")]
        found.update(range(ends[0], (ends[1] if len(ends) > 1 else ends[0]) + 1, ends[2] if len(ends) > 2 else 1))
    return found


class Study(Report):
    """A database that sweep filled, and the numbers of its last sweep. FileNotFoundError if there is none."""

    database: "str"

    def __init__(self, database: "str | os.PathLike[str]", document: "Any" = None, folder: "Any" = None):
        self.database = os.fspath(database)
        if folder is not None:
            weakref.finalize(self, folder.cleanup)
        super().__init__(document or {"study": self.database})
        if not os.path.exists(self.database):
            raise FileNotFoundError(f"there is no study {self.database}")

    def frame(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each problem, policy and tie-breaking rule."""
        import pandas

        with self._opened() as opened:
            return pandas.read_sql_query("SELECT * FROM result", opened)

    @property
    def value(self) -> "int":
        """The number of problems."""
        with self._opened() as opened:
            return opened.execute("SELECT count(*) FROM cell").fetchone()[0]

    def _opened(self):
        name = pathlib.Path(self.database).absolute().as_uri() + "?mode=ro"
        return contextlib.closing(sqlite3.connect(name, uri=True))

    def _rows(self):
        with self._opened() as opened:
            found = opened.execute("SELECT * FROM result ORDER BY prior, instances, budget")
            names = [column[0] for column in found.description]
            return [dict(zip(names, row)) for row in found]

    def _heading(self):
        yield f"study of {self.value} problems; gaps in correct calls"

    def _notes(self):
        return [self.reason] if self.reason else []

    def _table(self):
        """A row for each problem, with the gap of each policy."""
        rows = self._rows()
        several = len({row["ties"] for row in rows}) > 1
        lines, names = {}, {}
        for row in rows:
            name = row["policy"] + (f" ({row['ties']})" if several else "") if row["policy"] else None
            line = lines.setdefault(tuple(row[key] for key in ("prior", "instances", "budget", "truth", "runs")), {})
            if name is not None:
                line[names.setdefault(name, name)] = plain(row["gap"]) if row["gap"] is None else f"{row['gap']:.6g}"
        more = [i for i, key in ((3, "truth"), (4, "runs")) if len({line[i] for line in lines}) > 1]
        keys = ("prior", "instances", "budget", "truth", "runs")
        return [[*(keys[i] for i in (0, 1, 2, *more)), *names],
                *([*(str(line[i]) for i in (0, 1, 2, *more)), *(values.get(name, "") for name in names)]
                  for line, values in lines.items())]

    def plot(self, ax: "Any" = None, *, x: "str" = "budget", y: "str" = "gap_percent", by: "Any" = None) -> "Any":
        """Draws a column y of the frame against x, a line for each group of `by`, on matplotlib axes (None: new ones).

        by: columns such as ["policy", "instances"]; None: those that differ. Returns the axes; ValueError: no
        numbers, no such column, or several rows at one place of a line.
        """
        from optgap.figures import draw_study

        return draw_study(self.frame(), ax, x=x, y=y, by=by)
