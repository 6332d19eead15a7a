"""Figures on matplotlib's axes, which look like those of the program (optgap_figures)."""

from optgap_figures.looks import assign_looks, look, plain_axes
from optgap_figures.panel import draw_panel, find_range, read_panel


def axes(ax):
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(5, 3), layout="constrained")[1]
    return plain_axes(ax)


def draw_gaps(report, ax=None):
    """A policy's gap to the optimum, a row each; bars are error bounds, or 95 % intervals."""
    ax = axes(ax)
    rows = [row for row in report.json.get("policies") or [] if row.get("gap") is not None]
    if not rows:
        raise ValueError("there are no gaps to draw: no policy was valued beside the optimum")
    rules = {row["ties"] for row in rows}
    names = [row["name"] + (f" ({row['ties']})" if len(rules) > 1 else "") + (", simulated" if row["simulated"] else "")
             for row in rows]
    for i, row in enumerate(rows):
        ax.errorbar(row["gap"], i, xerr=row.get("gap_error_bound") or 0, color=look(0).colour,
                    marker="s" if row["simulated"] else "o", linestyle="none", capsize=2)
    ax.set_yticks(range(len(rows)), names)
    ax.invert_yaxis()
    unit = "labels that are positive" if report.json["problem"].get("objective") == "bandit" else "correct calls"
    ax.set_xlabel(f"gap to the optimum ({unit})")
    ax.set_xlim(left=min(0, ax.get_xlim()[0]))
    return ax


def draw_study(frame, ax=None, *, gap="gap_percent"):
    """Gaps against the budget: a line for each policy and rule for ties."""
    ax = axes(ax)
    known = frame[frame[gap].notna()]
    if known.empty:
        raise ValueError("there are no gaps to draw: nothing was valued beside the optimum")
    several = known.groupby("budget")[["prior", "instances"]].nunique().max()
    if several["prior"] > 1 or several["instances"] > 1:
        raise ValueError("the study has several problems of a budget: choose those of one with "
                         "study.frame() and its columns prior and instances, and draw them one by one")
    rules = known["ties"].nunique() > 1
    curves = []
    for (name, ties), rows in known.groupby(["policy", "ties"], sort=False):
        rows = rows.sort_values("budget")
        curves.append({"name": f"{name} ({ties})" if rules else name, "x": list(rows["budget"]), "y": list(rows[gap])})
    panel = read_panel({"curves": curves, "from_zero": True, "whole_x": True})
    draw_panel(ax, panel, assign_looks(curves), find_range([panel], 0))
    ax.set_xlabel("budget T (labels)")
    ax.set_ylabel("gap to the optimum (% of its value)" if gap == "gap_percent" else gap)
    ax.legend(frameon=False, fontsize="small")
    return ax
