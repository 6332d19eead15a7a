"""Signatures with every keyword in place of **options, for help() and completion."""
# mypy: ignore-errors

import inspect

from optgap._problems import families
from optgap import _work

LIMITS = ("threads", "memory", "engine", "time_limit", "checkpoint", "checkpoint_every", "scratch", "no_times")
READING = ("columns", "missing", "positive", "classes", "repeats", "wide", "format", "encoding", "draws")
# Keywords of a function's **more; of all others they are LIMITS and the options of problems.
MORE = {"find": LIMITS, "fit": READING[:-1], "next": READING,
        "replay": (*READING, "runs", "seed", "threads", "memory", "time_limit", "tie_tolerance")}
DEFAULTS = {**_work.DEFAULTS, "runs": 20, "wide": False, "no_times": False}


def problem_options():
    """{keyword: True for a switch} of all problem types."""
    found = {"problem": False, "left": False}
    for options in families().values():
        for name, argument in options.items():
            if name not in ("budget", "left"):
                found.setdefault(name.replace("-", "_"), argument == "")
    return found


def add_keywords(functions):
    """Gives functions with **options or **more a signature that names all keywords."""
    options = {name: False if switch else None for name, switch in problem_options().items()}
    for name, function in functions.items():
        given = inspect.signature(function)
        own = [one for one in given.parameters.values() if one.kind != one.VAR_KEYWORD]
        limits = () if name in ("Problem", "from_counts") else (*LIMITS, "joint_end")
        more = {limit: DEFAULTS.get(limit) for limit in MORE.get(name, limits)} | ({} if name in MORE else options)
        own += [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=value)
                for key, value in more.items() if key not in given.parameters]
        function.__signature__ = given.replace(parameters=own)
