"""User-defined policies: Python functions, see policy()."""
# mypy: ignore-errors

import itertools
from typing import TYPE_CHECKING

from optgap._library import ffi, lib
from optgap._given import chosen, encode
from optgap._work import make

if TYPE_CHECKING:
    from typing import Any

LOOKS = {"posterior": ("instances", "counts", "thresholds", "left", "budget", "price"),
         "labels": ("instances", "counts", "thresholds", "labels", "left", "budget", "price"),
         "situation": ("instance", "worker", "counts", "positive", "negative", "left", "budget", "price"),
         "words": ("state", "acts")}
WAS = {"posterior": "instances", "copies": "counts", "threshold": "thresholds"}  # earlier names, which are taken too


class Stop:
    """The answer of a policy that ends labelling: `return optgap.stop`."""

    def __repr__(self):
        return "optgap.stop"


stop = Stop()


class Weights:
    """The answer of a policy that labels at random. See weights()."""

    def __init__(self, values, stop=0.0):
        self.values = values
        self.stop = stop


def weights(values, stop=0.0):
    """Makes the answer of a policy that labels at random: `return optgap.weights(w)`.

    Parameters
    ----------
    values : float array [G]
        Finite, at least 0 and not all 0: each group's probability, up to a common factor. A group is counts[i] identical
        instances; multiply by counts for weights of single instances.
    stop : float
        The weight of ending labelling.

    Returns
    -------
    Weights

    Examples
    --------
    >>> import optgap
    >>> @optgap.policy
    ... def any_of_them(counts):
    ...     return optgap.weights(counts * 1.0)
    >>> r = optgap.compare(3, "2x1,1 2,1", policies=[any_of_them, "uniform"])
    >>> abs(r.rows[0].value - r.rows[1].value) < 1e-12
    True
    """
    return Weights(values, stop)


def array_of(np, pointer, kind, *shape):
    """A copy, because the memory is C's and is reused after the call."""
    count = 1
    for length in shape:
        count *= length
    flat = np.frombuffer(ffi.buffer(pointer, count * kind.itemsize), kind) if count else np.empty(0, kind)
    return flat.reshape(shape).copy()


def parameters_of(function):
    """(names of a function's parameters, those of them that have a default, how many are positional only).
    Plain functions avoid inspect, which is slow to import."""
    code = getattr(function, "__code__", None)
    if type(function).__name__ == "function" and not hasattr(function, "__wrapped__"):
        plain = code.co_argcount + code.co_kwonlyargcount
        names = code.co_varnames[:plain + bool(code.co_flags & 4) + bool(code.co_flags & 8)]
        filled = names[code.co_argcount - len(function.__defaults__ or ()):code.co_argcount]
        return names, {*filled, *(function.__kwdefaults__ or ())}, code.co_posonlyargcount
    import inspect

    try:
        found = inspect.signature(function).parameters.values()
    except ValueError as error:
        raise ValueError(f"a policy must be a Python function, or a callable object with named arguments: {error}") from None
    return (tuple(one.name for one in found), {one.name for one in found if one.default is not one.empty},
            sum(one.kind == one.POSITIONAL_ONLY for one in found))


def name_of(function):
    """The name of a function, of the function of a partial, or of an object's class."""
    function = getattr(function, "func", function)
    return getattr(function, "__name__", type(function).__name__)


class Policy:
    """A user-defined policy; made by optgap.policy."""

    name: "str"
    look: "str"

    def __init__(self, function: "Any", name: "str | None" = None, look: "str" = "posterior"):
        chosen("look", look, LOOKS)
        if not callable(function):
            raise ValueError(f"a policy must be a function or a callable object, not {function!r}")
        self.function = function
        self.name = name or name_of(function)
        self.look = look
        names, filled, self.positional = parameters_of(function)
        known = {word: WAS.get(word, word) for word in names if WAS.get(word, word) in LOOKS[look]}
        unknown = [word for word in names if word not in known and word not in filled]
        if unknown:
            others = [other for other in LOOKS if {WAS.get(word, word) for word in names if word not in filled} <= set(LOOKS[other])]
            raise ValueError(f"policy '{self.name}' takes '{unknown[0]}'; with look={look!r} there are: "
                             f"{', '.join(LOOKS[look])}" + (f"; write look={others[0]!r}" if others else ""))
        self.names, self.wanted = tuple(known), tuple(known.values())
        self.__doc__ = function.__doc__

    def call(self, values):
        """Calls the function with the values of what it wants."""
        first = list(itertools.islice(values, self.positional))
        return self.function(*first, **dict(zip(self.names[self.positional:], values)))

    def __call__(self, *words: "Any", **named: "Any"):
        return self.function(*words, **named)

    def __repr__(self):
        return f"<policy {self.name}, look={self.look!r}>"

    def handle(self, request):
        """The library's policy; it lives as long as the request."""
        if self.look == "words":
            from optgap._process import Told

            return Told(self).handle(request)
        import numpy

        player = Player(self, numpy)
        request.functions.append(player)
        user = request.keep(ffi.new_handle(player))
        if self.look == "situation":
            return make(lib.og_policy_decide, "og_policy", lib.og_policy_free, encode(self.name),
                        ffi.addressof(lib, "python_ask_coupled"), user)
        callback = ffi.new("og_callback *")
        callback.user = user
        callback.looks_at_labels = self.look == "labels"
        callback.choose = ffi.addressof(lib, "python_ask")
        return make(lib.og_policy_callback, "og_policy", lib.og_policy_free, encode(self.name), callback)


class Worth:
    """A function as payoff; `error` keeps the exception that it raised in a question."""

    def __init__(self, function):
        self.function = function
        self.name = name_of(function)
        names, filled, self.positional = parameters_of(function)
        known = {word: WAS.get(word, word) for word in names if WAS.get(word, word) in ("instances", "thresholds", "labels")}
        unknown = [word for word in names if word not in known and word not in filled]
        if unknown:
            raise ValueError(f"payoff: the function {self.name} takes '{unknown[0]}'; there are: posterior, threshold, labels")
        self.names, self.wanted = tuple(known), tuple(known.values())
        self.error = None

    call = Policy.call

    def arrays(self, group):
        """Of one row, as for policies."""
        import numpy as np

        for word in self.wanted:
            if word == "instances":
                yield array_of(np, group.parameter, np.dtype("f8"), 1, group.parameter_count)
            elif word == "thresholds":
                yield np.array([group.threshold])
            else:
                yield array_of(np, group.labels, np.dtype("i4"), 1, group.label_count)

    def at(self, group):
        import numpy as np

        given = self.call(self.arrays(group))
        number = np.asarray(given)
        if number.size != 1 or number.dtype.kind not in "biufO":
            raise ValueError(f"payoff: the function {self.name} must return a number, not {given!r}")
        return float(number.item())


@ffi.def_extern(error=float("nan"))
def python_worth(handle, group):
    worth = ffi.from_handle(handle)
    try:
        return worth.at(group)
    except BaseException as error:  # ask() raises it again
        worth.error = error
        return float("nan")


class Player:
    """A policy in one question; `error` keeps the exception that its function raised."""

    def __init__(self, policy, np):
        self.policy = policy
        self.np = np
        self.error = None
        self.double, self.int64, self.int32 = (np.dtype(kind) for kind in ("f8", "i8", "i4"))
        self.choice = np.dtype([("instance", "i4"), ("worker", "i4"), ("copies", "i8")])

    def groups(self, state):
        count = state.count
        for word in self.policy.wanted:
            if word == "instances":
                yield array_of(self.np, state.posterior, self.double, count, state.width)
            elif word == "counts":
                yield array_of(self.np, state.copies, self.int64, count)
            elif word == "thresholds":
                yield array_of(self.np, state.threshold, self.double, count)
            elif word == "labels":
                yield array_of(self.np, state.labels, self.int32, count, state.label_width)
            else:
                yield getattr(state, word)

    def situation(self, now):
        cells = now.instance_count, now.worker_count
        choices = array_of(self.np, now.choice, self.choice, now.choice_count)
        for word in self.policy.wanted:
            if word in ("positive", "negative"):
                yield array_of(self.np, getattr(now, word), self.int32, *cells)
            elif word in ("left", "budget", "price"):
                yield getattr(now, word)
            else:
                yield choices["copies" if word == "counts" else word]

    def group(self, state, i):
        """The group's place in words."""
        row = array_of(self.np, state.posterior, self.double, state.count, state.width)[i]
        return f"instance {','.join(f'{x:g}' for x in row[~self.np.isnan(row)])} (group {i})"

    def choice_at(self, now, i):
        of = now.choice[i]
        return f"instance {of.instance}" + (f" and worker {of.worker}" if now.worker_count > 1 else "")

    def answer(self, arguments, count, answer, place):
        """Calls the function and writes its answer to C's array. place: the words for one number's place."""
        try:
            given = self.policy.call(arguments)
            kind, rest = lib.PYTHON_INDEX, -self.np.inf
            if isinstance(given, Stop):
                given = self.np.full(count, -self.np.inf)
            elif isinstance(given, Weights):
                rest = self.weight_of_stopping(given.stop)
                given, kind = given.values, lib.PYTHON_WEIGHTS
            numbers = self.np.asarray(given)
            kinds = {numbers.dtype.kind} - {"O"} or {type(one) for one in numbers.flat}
            if kinds & {"c", "S", "U", "M", "m", complex, str, bytes}:  # NumPy would truncate or parse them
                raise ValueError(f"policy '{self.policy.name}' must return real numbers, not {numbers.dtype.name}")
            numbers = numbers.astype(self.double)
            if numbers.shape != (count,):
                raise ValueError(f"policy '{self.policy.name}' must return an array of shape ({count},), one number for "
                                 f"each group or choice, not {numbers.shape}; counts[i] identical instances are one group")
            self.check(numbers, kind, place, rest)
            self.np.frombuffer(ffi.buffer(answer, count * 8), self.double)[:] = numbers
            answer[count] = rest
            return kind
        except BaseException as error:  # ask() raises it again
            self.error = error
            return lib.PYTHON_FAILED

    def weight_of_stopping(self, weight):
        number = float(weight)
        if not 0 <= number < self.np.inf:
            raise ValueError(f"policy '{self.policy.name}' answered the weight {number:g} for stopping; weights must be "
                             "finite and at least 0")
        return number

    def check(self, numbers, kind, place, rest):
        """ValueError if a number is NaN, or the weights are no probabilities."""
        np, name = self.np, self.policy.name
        wrong = np.isnan(numbers)
        if wrong.any():
            raise ValueError(f"policy '{name}' answered NaN for {place(wrong.argmax())}")
        if kind == lib.PYTHON_WEIGHTS:
            wrong = ~(np.isfinite(numbers) & (numbers >= 0))
            if wrong.any():
                raise ValueError(f"policy '{name}' answered the weight {numbers[wrong][0]:g} for {place(wrong.argmax())}; "
                                 "weights must be finite and at least 0")
            if not numbers.any() and not rest:
                raise ValueError(f"policy '{name}' answered weights that are all 0; one must be larger")


@ffi.def_extern()
def python_choose(handle, state, answer):
    player = ffi.from_handle(handle)
    return player.answer(player.groups(state), state.count, answer, lambda i: player.group(state, i))


@ffi.def_extern()
def python_decide(handle, now, answer):
    player = ffi.from_handle(handle)
    return player.answer(player.situation(now), now.choice_count, answer, lambda i: player.choice_at(now, i))


def policy(function=None, *, look="posterior", name=None):
    """Makes a policy from a function or a callable object; also a decorator.

    Where no other name or look is needed, questions take the function itself.

    Parameters
    ----------
    function : callable
        It returns an index for each group of identical instances; the group with the largest is labelled. Its arguments'
        names select parts of the state, see Notes; others need a default. It must give the same answer each time for the same state. It must not draw random numbers: that ends the question with a
        RuntimeError. Return weights() to label at random.
    look : str
        "posterior" (default): instances with equal posteriors are identical; "labels": only those with equal priors and
        equal labels, which takes more states; "situation": for coupled instances; "words": for the other problems
        (rankings, labelers, sources): texts of the state and of the acts.
    name : str
        Shown in results and tables (default: the function's name).

    Returns
    -------
    Policy

    Raises
    ------
    ValueError
        An argument that is no part of the state.

    Notes
    -----
    A state with G groups has::

        instances   float array [G, W]: parameters of each group's posterior: (a, b) of a Beta, one for
                    each class of a Dirichlet, (weight, a, b) for each component of a mixture; shorter
                    rows end in NaN
        counts      int array [G]: number of identical instances
        thresholds  float array [G]: a soft label of at least this is positive
        labels      int array [G, L]: counts of labels so far, positive first; only with look="labels"
        left        int: labels left
        budget      int: labels in all
        price       float: of a label; 0 without one

    These are the names in a request to a program (command:CMD). An index of -numpy.inf means that the instances of the
    group are done. If all are, or the function returns optgap.stop, labelling ends.

    With look="situation", for coupled instances (workers, features, assignment) and C possible choices::

        instance, worker, counts   int arrays [C]: the choices; numbers start at 0, in the given order
        positive, negative         int arrays [instances, workers]: counts of labels so far
        left, budget               int
        price                      float: 0

    With look="words"::

        state   str: as trees show it
        acts    list of str: the act to take is returned, or a dict {act: weight}

    Examples
    --------
    >>> import numpy as np
    >>> import optgap
    >>> @optgap.policy(name="widest first")
    ... def widest(instances):
    ...     a, b = instances.T
    ...     return a * b / ((a + b) ** 2 * (a + b + 1))
    >>> r = optgap.compare(4, "2x1,1", policies=[widest, "kg"])
    >>> [(row.name, row.gap) for row in r.rows]
    [('widest first', 0.0625), ('kg', 0.0)]
    """
    if function is None:
        return lambda given: Policy(given, name, look)
    return Policy(function, name, look)
