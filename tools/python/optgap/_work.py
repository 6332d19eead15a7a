"""Questions to the library: their arguments, the wait for the answer, and errors.

The library works in a separate thread, while the caller's thread waits in Python. So Ctrl-C acts at
once; and OpenMP's threads end with that thread, so that a later fork is safe.
"""
# mypy: ignore-errors

import _thread
import collections
import difflib
import json
import os
import re
import threading
import time
import warnings

from optgap._library import ffi, lib
from optgap._given import chosen, encode, file_of, number, seed_of, size_of, switch, whole
from optgap._limits import MemoryLimit, TimeLimit, sentence, status_of

ERRORS = {lib.OG_BAD_INPUT: ValueError, lib.OG_NO_MEMORY: MemoryLimit, lib.OG_STOPPED: TimeLimit,
          lib.OG_FAILED: RuntimeError}
LIMITS = lib.OG_NO_MEMORY, lib.OG_STOPPED
TIES = "random", "first", "best", "worst"
ENGINES = "auto", "recursion", "blocks"
LOOK = ffi.addressof(lib, "python_look")
# Options whose arguments have other names than theirs with underscores.
ARGUMENTS = {'"budget"': "T", '"final-ties"': "final_positive", '"arithmetic" exact': "exact=True", '"arithmetic" double': "exact=False",
             '"arithmetic"': "exact"}
# Quoted text, which has no group; or an option in double quotes in group 1.
NAME = re.compile(r"(?<!\w)'[^']*'|(\"budget\" \d+|\"arithmetic\" (?:exact|double)\b|\"[a-z]+(?:-[a-z]+)*\")")
PROGRESS_AFTER = 2.0  # seconds before a bar is shown


def no_option(name, known):
    near = difflib.get_close_matches(name, known, 1)
    return TypeError(f"there is no option '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))


def words_of(text, names=ARGUMENTS):
    """A message of the library with Python's arguments: "workers-prior" becomes workers_prior."""
    def word(at):
        if at[0].startswith('"budget" '):
            return names['"budget"'] + "=" + at[0].split()[1]
        return names.get(at[0]) or (at[0].strip('"').replace("-", "_") if at[0].startswith('"') else at[0])
    return NAME.sub(word, text)


def reason_of(text):
    """A text of a document, in which options are named as on the command line."""
    named = lib.og_options_named(encode(text))
    if named == ffi.NULL:
        raise MemoryError("out of memory")
    try:
        return words_of(ffi.string(named).decode(errors="replace"))
    finally:
        lib.free(named)


def check(status, message, advice="", names=ARGUMENTS):
    if status != lib.OG_OK:
        text = ffi.string(message.text).decode(errors="replace")
        raise ERRORS[status](words_of(text or ffi.string(lib.og_status_text(status)).decode(), names) + advice)


def make(function, kind, free, *words):
    """The object that a function of the library makes; `free` frees it with its last reference."""
    out, message = ffi.new(kind + " **"), ffi.new("og_message *")
    check(function(*words, out, message), message)
    return ffi.gc(out[0], free)


def document_of(handle):
    text = lib.og_document_json(handle)
    if text == ffi.NULL:
        raise MemoryError("out of memory")
    try:
        return json.loads(ffi.string(text))
    finally:
        lib.free(text)


class Answer(dict):
    """A document, with the library's own: from that tables for LaTeX are printed."""

    handle = None

    def __reduce__(self):
        return dict, (dict(self),)


def latex_of(handle, columns=None):
    """The program's LaTeX table of a document. columns: {name: heading or None}; None: the usual ones. None if there is no
    table, or no such column."""
    kept = [(ffi.new("char[]", encode(name)), ffi.NULL if heading is None else ffi.new("char[]", encode(heading)))
            for name, heading in (columns or {}).items()]
    chosen = ffi.new("latex_choice[]", kept) if kept else ffi.NULL
    text = lib.python_latex(handle, b"printed by Python", chosen, len(kept))
    if text == ffi.NULL:
        return None
    try:
        return ffi.string(text).decode(errors="replace")
    finally:
        lib.free(text)


def policy_of(policy):
    """A name, or a policy of optgap.policy: plain functions, partial and callable objects become one."""
    if isinstance(policy, str) or hasattr(policy, "handle"):
        return policy
    if callable(policy) and not isinstance(policy, type):
        from optgap._policies import Policy

        return Policy(policy)
    raise ValueError(f"policies must be names and functions, not {policy!r}")


# What the library says of a function that looks at the wrong state, and what to write.
LOOKS = (("supports functions of situations only", "look='situation'"),
         ("support functions of a state only", "look='posterior' or look='labels'"),
         ("supports functions of a state and its acts", "look='words'"))


# Limits and the like, with the values that stand for what the library does without them.
DEFAULTS = {"threads": 0, "memory": 0, "engine": "auto", "time_limit": 0, "checkpoint": None, "checkpoint_every": 0, "scratch": None,
            "joint_end": 0, "max_policy_states": None, "max_states": None, "max_index_time": None, "runs": None, "seed": 1, "reach": 0,
            "tie_tolerance": None}
# The values of arguments that are no texts.
KINDS = {**dict.fromkeys("threads joint_end max_policy_states max_states runs levels states instances parameter T budget batch "
                         "max_per_task per_batch".split(), whole),
         **dict.fromkeys("time_limit checkpoint_every max_index_time tie_tolerance reach explore".split(), number),
         **dict.fromkeys("exact explain counts result dry_run all_optimal all_actions no_times worst final wide".split(), switch),
         **dict.fromkeys("checkpoint scratch export_policy export_model file".split(), file_of),
         "memory": lambda name, value: size_of(value),
         "engine": lambda name, value: chosen(name, value, ENGINES),
         "history": lambda name, value: " ".join(value) or None if isinstance(value, (list, tuple)) else value}


class Request:
    """A question of the library with all that it borrows. policies: names, or results of optgap.policy.

    told: a function of a message, which puts the caller's tables in place of the files made of them. names: of its options.
    """

    def __init__(self, name, policies=(), ties=(), **arguments):
        self.name, self.names, self.told = name, ARGUMENTS, str
        self.kept, self.functions = [], []
        self.of = make(lib.og_question_new, "og_question", lib.og_question_free, encode(name))
        self.time_limit = number("time_limit", arguments.get("time_limit") or 0)
        self.take_policies(policies, ties)
        if "seed" in arguments:
            arguments["seed"] = seed_of(arguments["seed"])  # None: drawn
        self.give(**arguments)

    def give(self, **arguments):
        """Sets options from Python's arguments; None and False are not given."""
        for argument, value in arguments.items():
            usual = argument in DEFAULTS and not isinstance(value, bool) and value in (DEFAULTS[argument], float("inf"))
            value = None if value is False or usual else value
            if value is not None and argument in KINDS:
                value = KINDS[argument](argument, value)
            if argument == "exact" and value:
                self.set("arithmetic", "exact")
            elif value is not None:
                self.set("budget" if argument == "T" else argument.replace("_", "-"), None if value is True else value)

    def set(self, option, value):
        message = ffi.new("og_message *")
        text = ffi.NULL if value is None else encode(value)
        check(lib.og_question_set(self.of, encode(option), text, message), message, names=self.names)

    def keep(self, value):
        self.kept.append(value)
        return value

    def take_policies(self, policies, ties):
        policies = () if policies is None else policies
        if isinstance(policies, str) or callable(policies) or not hasattr(policies, "__iter__"):
            policies = [policies]
        policies = [policy_of(policy) for policy in policies]
        names = [policy.name for policy in policies if hasattr(policy, "handle")]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two policies have the name '{name}'; give another: optgap.policy(function, name=...)")
        for policy in policies:
            if hasattr(policy, "handle"):
                message = ffi.new("og_message *")
                check(lib.og_question_policy(self.of, self.keep(policy.handle(self)), message), message)
                continue
            for one in policy.split(",") if ":" not in policy else [policy]:
                self.set("against" if self.name == "tree" else "policy", one)
        rules = ties.split(",") if isinstance(ties, str) else list(ties or ()) if hasattr(ties or (), "__iter__") else [ties]
        if rules:
            self.set("ties", ",".join(chosen("ties", rule, TIES) for rule in rules))

    def raised(self):
        """The exception of a user-defined policy, or None. It takes precedence over the library's message."""
        for function in self.functions:
            if function.error is not None:
                return function.error
        return None


class Progress(collections.namedtuple("Progress", "states forgotten memory_bytes share seconds")):
    """How far a question is: states stored and evicted, bytes of memory, the share done (0 to 1, an estimate)
    and seconds since its begin."""

    @property
    def left(self) -> "float | None":
        """Seconds left, if the rest is as fast; None where no share is known."""
        return self.seconds * (1 - self.share) / self.share if self.share > 0 else None

    def part(self, begin, share):
        return self._replace(share=begin + share * self.share)


class Bar:
    """Shows progress: by a function that is called ten times a second, or by a tqdm bar after PROGRESS_AFTER
    seconds; nothing if tqdm is not installed."""

    def __init__(self, wanted):
        self.bar = None
        self.call = wanted if callable(wanted) else None
        self.seconds = 0 if self.call else PROGRESS_AFTER if wanted else None

    def show(self, progress):
        if self.seconds is None or progress.seconds < self.seconds:
            return
        if self.call is not None:
            self.call(progress)
            return
        if self.bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.seconds = None
                return
            self.bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}, about {remaining} left{postfix}", leave=False)
        if progress.states:
            self.bar.set_postfix_str(f"{progress.states:,} states", refresh=False)
        self.bar.n = max(self.bar.n, progress.share)
        self.bar.refresh()

    def close(self):
        if self.bar is not None:
            self.bar.close()


def progress_of(work):
    now = work.progress
    return Progress(now.states, now.forgotten, now.memory_bytes, min(max(now.settled, 0.0), 1.0), now.seconds)


def interrupt(ident):
    """Raises KeyboardInterrupt in a thread that runs a user-defined policy."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(KeyboardInterrupt))


def begin(body, functions):
    """Starts a thread, and returns its number. Without functions of the caller, which debuggers may follow, in half the time."""
    if not functions:
        return _thread.start_new_thread(body, ())
    thread = threading.Thread(target=body, daemon=True, name="optgap")
    thread.start()
    return thread.ident


def in_thread(call, work, bar, functions):
    """Runs call() in a separate thread. Ctrl-C stops it, and is raised here once it has ended."""
    ended = threading.Lock()
    ended.acquire()
    result = []

    def body():
        try:
            result.append(call())
        except BaseException as error:  # raised again below, in the caller's thread
            result.append(error)
        finally:
            ended.release()

    ident = begin(body, functions)
    try:
        while not ended.acquire(timeout=0.1 if bar.seconds is not None else -1):
            bar.show(progress_of(work))
    except BaseException:
        lib.python_stop(work)
        interrupt(ident)
        ended.acquire()
        raise
    finally:
        bar.close()
    if isinstance(result[0], BaseException):
        raise result[0]
    if bar.call is not None:
        bar.call(progress_of(work)._replace(share=1.0) if result[0] == lib.OG_OK else progress_of(work))
    return result[0]


def text_at(pointer, names=ARGUMENTS):
    return words_of(ffi.string(pointer).decode(errors="replace"), names)


def limit_of(document):
    """The limit that left the optimum of compare, or the end of a search (""), unknown; None: none did."""
    optimal, search = document.get("optimal"), document.get("search")
    if isinstance(search, dict):
        return None if search.get("complete") else ""
    return optimal.get("limit") if isinstance(optimal, dict) and "reach" not in document else None


def run(call, request, message, progress=False, bounds=None):
    """Runs call(), a question with this request that returns a status. Returns the number of states and the seconds."""
    work = ffi.new("python_work *")
    lib.og_question_watch(request.of, LOOK, request.keep(work))
    start = time.monotonic()
    status = in_thread(call, work, Bar(progress), request.functions)
    seconds = time.monotonic() - start
    error = request.raised()
    if error is not None:
        raise error
    time_limit = request.time_limit
    if status in LIMITS:
        reached = status_of(status == lib.OG_STOPPED, None, time_limit, seconds)
        states = work.progress.states
        raise ERRORS[status](sentence(reached, time_limit, states, text_at(message.text, request.names)), reached, states,
                             seconds, bounds)
    check(status, message, next((f"; write @optgap.policy({look})" for words, look in LOOKS
                                 if words in text_at(message.text, request.names)), ""), request.names)
    return work.progress.states, seconds


def ask(request, problem=ffi.NULL, progress=False, bounds=None):
    """Asks the library and returns its document. bounds: returns bounds on the optimal value, for an error at a limit."""
    out, message = ffi.new("og_document **"), ffi.new("og_message *")
    try:
        states, seconds = run(lambda: lib.og_ask(problem, request.of, out, message), request, message, progress, bounds)
    finally:
        answer = ffi.gc(out[0], lib.og_document_free) if out[0] != ffi.NULL else None
    time_limit = request.time_limit
    warning = text_at(message.text, request.names)
    document = Answer(document_of(answer))
    document.handle = answer
    limit = limit_of(document)
    if limit is not None:
        states = (document.get("optimal") or {}).get("states") or states
        reached = status_of(True, limit, time_limit, seconds)
        warning = sentence(reached, time_limit, states, warning)
        document.update(status=str(reached), reason=warning)
    if warning:
        warnings.warn(request.told(warning), stacklevel=4)
    return document
