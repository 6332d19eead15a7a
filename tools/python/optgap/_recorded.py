"""Recorded labels: the next batch, fitted priors, and policies run on recorded labels."""
# mypy: ignore-errors

import contextlib
import itertools
import json
import os
import re
import tempfile
from typing import TYPE_CHECKING

from optgap._arrow import frame_of_stream, is_stream
from optgap._report import Report, frame_of
from optgap._shown import words_of_rows
from optgap._given import chosen, switch, text_of, whole
from optgap._work import ARGUMENTS, DEFAULTS, Request, ask, no_option

if TYPE_CHECKING:
    import pandas

METHODS = "moments", "ml", "paper"


def is_table(labels):
    return hasattr(labels, "columns")


def files_of(labels):
    """A list of files as one text with line ends; anything else as it is."""
    several = isinstance(labels, (list, tuple)) and all(isinstance(one, (str, os.PathLike)) for one in labels)
    return "\n".join(map(os.fspath, labels)) if several else labels


def as_frame(table):
    """A table of polars, DuckDB or pyarrow as a DataFrame; anything else as it is."""
    return frame_of_stream(table) if is_stream(table) else table


def blank(values):
    """True where a value is None, NaN or an empty text: what an empty cell of a file is."""
    return values.isna().to_numpy() | values.map(lambda value: isinstance(value, str) and not value.strip(" \t")).to_numpy(bool)


def column(table, name, empty=False):
    """A column of a DataFrame. ValueError if it is missing, or one of its values unless `empty`."""
    if name not in table.columns:
        unread = table.attrs.get("unread", {})
        if name in unread:
            raise ValueError(unread[name])
        raise ValueError(f"the labels have no column '{name}'; there are: {', '.join(map(str, table.columns))}")
    values = table[name]
    missing = blank(values)
    if missing.any() and not empty:
        raise ValueError(f"the value of column '{name}' in row {table.index[missing.argmax()]!r} is missing")
    return values


# Usual names of columns, as the program has them.
USUAL = {
    "task": "task taskid question questionid item itemid instance instanceid example exampleid object objectid origid document "
            "documentid docid unitid hitid id",
    "worker": "worker workerid performer performerid annotator annotatorid user userid username rater raterid labeler labelerid "
              "labeller coder judge workerids amtworkerids contributor completedby participant annotatedby labeledby",
    "label": "label answer response value choice judgment judgement vote rating annotation class category",
    "gold": "gold truth groundtruth goldlabel truelabel goldtruth label answer response value",
    "p": "p probability prob predictedprobability",
    "capacity": "capacity maxlabels quota",
    "positive": "positive positives",
    "negative": "negative negatives",
}
READING = ("columns", "missing", "positive", "classes", "repeats", "wide", "format", "encoding", "draws")


def columns_of(columns):
    """columns= as a dict of roles: from a dict, or from words such as "task=item,label=answer"."""
    if columns is None or isinstance(columns, dict):
        return columns or {}
    words = columns.split(",") if isinstance(columns, str) else columns
    roles = itertools.chain(("task", "worker", "label"), itertools.repeat(""))
    return dict(str(word).split("=", 1) if "=" in str(word) else (role, word) for role, word in zip(roles, words))


def find_column(table, role, columns):
    """The name of the column with this role; the role itself if there is none."""
    if role in columns:
        return columns[role]
    if role in table.columns:
        return role
    names = {re.sub(r"[ ._!-]", "", str(name)).lower(): name for name in table.columns}
    found = [names[name] for name in USUAL[role].split() if name in names]
    return found[0] if found else role


def words_in(text):
    """A list of values from text with commas, a list, or one value."""
    return text.split(",") if isinstance(text, str) else list(text) if hasattr(text, "__iter__") else [text]


def plain_table(labels, columns, missing, wide):
    """The labels with the columns task, label and, if there is one, worker. A label that is missing is None."""
    task = find_column(labels, "task", columns)
    if wide:
        labels = long_table(labels, task, columns)
    else:
        names = {find_column(labels, role, columns): role for role in ("task", "worker", "label", "positive", "negative")}
        hidden = [role for role in names.values() if role in labels.columns and role not in names]
        labels = labels.drop(columns=hidden).rename(columns=names)
    if missing is not None and "label" in labels.columns:
        values = words_in(missing)
        none = labels["label"].map(lambda value: not is_list(value) and (value in values or str(value).strip() in map(str, values)))
        labels = labels.assign(label=labels["label"].astype(object).mask(none.to_numpy(bool), None))
    return labels


def long_table(labels, task, columns):
    """A table with a column for each worker as one with a row for each label; tasks without one have a row too."""
    import pandas

    if task not in labels.columns:  # its rows are tasks
        labels, task = labels.rename_axis("task").reset_index(), "task"
    column(labels, task)
    if labels.attrs.get("unread"):
        raise ValueError(next(iter(labels.attrs["unread"].values())))
    workers = [name for name in labels.columns if name not in (task, columns.get("gold", "gold"))]
    every = labels.melt([task], workers, "worker", "label").rename(columns={task: "task"})
    found = every[~blank(every["label"])]
    bare = labels.loc[~labels[task].isin(found["task"]), [task]].rename(columns={task: "task"})
    return pandas.concat([found, bare.assign(worker=None, label=None)]) if len(bare) else found


def is_list(value):
    return isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray"


def give_tables(request, *, columns=None, missing=None, positive=None, classes=None, **more):
    """Sets how files are read: the options of the program."""
    if columns is not None and not isinstance(columns, str):
        columns = ",".join(f"{role}={name}" for role, name in columns_of(columns).items())
    request.give(columns=columns, missing=None if missing is None else ",".join(map(text_of, words_in(missing))),
                 classes=None if classes is None else ",".join(map(word_of, words_in(classes))),
                 positive=None if positive is None else word_of(positive), **more)


def word_of(value):
    """A class as text for a file."""
    value = value.item() if hasattr(value, "item") else value
    return text_of(int(value) if isinstance(value, bool) else value)


def words_of(values, name):
    """A column's classes as words for a file, "" for what is missing. ValueError if one would break a line."""
    import pandas

    if any(map(is_list, values)):
        values = values.map(lambda value: json.dumps([word_of(one) for one in value]) if is_list(value) else value)
    codes, classes = pandas.factorize(values.array)
    words = [word_of(one) for one in classes]
    for code, word in enumerate(words):
        if any(mark in word for mark in "\t\r\n\0"):
            raise ValueError(f"{word!r}, the value of column '{name}' in row "
                             f"{values.index[(codes == code).argmax()]!r}, must be a class name "
                             "without tabs, line breaks and NULs")
    return [words[code].strip(" \t") if code >= 0 else "" for code in codes]


def spelled(names):
    """A word for each name of a task: the name, so that ties are those of a file; # and its number if it is no plain word."""
    words, seen = [], set()
    for number, name in enumerate(names):
        word = str(name)
        plain = word == word.strip() != "" and word.isprintable() and word[0] not in "#[({" and '"' not in word
        words.append(word if plain and word not in seen else f"#{number}")
        seen.add(words[-1])
    return words


class Table:
    """Labels as the library reads them: `labels` and `gold` are names of files.

    A DataFrame is written to a file with words for the names of tasks (`spelled`) and numbers for those of workers, so
    that any names work; `tasks` has the names in the order of the words.
    """

    def __init__(self, labels, gold, folder, reading):
        self.labels, self.gold = files_of(labels), gold
        self.columns = columns_of(reading.get("columns"))
        self.tasks = self.workers = None
        self.rows = {}
        if is_table(labels):
            labels = plain_table(labels, self.columns, reading.get("missing"), reading.get("wide"))
            self._take_labels(labels, folder, reading.get("classes"))
            if gold is not None:
                self._take_gold(gold, folder)
        elif not isinstance(gold, (type(None), str, bytes, os.PathLike)):
            raise ValueError("gold in memory needs labels in a DataFrame; give two files or two tables")

    def _take_labels(self, labels, folder, classes):
        import pandas

        task = column(labels, "task")
        codes, names = pandas.factorize(task.array)
        self.tasks = pandas.Index(names, dtype=task.dtype)
        counted = [names for names in (words_in(classes or []), ["negative", "positive"])
                   if names and "label" not in labels.columns and set(names) <= set(labels.columns)]
        if counted:
            counts = [["" if pandas.isna(value) else word_of(value) for value in labels[name]] for name in counted[0]]
            heads, cells = list(map(str, counted[0])), counts
        else:
            heads, cells = ["label"], [words_of(column(labels, "label", empty=True), "label")]
        if "worker" in labels.columns and not counted:
            worker = column(labels, "worker", empty=True)
            workers, names = pandas.factorize(worker.mask(blank(worker)).array)
            self.workers = pandas.Index(names, dtype=worker.dtype)
            heads, cells = ["worker", *heads], [["" if code < 0 else code for code in workers], *cells]
        self.labels = self._write(folder, "labels", labels.index, "\t".join(["task", *heads]),
                                  zip(map(spelled(self.tasks).__getitem__, codes), *cells))

    def _take_gold(self, gold, folder):
        import pandas

        if is_table(gold):
            task, label = (find_column(gold, role, self.columns) for role in ("task", "gold"))
            label = "label" if label not in gold.columns else label
            gold = gold.drop_duplicates([task, label]) if {task, label} <= set(gold.columns) else gold
            gold = pandas.Series(column(gold, label).to_numpy(), index=column(gold, "task" if task not in gold.columns else task).array)
            if gold.index.has_duplicates:
                raise ValueError(f"task {gold.index[gold.index.duplicated()][0]!r} has two different gold labels")
        elif isinstance(gold, (str, bytes, os.PathLike)):
            raise ValueError("labels in a DataFrame need gold in memory: a Series by task, or a DataFrame")
        true = pandas.Series(gold).reindex(self.tasks)
        if true.isna().any():
            raise ValueError(f"gold has no label for task {true.index[true.isna()][0]!r}")
        words = words_of(true, "gold")
        self.gold = self._write(folder, "gold", true.index, "task\tlabel", zip(spelled(self.tasks), words))

    def of_tasks(self, what, values):
        """A file with a word for each task: of a Series by task if labels are in memory."""
        import pandas

        if values is None or self.tasks is None:
            return values
        if isinstance(values, (str, bytes, os.PathLike)):
            raise ValueError(f"labels in a DataFrame need {what} in memory: a Series by task")
        words = pandas.Series(values).reindex(self.tasks)
        if words.isna().any():
            raise ValueError(f"{what} have no value for task {words.index[words.isna()][0]!r}")
        return self._write(os.path.dirname(self.labels), what, words.index, "task\tcontext",
                           zip(spelled(self.tasks), words_of(words, what)))

    def _write(self, folder, what, index, head, rows):
        name = os.path.join(folder, f"{what}.tsv")
        with open(name, "w", encoding="utf-8", newline="\n") as file:
            file.write(head + "\n")
            file.writelines("\t".join(map(str, row)) + "\n" for row in rows)
        self.rows[name] = what, index
        return name

    def told(self, text):
        """A message with files, lines and task numbers replaced by the caller's tables, rows and tasks."""
        for name, (what, index) in self.rows.items():
            known = rf"'?[^\s']*{re.escape(os.path.join(os.path.basename(os.path.dirname(name)), what))}\.tsv'?"
            text = re.sub(known + r", line (\d+)", lambda at: f"{what}, row {index[int(at[1]) - 2]!r}", text)
            text = re.sub(known, what, text)
            names = dict(zip(spelled(self.tasks), self.tasks))
            text = re.sub(r"\btask '([^']*)'", lambda at: f"task {names[at[1]]!r}" if at[1] in names else at[0], text)
        return text


@contextlib.contextmanager
def table_of(labels, gold=None, request=None, **reading):
    """The Table of labels and gold, read in this way; errors in its block name the caller's rows and tasks."""
    unknown = set(reading) - set(READING)
    if unknown:
        raise TypeError(f"unexpected argument {sorted(unknown)[0]!r}")
    labels, gold = as_frame(labels), as_frame(gold)
    with tempfile.TemporaryDirectory(prefix="optgap-") if is_table(labels) else contextlib.nullcontext() as folder:
        table = Table(labels, gold, folder, reading)
        if request is not None:
            done = ("columns", "missing", "wide", "format", "encoding") if is_table(labels) else ()
            request.told = table.told
            give_tables(request, **{name: value for name, value in reading.items() if name not in done})
        try:
            yield table
        except (ValueError, RuntimeError) as error:
            error.args = tuple(table.told(word) if isinstance(word, str) else word for word in error.args)
            raise


def stakes_of(price, payoff):
    """The options of the price of a label, and of the payoff of calls: text, or a list of four or five numbers."""
    words = payoff if payoff is None or isinstance(payoff, str) else ",".join(map(text_of, payoff))
    return {"price": None if price is None else text_of(price), "payoff": words}


class Lists:
    """The lists of next beside the labels, as names of files: tasks, closed, free and gold.

    With labels in a DataFrame they are written with the words of its tasks and the numbers of its workers.
    """

    def __init__(self, table, labels, folder, tasks, closed, free, gold):
        self.tasks, self.closed, self.free, self.gold = tasks, closed, free, gold
        self.names, self.workers = table.tasks, None
        given = [one for one in (tasks, closed, free, gold) if one is not None]
        in_memory = [one for one in given if not isinstance(one, (str, bytes, os.PathLike))]
        if in_memory and (len(in_memory) < len(given) or not (is_table(labels) or labels is None)):
            raise ValueError("give all labels and lists as files, or all of them in memory")
        if in_memory:
            self._write(table, labels, folder)

    def _write(self, table, labels, folder):
        import pandas

        if self.tasks is not None:
            tasks = self._frame(self.tasks, "task")
            self.names = self._joined(self.names, column(tasks, "task"))
            shares = tasks["p"] if "p" in tasks.columns else None
            self.tasks = table._write(folder, "tasks", tasks.index, "task\tp" if shares is not None else "task", (
                (code, *(() if shares is None else ("" if pandas.isna(share) else share,)))
                for code, share in zip(self._words(self.names, tasks["task"]), tasks["task"] if shares is None else shares)))
        if self.closed is not None:
            closed = self._frame(self.closed, "task")
            closed = closed[closed["task"].isin(self.names)]
            self.closed = table._write(folder, "closed", closed.index, "task",
                                       ((word,) for word in self._words(self.names, closed["task"])))
        if self.free is not None:
            free = self._frame(self.free, "worker")
            self.workers = self._joined(table.workers, column(free, "worker"))
            columns = [self._codes(self.workers, free["worker"])]
            heads = ["worker"] + [name for name in ("task", "capacity") if name in free.columns]
            columns += [self._words(self.names, free["task"])] if "task" in heads else []
            columns += [["" if pandas.isna(most) else text_of(most) for most in free["capacity"]]] if "capacity" in heads else []
            self.free = table._write(folder, "workers_free", free.index, "\t".join(heads), zip(*columns))
        if self.gold is not None:
            gold = self.gold
            if is_table(gold):
                gold = pandas.Series(column(gold, "label").to_numpy(), index=column(gold, "task").array)
            gold = pandas.Series(gold).dropna()
            gold = gold[gold.index.isin(self.names)]
            words = words_of(gold, "gold")
            self.gold = table._write(folder, "gold", gold.index, "task\tlabel",
                                     zip(self._words(self.names, gold.index), words))

    @staticmethod
    def _frame(given, name):
        import pandas

        if is_table(given):
            roles = (name, "p") if name == "task" else (name, "task", "capacity")
            return given.rename(columns={find_column(given, role, {}): role for role in roles})
        return pandas.DataFrame({name: pandas.Series(list(given))})

    @staticmethod
    def _joined(names, more):
        import pandas

        more = pandas.Index(more)
        return more.unique() if names is None else names.append(more[~more.isin(names)].unique())

    @staticmethod
    def _words(names, values):
        """Words of tasks; a value that is not among the names gets one that is none of theirs."""
        words = spelled(names)
        return [words[code] if code >= 0 else "#none" for code in names.get_indexer(values)]

    @staticmethod
    def _codes(names, values):
        """Numbers of the values; a value that is not among the names gets a word that is no number."""
        return [code if code >= 0 else "none" for code in names.get_indexer(values)]


class Batch(Report):
    """The labels to ask for next: .table, a DataFrame, best first; .summary, a bound on the batch's loss."""

    def __init__(self, document, tasks=None, workers=None):
        super().__init__(document)
        self._tasks = None
        rows = document.get("next") or document.get("final") or []
        if tasks is not None:  # the document has their words
            number = {word: place for place, word in enumerate(spelled(tasks))}
            self._tasks = tasks.take([number[row["task"]] for row in rows])
            for row, task in zip(rows, self._tasks):
                row["task"] = str(task)
        self._workers = None
        if workers is not None:
            self._workers = workers.take([int(row["worker"]) for row in rows])
            for row, worker in zip(rows, self._workers):
                row["worker"] = str(worker)

    @property
    def table(self) -> "pandas.DataFrame":
        """A DataFrame. If labels were a DataFrame, `task` and `worker` have its names and their type."""
        frame = frame_of(self._rows(), "counts", own=self._kinds(), columns=self._columns())
        if not frame.empty:
            frame = frame if self._tasks is None else frame.assign(task=self._tasks)
            frame = frame if self._workers is None else frame.assign(worker=self._workers)
        return frame

    def _columns(self):
        if "final" in self.json:
            return ("item", "rank") if "comparisons" in self.json else ("task", "call", "probability")
        return ("left", "right", "rank", "index") if "comparisons" in self.json else ("task", "rank", "index")

    def _kinds(self):
        pairs = {"left": "text", "right": "text"} if "comparisons" in self.json else {}
        return {"worker": "text", **pairs}

    @property
    def value(self) -> "float | None":
        """The proved bound on the batch's loss, or the expected number of correct calls with final=True."""
        if "loss_at_most" in self.json:
            return self.json["loss_at_most"]
        return sum(row["probability"] for row in self._rows() if row.get("probability") is not None) or None

    def _rows(self):
        return self.json.get("next") or self.json.get("final") or []

    def _heading(self):
        yield self.json["summary"]

    def _table(self):
        return words_of_rows(self._rows(), "counts")


def next(labels=None, *, budget=1, batch=1, policy=(), prior=None, price=None, payoff=None, final=False, seed=1,
         tasks=None, model_strength=None, max_per_task=0, per_batch=0, closed=None, workers_free=None, gold=None,
         workers_prior=None, pairs=None, sources=(), threads=0, memory=0, **reading):
    """Chooses the labels to ask for next.

    Parameters
    ----------
    labels : path, list of paths or table
        A DataFrame (or a table of polars, DuckDB or pyarrow) has the columns task, label and, perhaps, worker, or usual
        names of them. None with tasks or pairs. None, NaN and "" are no label.
    budget : int
        Labels left (default 1); with sources, units.
    batch : int
        Number of labels to choose at once (default 1).
    policy : str or function
        A policy with an index; default: the program's.
    prior : str
        "A,B", the same for all tasks; None: fitted to the labels, with workers_prior together with the workers.
    price : float or str
        Of a label. Only tasks whose label is worth its price are chosen; ``.stop`` is true if none is.
    payoff : str or list
        Of calls, "1,-5,0,1" or a list, as for find.
    final : bool
        Instead, the current call of each task; with gold (for some tasks) also its reliability, with workers_prior
        ("4,1") by workers who differ.
    seed : int, numpy.random.Generator or None
        For policies that draw, as for compare.
    tasks : list or table
        More tasks, also without labels: a list, or a DataFrame with the columns task and, perhaps, p, which counts as
        model_strength labels.
    model_strength : float
        Default: fitted.
    max_per_task, per_batch : int
        Most labels of a task, in all and in the batch.
    closed : list
        Tasks that get no more labels.
    workers_free : list or table
        Workers, or a DataFrame with the columns worker and, perhaps, task and capacity.
    gold : path or Series
        True classes of some tasks.
    workers_prior : str
        "A,B" of each worker's accuracy.
    pairs : path
        A file of comparisons in place of labels; draws: "half" or "drop".
    sources : list of str
        "NAME:PRICE:P" or "NAME:PRICE:P:MOST", with A,B in place of P if it is unknown.
    threads : int
        0: one per core.
    memory : int or str
        Bytes or a text such as "2G".
    **reading
        columns: {"task": "item", "label": "answer"}, or text as for the program. missing: values that are no label.
        classes: all classes in their order. repeats: "first", "last" or "all" of a worker's labels for a task. positive:
        which of two classes is positive. wide: a column for each worker. Only for files: format, encoding.

    Returns
    -------
    Batch
        ``.table``, ``.summary``, ``.loss_at_most``.

    Raises
    ------
    ValueError
        A wrong argument, or labels that cannot be read, with file and line or row. Lists are files if labels are.
    """
    request = Request("next", [policy] if policy else (), seed=seed, threads=threads, memory=memory, budget=budget, batch=batch,
                      final=final, max_per_task=max_per_task or None, per_batch=per_batch or None)
    request.names = {**ARGUMENTS, '"budget"': "budget"}
    request.give(prior=prior, model_strength=None if model_strength is None else text_of(model_strength),
                 workers_prior=workers_prior, pairs=pairs, **stakes_of(price, payoff))
    for source in sources:
        request.set("source", text_of(source))
    labels, tasks, closed, workers_free, gold = map(as_frame, (labels, tasks, closed, workers_free, gold))
    with tempfile.TemporaryDirectory(prefix="optgap-") as folder, table_of(labels, request=request, **reading) as table:
        lists = Lists(table, labels, folder, tasks, closed, workers_free, gold)
        request.give(labels=table.labels, tasks=lists.tasks, closed=lists.closed, workers_free=lists.free, gold=lists.gold)
        return Batch(ask(request), lists.names, lists.workers)


def fit(labels, method="ml", **reading):
    """Fits a prior to recorded labels.

    Parameters
    ----------
    labels : path, list of paths or table
        As for next, of two to ten classes.
    method : str
        "ml" (default), "moments" or "paper", as for `optgap fit`.
    **reading
        columns, missing, positive, classes, repeats, wide, format, encoding: as for next.

    Returns
    -------
    tuple of float
        (a, b), or one parameter per class for three to ten classes.

    Raises
    ------
    ValueError
        Labels that cannot be read, or that no prior fits.
    """
    request = Request("fit")
    request.give(method=chosen("method", method, METHODS))
    with table_of(labels, request=request, **reading) as table:
        request.give(labels=table.labels)
        return tuple(ask(request)["prior"])


class Results:
    """What each policy concluded in the first run: DataFrames, with the policy and its tie-breaking rule in each row.

    Tasks and workers have the caller's names. A frame is empty if the problem has no such rows. What bbta learnt has a
    list of contexts in each cell.
    """

    def __init__(self, results, tasks, workers):
        self._results, self._names = results, {"task": tasks, "worker": workers}

    def _frame(self, part):
        frame = frame_of([{"policy": one["policy"], "ties": one["ties"], **row}
                          for one in self._results for row in one.get(part, [])],
                         "counts", "posterior", "loss", "weight")
        for name, names in self._names.items():
            if names is not None and name in frame:
                words = spelled(names) if name == "task" else map(str, range(len(names)))
                number = {word: place for place, word in enumerate(words)}
                frame[name] = names.take([number[str(word)] for word in frame[name]])
        return frame

    @property
    def tasks(self) -> "pandas.DataFrame":
        """Labels bought, the call, its probability and the posterior of each task; its score by bbta; whether it is
        a tester of labelers."""
        return self._frame("tasks")

    @property
    def workers(self) -> "pandas.DataFrame":
        """Labels, disagreements and estimates of each worker, the most reliable first; loss and weight by bbta; a
        labeler's testers, agreements, and whether it is in the set now used."""
        return self._frame("workers")

    @property
    def items(self) -> "pandas.DataFrame":
        """The final order of a ranking."""
        return self._frame("items")

    @property
    def pairs(self) -> "pandas.DataFrame":
        """The pairs with the three largest indices of akg and the smallest one."""
        return self._frame("pairs")

    @property
    def totals(self) -> "pandas.DataFrame":
        """One row for each policy."""
        return frame_of([{"policy": one["policy"], "ties": one["ties"], **one["totals"]} for one in self._results])


class Replay(Report):
    """The answer of replay; with result=True also .results."""

    def __init__(self, document, tasks=None, workers=None):
        super().__init__(document)
        self._tasks, self._workers = tasks, workers

    @property
    def results(self) -> "Results":
        """What each policy concluded in the first run; it needs replay(..., result=True)."""
        if "results" not in self.json:
            raise ValueError("replay has no results; give result=True")
        return Results(self.json["results"], self._tasks, self._workers)


def replay(labels=None, gold=None, *, policies=(), ties=(), T=-1, at=(), prior=None, price=None, payoff=None,
           final_positive=False, pairs=None, workers_prior=None, problem=None, contexts=None, fill=None, explore=0,
           votes="majority", result=False, progress=False, **more):
    """Runs policies on recorded labels, drawn without replacement: accuracies against gold.

    Parameters
    ----------
    labels, gold : path or table
        Two files; or a DataFrame with the columns task, label and optionally worker, and as gold a Series indexed by
        task or a DataFrame with the columns task and label. Two to ten classes.
    policies : str or list
        Names and functions, as for compare.
    ties : str or list of str
        "random" (default) or "first".
    T : int
        The budget; -1 (default): all labels.
    at : list of int
        Budgets to report.
    prior : str
        "A,B"; None: fitted.
    price : float or str
        Of a label. Values are payoffs less prices.
    payoff : str or list
        Of calls, as for find.
    final_positive : bool
        Call undecided tasks positive at the end, instead of counting half.
    pairs : path
        Instead of labels, a file of recorded comparisons.
    workers_prior : str
        "A,B", with pairs.
    problem : str
        "assignment", with contexts and fill; or "labelers", with explore and votes; as for `optgap replay`.
    contexts : path or Series
        A file, or with a DataFrame a Series by task.
    fill : str
        "none", "accuracy" or "grouse".
    explore : float
        G1.
    votes : str
        "majority" (default) or "weighted".
    result : bool
        ``.results`` has what each policy concluded in the first run, as DataFrames: ``.results.tasks``, ``.workers``,
        ``.totals``; with pairs also ``.items`` and ``.pairs``.
    progress : bool or callable
        As for compare.
    **more
        runs (default 20), seed, draws ("half" or "drop"), limits; columns, missing, positive, classes, repeats, wide,
        format, encoding: as for next.

    Returns
    -------
    Replay

    Raises
    ------
    ValueError
        A wrong argument, or labels that cannot be read, with file and line or row.
    """
    if gold is None or (labels is None) == (pairs is None):
        raise ValueError("replay needs gold, and labels or pairs")
    reading = {name: more.pop(name) for name in READING if name in more}
    known = {*DEFAULTS, "counts", "no_times"}
    for name in more.keys() - known:
        raise no_option(name, known)
    request = Request("replay", policies, ties, runs=more.pop("runs", 20), result=result, explore=explore or None, **more)
    request.give(T=None if whole("T", T) == -1 else T, prior=prior, pairs=pairs, workers_prior=workers_prior, problem=problem, fill=fill,
                 final_ties="positive" if switch("final_positive", final_positive) else None,
                 votes="weighted" if chosen("votes", votes, ("majority", "weighted")) == "weighted" else None,
                 at=",".join(str(whole("at", one)) for one in at) or None, **stakes_of(price, payoff))
    with table_of(labels, gold, request, **reading) as table:
        request.give(labels=table.labels, gold=table.gold, contexts=table.of_tasks("contexts", contexts))
        return Replay(ask(request, progress=progress), table.tasks, table.workers)
