"""Figures on matplotlib axes, in the style of the program's (optgap._figures)."""
# mypy: ignore-errors

from optgap._figures.looks import assign_looks, look, plain_axes
from optgap._figures.panel import draw_panel, find_range, read_panel
from optgap._figures.tree import draw_on


def axes(ax):
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(5, 3), layout="constrained")[1]
    return plain_axes(ax)


def draw(report, ax=None):
    """Draws a report on the axes. ValueError if it has nothing to draw."""
    json = report.json
    rows = list(report._curve())
    if rows:
        return draw_curve(rows, ax)
    if "columns" in json:
        return draw_index(report, ax)
    if "states" in json and isinstance(json["states"], list):
        return draw_on(json["figure"], ax)
    if "q" in json:
        return draw_choices(report, ax)
    return draw_gaps(report, ax)


CURVES = (("truth", "mean", "soft label of every instance", "correct calls"), ("labels", "accuracy", "labels", "accuracy"))


def name_rows(rows):
    """A name for each policy, with its tie-breaking rule where several are there."""
    several = len({row["ties"] for row in rows if row["policy"] != "optimal"}) > 1
    for row in rows:
        yield row["policy"] + (f" ({row['ties']})" if several and row["ties"] else "")


def lines_of(names, x, y, low=None, high=None):
    """Curves for optgap._figures: one for each name, in the order in which they come."""
    curves = {}
    for i, name in enumerate(names):
        curve = curves.setdefault(name, {"name": name, "kind": "trace" if low else "line", "x": [], "y": [],
                                         **({"low": [], "high": []} if low else {})})
        for part, values in (("x", x), ("y", y), ("low", low), ("high", high)):
            if values:
                curve[part].append(values[i])
    return list(curves.values())


def draw_lines(ax, curves, x_label, y_label, **more):
    """Draws curves with a legend; a curve called optimal is thick."""
    for curve in curves:
        if curve["name"] == "optimal":
            curve.update(kind="heavy", look=None)
    panel = read_panel({"curves": curves, **more})
    draw_panel(ax, panel, assign_looks(curves), find_range([panel], 0))
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    beside = {"loc": "upper left", "bbox_to_anchor": (1, 1), "ncol": 1 + len(curves) // 16} if len(curves) > 7 else {}
    ax.legend(frameon=False, fontsize="small", **beside)
    return ax


def draw_curve(rows, ax=None):
    """Draws rows of Report.curve."""
    x, y, x_label, y_label = next(one for one in CURVES if one[0] in rows[0])
    rows = [row for row in rows if row.get(y) is not None]
    places = [row[x] for row in rows]
    ticks = list(dict.fromkeys(map(str, places))) if not all(isinstance(one, (int, float)) for one in places) else []
    places = [ticks.index(str(one)) for one in places] if ticks else places
    bars = {part: [row[part] for row in rows] for part in ("low", "high") if all(part in row for row in rows)}
    ax = draw_lines(axes(ax), lines_of(name_rows(rows), places, [row[y] for row in rows], **bars), x_label, y_label,
                    whole_x=x == "labels")
    if ticks:
        ax.set_xticks(range(len(ticks)), ticks, rotation=90 if len(ticks) > 8 else 0)
    return ax


def draw_stages(frame, ax=None):
    """Draws the loss by labels left."""
    rows = frame.sort_values("left", kind="stable").to_dict("records")
    if not rows:
        raise ValueError("there are no losses to draw: the report needs compare(..., explain=True)")
    return draw_lines(axes(ax), lines_of(name_rows(rows), [row["left"] for row in rows], [row["loss"] for row in rows]),
                      "labels left", "loss (correct calls)", whole_x=True, from_zero=True)


def draw_index(report, ax=None):
    """Draws the index over labels left, a line for each posterior that one label can reach."""
    columns, rows = report.json["columns"], report.json["rows"]
    root = rows[0][:-2] if rows else []
    near = [row for row in rows if sum(abs(x - y) for x, y in zip(row[:-2], root)) <= 2]
    if not near or "left" not in columns:
        raise ValueError("there are no indices to draw: the table has no rows")
    names = [", ".join(f"{x:g}" for x in row[:-2]) for row in near]
    near, names = zip(*sorted(zip(near, names), key=lambda one: (sum(one[0][:-2]), one[0])))
    return draw_lines(axes(ax), lines_of(names, [row[-2] for row in near], [row[-1] for row in near]), "labels left",
                      f"index {report.json['policy']}", whole_x=True)


def draw_choices(report, ax=None):
    """Draws the further gain of each choice in a row; full marks are optimal."""
    acts = [(str(act.get("name", act.get("text", i))), act) for i, act in enumerate(report._acts()) if act["q"] is not None]
    if not acts:
        raise ValueError(f"there are no gains to draw: {report.reason or 'they are not known'}")
    ax = axes(ax)
    for i, (_, act) in enumerate(acts):
        ax.plot(act["q"], i, marker="o", color=look(0).colour, linestyle="none",
                markerfacecolor=look(0).colour if act["optimal"] else "white")
    ax.set_yticks(range(len(acts)), [name for name, _ in acts])
    ax.invert_yaxis()
    ax.set_xlabel("further gain (correct calls)")
    return ax


def draw_gaps(report, ax=None):
    """Draws each policy's gap, or simulated mean, in a row. Bars are error bounds, or 95 % intervals if simulated.
    Returns the axes; ValueError if the report has none."""
    rows = report.json.get("policies") or []
    means = [row for row in rows if row.get("mean") is not None]
    rows = means or [row for row in rows if row.get("gap") is not None]
    if not rows:
        raise ValueError("there is nothing to draw: plot needs gaps (of compare), means (simulate), points (replay), "
                         "indices (index) or choices (query)")
    ax = axes(ax)
    rules = {row["ties"] for row in rows}
    names = [row["name"] + (f" ({row['ties']})" if len(rules) > 1 else "") + (", simulated" if row.get("simulated") else "")
             for row in rows]
    for i, row in enumerate(rows):
        x = row["mean"] if means else row["gap"]
        bars = [[abs(end - x)] for end in row["interval"]] if means else row.get("gap_error_bound") or 0
        ax.errorbar(x, i, xerr=bars, color=look(0).colour, marker="s" if means or row.get("simulated") else "o",
                    linestyle="none", capsize=2)
    ax.set_yticks(range(len(rows)), names)
    ax.invert_yaxis()
    unit = "positive labels" if report.json["problem"].get("objective") == "bandit" else "correct calls"
    if means:
        ax.set_xlabel(f"mean, with its 95 % interval ({unit})")
    else:
        ax.set_xlabel(f"gap to the optimum ({unit})")
        ax.set_xlim(left=min(0, ax.get_xlim()[0]))
    return ax


LABELS = {"budget": "budget T (labels)", "instances": "instances K", "gap_percent": "gap to the optimum (% of its value)",
          "gain_lost_percent": "gain lost (%)", "gap": "gap to the optimum (correct calls)", "value": "correct calls"}
GROUPS = ("policy", "ties", "prior", "instances", "budget", "truth", "runs")


def draw_study(frame, ax=None, *, x="budget", y="gap_percent", by=None):
    """Draws y against x, a line for each group of `by` (None: the columns that differ). Returns the axes."""
    by = [by] if isinstance(by, str) else by
    for name in (x, y, *(by or ())):
        if name not in frame:
            raise ValueError(f"the study has no column '{name}'; there are: {', '.join(frame.columns)}")
    known = frame[frame[y].notna() & frame["policy"].notna()].sort_values([x], kind="stable")
    if known.empty:
        raise ValueError(f"there is no {y} to draw: the study needs policies' values and optimal values")
    differ = [name for name in GROUPS if name != x and known[name].nunique() > 1]
    groups = [name for name in GROUPS if name in (by or ()) or by is None and name in differ] or ["policy"]
    left = [name for name in differ if name not in groups]
    if known.duplicated([*groups, x]).any():
        raise ValueError(f"several rows have the same {x} in a line: add {' or '.join(left)} to by, or select rows of study.frame()")
    shown = {"instances": "K=", "budget": "T=", "runs": "runs="}
    order = known.drop_duplicates(groups).sort_values(groups[1:] or groups, kind="stable")[groups]
    names, rows = [], []
    for key in order.itertuples(index=False):
        part = known[(known[groups] == list(key)).all(axis=1)]
        names += [", ".join(shown.get(name, "") + str(value) for name, value in zip(groups, key))] * len(part)
        rows += part[[x, y]].values.tolist()
    return draw_lines(axes(ax), lines_of(names, [row[0] for row in rows], [row[1] for row in rows]), LABELS.get(x, x),
                      LABELS.get(y, y), from_zero=y.startswith("ga"), whole_x=x in ("budget", "instances"))
