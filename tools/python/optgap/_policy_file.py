"""Reads the file of an optimal policy, as solve(export_policy=FILE) writes it. optgap.verify checks it."""
# mypy: ignore-errors

import os
import re
import tempfile
from fractions import Fraction
from typing import TYPE_CHECKING

from optgap._given import file_of
from optgap._report import Report

if TYPE_CHECKING:
    from typing import Any

PLACE = re.compile(r"(\d+):(\d+),(\d+)(?:x(\d+))?(~?)")


class PolicyTable(Report):
    """The optimal policy: .table has a row for each posterior of each state that it can reach."""

    def __init__(self, document: "Any", rows: "Any"):
        super().__init__(document)
        self._found = rows

    def _rows(self):
        return self._found

    def _columns(self):
        return "state", "left", "prior", "positive", "negative", "count", "a", "b", "optimal", "near_tie"

    def _kinds(self):
        return {}

    def _table(self):
        return [list(self._columns()), *([self._word(row[name]) for name in self._columns()] for row in self._found)]

    @staticmethod
    def _word(value):
        return "" if value is None else "yes" if value is True else "" if value is False else f"{value:g}" if isinstance(value, float) else str(value)

    def _heading(self):
        yield f"optimal value {self.json['value']:.9g}, {self.json['states']} states"


def parameters_of(prior):
    """(a, b) of a Beta prior's word; None of others."""
    found = re.match(r"(?:\d+x)?([\d./]+),([\d./]+)(?![\d.,/])", prior)
    return tuple(float(Fraction(part)) for part in found.groups()) if found else None


def rows_of(number, line, priors):
    """The rows of a state. ValueError, LookupError."""
    left, state, choice = line.split("\t")
    chosen = {at[:3]: at[4] for at in map(groups_of, choice.split(";"))} if choice != "*" else None
    for at in map(groups_of, state.split(";")):
        prior, positive, negative = map(int, at[:3])
        beta = parameters_of(priors[prior])
        yield {"state": number, "left": int(left), "prior": priors[prior], "positive": positive, "negative": negative,
               "count": int(at[3] or 1), "a": beta and beta[0] + positive, "b": beta and beta[1] + negative,
               "optimal": chosen is None or at[:3] in chosen, "near_tie": chosen is not None and chosen.get(at[:3]) == "~"}


def groups_of(word):
    found = PLACE.fullmatch(word)
    if found is None:
        raise ValueError(word)
    return found.groups()


def read_policy(file: "str | os.PathLike[str]") -> "PolicyTable":
    """Reads the file of an optimal policy.

    Parameters
    ----------
    file : path
        As solve(export_policy=FILE) writes it. It is not checked: verify(file) does that.

    Returns
    -------
    PolicyTable
        ``.table`` is a DataFrame with a row for each posterior of each state: state (its number; 0 is the root), left,
        prior, positive, negative, count, a, b, optimal (label one of these), near_tie. Where no label can gain anything,
        all are optimal. Also ``.value``, ``.gain``, ``.error_bound`` and ``.budget``.

    Raises
    ------
    ValueError
        The file is no policy.

    Examples
    --------
    >>> import optgap
    >>> table = optgap.optimal_policy(2, "2x1,1").table
    >>> table[["state", "left", "positive", "negative", "count", "optimal"]].values.tolist()[:3]
    [[0, 2, 0, 0, 2, True], [1, 1, 0, 0, 1, True], [1, 1, 1, 0, 1, False]]
    """
    document, priors, rows, states = {}, [], [], 0
    try:
        with open(file_of("file", file), encoding="utf-8") as opened:
            for line in opened.read().split("\n"):
                name, _, value = line.partition("\t")
                if name == "prior":
                    priors.append(value)
                elif name.isdecimal():
                    rows += rows_of(states, line, priors)
                    states += 1
                elif name in ("value", "gain", "error_bound"):
                    document[name] = float(value)
                elif name == "budget":
                    document[name] = int(value)
    except OSError as error:
        raise ValueError(f"file '{os.fspath(file)}' cannot be read: {error.strerror}") from None
    except (ValueError, LookupError):
        document = {}
    if "value" not in document:
        raise ValueError(f"file '{os.fspath(file)}' is no policy: optgap.solve(..., export_policy=FILE) writes one")
    return PolicyTable({**document, "states": states}, rows)


def optimal_policy(T: "Any" = None, instances: "Any" = (), *, all_optimal: "bool" = False, **options: "Any") -> "PolicyTable":
    """Computes the whole optimal policy as a table.

    Parameters
    ----------
    T : int, str or Problem
        The budget: labels in all. Or a Problem, with its instances.
    instances : str or list
        INSTANCE words, of two kinds of labels.
    all_optimal : bool
        With all optimal choices.
    **options
        Of the problem, see Problem; and limits, see help(optgap).

    Returns
    -------
    PolicyTable
        See read_policy.
    """
    import optgap

    with tempfile.TemporaryDirectory(prefix="optgap-") as folder:
        file = os.path.join(folder, "policy")
        optgap.solve(T, instances, export_policy=file, all_optimal=all_optimal, **options)
        return read_policy(file)
