"""One panel's curves on axes of matplotlib's, and what can be said of them.

A panel is {"x_label", "y_label", "curves": [...]} and may have "from_zero": the vertical axis begins at 0; "whole_x": x
counts something, and its ticks are whole; "logarithmic": so is y, with a line of its own for 0 below all others;
"logarithmic_x". A curve is {"name", "kind", "x": [...], "y": [...]} by ascending x, with nulls where it is broken, and may
have "low" and "high", "group" (curves of one group look alike) and "look" (looks.py). Its kinds:

    line   points joined by a line          trace  the same with bars from low to high
    marks  bars and no line                 band   the area from low to high
    heavy  a thick line: what others are measured against
    map    fields of the panel's "field_width" and "field_height" at (x, y) whose value, "low", is told by a scale of
           brightness, the panel's "scale_label", and, where there are few, in numbers; the panel's first curve
"""

import math
from typing import NamedTuple

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle
from matplotlib.ticker import AutoLocator, FixedLocator, FuncFormatter, MaxNLocator, NullFormatter, NullLocator

from optgap_figures.looks import BAND, BLACK, plain_axes

BAND_COLOUR = "#D6D6D6"
SCALE = LinearSegmentedColormap.from_list("optgap", ["#F7FBFF", "#6BAED6", "#08306B"])
TIED = 1 / 300  # of the axis: less than a line is thick
MARKS = 10
FEW_FIELDS, FEW_NUMBERS = 12, 144
LINE, THIN, HEAVY = 1.5, 1.1, 2.6  # in points
SHORT = FuncFormatter(lambda value, at: f"{value + 0.0:g}")


class Range(NamedTuple):
    """Of the axes; zero is the height at which 0 is drawn on a logarithmic one, NaN where no point is 0."""
    x_low: float
    x_high: float
    y_low: float
    y_high: float
    zero: float = math.nan


def numbers(values):
    return np.array([math.nan if value is None else value for value in values], dtype=float)


def read_panel(panel):
    """With arrays for lists, and all that may be missing."""
    curves = []
    for curve in panel["curves"]:
        y = numbers(curve["y"])
        arrays = {"x": numbers(curve["x"]), "y": y, "low": numbers(curve.get("low") or y),
                  "high": numbers(curve.get("high") or y)}
        curves.append({"kind": "line", **curve, **arrays})
    return {**panel, "curves": curves}


def is_drawn(curve):
    return bool(np.isfinite(curve["y"]).any())


def is_dot(curve):
    return np.isfinite(curve["y"]).sum() == 1


def has_bars(curve):
    return curve["kind"] in ("marks", "trace", "band")


def has_map(panel):
    return bool(panel["curves"]) and panel["curves"][0]["kind"] == "map"


# ---- ranges ----


def extent(panels):
    """x and y of all points, bars included."""
    x, y = [], []
    for panel in panels:
        for curve in panel["curves"]:
            known = np.isfinite(curve["y"])
            x.append(curve["x"][known])
            y += [curve[part][known] for part in (("y", "low", "high") if has_bars(curve) else ("y",))]
    y = np.concatenate(y)
    return np.concatenate(x), y[np.isfinite(y)]


def find_range(panels, number):
    """Of one of them; all have one range of y. A point alone, or all at one height, have one too."""
    panel = panels[number]
    x = extent([panel])[0]
    y = extent(panels)[1]
    x_low, x_high, y_low, y_high = x.min(), x.max(), y.min(), y.max()
    if has_map(panel):  # whole fields
        w, h = panel["field_width"] / 2, panel["field_height"] / 2
        return Range(x_low - w, x_high + w, y_low - h, y_high + h)
    edge = 0.02 * (x_high - x_low) if x_high > x_low else 1
    if panel.get("logarithmic_x"):
        edge = (x_high / x_low) ** 0.02
        x_low, x_high = x_low / edge, x_high * edge
    else:
        x_low, x_high = x_low - edge, x_high + edge
    if panel.get("logarithmic"):
        # Of the points themselves: a bar that reaches lower is cut.
        heights = np.concatenate([curve["y"] for each in panels for curve in each["curves"]])
        above = heights[heights > 0]
        low = 10 ** math.floor(math.log10(above.min() if above.size else 1))
        if y_low <= 0:
            return Range(x_low, x_high, low / 4, max(1.3 * y_high, 2 * low), low / 3)
        return Range(x_low, x_high, low, max(1.3 * y_high, 2 * low))
    bottom = 0 if panel.get("from_zero") else y_low
    rise = 0.06 * (y_high - bottom) if y_high > bottom else 0.5
    return Range(x_low, x_high, -0.3 * rise if panel.get("from_zero") else bottom - rise, y_high + rise)


def raised(curve, panel, span):
    """The curve's heights as they are drawn: on a logarithmic axis 0 has a line of its own."""
    if not panel.get("logarithmic"):
        return curve["y"], curve["low"], curve["high"]
    y = np.where(curve["y"] <= 0, span.zero, curve["y"])
    return y, np.where(curve["low"] <= span.y_low, span.y_low, curve["low"]), curve["high"]


# ---- curves that lie on one another ----


def share_of_axis(curve, panel, span):
    y, low, high = raised(curve, panel, span)[0], span.y_low, span.y_high
    if panel.get("logarithmic"):
        y, low, high = np.log(y), math.log(low), math.log(high)
    return (y - low) / (high - low)


def coincide(panel, span, one, other):
    """All points of the one with fewer lie on the other, as far as anybody can see."""
    few, many = (one, other) if len(one["x"]) <= len(other["x"]) else (other, one)
    if {one["kind"], other["kind"]} & {"band", "map", "marks"} or (is_dot(few) and not is_dot(many)):
        return False
    there = dict(zip(many["x"], share_of_axis(many, panel, span)))
    met = [(there.get(x), y) for x, y in zip(few["x"], share_of_axis(few, panel, span)) if math.isfinite(y)]
    return bool(met) and all(y is not None and abs(y - height) < TIED for y, height in met)


def find_heaps(panel, span):
    """The numbers of the curves that lie on one another, a list for each heap, also of one."""
    heaps = []
    for number, curve in enumerate(panel["curves"]):
        if is_drawn(curve):
            on = next((heap for heap in heaps if coincide(panel, span, panel["curves"][heap[0]], curve)), None)
            if on is None:
                heaps.append([number])
            else:
                on.append(number)
    return heaps


# ---- drawing ----


def decades(ax, span):
    """Ticks at powers of ten, at most eight of them with a number, and 0 below."""
    first, last = math.ceil(math.log10(span.y_low) - 1e-9), math.floor(math.log10(span.y_high))
    every = 1 + int(math.log10(span.y_high / span.y_low) / 9)
    powers = range(first, last + 1)
    at, words = [10.0**k for k in powers], [f"{10.0**k:g}" if (k - first) % every == 0 else "" for k in powers]
    if math.isfinite(span.zero):
        at, words = [span.zero, *at], ["0", *words]
    ax.set_yticks(at, words)
    between = [m * 10.0**k for k in powers if k < last for m in range(2, 10)] if every == 1 else []
    ax.yaxis.set_minor_locator(FixedLocator(between))
    ax.yaxis.set_minor_formatter(NullFormatter())


def set_axes(ax, panel, span):
    plain_axes(ax)
    ax.tick_params(direction="in", which="both")
    if panel.get("logarithmic_x"):
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter(NullFormatter())
    else:
        ax.xaxis.set_major_locator(MaxNLocator(12, integer=True, steps=[1, 2, 5, 10]) if panel.get("whole_x") else AutoLocator())
    ax.xaxis.set_major_formatter(SHORT)
    if panel.get("logarithmic"):
        ax.set_yscale("log")
        decades(ax, span)
    else:
        ax.yaxis.set_major_locator(AutoLocator())
        ax.yaxis.set_major_formatter(SHORT)
        ax.yaxis.set_minor_locator(NullLocator())
    if has_map(panel):
        ax.grid(visible=False)
        for axis, low, high, field in ((ax.xaxis, span.x_low, span.x_high, panel["field_width"]),
                                       (ax.yaxis, span.y_low, span.y_high, panel["field_height"])):
            if (high - low) / field <= FEW_FIELDS:
                axis.set_major_locator(FixedLocator(np.arange(low + field / 2, high, field)))
    ax.set_xlim(span.x_low, span.x_high)
    ax.set_ylim(span.y_low, span.y_high)


def draw_map(ax, panel, with_numbers, points):
    """The darker, the more: told apart by brightness alone. Returns what the scale is of."""
    curve, w, h = panel["curves"][0], panel["field_width"], panel["field_height"]
    most = np.nanmax(curve["low"])
    fields = PatchCollection([Rectangle((x - w / 2, y - h / 2), w, h) for x, y in zip(curve["x"], curve["y"])],
                             cmap=SCALE, edgecolor=BAND, linewidth=0.3, label="_" + curve["name"])
    fields.set_array(curve["low"])
    fields.set_clim(0, most if most > 0 else 1)
    ax.add_collection(fields)
    for x, y, value in zip(curve["x"], curve["y"], curve["low"]):
        if with_numbers and math.isfinite(value):
            ax.text(x, y, f"{value:.2g}", ha="center", va="center_baseline", size=points,
                    color="#FFFFFF" if value > 0.6 * most else BLACK)
    return fields


def marks_every(count, place, heap):
    """So many points that marks would hide the line get one now and then; of curves that lie on one another each has
    its own ones. Place of so many in the heap."""
    every = max(count // MARKS if count > 2 * MARKS else 1, heap)
    first = place * every // heap
    return (first if first < count else 0, every)


def draw_line(ax, curve, look, x, y, low, high, heap):
    """What is drawn is the first part of what is returned."""
    mark = {"color": look.colour, "marker": look.mark, "markersize": 5.5, "markeredgewidth": THIN,
            "markerfacecolor": "none", "label": curve["name"]}
    if not has_bars(curve):
        return ax.plot(x, y, linewidth=LINE, linestyle="none" if is_dot(curve) else look.dashes,
                       markevery=marks_every(len(x), *heap), **mark)
    bars = np.nan_to_num(np.maximum(0, [y - low, high - y]))
    joined = "none" if curve["kind"] == "marks" else look.dashes
    return ax.errorbar(x, y, bars, linewidth=THIN, elinewidth=THIN, capsize=2, linestyle=joined, **mark).lines


def draw_curve(ax, panel, span, curve, look, heap=(0, 1), lift=0, name=None):
    """It is called by the name, where there is one. Heap: its place among so many that lie on one another."""
    y, low, high = raised(curve, panel, span)
    x, y = curve["x"], y + lift
    if curve["kind"] == "band":
        made = [ax.fill_between(x, low, high, color=BAND_COLOUR, linewidth=0, label=curve["name"])]
    elif curve["kind"] == "heavy":
        made = ax.plot(x, y, color=BLACK, linewidth=HEAVY, marker="o" if len(x) <= 4 * MARKS else "",
                       markersize=6 if is_dot(curve) else 3.5, label=curve["name"])
    else:
        made = draw_line(ax, curve, look, x, y, low, high, heap)
    if name is not None:
        made[0].set_gid(name)


def draw_panel(ax, panel, looks, span, name=None, lift=0):
    """All curves but a map, and the axes. The artists of curve k are called "NAME-k"."""
    set_axes(ax, panel, span)
    heaps = find_heaps(panel, span)
    for k, curve in enumerate(panel["curves"]):
        if is_drawn(curve) and curve["kind"] != "map":
            heap = next(heap for heap in heaps if k in heap)
            draw_curve(ax, panel, span, curve, looks.get(curve.get("group", curve["name"])), (heap.index(k), len(heap)), lift,
                       name and f"{name}-{k}")
