"""Arguments as C takes them: words, whole numbers, numbers, switches and names of files. An error is a ValueError with the name."""
# mypy: ignore-errors

import os
from numbers import Real

from optgap._arm import Arm

SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
SEEDS = 2**53  # seeds that are drawn: every reader of JSON and tables keeps them


def plain(value):
    """A scalar of NumPy as Python's number."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def is_number(value):
    return isinstance(plain(value), Real) and not isinstance(plain(value), bool)


def whole(name, value, more=""):
    """A whole number: 12, 12.0 or numpy.int64(12). True is none."""
    if type(value) is int:
        return value  # nearly always
    number = plain(value)
    if not is_number(number) or number != number or number in (float("inf"), -float("inf")) or int(number) != number:
        raise ValueError(f"{name} must be a whole number{more}, not {value!r}")
    return int(number)


def number(name, value):
    if not is_number(value):
        raise ValueError(f"{name} must be a number, not {value!r}")
    return float(plain(value))


def switch(name, value):
    if not isinstance(plain(value), bool):
        raise ValueError(f"{name} must be True or False, not {value!r}")
    return plain(value)


def seed_of(seed):
    """A seed: a whole number, or one drawn from a numpy.random.Generator, or (None) by the system."""
    if seed is None:
        return int.from_bytes(os.urandom(8), "little") % SEEDS
    if hasattr(seed, "integers"):
        return int(seed.integers(SEEDS))
    return whole("seed", seed, ", a numpy.random.Generator or None")


def text_of(value):
    """A value as a word for the library: a list with commas, numbers with all their digits. ValueError: a list in a list."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    if hasattr(value, "tolist"):  # of NumPy
        return text_of(value.tolist())
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, (list, tuple, dict, set)) or hasattr(item, "tolist") and getattr(item, "ndim", 0) for item in value):
            raise ValueError(f"a list of texts or numbers is expected, not one of lists: {value!r}")
        return ",".join(text_of(item) for item in value)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def encode(value):
    """A value as bytes for C. ValueError if it has a NUL, where C would end it."""
    text = text_of(value)
    if "\0" in text:
        raise ValueError(f"{text!r} has a NUL")
    return os.fsencode(text)


def file_of(name, value):
    if not isinstance(value, (str, bytes, os.PathLike, type(None))):
        raise ValueError(f"{name} must be the name of a file, not {value!r}")
    return value


def size_of(value):
    """Bytes: a number, or a text such as "16M"."""
    text = str(value).strip().lower().removesuffix("b")
    unit = text[-1:] if text[-1:].isalpha() else ""
    try:
        return int(float(text.removesuffix(unit)) * SIZES[unit])
    except (KeyError, ValueError, OverflowError):
        raise ValueError(f"memory={value!r} is not a size, such as \"16M\", \"2G\" or bytes") from None


def chosen(name, value, table):
    if not isinstance(value, str) or value not in table:
        raise ValueError(f"{name} must be one of {', '.join(table)}, not {value!r}")
    return value


def instance_words(instances):
    """The words of INSTANCEs: a text, or a list of texts, of priors as numbers, (2, 1), and of arms, which become (count, arm).
    One state only."""
    if isinstance(instances, str):
        return instances.split()
    instances = [instances] if isinstance(instances, Arm) else instances
    if not hasattr(instances, "__iter__") or isinstance(instances, (bytes, dict, set, frozenset)) or hasattr(instances, "columns"):
        raise ValueError(f"instances must be words such as \"5x1,1\" (5 instances with the prior Beta(1,1)), not {instances!r}")
    words = []
    for place, one in enumerate(instances):
        one = one.tolist() if hasattr(one, "tolist") else one
        if isinstance(one, str):
            words += one.split()
        elif isinstance(one, Arm):
            words.append((1, one))
        elif isinstance(one, (list, tuple)) and len(one) == 2 and isinstance(one[1], Arm):
            words.append((whole("the count of an arm", one[0]), one[1]))
        elif is_number(one) or isinstance(one, (list, tuple)) and one and all(map(is_number, one)):
            words.append(text_of(one))
        else:
            raise ValueError(f"instances[{place}] must be a word such as \"2,1\" or the numbers of a prior such as (2, 1), not {one!r}; "
                             "a question is about one state, so ask once for each of several: [optgap.query(T, one) for one in states]; "
                             "optgap.query(states, left) takes them as an array (n, k, 2)")
    return words
