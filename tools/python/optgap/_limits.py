"""Limits that ended a question: the status of a report, and errors that keep bounds on the value."""
# mypy: ignore-errors

import enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from optgap._report import Part


class Status(enum.StrEnum):
    """How a question ended; Report.reason is the sentence. Members equal their texts."""

    OK = "ok"
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    STATE_LIMIT = "state limit"
    TOO_LARGE = "too large for exact values"
    STOPPED = "stopped"


class LimitReached(Exception):
    """A limit ended the question before a result.

    status: a Status. states: stored so far. seconds: since the question began.
    bracket: proved bounds on the optimal value, with .lower and .upper; computed when first read; None
    for a question without a problem.
    """

    status: "Status"
    states: "int"
    seconds: "float"

    def __init__(self, text: "str", status: "Status | None" = None, states: "int" = 0, seconds: "float" = 0.0,
                 bounds: "Any" = None):
        super().__init__(text)
        self.status, self.states, self.seconds = status or Status.STOPPED, states, seconds
        self._bounds, self._bracket = bounds, None

    @property
    def bracket(self) -> "Part | None":
        if self._bracket is None and self._bounds is not None:
            self._bracket = self._bounds()
        return self._bracket


class TimeLimit(LimitReached, TimeoutError):
    """A limit of time or states was reached, or the question was stopped."""


class MemoryLimit(LimitReached, MemoryError):
    """A table that is needed whole does not fit in the memory; other values are evicted and computed again."""


WORDS = {"time limit": Status.TIME_LIMIT, "memory limit": Status.MEMORY_LIMIT, "interrupted": Status.STOPPED,
         "too large for exact values": Status.TOO_LARGE}


def status_of(stopped, word, time_limit, seconds):
    """The limit that ended a question. word: the document's word for it, or None."""
    if word:
        return WORDS.get(word, Status.STATE_LIMIT if word.endswith("states") else Status.STOPPED)
    if not stopped:
        return Status.MEMORY_LIMIT
    return Status.TIME_LIMIT if 0 < time_limit <= seconds + 0.1 else Status.STOPPED


def sentence(status, time_limit, states, detail):
    """The reason in words: "time limit of 12 s reached after 325219 states". detail: the library's words."""
    if status == Status.TIME_LIMIT or not detail:
        limit = f"time limit of {time_limit:g} s" if status == Status.TIME_LIMIT else str(status)
        reached = "" if status in (Status.STOPPED, Status.TOO_LARGE) else " reached"
        return limit + reached + (f" after {states} states" if states else "")
    return detail
