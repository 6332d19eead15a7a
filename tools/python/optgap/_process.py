"""Processes: decision problems of the caller's own, told by a Python function."""
# mypy: ignore-errors

from numbers import Rational
from typing import TYPE_CHECKING

from optgap._library import ffi, lib
from optgap._problems import Problem
from optgap._given import encode
from optgap._work import make

if TYPE_CHECKING:
    from typing import Any


class Process(Problem):
    """A process. States have numbers in the order in which they were found; the library sees only these."""

    def __init__(self, root, expand, text=str):
        super().__init__(family="process")
        self.expand, self.text = expand, text
        self.states, self.numbers, self.acts = [root], {root: 0}, {}
        self.error = None
        self.user = ffi.new_handle(self)
        process = ffi.new("og_process *")
        process.version = lib.OG_PROCESS_VERSION
        process.user = self.user
        for name in ("root", "expand", "text"):
            setattr(process, name, ffi.addressof(lib, "python_process_" + name))
        self._call(lib.og_problem_process, process)

    def __repr__(self):
        return f"<process: root {self.states[0]!r}>"

    def begin(self, request):
        """Before a question; afterwards `error` is what a function raised in it."""
        self.error = None
        request.functions.append(self)

    def played(self, policies):
        """Plain functions of a state and its acts become policies."""
        many = isinstance(policies, (list, tuple))
        made = [Played(self, one) if callable(one) and not hasattr(one, "handle") else one
                for one in (policies if many else [policies])]
        return made if many else made[0]

    def tell(self, number, to):
        """Tells the library the acts of a state, or its value."""
        state = self.states[number]
        found = self.expand(state)
        if not isinstance(found, dict):
            self.tell_end(state, found, to)
            return
        numbers, states, acts = self.numbers, self.states, self.acts
        for name, outcomes in found.items():
            told = acts.get(name)
            if told is None:
                if not isinstance(name, str):
                    raise ValueError(f"process: state {state!r}: an act's name must be a text, not {name!r}")
                told = acts[name] = encode(name)
            lib.python_tell_act(to, told)
            for outcome in outcomes:
                if len(outcome) == 2:
                    probability, after = outcome
                    reward = 0
                else:
                    probability, after, reward = outcome
                next_number = numbers.get(after)
                if next_number is None:
                    next_number = numbers[after] = len(states)
                    states.append(after)
                if type(probability) is float and type(reward) in (int, float):
                    lib.python_tell_outcome(to, probability, reward, next_number)
                else:
                    self.tell_number(to, probability, reward, next_number)

    def tell_number(self, to, probability, reward, after):
        if isinstance(probability, Rational) and isinstance(reward, Rational):
            lib.python_tell_outcome_text(to, text_of(probability), text_of(reward), after)
        else:
            lib.python_tell_outcome(to, float(probability), float(reward), after)

    def tell_end(self, state, value, to):
        if isinstance(value, Rational):
            lib.python_tell_end_text(to, text_of(value))
        elif hasattr(value, "__float__"):
            lib.python_tell_end(to, float(value))
        else:
            raise ValueError(f"process: state {state!r}: expand must return a number or a dict of acts, not {value!r}")


class Played:
    """A policy of processes; its function returns an act, or a dict of weights."""

    def __init__(self, process, function):
        self.process, self.function = process, function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.error = None

    called = "python_choose_act"

    def handle(self, request):
        request.functions.append(self)
        user = request.keep(ffi.new_handle(self))
        return make(lib.og_policy_process, "og_policy", lib.og_policy_free, encode(self.name),
                    ffi.addressof(lib, self.called), user)

    def choose(self, number, acts, answer):
        return self.answer(self.process.states[number], acts, answer)

    def answer(self, state, acts, answer):
        chosen = self.function(state, acts)
        weights = chosen if isinstance(chosen, dict) else {chosen: 1}
        for act in weights:
            if act not in acts:
                raise ValueError(f"policy '{self.name}': state {state!r} has no act {act!r}")
        for i, act in enumerate(acts):
            answer[i] = weights.get(act, 0)
        return lib.PYTHON_WEIGHTS if isinstance(chosen, dict) else lib.PYTHON_INDEX


class Told(Played):
    """A policy of look="words": the state is a text."""

    called = "python_choose_told"

    def __init__(self, policy):
        super().__init__(None, lambda state, acts: policy.call([{"state": state, "acts": acts}[word] for word in policy.wanted]))
        self.name = policy.name


def text_of(number):
    return f"{number.numerator}/{number.denominator}".encode()


@ffi.def_extern()
def python_process_tell(handle, number, to):
    process = ffi.from_handle(handle)
    try:
        process.tell(number, to)
        return True
    except BaseException as error:  # ask() raises it again
        process.error = error
        return False


@ffi.def_extern()
def python_process_show(handle, number, text, size):
    process = ffi.from_handle(handle)
    try:
        shown = str(process.text(process.states[number])).encode(errors="replace")
    except BaseException as error:
        process.error, shown = error, b"?"
    kept = shown[:size - 1]
    ffi.memmove(text, kept + b"\0", len(kept) + 1)
    return len(shown)


@ffi.def_extern()
def python_play(handle, number, count, acts, answer):
    played = ffi.from_handle(handle)
    try:
        return played.choose(number, [ffi.string(acts[i]).decode() for i in range(count)], answer)
    except BaseException as error:
        played.error = error
        return lib.PYTHON_FAILED


@ffi.def_extern()
def python_told(handle, state, size, count, acts, answer):
    told = ffi.from_handle(handle)
    try:
        return told.answer(ffi.buffer(state, size)[:].decode(errors="replace"),
                           [ffi.string(acts[i]).decode(errors="replace") for i in range(count)], answer)
    except BaseException as error:
        told.error = error
        return lib.PYTHON_FAILED


def process(root: "Any", expand: "Any", *, text: "Any" = str) -> "Problem":
    """Makes a problem of your own, any finite decision process without cycles: give it to a question in place of T.

    Parameters
    ----------
    root : hashable
        The first state, hashable, as all states.
    expand : callable
        expand(state), called once for each state, returns the value of an end, a number; or a dict of acts, {name:
        outcomes}. Outcomes are tuples (probability, next state) or (probability, next state, reward); the probabilities
        of an act add up to 1. A state's value is the largest expected sum of rewards and the value of the end. Sort what
        is interchangeable in a state, so that equal situations are one state. With int and Fraction, exact=True is
        supported.
    text : callable
        text(state) is a state's text in trees.

    Returns
    -------
    Problem
        A policy is a function of a state and the list of its acts that returns an act, or {act: weight}; or "uniform",
        "first" (the first act), "table:FILE", "command:CMD".

    Examples
    --------
    >>> from fractions import Fraction
    >>> import optgap
    >>> def expand(state):
    ...     wins, left = state
    ...     if left == 0:
    ...         return wins
    ...     return {"safe": [(1, (wins, left - 1), 1)],
    ...             "risk": [(Fraction(2, 3), (wins + 1, left - 1)), (Fraction(1, 3), (0, left - 1))]}
    >>> game = optgap.process((0, 3), expand)
    >>> optgap.compare(game, policies=["uniform", "first"], exact=True).value
    Fraction(3, 1)
    """
    return Process(root, expand, text)
