"""Draws the curves of one panel on matplotlib's axes, and finds curves that coincide.

A panel is {"x_label", "y_label", "curves": [...]}. Optional keys: "from_zero", the vertical axis begins at 0; "whole_x",
ticks of x are whole numbers; "logarithmic", a logarithmic axis of y with a separate line for 0 below all other values;
"logarithmic_x". A curve is {"name", "kind", "x": [...], "y": [...]} in ascending order of x; null breaks the line. Optional
keys: "low" and "high", "group" (curves of one group have the same look) and "look" (looks.py). Its kinds:

    line   points joined by a line          trace  the same with bars from low to high
    marks  bars and no line                 band   the area from low to high
    heavy  a thick line, the reference for other curves
    map    fields of the panel's "field_width" and "field_height" at (x, y). Their brightness shows the value "low", with the
           scale "scale_label"; numbers are printed if there are few. The panel's first curve. "y_names": names of the rows
           0, 1, ... from below; "x_down": x falls from left to right
"""
# mypy: ignore-errors

import math
import typing

import numpy as np
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.patches import Rectangle
from matplotlib.ticker import AutoLocator, FixedLocator, FuncFormatter, MaxNLocator, NullFormatter, NullLocator

from .looks import BAND, BLACK, plain_axes
from .paper import clean

BAND_COLOUR = "#D6D6D6"
SCALE = LinearSegmentedColormap.from_list("optgap", ["#F7FBFF", "#6BAED6", "#08306B"])
TIED = 1 / 300  # relative to the axis: less than the width of a line
MARKS = 10
FEW_FIELDS, FEW_NUMBERS = 12, 144
LINE, THIN, HEAVY = 1.5, 1.1, 2.6  # in points
SHORT = FuncFormatter(lambda value, at: f"{value + 0.0:g}")


class Range(typing.NamedTuple):
    """A range of the axes. `zero` is the height at which a logarithmic axis draws 0, NaN if no point is 0."""
    x_low: float
    x_high: float
    y_low: float
    y_high: float
    zero: float = math.nan


def numbers(values):
    return np.array([math.nan if value is None else value for value in values], dtype=float)


def read_panel(panel):
    """Converts lists to arrays, and fills in missing keys."""
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
    """x and y of all points, including bars."""
    x, y = [], []
    for panel in panels:
        for curve in panel["curves"]:
            known = np.isfinite(curve["y"])
            x.append(curve["x"][known])
            y += [curve[part][known] for part in (("y", "low", "high") if has_bars(curve) else ("y",))]
    y = np.concatenate(y)
    return np.concatenate(x), y[np.isfinite(y)]


def find_range(panels, number):
    """The range of one panel; all have the same range of y. A single point, or points of one height, get a range too."""
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
        # Of the points only: lower ends of bars are cut.
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
    """The heights at which the curve is drawn: on a logarithmic axis 0 has a separate line."""
    if not panel.get("logarithmic"):
        return curve["y"], curve["low"], curve["high"]
    y = np.where(curve["y"] <= 0, span.zero, curve["y"])
    return y, np.where(curve["low"] <= span.y_low, span.y_low, curve["low"]), curve["high"]


# ---- curves that coincide ----


def share_of_axis(curve, panel, span):
    y, low, high = raised(curve, panel, span)[0], span.y_low, span.y_high
    if panel.get("logarithmic"):
        y, low, high = np.log(y), math.log(low), math.log(high)
    return (y - low) / (high - low)


def coincide(panel, span, one, other):
    """True if all points of the curve with fewer points visibly lie on the other."""
    few, many = (one, other) if len(one["x"]) <= len(other["x"]) else (other, one)
    if {one["kind"], other["kind"]} & {"band", "map", "marks"} or (is_dot(few) and not is_dot(many)):
        return False
    there = dict(zip(many["x"], share_of_axis(many, panel, span)))
    met = [(there.get(x), y) for x, y in zip(few["x"], share_of_axis(few, panel, span)) if math.isfinite(y)]
    return bool(met) and all(y is not None and abs(y - height) < TIED for y, height in met)


def find_heaps(panel, span):
    """The numbers of curves that coincide, one list per heap; a single curve is a heap too."""
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
    if panel.get("y_names"):
        ax.set_yticks(range(len(panel["y_names"])), map(clean, panel["y_names"]))
    ax.set_xlim(*sorted((span.x_low, span.x_high), reverse=panel.get("x_down", False)))
    ax.set_ylim(span.y_low, span.y_high)


def draw_map(ax, panel, with_numbers, points):
    """Draws the map; larger values are darker, and brightness alone distinguishes them. Returns the artist for the scale."""
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
    """The points that get a mark, as matplotlib's markevery. Only some do if marks would hide the line; curves that coincide
    get marks at different points. `place` is the curve's position in a heap of `heap` curves."""
    every = max(count // MARKS if count > 2 * MARKS else 1, heap)
    first = place * every // heap
    return (first if first < count else 0, every)


def draw_line(ax, curve, look, x, y, low, high, heap):
    """Returns the artists; the first one is the line."""
    mark = {"color": look.colour, "marker": look.mark, "markersize": 5.5, "markeredgewidth": THIN,
            "markerfacecolor": "none", "label": curve["name"]}
    if not has_bars(curve):
        return ax.plot(x, y, linewidth=LINE, linestyle="none" if is_dot(curve) else look.dashes,
                       markevery=marks_every(len(x), *heap), **mark)
    bars = np.nan_to_num(np.maximum(0, [y - low, high - y]))
    joined = "none" if curve["kind"] == "marks" else look.dashes
    return ax.errorbar(x, y, bars, linewidth=THIN, elinewidth=THIN, capsize=2, linestyle=joined, **mark).lines


def draw_curve(ax, panel, span, curve, look, heap=(0, 1), lift=0, name=None):
    """Draws one curve with the identifier `name`, if given. `place` and `heap` as in marks_every."""
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
    """Draws the axes and all curves except a map. The artists of curve k have the identifier "NAME-k"."""
    set_axes(ax, panel, span)
    heaps = find_heaps(panel, span)
    for k, curve in enumerate(panel["curves"]):
        if is_drawn(curve) and curve["kind"] != "map":
            heap = next(heap for heap in heaps if k in heap)
            draw_curve(ax, panel, span, curve, looks.get(curve.get("group", curve["name"])), (heap.index(k), len(heap)), lift,
                       name and f"{name}-{k}")
