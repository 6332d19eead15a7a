"""A question asked of the library: what it needs, waiting for it, and its errors.

The library works in a thread of its own, while the one that asks waits in Python: so Ctrl-C is heard
at once, and the threads that OpenMP starts end with it, so that a fork afterwards is safe.
"""

import json
import os
import threading
import warnings

from optgap._library import ffi, lib

ERRORS = {lib.OG_BAD_INPUT: ValueError, lib.OG_NO_MEMORY: MemoryError, lib.OG_STOPPED: TimeoutError,
          lib.OG_FAILED: RuntimeError}
SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
TIES = {"random": lib.OG_TIES_RANDOM, "first": lib.OG_TIES_FIRST, "best": lib.OG_TIES_BEST,
        "worst": lib.OG_TIES_WORST}
ENGINES = {"auto": lib.OG_ENGINE_AUTO, "recursion": lib.OG_ENGINE_RECURSION,
           "blocks": lib.OG_ENGINE_BLOCKS}
LOOK = ffi.addressof(lib, "python_look")
PROGRESS_AFTER = 2.0  # seconds before a bar is shown


def text_of(value):
    """A value of Python as the program's words: lists with commas, numbers so that they read back."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    if isinstance(value, (list, tuple)):
        return ",".join(text_of(item) for item in value)
    if hasattr(value, "tolist"):  # of NumPy
        return text_of(value.tolist())
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def encode(value):
    """Bytes of a text, for C: which would end at a NUL."""
    text = text_of(value)
    if "\0" in text:
        raise ValueError(f"{text!r} has a NUL")
    return os.fsencode(text)


def size_of(value):
    """Bytes: a number, or a text such as "16M"."""
    text = str(value).strip().lower().removesuffix("b")
    unit = text[-1:] if text[-1:].isalpha() else ""
    try:
        return int(float(text.removesuffix(unit)) * SIZES[unit])
    except (KeyError, ValueError):
        raise ValueError(f"memory={value!r} is not a size, such as 16M or 2G") from None


def chosen(name, value, table):
    if value not in table:
        raise ValueError(f"{name} must be one of {', '.join(table)}, not {value!r}")
    return table[value]


def check(status, message):
    if status != lib.OG_OK:
        text = ffi.string(message.text).decode(errors="replace")
        raise ERRORS[status](text or ffi.string(lib.og_status_text(status)).decode())


def make(function, kind, free, *words):
    """What a function of the library makes, to be freed with it."""
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


class Request:
    """An og_request, with all that it borrows. Policies are names, or functions of the package."""

    def __init__(self, policies=(), ties=(), *, threads=0, memory=0, engine="auto", time_limit=0,
                 checkpoint=None, checkpoint_every=0, scratch=None, joint_end=0, max_policy_states=None, max_states=None,
                 max_index_time=None, runs=None, seed=None, truth=None, assume=None, priors=None,
                 export_policy=None, export_model=None,
                 tie_tolerance=None, **flags):
        self.of = of = ffi.new("og_request *")
        lib.og_request_default(of)
        self.kept = []
        self.functions = []
        self.take_policies(policies, ties)
        settings = of.settings
        settings.threads = threads
        settings.memory_bytes = size_of(memory)
        settings.engine = chosen("engine", engine, ENGINES)
        settings.checkpoint = self.keep_text(checkpoint)
        settings.checkpoint_seconds = checkpoint_every
        settings.scratch = self.keep_text(scratch)
        settings.joint_end = joint_end
        of.seconds_max = time_limit or 0
        of.truth = self.keep_text(truth)
        of.believe = self.keep_text(assume)
        of.priors = self.keep_text(" ".join(map(text_of, priors)) if isinstance(priors, (list, tuple)) else priors)
        of.export_policy = self.keep_text(export_policy)
        of.export_model = self.keep_text(export_model)
        for name, value in {"policy_states_max": max_policy_states, "optimum_states_max": max_states,
                            "index_seconds_max": max_index_time, "runs": runs, "seed": seed,
                            "tie_tolerance": tie_tolerance, **flags}.items():
            if value is not None:
                setattr(of, name, value)

    def keep(self, value):
        self.kept.append(value)
        return value

    def keep_text(self, value):
        return ffi.NULL if value is None else self.keep(ffi.new("char[]", encode(value)))

    def take_policies(self, policies, ties):
        of = self.of
        made = []
        for policy in [policies] if isinstance(policies, str) or callable(policies) else policies or ():
            for one in policy.split(",") if isinstance(policy, str) and ":" not in policy else [policy]:
                made.append(self.keep(one.handle(self) if hasattr(one, "handle") else
                                      make(lib.og_policy_new, "og_policy", lib.og_policy_free,
                                           encode(one))))
        if made:
            of.policies = self.keep(ffi.new("og_policy *[]", made))
            of.policy_count = len(made)
        rules = ties.split(",") if isinstance(ties, str) else list(ties or ())
        if rules:
            of.ties = self.keep(ffi.new("og_ties[]", [chosen("ties", rule, TIES) for rule in rules]))
            of.ties_count = len(rules)

    def raised(self):
        """What a function of the user's raised; it counts more than what the library says of it."""
        for function in self.functions:
            if function.error is not None:
                return function.error
        return None


class Bar:
    """A bar of tqdm, shown once the work has taken a while; nothing where there is no tqdm."""

    def __init__(self, wanted):
        self.bar = None
        self.seconds = PROGRESS_AFTER if wanted else None

    def show(self, progress):
        if self.seconds is None or progress.seconds < self.seconds:
            return
        if self.bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.seconds = None
                return
            self.bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}{postfix}", leave=False)
        self.bar.set_postfix_str(f"{progress.states:,} states", refresh=False)
        self.bar.n = max(self.bar.n, min(progress.settled, 1.0))
        self.bar.refresh()

    def close(self):
        if self.bar is not None:
            self.bar.close()


def interrupt(thread):
    """Ends Python code of a policy that is at work in this thread."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident),
                                               ctypes.py_object(KeyboardInterrupt))


def in_thread(call, work, bar):
    """call() in a thread of its own; Ctrl-C stops it, and is raised here when it has ended."""
    ended = threading.Lock()
    ended.acquire()
    result = []

    def body():
        try:
            result.append(call())
        except BaseException as error:  # to be raised by who waits
            result.append(error)
        finally:
            ended.release()

    thread = threading.Thread(target=body, daemon=True, name="optgap")
    thread.start()
    try:
        while not ended.acquire(timeout=0.1 if bar.seconds is not None else -1):
            bar.show(work.progress)
    except BaseException:
        lib.python_stop(work)
        interrupt(thread)
        ended.acquire()
        raise
    finally:
        bar.close()
    if isinstance(result[0], BaseException):
        raise result[0]
    return result[0]


def ask(function, request, *words, progress=False):
    """What the library answers, as its document; words come before the request."""
    work = ffi.new("python_work *")
    out, message = ffi.new("og_report **"), ffi.new("og_message *")
    request.of.settings.watch = LOOK
    request.of.settings.watch_user = work
    status = in_thread(lambda: function(*words, request.of, out, message), work, Bar(progress))
    report = ffi.gc(out[0], lib.og_report_free) if out[0] != ffi.NULL else None
    error = request.raised()
    if error is not None:
        raise error
    check(status, message)
    warning = ffi.string(report.warning).decode(errors="replace")
    if warning:
        warnings.warn(warning, stacklevel=4)
    document = document_of(report.document)
    if report.optimal_status != lib.OG_OK:
        document["status"] = ffi.string(lib.og_status_text(report.optimal_status)).decode()
    return document
