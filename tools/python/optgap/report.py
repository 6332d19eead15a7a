"""Results: the program's JSON, with its keys as attributes."""

from collections.abc import Mapping

from optgap.work import words_of


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
    """A DataFrame of the rows' plain values, and of the named lists. With exact=True, columns that end
    in _exact hold the fractions."""
    import pandas

    return pandas.DataFrame([{name: value for name, value in row.items()
                              if name in lists or not isinstance(value, (dict, list))} for row in rows])


# The columns of a printed table, in this order; names as in flat().
SHOWN = ("believes", "labels", "value", "mean", "largest_regret", "worst_prior", "error_bound", "standard_error", "gap", "gap_percent", "accuracy",
         "accuracy_standard_error", "truth_mean", "truth_regret", "believed_mean", "believed_price")
SIMULATED = ("value", "mean", "gap", "gap_percent", "accuracy")  # columns marked ~ in a simulated row


def flat(row):
    """A policy's row as one flat dict: results under a truth or a belief become truth_... and
    believed_..., and `simulated` marks estimates."""
    out = {"policy": row.get("name", "optimal")}
    for name, value in row.items():
        if name in ("truth", "believed"):
            out.update({f"{name}_{key}": item for key, item in (value or {}).items()})
        elif name != "name":
            out[name] = value
    if ("mean" in out or "accuracy" in out) and "standard_error" in out:
        out.setdefault("simulated", True)
    return out


def flat_rows(rows):
    """Flat rows; with recorded labels, one for each reported budget."""
    return [flat({**{k: v for k, v in row.items() if k != "points"}, **point})
            for row in rows for point in row.get("points") or [{}]]


def plain(value):
    return "" if value is None else f"{value:.9g}" if isinstance(value, float) else str(value)


def shown(row, name):
    """A value of a flat row as text for the printed table."""
    if name == "believes" and row[name] is None:
        return "as given"
    word = plain(row.get(name))
    return "~" + word if word and row.get("simulated") and name in SIMULATED else word


class Explanation:
    """Why policies lose: DataFrames, with the policy and its tie-breaking rule in each row."""

    def __init__(self, rows):
        self._rows = [row for row in rows if row.get("explain")]

    def _frame(self, part):
        return frame_of([{"policy": row["name"], "ties": row["ties"], **item}
                         for row in self._rows for item in row["explain"][part]], "state")

    @property
    def stages(self):
        """The loss by the number of labels left: policy, ties, left, loss."""
        return self._frame("stages")

    @property
    def decisions(self):
        """The choices that lose most: policy, ties, left, probability, loss, contribution, and state, a
        list of dicts."""
        return self._frame("decisions")


class Report(Part):
    """The answer to a question. Its attributes are the keys of the program's JSON; `json` is the whole
    document, as plain dicts."""

    @property
    def status(self):
        """"ok", or why there is no optimal value; then `bracket` holds proved bounds on it."""
        return self.json.get("status", "ok")

    @property
    def rows(self):
        """A list of the policies' results, one for each policy and tie-breaking rule."""
        return [Part(row) for row in self.json.get("policies") or []]

    @property
    def policies(self):
        """A DataFrame with a row for each policy and tie-breaking rule."""
        policies = self.json.get("policies") or []
        if isinstance(policies, dict):
            return Part(policies)
        return frame_of(flat_rows(policies))

    @property
    def explain(self):
        """An Explanation; it needs compare(..., explain=True)."""
        return Explanation(self.json.get("policies") or [])

    def _optimum(self):
        """Lines about the optimal value."""
        optimal = self.json.get("optimal") or {}
        bracket = self.json.get("bracket") or {}
        if optimal.get("value") is not None:
            yield f"optimal value {optimal['value']:.9g}, within {optimal['error_bound']:.1g}"
        elif bracket.get("upper") is not None and bracket.get("lower") is not None:
            yield (f"optimal value between {'~' if bracket.get('lower_simulated') else ''}{bracket['lower']:.9g} and "
                   f"{bracket['upper']:.9g} ({self.status})")

    def _heading(self):
        yield from self._optimum()
        if self.json.get("minimax"):
            least = self.json["minimax"]
            yield f"least largest regret of any policy between {least['lower']:.9g} and {least['upper']:.9g}"
        elif self.json.get("minimax_limit"):
            yield f"least largest regret not found: {words_of(self.json['minimax_limit'])}"
        for name, of in (("truth", "truth"), ("believed", "belief")):
            if isinstance(self.json.get(name), str) and self.json[name] != "prior":
                yield f"{of}: {self.json[name]}"
        if "found" in self.json:
            found = self.json["found"]
            yield f"found: {found['text']} with {found['budget']} labels" if found else "found: nothing"

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
            return self._bounds()
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
                    yield f"{row['policy']}, {asked}: {words_of(row[name])}"

    def __str__(self):
        table = self._table()
        wide = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
        lines = [*self._heading()]
        lines += ["  ".join(word.ljust(width) if i < 2 else word.rjust(width)
                            for i, (word, width) in enumerate(zip(row, wide))).rstrip() for row in table]
        return "\n".join(lines + [*dict.fromkeys(self._notes())]) or repr(self)

    def _repr_html_(self):
        from html import escape

        head, *rows = self._table() or [[]]
        line = "<tr>" + "".join(f"<th>{escape(word)}</th>" for word in head) + "</tr>"
        body = "".join("<tr>" + "".join(f"<td>{escape(word)}</td>" for word in row) + "</tr>" for row in rows)
        above, below = ("".join(f"<p>{escape(text)}</p>" for text in lines) for lines in (self._heading(), dict.fromkeys(self._notes())))
        return f"{above}<table>{line}{body}</table>{below}" if rows or above else f"<p>{escape(repr(self))}</p>"

    def plot(self, ax=None):
        """Draws each policy's gap, with its error, on matplotlib axes (None: new ones). Returns them."""
        from optgap.figures import draw_gaps

        return draw_gaps(self, ax)


class Advice(Report):
    """The answer to a query."""

    @property
    def acts(self):
        """A DataFrame with a row for each possible choice, in the given order."""
        return frame_of(self._acts(), "posterior")

    def _acts(self):
        return self.json.get("instances") or self.json.get("actions") or []

    def _table(self):
        picks = self.json.get("policies") or {}
        acts = self._acts()
        names = [name for name in ("text", "count", "worker", "q", "error_bound", "lost") if acts and name in acts[0]]
        return [["act", *names, "optimal", *picks],
                *([str(i), *(plain(act[name]) for name in names), "optimal" if act.get("optimal") else "",
                   *("labels" if i in picked else "" for picked in picks.values())]
                  for i, act in enumerate(acts))] if acts else []

    @property
    def q(self):
        """float array: the expected further gain of each choice, if all later choices are optimal."""
        import numpy as np

        return np.array([np.nan if act["q"] is None else act["q"] for act in self._acts()])

    @property
    def best(self):
        """int array: the positions of the optimal choices."""
        import numpy as np

        return np.flatnonzero([act["optimal"] for act in self._acts()])


class IndexTable(Report):
    """The table of an index policy."""

    @property
    def table(self):
        """A DataFrame: the parameters of the posterior, labels left, index."""
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
    """The decision tree of the optimal policy."""

    @property
    def table(self):
        """A DataFrame with a row for each action of each state: state (its number), text, left, value,
        action, optimal, action_value."""
        return frame_of([{"state": number, "text": state["text"], "left": state["left"], "value": state["value"],
                          "action": action["text"], "optimal": action["optimal"], "action_value": action["value"]}
                         for number, state in enumerate(self.json["states"]) for action in state["actions"]])

    def __str__(self):
        return str(self.table)

    def _repr_html_(self):
        return self.table._repr_html_()
