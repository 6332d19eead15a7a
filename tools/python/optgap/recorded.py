"""Recorded labels: priors that fit them, and policies played on them."""

import contextlib
import os
import re
import tempfile

from optgap._library import ffi, lib
from optgap.report import Report, frame_of
from optgap.work import Request, ask, check, encode, text_of

METHODS = {"moments": lib.OG_FIT_MOMENTS, "ml": lib.OG_FIT_ML, "paper": lib.OG_FIT_PAPER}


def is_table(labels):
    return hasattr(labels, "columns")


def column(table, name):
    """A column of a DataFrame; ValueError where it has holes."""
    if name not in table.columns:
        raise ValueError(f"the labels have no column '{name}'; there are: {', '.join(map(str, table.columns))}")
    values = table[name]
    missing = values.isna().to_numpy()
    if missing.any():
        raise ValueError(f"the value of column '{name}' in row {table.index[missing.argmax()]!r} is missing")
    return values


def word_of(value):
    """A class as it would stand in a file."""
    value = value.item() if hasattr(value, "item") else value
    return text_of(int(value) if isinstance(value, bool) else value)


def words_of(values, name):
    """A column's classes as words, none of which breaks a line of a file."""
    import pandas

    codes, classes = pandas.factorize(values.array)
    words = [word_of(one) for one in classes]
    for code, word in enumerate(words):
        if any(mark in word for mark in "\t\r\n\0"):
            raise ValueError(f"{word!r}, the value of column '{name}' in row "
                             f"{values.index[(codes == code).argmax()]!r}, is no name of a class: "
                             "it has a tab, a line break or a NUL")
    return [words[code] for code in codes]


class Table:
    """Labels as the library reads them: `labels` and `gold` are names of files. Those of a DataFrame
    are written with numbers for tasks and workers, so that any names will do: `tasks` has the names."""

    def __init__(self, labels, gold, folder):
        self.labels, self.gold = labels, gold
        self.tasks = None
        self.rows = {}
        if is_table(labels):
            self._take_labels(labels, folder)
            if gold is not None:
                self._take_gold(gold, folder)
        elif not isinstance(gold, (type(None), str, bytes, os.PathLike)):
            raise TypeError("gold in memory needs labels in a DataFrame")

    def _take_labels(self, labels, folder):
        import pandas

        task = column(labels, "task")
        codes, names = pandas.factorize(task.array)
        self.tasks = pandas.Index(names, dtype=task.dtype)
        workers = (pandas.factorize(column(labels, "worker").array)[0] if "worker" in labels.columns
                   else range(len(codes)))
        words = words_of(column(labels, "label"), "label")
        self.labels = self._write(folder, "labels", labels.index, "task\tworker\tlabel", zip(codes, workers, words))

    def _take_gold(self, gold, folder):
        import pandas

        if is_table(gold):
            gold = pandas.Series(column(gold, "label").to_numpy(), index=column(gold, "task").array)
        elif isinstance(gold, (str, bytes, os.PathLike)):
            raise TypeError("labels in a DataFrame need gold in memory: a Series by task, or a DataFrame")
        true = pandas.Series(gold).reindex(self.tasks)
        if true.isna().any():
            raise ValueError(f"gold says nothing of task {true.index[true.isna()][0]!r}")
        words = words_of(true, "gold")
        self.gold = self._write(folder, "gold", true.index, "task\tlabel", enumerate(words))

    def _write(self, folder, what, index, head, rows):
        name = os.path.join(folder, f"{what}.tsv")
        with open(name, "w", encoding="utf-8", newline="\n") as file:
            file.write(head + "\n")
            file.writelines("\t".join(map(str, row)) + "\n" for row in rows)
        self.rows[name] = what, index
        return name

    def told(self, text):
        """What the library says of its files, of the caller's tables."""
        for name, (what, index) in self.rows.items():
            known = rf"'?[^\s']*{re.escape(os.path.join(os.path.basename(os.path.dirname(name)), what))}\.tsv'?"
            text = re.sub(known + r", line (\d+)", lambda at: f"{what}, row {index[int(at[1]) - 2]!r}", text)
            text = re.sub(known, what, text)
            text = re.sub(r"\btask '(\d+)'", lambda at: f"task {self.tasks[int(at[1])]!r}", text)
        return text


@contextlib.contextmanager
def table_of(labels, gold=None):
    """The Table of labels and gold, and errors in its words."""
    with tempfile.TemporaryDirectory(prefix="optgap-") if is_table(labels) else contextlib.nullcontext() as folder:
        table = Table(labels, gold, folder)
        try:
            yield table
        except (ValueError, RuntimeError) as error:
            error.args = tuple(table.told(word) if isinstance(word, str) else word for word in error.args)
            raise


def keep_stakes(stakes, request, price, payoff):
    """What labels cost and calls are worth: a number, and a word or four or five numbers."""
    words = payoff if payoff is None or isinstance(payoff, str) else ",".join(map(text_of, payoff))
    stakes.price = request.keep_text(None if price is None else text_of(price))
    stakes.payoff = request.keep_text(words)


class Batch(Report):
    """What to label next: .table, a DataFrame, best first; .summary says what the batch can lose."""

    def __init__(self, document, tasks=None):
        super().__init__(document)
        self._tasks = None
        if tasks is not None:  # the document has their numbers
            rows = document.get("next") or document.get("final") or []
            self._tasks = tasks.take([int(row["task"]) for row in rows])
            for row, task in zip(rows, self._tasks):
                row["task"] = str(task)

    @property
    def table(self):
        """Its column `task` has the names that the caller's table has, and their type."""
        frame = frame_of(self.json.get("next") or self.json.get("final") or [], "counts")
        return frame if self._tasks is None or frame.empty else frame.assign(task=self._tasks)

    def __str__(self):
        return f"{self.table.to_string(index=False)}\n{self.summary}"


def next(labels, *, budget=1, batch=1, policy=(), prior=None, price=None, payoff=None, final=False, seed=1,
         threads=0, memory=0):
    """Which tasks to label next: a Batch.

    labels: a file, or a DataFrame with the columns task, worker and label. budget: labels left to
    give; batch: tasks to name, each once, before any of their labels is seen. prior: "A,B" of every
    task; None: fitted. price: what a label costs: only tasks that are worth one are named, .stop where
    there are none. payoff: what calls are worth, "1,-5,0,1". final: instead, what each task is called now.
    """
    request = Request([policy] if policy else (), seed=seed, threads=threads, memory=memory)
    of = ffi.new("og_batch *")
    of.prior = request.keep_text(prior)
    of.budget, of.batch, of.final_calls = budget, batch, final
    keep_stakes(of.stakes, request, price, payoff)
    with table_of(labels) as table:
        of.labels_file = request.keep_text(table.labels)
        return Batch(ask(lib.og_next_batch, request, of), table.tasks)


def fit(labels, method="ml"):
    """The prior that fits recorded labels: (a, b), or with three classes and more a parameter for each,
    as `optgap fit` has it. labels: a file, or a DataFrame with the columns task and label, of any two to ten classes.
    method: "ml", "moments" or "paper". ValueError: labels that fit none."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    prior, count = ffi.new("double[]", lib.OG_FIT_CLASSES_MAX), ffi.new("int32_t *")
    message = ffi.new("og_message *")
    with table_of(labels) as table:
        check(lib.og_fit_file(encode(table.labels), METHODS[method], prior, count, message), message)
    return tuple(prior[0:count[0]])


def replay(labels=None, gold=None, *, policies=(), ties=(), T=-1, at=(), prior=None, price=None, payoff=None,
           final_positive=False, pairs=None, workers_prior=None, progress=False, **more):
    """Policies on recorded labels, drawn without replacement: accuracies against gold.

    labels, gold: files, or a DataFrame with the columns task, label and perhaps worker, and a Series
    by task or a DataFrame with the columns task and label; two to ten classes of any names. T: labels to give, -1:
    all. price, payoff: what labels cost and calls are worth; values are what is left. at: budgets to report. pairs: a file of recorded comparisons instead, with workers_prior.
    """
    if gold is None or (labels is None) == (pairs is None):
        raise TypeError("replay needs gold, and labels or pairs")
    request = Request(policies, ties, runs=more.pop("runs", 20), **more)
    of = ffi.new("og_recording *")
    of.budget = T
    of.prior = request.keep_text(prior)
    of.final_positive = final_positive
    keep_stakes(of.stakes, request, price, payoff)
    of.pairs_file = request.keep_text(pairs)
    of.workers_prior = request.keep_text(workers_prior)
    of.at = request.keep(ffi.new("int32_t[]", [int(text_of(one)) for one in at]))
    of.at_count = len(at)
    with table_of(labels, gold) as table:
        of.labels_file = request.keep_text(table.labels)
        of.gold_file = request.keep_text(table.gold)
        return Report(ask(lib.og_replay, request, of, progress=progress))
