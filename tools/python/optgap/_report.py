"""Results: the program's JSON, with its keys as attributes."""
# mypy: ignore-errors

import types
from collections.abc import Mapping
from typing import TYPE_CHECKING

from optgap._columns import EXACT, converted, kind_of, series
from optgap._limits import Status
from optgap._shown import html_of_table, latex_of_table, plain, text_of_table, words_of_rows
from optgap._work import latex_of, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    import numpy
    import pandas

REPR = 200  # letters


def part_of(value):
    if isinstance(value, dict):
        return Part(value)
    if isinstance(value, list):
        return [part_of(item) for item in value]
    return value


class Part(Mapping):
    """An object of the JSON: part.value and part["value"] are the same value.

    With exact=True, an attribute is a Fraction if there is one; items stay as in the JSON.
    """

    json: "dict[str, Any]"

    def __init__(self, document: "dict[str, Any]"):
        self.json = document

    def __getitem__(self, name: "str") -> "Any":
        return part_of(self.json[name])

    def __getattr__(self, name: "str") -> "Any":
        if name.startswith("_") or name == "json":
            raise AttributeError(name)
        exact = self.json.get(name + "_exact")
        if exact is not None:
            from fractions import Fraction

            return Fraction(exact) if isinstance(exact, str) else [Fraction(one) for one in exact]
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no '{name}'; there are: {', '.join(self.json)}") from None

    def __iter__(self) -> "Iterator[str]":
        return iter(self.json)

    def __len__(self) -> "int":
        return len(self.json)

    def __dir__(self):
        """The keys and the public names, without those of Python's own."""
        return sorted({*(name for name in super().__dir__() if not name.startswith("_")), *filter(str.isidentifier, self.json)})

    def __repr__(self):
        return short(f"{type(self).__name__}({', '.join(f'{k}={brief(v)}' for k, v in self.json.items())})")


def brief(value):
    return "{...}" if isinstance(value, dict) else f"[{len(value)} values]" if isinstance(value, list) else repr(value)


def short(line):
    """One line of at most REPR letters."""
    line = " ".join(line.split())
    return line if len(line) <= REPR else line[:REPR - 4] + " ..."


def with_exact(part, name, other=None):
    """A number of the JSON and its fraction, if there are any, under another name."""
    other = other or name
    return {other + end: part[name + end] for end in ("", EXACT) if name + end in part}


def frame_of(rows, *lists, own=(), columns=()):
    """A DataFrame of the rows' plain values, and of the named lists. A column has the kind that _columns.py gives its name, or
    `own`; with exact=True it holds Fractions. columns: these come first, also without rows."""
    from fractions import Fraction

    import pandas

    nested = {name for row in rows for name, value in row.items() if isinstance(value, (dict, list)) and name not in lists}
    names = dict.fromkeys(name for name in (*columns, *(name for row in rows for name in row)) if name not in nested)
    found = {}
    for name in names:
        if name.endswith(EXACT) and name.removesuffix(EXACT) in names:
            continue
        values, exact = ([row.get(one) for row in rows] for one in (name, name + EXACT))
        if name in lists:
            found[name] = pandas.Series(values, dtype="object")
        elif any(isinstance(value, str) for value in exact):
            found[name] = pandas.Series([value if one is None else Fraction(one) for value, one in zip(values, exact)], dtype="object")
        else:
            kind = kind_of(name, own, values)
            found[name] = series([converted(value, kind) for value in values], kind)
    return pandas.DataFrame(found)


# The columns of a printed table, in this order; names as in flat().
SHOWN = ("labels", "value", "mean", "error_bound", "standard_error", "gap", "gap_percent", "accuracy",
         "accuracy_standard_error", "truth_mean", "truth_regret", "believed_mean", "believed_price")
SIMULATED = ("value", "mean", "gap", "gap_percent", "accuracy")  # columns marked ~ in a simulated row


def flat(row):
    """A policy's row as one flat dict: results under a truth or a belief become truth_... and
    believed_..., and `simulated` marks estimates."""
    out = {"policy": row.get("name", "optimal")}
    for name, value in row.items():
        if name in ("truth", "believed"):
            out.update({f"{name}_{key}": item for key, item in (value or {}).items()})
        elif name == "labels" and isinstance(value, dict):
            out.update(labels_least=value["least"], labels_most=value["most"])
        elif name != "name":
            out[name] = value
    if ("mean" in out or "accuracy" in out) and "standard_error" in out:
        out.setdefault("simulated", True)
    return out


def flat_rows(rows):
    """Flat rows; with recorded labels, one for each reported budget."""
    return [flat({**{k: v for k, v in row.items() if k != "points"}, **point})
            for row in rows for point in row.get("points") or [{}]]


def shown(row, name):
    """A value of a flat row as text for the printed table."""
    word = plain(row.get(name))
    return "~" + word if word and row.get("simulated") and name in SIMULATED else word


class Row(Part):
    """What a question tells of one policy and tie-breaking rule; Row[Fraction] with exact=True."""

    __class_getitem__ = classmethod(types.GenericAlias)


def titled(ax, title):
    """Axes that have no title get one."""
    if title and not ax.get_title():
        ax.set_title(title, fontsize="medium")
    return ax


class Explanation:
    """Why policies lose: DataFrames, with the policy and its tie-breaking rule in each row."""

    def __init__(self, rows: "Iterable[Any]", title: "str" = ""):
        self._title = title
        self._rows = [row for row in rows if row.get("explain")]

    def _frame(self, part):
        return frame_of([{"policy": row["name"], "ties": row["ties"], **item}
                         for row in self._rows for item in row["explain"][part]], "state")

    @property
    def stages(self) -> "pandas.DataFrame":
        """The loss by the number of labels left: policy, ties, left, loss."""
        return self._frame("stages")

    @property
    def decisions(self) -> "pandas.DataFrame":
        """The choices that lose most: policy, ties, left, probability, loss, contribution, and state, a
        list of dicts."""
        return self._frame("decisions")

    def plot(self, ax=None):
        """Draws the loss by labels left on matplotlib axes (None: new ones). Returns them."""
        from optgap._axes import draw_stages

        return titled(draw_stages(self.stages, ax), self._title)

    def plot_map(self, ax=None):
        """Draws where policies lose as a map, a row for each policy and a column for each number of labels left, on matplotlib
        axes (None: new ones). Returns them."""
        from optgap._maps import draw_losses

        return titled(draw_losses(self.stages, ax), self._title)


def leaves(document, path=()):
    """Paths and values of all plain values."""
    for name, value in document.items():
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))
        elif not isinstance(value, list):
            yield (*path, name), value


def curve_of(json):
    """Rows of numbers over truths or labels, with the policy and its tie-breaking rule."""
    names = [{"policy": row["name"], "ties": row["ties"]} for row in json.get("policies") or [] if "name" in row
             ] if isinstance(json.get("policies"), list) else []
    if isinstance(json.get("truths"), list):
        for at in json["truths"]:
            truth = at["truth"] if len(set(at["truth"])) > 1 else at["truth"][0]
            for name, row in zip([*names, {"policy": "optimal", "ties": None}], [*at["policies"], at["optimal"]]):
                yield {"truth": truth, **name, **(row or {})}
    else:
        for name, row in zip(names, json.get("policies") or []):
            for point in row.get("points") or []:
                yield {**name, **point}


class Report(Part):
    """The answer to a question. Its attributes are the keys of the program's JSON; `json` is the whole
    document, as plain dicts. print shows at most 25 lines, a notebook all."""

    __class_getitem__ = classmethod(types.GenericAlias)  # Report[float], Report[Fraction]
    names: "Any" = None  # the caller's names of instances, see Problem.from_counts

    @property
    def value(self) -> "_N | Any":
        """The main number, a Fraction if exact=True: the optimal value (solve, compare, tree), the further gain
        (query), the smallest bound (bound), the loss (find), the first policy's mean (simulate) or accuracy at the
        whole budget (replay), the index of the prior (index), the loss at most (next), problems computed (sweep). None
        if there is none."""
        json = self.json
        if "search" in json:
            return self.found.loss if json["found"] else None
        if json.get("optimal"):
            return self.optimal.labels if json.get("reach") else self.optimal.value
        if "value" in json:
            return self.__getattr__("value")
        if "finished" in json:
            return json["finished"]
        if json.get("bounds") and not json.get("policies"):
            return min((bound.value for bound in self.bounds.values() if bound and bound.value is not None), default=None)
        rows = self._flat()
        known = [row["mean"] for row in rows if row.get("mean") is not None]
        if known:
            return known[0]
        curve = flat_rows(json["policies"][:1]) if rows else []
        return curve[-1].get("accuracy") if curve else None

    @property
    def status(self) -> "Status":
        """A Status: "ok", or the limit that left no optimal value; then `bracket` holds proved bounds on it."""
        return Status(self.json.get("status", "ok"))

    @property
    def reason(self) -> "str":
        """The status as a sentence, "time limit of 12 s reached after 325219 states"; "" if it is ok."""
        return self.json.get("reason", "")

    @property
    def table(self) -> "pandas.DataFrame":
        """The main table as a DataFrame: policies, bounds or choices; else one row with all numbers."""
        return frame_of(self._rows(), own=self._kinds(), columns=self._columns())

    def _columns(self):
        """The first columns of the table, also if it has no rows."""
        return ("policy", "ties") if isinstance(self.json.get("policies"), list) else ()

    def _kinds(self):
        """Kinds of columns that differ from those of _columns.py."""
        policies = self.json.get("policies")
        if isinstance(policies, list):
            counted = self.json.get("reach") or any(row.get("points") for row in policies)
            return {"labels": "whole"} if counted else {}
        own = {"_".join(path): kind_of(path[-1]) for path, _ in self._fields()}
        return {**own, "optimal_accuracy": "text", "call_value": "number"}

    def _rows(self):
        if isinstance(self.json.get("policies"), list):
            return flat_rows(self.json["policies"])
        if self.json.get("bounds"):
            return [{"bound": name, **bound} for name, bound in self.json["bounds"].items() if bound]
        return [{"_".join(path): value for path, value in self._fields()}]

    def _plain_rows(self):
        """The rows of the table with plain values only."""
        return [{name: value for name, value in row.items() if not isinstance(value, (dict, list))} for row in self._rows()]

    def _fields(self):
        """Names, as paths, and values of a document without rows."""
        return [(path, value) for path, value in leaves(self.json) if path[0] not in ("problem", "version", "commit", "status", "reason")]

    @property
    def rows(self) -> "list[Row[_N]]":
        """A list of the policies' results, one for each policy and tie-breaking rule."""
        return [Row(row) for row in self.json.get("policies") or []]

    @property
    def policies(self) -> "Any":
        """A DataFrame with a row for each policy and tie-breaking rule."""
        policies = self.json.get("policies") or []
        if isinstance(policies, dict):
            return Part(policies)
        return frame_of(flat_rows(policies), own=self._kinds(), columns=("policy", "ties"))

    @property
    def explain(self) -> "Explanation":
        """An Explanation; it needs compare(..., explain=True)."""
        return Explanation(self.json.get("policies") or [], self._problem())

    def _problem(self):
        """The problem and T in a few words: "2x1,1 2,1@0.3, T = 12"; "" without a problem."""
        problem = self.json.get("problem") or {}
        listed, kind = problem.get("instances") or [], problem.get("objective", "calls")
        words = [one.get("text") for one in listed]
        if not listed:
            return ""
        what = " ".join(words[:4]) + (" ..." if len(words) > 4 else "") if all(words) else (
            f"{sum(one.get('count') or 1 for one in listed)} instances")
        return (f"{kind}: " if kind != "calls" else "") + what + (f", T = {problem['budget']}" if "budget" in problem else "")

    def _optimum(self):
        """Lines about the optimal value."""
        optimal = self.json.get("optimal") or {}
        bracket = self.json.get("bracket") or {}
        if self.json.get("reach"):
            fewest = optimal["labels"] if optimal.get("labels") is not None else f"more than {optimal.get('more_than')}"
            yield f"fewest labels for a share of {self.json['reach']['share']:.9g} of correct calls: {fewest}"
        elif optimal.get("value") is not None:
            exact = f" = {optimal['value_exact']}" if len(optimal.get("value_exact") or 99 * "x") < 60 else ""
            yield f"optimal value {optimal['value']:.9g}{exact or ', within %.1g' % optimal['error_bound']}"
        elif bracket.get("upper") is not None and bracket.get("lower") is not None:
            yield (f"optimal value between {'~' if bracket.get('lower_simulated') else ''}{bracket['lower']:.9g} and "
                   f"{bracket['upper']:.9g} ({self.reason})")

    def _heading(self):
        yield from self._optimum()
        for name, of in (("truth", "truth"), ("believed", "belief")):
            if isinstance(self.json.get(name), str) and self.json[name] != "prior":
                yield f"{of}: {self.json[name]}"
        if "search" in self.json:
            found = self.json["found"]
            yield f"found: {found['text']} with {found['budget']} labels" if found else "found: nothing"
            yield f"searched: {self.json['search']['problems']:.0f} problems"

    def _flat(self):
        """Policies as flat rows; also the optimal policy if it has results under a truth or belief."""
        rows = self.json.get("policies")
        optimal = self.json.get("optimal") or {}
        more = [{name: optimal.get(name) for name in ("value", "error_bound", "truth", "believed")}
                ] if optimal.get("truth") or optimal.get("believed") else []
        return flat_rows(more + (rows if isinstance(rows, list) else []))

    def _table(self):
        """The printed table as rows of words; the first row holds the names."""
        rows = self._flat()
        if not rows:
            return self._bounds() or words_of_rows([{"name": " ".join(path), "value": value} for path, value in self._fields()])
        names = [name for name in SHOWN if any(row.get(name) is not None for row in rows)]
        return [["policy", "ties", *names],
                *([row["policy"], row.get("ties") or "", *(shown(row, name) for name in names)] for row in rows)]

    def _bounds(self):
        bounds = [(name, bound) for name, bound in (self.json.get("bounds") or {}).items() if bound]
        return [["upper bound", "value", "error_bound"],
                *([name, plain(bound.get("value")), plain(bound.get("error_bound"))] for name, bound in bounds)
                ] if bounds else []

    def _notes(self):
        """Lines below the table."""
        rows = self._flat()
        if any(row.get("simulated") for row in rows):
            yield "~ simulated: an estimate, with its standard error"
        for row in rows:
            for name in ("limit", "truth_limit", "believed_limit"):
                asked = {"limit": "value", "truth_limit": "truth", "believed_limit": "belief"}[name]
                if row.get(name) and not (name == "limit" and row.get("simulated")):
                    yield f"{row['policy']}, {asked}: {reason_of(row[name])}"

    def _shown(self):
        """Lines above the table."""
        return [line for line in self._heading() if line]

    def __str__(self):
        return text_of_table(self._shown(), self._table(), self._notes()) or repr(self)

    def __repr__(self):
        return short(f"<{type(self).__name__}: {'; '.join(self._shown()) or self._first()}>")

    def _first(self):
        table = self._table()
        if table and table[0] == ["name", "value"]:
            return ", ".join(" ".join(row) for row in table[1:])
        return f"{len(table[1:])} rows of {', '.join(table[0])}" if table else "nothing"

    def _repr_html_(self):
        return html_of_table(self._shown(), self._table(), self._notes())

    def to_latex(self, columns: "Mapping[str, str] | Iterable[str] | None" = None) -> "str":
        """The table as `--latex` prints it, a tabular for the package booktabs; of a study or a tree, the printed table.

        columns: names of the JSON such as "policy" and "gap_percent", or {name: heading}; None: the program's.
        KeyError: no such column."""
        handle = getattr(self.json, "handle", None)
        text = None if handle is None or self.names is not None else latex_of(handle)
        if text is None:
            return latex_of_table(self._table(), columns)
        if columns is None:
            return text
        heads = dict(columns) if isinstance(columns, Mapping) else dict.fromkeys(columns)
        heads = {"name" if name == "policy" else name: heading for name, heading in heads.items()}
        for name in heads:
            if latex_of(handle, {name: None}) is None:
                raise KeyError(f"there is no column '{name}'; there are: {', '.join(self._latex_names())}")
        return latex_of(handle, heads)

    def _latex_names(self):
        rows = self._plain_rows()
        names = dict.fromkeys(["name", *(name for row in rows for name in row)])
        return [name for name in names if latex_of(self.json.handle, {name: None}) is not None]

    def __arrow_c_stream__(self, requested_schema: "Any" = None) -> "Any":
        """The main table for polars, DuckDB and pyarrow: polars.DataFrame(r)."""
        from optgap._arrow import capsule_of

        return capsule_of(self._plain_rows(), self._kinds(), self._columns())

    @property
    def curve(self) -> "pandas.DataFrame":
        """The numbers that plot draws, as a DataFrame: over truths or labels."""
        return frame_of(self._curve(), "truth", own={"labels": "whole"})

    def _curve(self):
        return list(curve_of(self.json))

    def plot(self, ax=None):
        """Draws the result on matplotlib axes (None: new ones), and returns them: gaps of compare; means of
        simulate; values over truths, accuracy over labels where there are several; indices;
        gains of choices; the states of a tree. The title is the problem and T. ValueError: there is nothing to draw."""
        from optgap._axes import draw

        return titled(draw(self, ax), "" if isinstance(self, Tree) else self._problem())


class Advice(Report):
    """The answer to a query."""

    @property
    def value(self) -> "_N | Any":
        """The further gain of an optimal choice, a Fraction if exact=True; None if it is not known."""
        known = [Part(act).q for act in self._acts() if act["q"] is not None]
        return max(known, default=None)

    @property
    def acts(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each possible choice, in the given order, and a column for each policy that
        is true where the policy labels."""
        frame = frame_of(self._acts(), "posterior", "pair", own=self._kinds(), columns=self._acts()[:1] and list(self._acts()[0]))
        for name, picked in (self.json.get("policies") or {}).items():
            frame[name if name not in frame else f"labels_{name}"] = frame.index.isin(picked)
        return frame

    table = acts

    def _kinds(self):
        return {}

    def _columns(self):
        return ("text", "q", "optimal")

    def _rows(self):
        return self._acts()

    def _acts(self):
        acts = self.json.get("instances") or self.json.get("actions") or []
        if self.names is not None and len(acts) == len(self.names):
            return [{"name": name, **act} for name, act in zip(self.names, acts)]
        return acts

    def _heading(self):
        yield from super()._heading()
        if self.value is not None:
            yield f"further gain {plain(self.value)} of {self.json['left']} labels"
        elif self.reason:
            yield self.reason

    def _table(self):
        picks = self.json.get("policies") or {}
        acts = self._acts()
        names = [name for name in ("name", "text", "count", "worker", "q", "error_bound", "lost") if acts and name in acts[0]]
        return [["act", *names, "optimal", *picks],
                *([str(i), *(plain(act[name]) for name in names), "optimal" if act.get("optimal") else "",
                   *("labels" if i in picked else "" for picked in picks.values())]
                  for i, act in enumerate(acts))] if acts else []

    @property
    def q(self) -> "numpy.ndarray[Any, Any]":
        """float array: the expected further gain of each choice, if all later choices are optimal."""
        import numpy as np

        return np.array([np.nan if act["q"] is None else act["q"] for act in self._acts()])

    @property
    def best(self) -> "numpy.ndarray[Any, Any]":
        """int array: the positions of the optimal choices."""
        import numpy as np

        return np.flatnonzero([act["optimal"] for act in self._acts()])


class IndexTable(Report):
    """The table of an index policy."""

    @property
    def table(self) -> "pandas.DataFrame":
        """A DataFrame: the parameters of the posterior, labels left, index."""
        return frame_of(self._rows(), own=self._kinds(), columns=self._columns())

    def _columns(self):
        return tuple(self.json["columns"])

    def _kinds(self):
        return {}

    def at(self, *posterior: "float", left: "int") -> "float":
        """The index of one posterior; KeyError if it is not in the table."""
        if not hasattr(self, "_index"):
            self._index = {tuple(row[:-1]): row[-1] for row in self.json["rows"]}
        return self._index[(*posterior, left)]

    @property
    def value(self) -> "float | Any":
        """The index of the prior with all labels left."""
        rows = self.json["rows"]
        return max(((row[-2], row[-1]) for row in rows if row[:-2] == rows[0][:-2]), default=(0, None))[1]

    def _rows(self):
        return [dict(zip(self.json["columns"], row)) for row in self.json["rows"]]

    def _table(self):
        return [self.json["columns"], *(list(map(plain, row)) for row in self.json["rows"])]

    def _heading(self):
        yield f"index {self.json['policy']}"


class Tree(Report):
    """The decision tree of the optimal policy."""

    @property
    def table(self) -> "pandas.DataFrame":
        """A DataFrame with a row for each action of each state: state (its number), text, left, value,
        action, optimal, action_value and, with against, chosen and lost."""
        return frame_of(self._rows(), own=self._kinds(), columns=self._columns())

    def _columns(self):
        return "state", "text", "left", "value", "action", "optimal", "action_value"

    def _kinds(self):
        return {}

    def _rows(self):
        return [{"state": number, "text": state["text"], "left": state["left"], **with_exact(state, "value"),
                 "action": action["text"], "optimal": action["optimal"], **with_exact(action, "value", "action_value"),
                 **with_exact(action, "chosen"), **with_exact(action, "lost")}
                for number, state in enumerate(self.json["states"]) for action in state["actions"]]

    @property
    def value(self) -> "_N | Any":
        """The optimal value, a Fraction if exact=True."""
        return self.states[0].value

    def _heading(self):
        yield f"optimal value {plain(self.value)}, {len(self.json['states'])} states"
        if "against" in self.json:
            yield f"{self.against} loses {'an unknown amount' if self.lost is None else plain(self.lost)}"

    def _table(self):
        return words_of_rows(self._rows())
