"""What a question found, as the program's JSON has it, with its names as attributes."""

from collections.abc import Mapping


def part_of(value):
    if isinstance(value, dict):
        return Part(value)
    if isinstance(value, list):
        return [part_of(item) for item in value]
    return value


class Part(Mapping):
    """An object of the JSON: part.value and part["value"] are the same. Where the question was asked
    in fractions, attributes that have one are Fractions; items stay as they are in the JSON."""

    def __init__(self, document):
        self.json = document

    def __getitem__(self, name):
        return part_of(self.json[name])

    def __getattr__(self, name):
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

    def __iter__(self):
        return iter(self.json)

    def __len__(self):
        return len(self.json)

    def __dir__(self):
        return [*super().__dir__(), *self.json]

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.json.items())})"


def frame_of(rows, *lists):
    """A DataFrame of plain values, and of these lists; in fractions those are the columns that end in
    _exact."""
    import pandas

    return pandas.DataFrame([{name: value for name, value in row.items()
                              if name in lists or not isinstance(value, (dict, list))} for row in rows])


class Explanation:
    """Why policies lose: DataFrames, with the policy and its rule for ties in each row."""

    def __init__(self, rows):
        self._rows = [row for row in rows if row.get("explain")]

    def _frame(self, part):
        return frame_of([{"policy": row["name"], "ties": row["ties"], **item}
                         for row in self._rows for item in row["explain"][part]], "state")

    @property
    def stages(self):
        """What is lost, by the labels left: policy, ties, left, loss."""
        return self._frame("stages")

    @property
    def decisions(self):
        """The decisions that lose most: policy, ties, left, probability, loss, contribution, and the
        state, a list of dicts."""
        return self._frame("decisions")


class Report(Part):
    """An answer. Its parts are those of the program's JSON; `json` is all of it, as plain dicts."""

    @property
    def status(self):
        """"ok", or why the optimum is not known: then `bracket` is what is proved."""
        return self.json.get("status", "ok")

    @property
    def rows(self):
        """The policies as they stand in the JSON, one under each rule for ties."""
        return [Part(row) for row in self.json.get("policies") or []]

    @property
    def policies(self):
        """A DataFrame: a row for each policy under each rule for ties."""
        policies = self.json.get("policies") or []
        if isinstance(policies, dict):
            return Part(policies)
        return frame_of([{"policy": row["name"], **{k: v for k, v in row.items() if k != "name"}}
                         for row in policies])

    @property
    def explain(self):
        return Explanation(self.json.get("policies") or [])

    def _heading(self):
        optimal = self.json.get("optimal") or {}
        if optimal.get("value") is not None:
            return f"optimal value {optimal['value']:.9g}, within {optimal['error_bound']:.1g}"
        bracket = self.json.get("bracket") or {}
        if bracket.get("upper") is not None and bracket.get("lower") is not None:
            return f"optimal value between {bracket['lower']:.9g} and {bracket['upper']:.9g} ({self.status})"
        return ""

    def _table(self):
        rows = self.json.get("policies") or []
        if not isinstance(rows, list) or not rows:
            return []
        names = [name for name in ("value", "mean", "error_bound", "standard_error", "gap", "gap_percent", "accuracy")
                 if any(row.get(name) is not None for row in rows)]

        def cell(row, name):
            value = row.get(name)
            return "" if value is None else f"{value:.9g}" if isinstance(value, float) else str(value)

        return [["policy", "ties", *names],
                *([row["name"], row.get("ties") or "", *(cell(row, name) for name in names)] for row in rows)]

    def __str__(self):
        table = self._table()
        wide = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
        lines = [self._heading()] if self._heading() else []
        lines += ["  ".join(word.ljust(width) if i < 2 else word.rjust(width)
                            for i, (word, width) in enumerate(zip(row, wide))).rstrip() for row in table]
        return "\n".join(lines) or repr(self)

    def _repr_html_(self):
        from html import escape

        head, *rows = self._table() or [[]]
        line = "<tr>" + "".join(f"<th>{escape(word)}</th>" for word in head) + "</tr>"
        body = "".join("<tr>" + "".join(f"<td>{escape(word)}</td>" for word in row) + "</tr>" for row in rows)
        return f"<p>{escape(self._heading())}</p><table>{line}{body}</table>"

    def plot(self, ax=None):
        """Each policy's gap, with its error, on matplotlib's axes, which are returned."""
        from optgap.figures import draw_gaps

        return draw_gaps(self, ax)


class Advice(Report):
    """A query's answer."""

    @property
    def acts(self):
        """A DataFrame: what can be done now, in the order in which it was given."""
        return frame_of(self._acts(), "posterior")

    def _acts(self):
        return self.json.get("instances") or self.json.get("actions") or []

    @property
    def q(self):
        """float array: the gain still to come of each act, if play is optimal after it."""
        import numpy as np

        return np.array([np.nan if act["q"] is None else act["q"] for act in self._acts()])

    @property
    def best(self):
        """int array: the acts that are optimal."""
        import numpy as np

        return np.flatnonzero([act["optimal"] for act in self._acts()])


class IndexTable(Report):
    """The table of an index policy."""

    @property
    def table(self):
        """A DataFrame: what a posterior is named by, labels left, index."""
        import pandas

        return pandas.DataFrame(self.json["rows"], columns=self.json["columns"])

    def at(self, *posterior, left):
        """The index of one posterior; KeyError if it is not in the table."""
        if not hasattr(self, "_index"):
            self._index = {tuple(row[:-1]): row[-1] for row in self.json["rows"]}
        return self._index[(*posterior, left)]

    def __str__(self):
        return str(self.table)

    def _repr_html_(self):
        return self.table._repr_html_()


class Tree(Report):
    """The decision tree of optimal play."""

    @property
    def table(self):
        """A DataFrame: a row for each action of each state: state (its number), text, left, value,
        action, optimal, action_value."""
        return frame_of([{"state": number, "text": state["text"], "left": state["left"], "value": state["value"],
                          "action": action["text"], "optimal": action["optimal"], "action_value": action["value"]}
                         for number, state in enumerate(self.json["states"]) for action in state["actions"]])

    def __str__(self):
        return str(self.table)

    def _repr_html_(self):
        return self.table._repr_html_()
