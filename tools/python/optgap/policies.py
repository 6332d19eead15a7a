"""Policies that are functions of the user's.

A function says what each group of instances that are alike is worth; the largest is labelled. It
takes, by their names, what it needs of a state with G groups:

    posterior   float array [G, W]: a row for each group; (a, b) of a Beta, the parameters of classes
                of a Dirichlet, (weight, a, b) of each component of a mixture; rows that are shorter
                end in NaN
    copies      int array [G]: instances that are alike
    threshold   float array [G]: positive means a soft label of at least this
    labels      int array [G, L]: labels so far, positive ones first; with look="labels"
    left        labels left, budget  labels in all

With look="situation", for problems whose instances are coupled (workers, features, assignment):

    instance, worker, copies   int arrays [C]: what can be done; from 0, as they were given
    positive, negative         int arrays [instances, workers]: labels so far
    left, budget
"""

from optgap._library import ffi, lib
from optgap.work import encode, make

LOOKS = {"posterior": ("posterior", "copies", "threshold", "left", "budget"),
         "labels": ("posterior", "copies", "threshold", "labels", "left", "budget"),
         "situation": ("instance", "worker", "copies", "positive", "negative", "left", "budget")}


class Weights:
    """What a policy returns that labels at random: probabilities up to a factor. See weights()."""

    def __init__(self, values):
        self.values = values


def weights(values):
    """Return this from a policy: each group is labelled with this probability, up to a factor."""
    return Weights(values)


def array_of(np, pointer, kind, *shape):
    """A copy, as what C lends is gone after the call."""
    count = 1
    for length in shape:
        count *= length
    flat = np.frombuffer(ffi.buffer(pointer, count * kind.itemsize), kind) if count else np.empty(0, kind)
    return flat.reshape(shape).copy()


def names_of(function):
    """Of its arguments. Those of a plain function without inspect, which takes long to import."""
    code = getattr(function, "__code__", None)
    if code is not None and not code.co_kwonlyargcount and not hasattr(function, "__wrapped__"):
        return code.co_varnames[:code.co_argcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)]
    import inspect

    return tuple(inspect.signature(function).parameters)


class Policy:
    """A policy that is a function; made by optgap.policy."""

    def __init__(self, function, name, look):
        if look not in LOOKS:
            raise ValueError(f"look must be one of {', '.join(LOOKS)}, not {look!r}")
        self.function = function
        self.name = name or function.__name__
        self.look = look
        self.wanted = names_of(function)
        unknown = [word for word in self.wanted if word not in LOOKS[look]]
        if unknown:
            raise ValueError(f"policy {self.name} takes '{unknown[0]}'; with look={look!r} there are: "
                             f"{', '.join(LOOKS[look])}")
        self.error = None
        self.__doc__ = function.__doc__

    def __call__(self, *words, **named):
        return self.function(*words, **named)

    def __repr__(self):
        return f"<policy {self.name}, look={self.look!r}>"

    def handle(self, request):
        """The library's policy, good as long as the request."""
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


class Player:
    """A policy in one question: it remembers what its function raised."""

    def __init__(self, policy, np):
        self.policy = policy
        self.np = np
        self.error = None
        self.double, self.int64, self.int32 = (np.dtype(kind) for kind in ("f8", "i8", "i4"))
        self.choice = np.dtype([("instance", "i4"), ("worker", "i4"), ("copies", "i8")])

    def groups(self, state):
        count = state.count
        for word in self.policy.wanted:
            if word == "posterior":
                yield array_of(self.np, state.posterior, self.double, count, state.width)
            elif word == "copies":
                yield array_of(self.np, state.copies, self.int64, count)
            elif word == "threshold":
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
            elif word in ("left", "budget"):
                yield getattr(now, word)
            else:
                yield choices[word]

    def answer(self, arguments, count, answer):
        """The function's answer, written to C's array."""
        try:
            given = self.policy.function(*arguments)
            kind = lib.PYTHON_INDEX
            if isinstance(given, Weights):
                given, kind = given.values, lib.PYTHON_WEIGHTS
            numbers = self.np.asarray(given)
            kinds = {numbers.dtype.kind} - {"O"} or {type(one) for one in numbers.flat}
            if kinds & {"c", "S", "U", "M", "m", complex, str, bytes}:  # which NumPy would cut, or read
                raise ValueError(f"policy {self.policy.name} returned {numbers.dtype.name}, which are no real numbers")
            numbers = numbers.astype(self.double)
            if numbers.shape != (count,):
                raise ValueError(f"policy {self.policy.name} returned an array of shape {numbers.shape}, "
                                 f"not ({count},): a number for each of them")
            self.np.frombuffer(ffi.buffer(answer, count * 8), self.double)[:] = numbers
            return kind
        except BaseException as error:  # raised again where the question was asked
            self.error = error
            return lib.PYTHON_FAILED


@ffi.def_extern()
def python_choose(handle, state, answer):
    player = ffi.from_handle(handle)
    return player.answer(player.groups(state), state.count, answer)


@ffi.def_extern()
def python_decide(handle, now, answer):
    player = ffi.from_handle(handle)
    return player.answer(player.situation(now), now.choice_count, answer)


def policy(function=None, *, look="posterior", name=None):
    """Makes a policy of a function; also as a decorator.

    >>> import numpy as np
    >>> import optgap
    >>> @optgap.policy
    ... def widest(posterior):
    ...     a, b = posterior.T
    ...     return a * b / ((a + b) ** 2 * (a + b + 1))
    >>> r = optgap.compare(4, "2x1,1", policies=[widest, "kg"])
    >>> [row.gap for row in r.rows]
    [0.0625, 0.0]

    look: "posterior": equal posteriors are alike, however they came about; "labels": only equal
    priors with equal labels are, which needs more states; "situation": for coupled instances.
    The same state must always get the same answer: some are asked twice, and a function that draws at
    random ends the question. It returns weights() instead.
    """
    if function is None:
        return lambda given: Policy(given, name, look)
    return Policy(function, name, look)
