"""Figures on matplotlib axes. Colours are safe for colour-blind readers; marks are readable in black
and white."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKS = "osD^vPX"


def axes(ax):
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(5, 3), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_gaps(report, ax=None):
    """Draws each policy's gap in a row. Bars are error bounds, or 95 % intervals if simulated.
    Returns the axes; ValueError if the report has no gaps."""
    ax = axes(ax)
    rows = [row for row in report.json.get("policies") or [] if row.get("gap") is not None]
    if not rows:
        raise ValueError("there are no gaps to draw: the report needs a policy's value and the optimal value")
    rules = {row["ties"] for row in rows}
    names = [row["name"] + (f" ({row['ties']})" if len(rules) > 1 else "") + (", simulated" if row["simulated"] else "")
             for row in rows]
    for i, row in enumerate(rows):
        ax.errorbar(row["gap"], i, xerr=row.get("gap_error_bound") or 0, color=COLOURS[0],
                    marker="s" if row["simulated"] else "o", linestyle="none", capsize=2)
    ax.set_yticks(range(len(rows)), names)
    ax.invert_yaxis()
    unit = "positive labels" if report.json["problem"].get("objective") == "bandit" else "correct calls"
    ax.set_xlabel(f"gap to the optimum ({unit})")
    ax.set_xlim(left=min(0, ax.get_xlim()[0]))
    return ax


def draw_study(frame, ax=None, *, gap="gap_percent"):
    """Draws gaps against the budget, a line for each policy and tie-breaking rule. Returns the axes;
    ValueError if the frame has no gaps, or several problems with the same budget."""
    ax = axes(ax)
    known = frame[frame[gap].notna()]
    if known.empty:
        raise ValueError("there are no gaps to draw: the study needs policies' values and optimal values")
    several = known.groupby("budget")[["prior", "instances"]].nunique().max()
    if several["prior"] > 1 or several["instances"] > 1:
        raise ValueError("the study has several problems with the same budget: select one prior and one number "
                         "of instances in study.frame(), and draw them one by one")
    rules = known["ties"].nunique() > 1
    for i, ((name, ties), rows) in enumerate(known.groupby(["policy", "ties"], sort=False)):
        rows = rows.sort_values("budget")
        ax.plot(rows["budget"], rows[gap], color=COLOURS[i % len(COLOURS)], marker=MARKS[i % len(MARKS)],
                markersize=3.5, linewidth=1, label=f"{name} ({ties})" if rules else name)
    ax.set_xlabel("budget T (labels)")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylabel("gap to the optimum (% of its value)" if gap == "gap_percent" else gap)
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize="small")
    return ax
