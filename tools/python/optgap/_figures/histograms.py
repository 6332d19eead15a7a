"""Draws panels of bars, three in a row.

    {"figure": "histograms", "title", "subtitle", "x_label", "y_label",
     "panels": [{"name", "low": [...], "high": [...], "bars": [...], "outline": [...]}]}

Bars cover intervals from "low" to "high" between 0 and 1. "outline" is optional: a second height for each bar.
"""
# mypy: ignore-errors

from matplotlib.ticker import MaxNLocator

from .looks import GRAY, plain_axes
from .panel import SHORT
from .paper import Paper

COLUMNS, WIDTH, TALL, ABOVE, BELOW = 3, 270, 200, 54, 24


def put_panel(paper, number, panel, y_label):
    row, column = divmod(number, COLUMNS)
    top = ABOVE + TALL * row + 28
    left, right, bottom = (column + 0.19) * WIDTH, (column + 0.95) * WIDTH, ABOVE + TALL * (row + 1) - 32
    ax = plain_axes(paper.add_axes(left, right, top, bottom))
    ax.grid(visible=False, axis="x")
    ax.tick_params(labelsize=paper.size("tick") * 0.75)
    middles = [(low + high) / 2 for low, high in zip(panel["low"], panel["high"])]
    widths = [high - low for low, high in zip(panel["low"], panel["high"])]
    ax.bar(middles, panel["bars"], widths, color="#56B4E9")
    if panel.get("outline"):
        ax.bar(middles, panel["outline"], widths, facecolor="none", edgecolor="black", linewidth=0.9)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.08 * max(*panel["bars"], *(panel.get("outline") or [0])))
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(SHORT)
    paper.put_line(panel["name"], (left + right) / 2, top - 10, paper.size("label"), align="center")
    if column == 0:
        paper.put_beside(y_label, 14, top, bottom, bottom - top)


def draw(document):
    panels = document["panels"]
    paper = Paper(document, usual_points=9.75)
    paper.set_size(COLUMNS * WIDTH, ABOVE + TALL * -(-len(panels) // COLUMNS) + BELOW)
    middle = paper.width / 2
    paper.put_line(document["title"], middle, 18, 16, align="center")
    paper.put_line(document["subtitle"], middle, 40, 12, GRAY, align="center")
    paper.put_line(document["x_label"], middle, paper.height - 14, paper.size("label"), align="center")
    for number, panel in enumerate(panels):
        put_panel(paper, number, panel, document["y_label"])
    return paper.figure
