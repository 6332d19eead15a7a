"""Q of many states in arrays."""
# mypy: ignore-errors

from typing import NamedTuple

from optgap._given import number, text_of
from optgap._library import ffi, lib
from optgap._problems import Problem
from optgap._work import Request, run


class States(NamedTuple):
    """The answers to many states.

    q: float array (n, k), the further gain if an instance is labelled now and all later choices are optimal; NaN without
    labels left, or where only bounds of it are known. best: bool array (n, k), true for each optimal choice; where Q is
    NaN, only for one that bounds prove.
    """

    q: "numpy.ndarray[Any, Any]"
    best: "numpy.ndarray[Any, Any]"


def query_states(states, left, threshold=None, progress=False, threads=0, memory=0, time_limit=0, **options):
    """states: an array (n, k, 2) of a and b of each instance's posterior; left: labels left, one number or one for each state."""
    import numpy as np

    posterior = np.ascontiguousarray(states, dtype=np.float64)
    count, size, width = posterior.shape
    if width != 2 or size == 0:
        raise ValueError(f"states must have the shape (n, k, 2), with a and b of k instances each, not {posterior.shape}")
    labels = np.asarray(left)
    whole = labels.dtype.kind in "iuf" and bool((labels == np.floor(labels)).all()) and labels.shape in ((), (count,))
    if not whole:
        raise ValueError(f"left must be a whole number or an array of {count}, one for each state, not {left!r}")
    if labels.size and not (labels.min() >= 0 and labels.max() <= 2**31 - 1):
        raise ValueError(f"left must be at least 0 and at most {2**31 - 1}, not {left!r}")
    labels = np.ascontiguousarray(np.broadcast_to(labels, count), dtype=np.int32)
    word = f"{size}x1,1" + ("" if threshold is None else f"@{text_of(number('threshold', threshold))}")
    problem = Problem(int(labels.max(initial=0)), [word], **options)
    request = Request("query", threads=threads, memory=memory, time_limit=time_limit)
    problem.begin(request)
    found = States(np.empty((count, size)), np.empty((count, size), dtype=bool))
    given = ffi.from_buffer("double[]", posterior), ffi.from_buffer("int32_t[]", labels)
    q, best = ffi.from_buffer("double[]", found.q), ffi.from_buffer("bool[]", found.best)
    message = ffi.new("og_message *")
    run(lambda: lib.og_query_states(problem.handle, count, *given, request.of, q, best, message), request, message, progress)
    return found
