"""Problems: a problem type (family), its options, and instances."""
# mypy: ignore-errors

import functools
from typing import TYPE_CHECKING

from optgap._library import ffi, lib
from optgap._given import encode, instance_words, plain, switch, text_of, whole
from optgap._policies import Worth
from optgap._work import check, document_of, make, no_option

if TYPE_CHECKING:
    from typing import Any


# Arguments of questions, for "did you mean".
MORE = ["policies", "ties", "exact", "explain", "truth", "assume", "runs", "seed", "threads", "memory",
        "engine", "time_limit", "checkpoint", "scratch", "progress", "max_states", "max_policy_states", "instances"]


@functools.cache
def described():
    """The library's {family: its options}."""
    found = {}
    while (name := lib.og_family_name(len(found))) != ffi.NULL:
        document = document_of(make(lib.og_family_describe, "og_document", lib.og_document_free, name))
        found[document["name"]] = document["options"]
    return found


def families():
    """The options of each family, as {family: {option: its argument's form, "" for a switch}}."""
    return {family: {option["name"]: option["argument"] or "" for option in options if not option["hidden"]}
            for family, options in described().items()}


@functools.cache
def taken():
    """The same with hidden options: earlier names, and options that others replace."""
    return {family: {name: option["argument"] or "" for option in options
                     for name in (option["was"], option["name"]) if name is not None}
            for family, options in described().items()}


def family_of(problem, options):
    """The first family that supports these options."""
    known = taken()
    if problem in known:
        return problem
    for name, has in known.items():
        if all(option in has for option in options):
            return name
    unknown = [option for option in options if not any(option in has for has in known.values())]
    if unknown:
        name = unknown[0].replace("-", "_")
        raise no_option(name, [one.replace("-", "_") for has in known.values() for one in has] + MORE)
    raise ValueError(f"{' and '.join(options)} belong to different problem types; give options of one")


class Problem:
    """Instances and a budget. Pass it to a question in place of T and instances.

    Parameters
    ----------
    T : int or str
        The budget, 0 to 1000000 labels; "40each": for each instance. 12.0 is 12; True is no number.
    instances : str or list
        Words as on the command line, "10x1,1" or ["5x1,1", "3,2@0.3"]; in a list also priors as numbers, (2, 1), and
        arms of your own, optgap.arm(...) or (count, arm). A question is about one state: a list of lists is refused.
    problem : str
        "labels" (default), "bandit", or a problem type such as "ranking".
    left : int
        Labels left, if fewer than T.
    **options
        Options of the problem type have the program's names, with _ for -: workers_prior="2x4,1", once=True,
        features="table.tsv". optgap.families() lists them.
        payoff: "brier", "squared", "log", "table:FILE", numbers, or a function, the worth of an instance at the end. It may
        take posterior, threshold and labels, as policies do, arrays of one row, and is called once for each posterior of
        each different prior, in every question.

    Raises
    ------
    ValueError
        A wrong value, with the option's name.
    TypeError
        An unknown option.
    """

    names: "Any" = None  # the caller's names of instances
    worth: "Any" = None  # a function as payoff, and its handle
    user: "Any" = None
    family: "str"

    def __init__(self, T=None, instances=(), *, problem=None, left=None, family=None, **options):
        problem = options.pop("objective", problem)  # its earlier name
        words = instance_words(instances)
        given = {name.replace("_", "-"): value for name, value in options.items()
                 if value is not None and value is not False}
        self.family = family or family_of(problem, list(given))
        for name, value in options.items():
            forms = [has.get(name.replace("_", "-")) for has in (taken()[self.family], *taken().values())]
            argument = next((form for form in forms if form is not None), None)
            if argument == "" and value is not None:
                switch(name, value)
            elif argument and isinstance(plain(value), bool):
                raise ValueError(f"{name} must have a value, {argument}, not {value!r}")
        self.handle = make(lib.og_problem_new, "og_problem", lib.og_problem_free, encode(self.family))
        if problem is not None and problem != self.family:
            self._set("problem", problem)
        if T is not None:
            self._set("budget", T if isinstance(T, str) else whole("T", T))
        if left is not None:
            self._set("left", whole("left", left))
        if callable(given.get("payoff")):
            self.worth = Worth(given.pop("payoff"))
            self.user = ffi.new_handle(self.worth)
            self._call(lib.og_problem_final_reward, encode(self.worth.name), lib.python_worth, self.user)
        for name, value in given.items():
            many = isinstance(value, (list, tuple)) and taken()[self.family].get(name, "").startswith(
                ("[N", "NAME:"))
            for one in value if many else [value]:
                self._set(name, one)
        for word in words:
            if isinstance(word, tuple):
                self._add_arm(*word, T)
            else:
                self._call(lib.og_problem_add, encode(word))

    def _add_arm(self, copies, arm, T):
        if T is None:
            raise ValueError("T is missing: an arm is asked for the nodes that T labels reach")
        table = arm.table(int(text_of(T).removesuffix("each")))
        self._call(lib.og_problem_add_arm, copies, encode(table))

    def _call(self, function, *words):
        message = ffi.new("og_message *")
        check(function(self.handle, *words, message), message)

    def _set(self, option, value):
        self._call(lib.og_problem_set, encode(option), ffi.NULL if value is True else encode(value))

    @classmethod
    def from_counts(cls, successes: "Any", failures: "Any", *, prior: "tuple[float, float]" = (1, 1),
                    threshold: "float" = 0.5, T: "int", **more) -> "Problem":
        """Makes a problem from label counts.

        Parameters
        ----------
        successes, failures : int array [n]
            Positive and negative labels so far, each 0 to 2**31 - 1.
        prior : pair of float
            (a, b) of each instance's Beta prior; the counts are added to it.
        threshold : float
            A soft label of at least this is positive.
        T : int
            Labels still to give.
        **more
            Options of Problem.

        Returns
        -------
        Problem
            Reports keep the order of the instances, and the names of a pandas Series.

        Raises
        ------
        ValueError
            Wrong shapes or counts.
        """
        import numpy as np

        problem = cls(T, **more)
        counts = [np.asarray(of) for of in (successes, failures)]
        if counts[0].shape != counts[1].shape or counts[0].ndim != 1:
            raise ValueError(f"successes and failures have shapes {counts[0].shape} and {counts[1].shape}; "
                             "both must be (n,)")
        for name, of in zip(("successes", "failures"), counts):
            wrong = np.full(of.shape, of.dtype.kind not in "biuf")
            if not wrong.any():
                wrong = ~((of >= 0) & (of <= 2**31 - 1) & (of == np.floor(of)))
            if wrong.any():
                raise ValueError(f"{name} must be whole numbers, at least 0 and at most {2**31 - 1}, not "
                                 f"{of[wrong][0]!r} (number {wrong.argmax()})")
        arrays = [np.ascontiguousarray(of, dtype=np.int32) for of in counts]
        problem._call(lib.og_problem_add_counts, len(arrays[0]),
                      *(ffi.from_buffer("int32_t[]", array) for array in arrays), *map(float, prior),
                      float(threshold))
        problem.names = getattr(successes, "index", None) if hasattr(successes, "iloc") else None
        return problem

    def begin(self, request):
        """Before each question; afterwards the function's `error` is what it raised in it."""
        if self.worth is not None:
            self.worth.error = None
            request.functions.append(self.worth)

    def played(self, policies):
        """The policies of a question, as a request takes them."""
        return policies

    def __repr__(self):
        problem = self.describe()
        rows = problem.get("instances") or []
        words = " ".join(str(row.get("text", row)) if isinstance(row, dict) else str(row) for row in rows[:8])
        return f"<{self.family}: T={problem.get('budget')}, {words}{' ...' if len(rows) > 8 else ''}>"

    def describe(self) -> "dict[str, Any]":
        """The problem as a dict, as under "problem" in the program's JSON."""
        try:
            document = make(lib.og_problem_describe, "og_document", lib.og_document_free, self.handle)
        except ValueError as error:
            raise getattr(self.worth, "error", None) or error from None
        return document_of(document)["problem"]


def problem_of(T, instances, options):
    """The Problem of a question's arguments: T and instances, or a Problem in place of T."""
    if isinstance(T, Problem):
        if instances or options:
            raise ValueError("a Problem has its instances and options already; give them to Problem(...)")
        return T
    return Problem(T, instances, **options)
