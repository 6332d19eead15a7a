"""Recorded labels: priors that fit them, and policies played on them."""

import contextlib
import tempfile

from optgap._library import ffi, lib
from optgap.report import Report, frame_of
from optgap.work import Request, ask, check, encode, text_of

METHODS = {"moments": lib.OG_FIT_MOMENTS, "ml": lib.OG_FIT_ML, "paper": lib.OG_FIT_PAPER}


def is_table(labels):
    return hasattr(labels, "columns")


def column(table, name, kind):
    """A column of a DataFrame as numbers from 0, in the order in which its values appear first."""
    import numpy as np
    import pandas

    if name not in table.columns:
        raise ValueError(f"the labels have no column '{name}'; there are: {', '.join(map(str, table.columns))}")
    values = table[name]
    if values.isna().any():
        raise ValueError(f"column '{name}' has values that are missing")
    if kind == "label":
        numbers = values.to_numpy()
        if not np.isin(numbers, (0, 1)).all():
            raise ValueError("column 'label' has something else than 0 and 1")
        return np.ascontiguousarray(numbers, dtype=np.uint8), None
    codes, names = pandas.factorize(values)
    return np.ascontiguousarray(codes, dtype=np.uint32), names


def keep_stakes(stakes, request, price, payoff):
    """What labels cost and calls are worth: a number, and a word or four or five numbers."""
    words = payoff if payoff is None or isinstance(payoff, str) else ",".join(map(text_of, payoff))
    stakes.price = request.keep_text(None if price is None else text_of(price))
    stakes.payoff = request.keep_text(words)


@contextlib.contextmanager
def file_of(labels):
    """The name of a file with these labels."""
    if not is_table(labels):
        yield labels
        return
    for name in ("task", "label"):
        if name not in labels.columns:
            raise ValueError(f"the labels have no column '{name}'")
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        columns = [name for name in ("task", "worker", "label") if name in labels.columns]
        labels.to_csv(file, sep="\t", columns=columns, index=False)
        file.flush()
        yield file.name


class Batch(Report):
    """What to label next: .table, a DataFrame, best first; .summary says what the batch can lose."""

    @property
    def table(self):
        return frame_of(self.json.get("next") or self.json.get("final") or [], "counts")

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
    with file_of(labels) as name:
        of.labels_file = request.keep_text(name)
        return Batch(ask(lib.og_next_batch, request, of))


def fit(labels, method="moments"):
    """The Beta(a, b) that fits recorded labels: (a, b). labels: a file, or a DataFrame with the
    columns task and label, 0 or 1. ValueError: labels that fit none."""
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not known; there are: {', '.join(METHODS)}")
    a, b, message = ffi.new("double *"), ffi.new("double *"), ffi.new("og_message *")
    if is_table(labels):
        task, _ = column(labels, "task", "task")
        label, _ = column(labels, "label", "label")
        status = lib.og_fit_labels(len(task), ffi.from_buffer("uint32_t[]", task),
                                   ffi.from_buffer("uint8_t[]", label), METHODS[method], a, b, message)
    else:
        status = lib.og_fit_file(encode(labels), METHODS[method], a, b, message)
    check(status, message)
    return a[0], b[0]


def take_arrays(of, request, labels, gold):
    """Labels in numbers, and gold in the order of their tasks."""
    import numpy as np
    import pandas

    task, names = column(labels, "task", "task")
    label, _ = column(labels, "label", "label")
    true = gold if not is_table(gold) else gold.set_index("task")["label"]
    true = pandas.Series(true).reindex(names)
    if true.isna().any():
        raise ValueError(f"gold says nothing of task {true.index[true.isna()][0]!r}")
    if not np.isin(true.to_numpy(), (0, 1)).all():
        raise ValueError("gold has something else than 0 and 1")
    of.count = len(task)
    of.task = request.keep(ffi.from_buffer("uint32_t[]", task))
    of.label = request.keep(ffi.from_buffer("uint8_t[]", label))
    of.gold = request.keep(ffi.from_buffer("uint8_t[]", np.ascontiguousarray(true, dtype=np.uint8)))
    if "worker" in labels.columns:
        of.worker = request.keep(ffi.from_buffer("uint32_t[]", column(labels, "worker", "worker")[0]))


def replay(labels=None, gold=None, *, policies=(), ties=(), T=-1, at=(), prior=None, price=None, payoff=None,
           final_positive=False, pairs=None, workers_prior=None, progress=False, **more):
    """Policies on recorded labels, drawn without replacement: accuracies against gold.

    labels, gold: files, or a DataFrame with the columns task, label and perhaps worker, and a Series
    by task or a DataFrame with the columns task and label; labels are 0 or 1. T: labels to give, -1:
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
    if is_table(labels):
        take_arrays(of, request, labels, gold)
    else:
        of.labels_file = request.keep_text(labels)
        of.gold_file = request.keep_text(gold)
        of.pairs_file = request.keep_text(pairs)
        of.workers_prior = request.keep_text(workers_prior)
    of.at = request.keep(ffi.new("int32_t[]", [int(text_of(one)) for one in at]))
    of.at_count = len(at)
    return Report(ask(lib.og_replay, request, of, progress=progress))
