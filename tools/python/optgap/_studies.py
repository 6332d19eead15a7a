"""Studies: a question for every combination of values, in a file of answers that `optgap sweep` reads and fills too.

The program asks; functions are evaluated here, in processes, and their lines are like the program's, with a hash of their source.
"""
# mypy: ignore-errors

import contextlib
import functools
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import weakref
from typing import TYPE_CHECKING

from optgap._library import ffi, lib
from optgap._report import Report, frame_of
from optgap._shown import plain
from optgap._given import encode, size_of, text_of
from optgap._work import Bar, Progress, check, policy_of
from optgap._figures import kinds, lines

if TYPE_CHECKING:
    from typing import Any

    import pandas

FIGURE = ("prior", "instances", "budget", "policies", "ties", "axis", "log", "title", "size", "font", "names")
KEYS = ("prior", "instances", "budget", "truth", "runs")
NUMBERS = ("runs", "seed", "max_states", "max_policy_states", "max_index_time", "tie_tolerance", "reach", "joint_end")


def sweep(file=None, words="", *, policies=(), retry=False, part=None, cell_seconds=0, processes=0, progress=False, threads=0,
          memory=0, **names):
    """Asks a question for every combination of values, and appends the answers to a file.

    Parameters
    ----------
    file : path or None
        As `optgap sweep` writes it, created if missing. What it answers is not asked again. None: a temporary file that
        lives as long as the Study.
    words : str or list
        The question as a command line: "compare -T %T --ties worst %Kx1,1". %K is the value of K.
    policies : str or list
        Added to the question: names, and functions (compare, simulate). A function is evaluated again if its source
        changed.
    retry : bool
        Ask again what a limit ended.
    part : pair of int
        (1, 8) is the first of eight parts of the grid.
    cell_seconds : float
        Time limit of each question; 0 (default): none.
    processes : int
        For functions; 0 (default): one per core.
    progress : bool or callable
        As for compare.
    threads : int
        0: one per core.
    memory : int or str
        Bytes or a text such as "2G".
    **names
        The values: K=[2, 3], T=range(1, 13), P=["1,1", "2,1"], or the program's text: T="1:12", T="1.2K".

    Returns
    -------
    Study
        It also has .cells, the number of combinations; .finished, those answered now; and .reason if a limit ended some.
        After an interruption the same call continues.

    Raises
    ------
    ValueError
        Wrong words, or a file that is no study.

    Examples
    --------
    >>> import optgap
    >>> study = optgap.sweep(None, "compare -T %T %Kx1,1", policies="kg", K=[2, 3], T=range(1, 5))
    >>> study.value, round(study.frame()["gap"].max(), 10)
    (8, 0.0250771605)
    """
    functions, listed = split(policies)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="optgap-")) if file is None else None
        file = os.path.join(folder, "study.jsonl") if folder else os.fsdecode(encode(file))
        words = shlex.split(words) if isinstance(words, str) else [text_of(word) for word in words]
        grid = [word for name, values in names.items() for word in ("--for", f"{name}={values_of(name, values)}")]
        grid += ["--part", "/".join(map(str, part))] if part else []
        command, rest = (words[0], words[1:]) if words and words[0].isalpha() else ("compare", words)
        if listed and not functions:
            rest = [f"--policies={','.join(listed)}", *rest]
        question = [*grid, command, *rest]
        if functions:
            document = ask_functions(file, command, question, functions, listed, retry=retry, cell_seconds=cell_seconds,
                                     processes=processes, memory=memory, progress=progress)
        else:
            options = {"--threads": threads, "--memory": size_of(memory), "--time-limit": cell_seconds}
            more = [f"{name}={value}" for name, value in options.items() if value] + (["--retry"] if retry else [])
            document = ask_program(file, question, more, progress)
        return Study(file, document, stack.pop_all())


def split(policies):
    """Functions, and names."""
    policies = policies.split(",") if isinstance(policies, str) and ":" not in policies else policies
    policies = [policies] if isinstance(policies, str) or not hasattr(policies, "__iter__") else list(policies or ())
    policies = [policy_of(one) for one in policies]
    return [one for one in policies if not isinstance(one, str)], [one for one in policies if isinstance(one, str)]


def values_of(name, values):
    """Values as a text of --for: with blanks between them if they hold commas."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        return text_of(values)
    words = [text_of(value) for value in values]
    if any(" " in word or not word for word in words):
        raise ValueError(f"a value of {name} has a blank or is empty: {words}")
    return " ".join(words) + (" " if len(words) == 1 else "") if any("," in word for word in words) else ",".join(words)


# ---- by the program ----


def program(*words):
    """The program of this package, as a command line. ValueError if a word has a NUL."""
    return [sys.executable, "-B", "-m", "optgap", *(os.fsdecode(encode(word)) for word in words)]


def surroundings():
    """The environment in which python3 -m optgap is this package."""
    place = str(pathlib.Path(__file__).parent.parent)
    return {**os.environ, "PYTHONPATH": os.pathsep.join([place, *filter(None, [os.environ.get("PYTHONPATH")])])}


def failed(done):
    """Raises what the program's exit status means."""
    text = done.stderr.strip().removeprefix("optgap: ")
    raise (ValueError if done.returncode == 2 else RuntimeError)(text or f"the program ended with status {done.returncode}")


def keys_of(file, question, *more):
    """What would be asked: the keys of the cells that the file lacks, by the words of a question."""
    done = subprocess.run(program("sweep", file, "--dry-run", "--quiet", *more, *question), env=surroundings(), text=True,
                          capture_output=True)
    if done.returncode != 0:
        failed(done)
    return [json.loads(line) for line in done.stdout.splitlines()]


@functools.cache
def policy_names():
    """All names of policies."""
    done = subprocess.run(program("policies", "--json"), env=surroundings(), capture_output=True, check=True)
    return [policy["name"] for policy in json.loads(done.stdout)["policies"]]


def count_lines(file):
    try:
        with open(file, "rb") as opened:
            return sum(block.count(b"\n") for block in iter(lambda: opened.read(1 << 20), b""))
    except FileNotFoundError:
        return 0


def wait_for(child, progress, show):
    """What the child prints; shows progress ten times a second."""
    while True:
        try:
            return child.communicate(timeout=0.1 if progress else None)
        except subprocess.TimeoutExpired:
            show()


def ask_program(file, question, options, progress):
    """Runs the sweep; shows its progress by the lines of the file."""
    start, bar, before = time.monotonic(), Bar(progress), count_lines(file)
    missing = len(keys_of(file, question, *(word for word in options if word == "--retry"))) if progress else 0
    # Ctrl-C reaches this process alone: a second signal would end the program at once.
    with subprocess.Popen(program("sweep", file, "--quiet", *options, *question), env=surroundings(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as child:
        try:
            output, errors = wait_for(child, progress, lambda: bar.show(Progress(
                0, 0, 0, min(1.0, (count_lines(file) - before) / missing) if missing else 0.0, time.monotonic() - start)))
        except BaseException:
            child.terminate()  # what is answered stays
            child.wait()  # until another sweep can have the file
            raise
        finally:
            bar.close()
    if child.returncode not in (0, 3):
        failed(subprocess.CompletedProcess((), child.returncode, output, errors))
    counts = [int(line.split()[-1]) for line in output.splitlines() if line.startswith(("Cells", "Computed now"))]
    document = {"study": file, "cells": counts[0], "finished": counts[1]}
    if child.returncode == 3:
        document["reason"] = errors.strip().removeprefix("optgap: ")
    return document


# ---- functions ----


def source_of(function):
    """What a function's answers depend on: its source; of a partial also its arguments, of an object its class and values."""
    import inspect

    if hasattr(function, "func"):
        return f"{source_of(function.func)}\n{function.args!r} {sorted(function.keywords.items())!r}"
    if not inspect.isroutine(function):
        return f"{source_of(type(function).__call__)}\n{sorted(vars(function).items())!r}"
    owner = getattr(function, "__self__", None)
    state = f"\n{sorted(vars(owner).items())!r}" if hasattr(owner, "__dict__") else ""
    try:
        return inspect.getsource(function) + state
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        return repr((code.co_code, code.co_names, [one for one in code.co_consts if not hasattr(one, "co_code")])
                    if code is not None else function) + state


def hash_of(policy):
    """A policy's source and look, for "files"."""
    import hashlib

    return hashlib.sha256(f"{policy.look}\n{source_of(policy.function)}".encode()).hexdigest()[:16]


def arguments_of(asked):
    """The arguments of optgap.compare or simulate for what is asked: T, instances and options."""
    options, words = lines.read_words(asked[1:])
    found = {}
    for name, values in options.items():
        name = name.replace("-", "_")
        values = [float(value) if "." in value or "e" in value else int(value) for value in values] if name in NUMBERS else values
        found[name] = values[0] if len(values) == 1 else values
    if found.pop("arithmetic", "double") == "exact":
        found["exact"] = True
    return found.pop("T"), words, found


def evaluate(number):
    """The number, its question's answer, and whether a limit ended it. Runs in a process of its own."""
    import warnings

    import optgap

    asked, policies, options = JOBS[number]
    budget, words, given = arguments_of(asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = getattr(optgap, asked[0])(budget, words, policies=policies, threads=1, **given, **options)
    answer = found.json
    answer.setdefault("version", optgap.__version__)
    return number, answer, found.reason or None


JOBS = []  # of the sweep whose process this is: not of the process that sweeps


def with_functions(key, functions, listed):
    """The key of a cell with these policies."""
    names = ",".join([*listed, *(policy.name for policy in functions)])
    asked = [key["asked"][0], f"--policies={names}", *key["asked"][1:]]
    return {"asked": asked, "files": {**key.get("files", {}), **{policy.name: hash_of(policy) for policy in functions}}}


def ask_functions(file, command, question, functions, listed, *, retry, cell_seconds, processes, memory, progress):
    """Evaluates the cells that lack an answer, and stores each as it is done."""
    import multiprocessing

    if command not in ("compare", "simulate"):
        raise ValueError(f"a sweep with functions supports compare and simulate, not {command}; give policies by name")
    with tempfile.TemporaryDirectory(prefix="optgap-") as empty:
        cells = keys_of(os.path.join(empty, "none.jsonl"), question)
    if any(word.startswith(("--policies", "--policy")) for cell in cells for word in cell["asked"]):
        raise ValueError("a sweep with functions takes all policies as policies=[...], not in its words")
    document = {"study": file, "cells": len(cells), "finished": 0}
    options = {"time_limit": cell_seconds or 0, "memory": memory}
    start, bar, limited = time.monotonic(), Bar(progress), 0
    with answers_of(file, retry) as store:
        keys = [json.dumps(with_functions(cell, functions, listed), ensure_ascii=False) for cell in cells]
        missing = [(cell, key) for cell, key in zip(cells, keys) if not lib.answers_has(store, encode(key))]
        jobs = [(cell["asked"], [*listed, *functions], options) for cell, _ in missing]
        count = max(1, min(processes or os.cpu_count() or 1, len(jobs)))
        pool = multiprocessing.get_context("fork").Pool(count, JOBS.extend, (jobs,)) if jobs else contextlib.nullcontext()
        try:
            with pool as at_work:
                for number, answer, reason in at_work.imap_unordered(evaluate, range(len(jobs))) if jobs else ():
                    message = ffi.new("og_message *")
                    check(lib.answers_add(store, encode(missing[number][1]), encode(reason) if reason else ffi.NULL,
                                          json.dumps(answer, ensure_ascii=False, default=str).encode(), message), message)
                    document["finished"] += 1
                    limited += reason is not None
                    bar.show(Progress(0, 0, 0, document["finished"] / len(jobs), time.monotonic() - start))
        finally:
            bar.close()
    if limited:
        document["reason"] = f"a limit ended {limited} of the cells; with retry=True the same call asks them again"
    return document


@contextlib.contextmanager
def answers_of(file, retry):
    """The file, opened for writing by this process alone."""
    message, out = ffi.new("og_message *"), ffi.new("answers **")
    check(lib.answers_open(encode(file), retry, out, message), message)
    store = out[0]
    try:
        yield store
    finally:
        status = lib.answers_close(store, message)
    check(status, message)


class Study(Report):
    """A file that sweep filled, and the numbers of its last sweep. FileNotFoundError if there is none; ValueError: it is no study."""

    file: "str"

    def __init__(self, file: "str | os.PathLike[str]", document: "Any" = None, folder: "Any" = None):
        self.file = os.fspath(file)
        if folder is not None:
            weakref.finalize(self, folder.close)
        super().__init__(document or {"study": self.file})
        if not os.path.exists(self.file):
            raise FileNotFoundError(f"there is no study {self.file}")

    @contextlib.contextmanager
    def _understood(self):
        try:
            with lines.understood(self.file):
                yield
        except lines.BadStudy as bad:
            raise ValueError(str(bad)) from None

    def _lines(self):
        with self._understood():
            return lines.read(self.file)

    def answers(self) -> "list[Report[Any]]":
        """The answers, in the order of the file: a Report of each, with .asked, the words of the question."""
        found = []
        for line in self._lines():
            found.append(Report({**line.answer, **({"reason": line.stopped} if line.stopped else {})}))
            found[-1].asked = line.asked
        return found

    def frame(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each policy and cell: prior, instances, budget, policy, value, gap, ..., version and commit."""
        return frame_of(self._rows(), columns=self._columns())

    table = property(frame)

    def _columns(self):
        return tuple(lines.EMPTY)

    def _kinds(self):
        return {}

    @property
    def value(self) -> "int":
        """The number of cells."""
        return len(self._lines())

    def _rows(self):
        with self._understood():
            return lines.rows_of(self._lines())

    def _heading(self):
        yield f"study of {self.value} cells; gaps in correct calls"

    def _notes(self):
        return [self.reason] if self.reason else []

    def _table(self):
        """A row for each problem, with the gap of each policy."""
        rows = self._rows()
        several = len({row["ties"] for row in rows}) > 1
        found, names = {}, {}
        for row in rows:
            name = row["policy"] + (f" ({row['ties']})" if several else "") if row["policy"] else None
            line = found.setdefault(tuple(row[key] for key in KEYS), {})
            if name is not None:
                line[names.setdefault(name, name)] = plain(row["gap"]) if row["gap"] is None else f"{row['gap']:.6g}"
        more = [i for i, key in ((3, "truth"), (4, "runs")) if len({line[i] for line in found}) > 1]
        return [[*(KEYS[i] for i in (0, 1, 2, *more)), *names],
                *([*(str(line[i]) for i in (0, 1, 2, *more)), *(values.get(name, "") for name in names)]
                  for line, values in found.items())]

    def figure(self, kind: "str", file: "str | os.PathLike[str]", **options: "Any") -> None:
        """Draws a figure as `optgap plot` does, into a file .svg, .png or .pdf: figure("gap-budget", "gap.svg", instances=3).

        options: prior, instances, budget, policies, ties: a value or a list to choose from; axis, log, title, size and font as the
        program's; names={"kg": "Knowledge gradient"}. ValueError: there is no such figure, or several.
        """
        from optgap._figures.save import BadFigure, save

        unknown = [name for name in options if name not in FIGURE]
        if unknown:
            raise TypeError(f"figure has no option '{unknown[0]}'; there are: {', '.join(FIGURE)}")
        given = {name: [str(one) for one in ([value] if isinstance(value, str) or not hasattr(value, "__iter__") else value)]
                 for name, value in options.items() if value is not None and value is not False and name != "names"}
        try:
            request = {**kinds.request_of({"kind": kind, **given}), "names": options.get("names") or {}}
            save(kinds.figure_of({**request, "study": self.file}), os.fspath(file))
        except (lines.BadStudy, BadFigure) as bad:
            raise ValueError(str(bad)) from None

    def plot(self, ax: "Any" = None, *, x: "str" = "budget", y: "str" = "gap_percent", by: "Any" = None) -> "Any":
        """Draws a column y of the frame against x, a line for each group of `by`, on matplotlib axes (None: new ones).

        by: columns such as ["policy", "instances"]; None: those that differ. Returns the axes; ValueError: no
        numbers, no such column, or several rows at one place of a line.
        """
        from optgap._axes import draw_study

        return draw_study(self.frame(), ax, x=x, y=y, by=by)
