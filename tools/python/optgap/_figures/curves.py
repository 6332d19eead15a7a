"""Draws curves or a map: one panel, or two above each other, with a key and notes below.

    {"figure": "curves", "title", "subtitle", "notes": [...], "panels": [...]}

Optional keys: "width" and "height" in pixels of 1/96 inch, "font" and "points". panel.py describes panels. All have the same
range of y; a name that curves of both panels have is in the key once.
"""
# mypy: ignore-errors

import math

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from .looks import BLACK, GRAY, assign_looks
from .panel import (BAND_COLOUR, FEW_NUMBERS, HEAVY, LINE, THIN, draw_map, draw_panel, find_heaps, find_range,
                                  has_bars, has_map, is_dot, is_drawn, read_panel)
from .paper import POINT, BadFigure, Paper

PANEL_SHARE = 0.5  # height of a panel, relative to the width of the figure
SAMPLE = 3  # length in the key, relative to the height of a letter
KEYLESS = ("map",)


def too_close(panels, spans):
    """Notes about curves that coincide."""
    where = " in a panel" if len(panels) > 1 else ""
    return [f"Too close to tell apart{where}: {'; '.join(panel['curves'][k]['name'] for k in heap)}."
            for panel, span in zip(panels, spans) for heap in find_heaps(panel, span) if len(heap) > 1]


class Layout:
    """The places of the parts, from top to bottom: title, subtitle, panels with their labels, key, notes."""

    def __init__(self, paper, document, panels, spans, left, scale):
        """left: the space of numbers beside the vertical axis; scale: the width of those beside the scale of a map."""
        self.paper, self.left, self.scale = paper, left, scale
        font, room = paper.font, paper.width - paper.font
        self.right = paper.width - (3.6 * font + scale if has_map(panels[0]) else 1.3 * font)
        self.title = paper.balance(document.get("title") or "", "title", room)
        self.subtitle = paper.balance(document.get("subtitle") or "", "subtitle", room)
        axis = 2 * paper.width - self.left - self.right - font
        self.x_labels = [paper.balance(panel["x_label"], "label", axis) for panel in panels]
        notes = [*(document.get("notes") or []), *too_close(panels, spans)]
        self.notes = [line for note in notes for line in paper.wrap(note, "note", room)]
        self.entries = {}
        for panel in panels:
            for curve in panel["curves"]:
                if is_drawn(curve) and curve["kind"] not in KEYLESS:
                    self.entries.setdefault(curve["name"], curve)
        self.columns, key = self.find_key(room)
        self.head = font + len(self.title) * paper.line("title") + len(self.subtitle) * paper.line("subtitle")
        below = [2 * font + len(lines) * paper.line("label") for lines in self.x_labels]
        notes = len(self.notes) * paper.line("note") + 0.4 * font if self.notes else 0
        rest = self.head + key + notes + 0.8 * font + sum(below) + (len(panels) - 1) * font
        names = panels[0].get("y_names")
        self.set_heights(len(panels), below, key, rest, max(5, 2.2 * len(names)) * font if names else PANEL_SHARE * paper.width)

    def find_key(self, room):
        """Finds the columns of the key, at most three if all names fit, and its height."""
        paper, names = self.paper, list(self.entries)
        sample = (SAMPLE + 1) * paper.font
        longest = max((paper.text_width(name, paper.size("key")) for name in names), default=0)
        columns = next((n for n in (3, 2) if n <= len(names) and longest <= room / n - sample), 1)
        self.words = {name: paper.wrap(name, "key", room / columns - sample) for name in names}
        rows = -(-len(names) // columns) if columns > 1 else sum(map(len, self.words.values()))
        return columns, rows * paper.line("key")

    def set_heights(self, count, below, key, rest, usual):
        paper, font = self.paper, self.paper.font
        panel = (paper.height - rest) / count if paper.height else math.ceil(usual)
        if panel < 5 * font or self.right - self.left < 8 * font:
            height = paper.height or panel + rest
            raise BadFigure(f"{paper.width:.0f}x{height:.0f} pixels are too small for this figure's text: at least "
                            f"{max(paper.width, math.ceil(14.7 * font)):.0f}x{math.ceil(rest + 5 * count * font):.0f} at that "
                            "width, or a smaller --font")
        self.top, self.bottom, y = [], [], self.head
        for space in below:
            self.top.append(y + (font if self.top else 0))
            self.bottom.append(self.top[-1] + panel)
            y = self.bottom[-1] + space
        self.key_top = y + 0.3 * font
        self.notes_top = self.key_top + key + 0.4 * font
        self.height = paper.height or math.ceil(rest + count * panel)


def put_sample(paper, curve, look, x, y):
    """Draws a sample of the curve in the key, beginning at x."""
    figure, font, end = paper.figure, paper.font, x + SAMPLE * paper.font
    middle = (x + end) / 2
    if curve["kind"] == "band":
        low, high = paper.place(x, y + font / 3), paper.place(end, y - font / 3)
        figure.add_artist(Rectangle(low, high[0] - low[0], high[1] - low[1], transform=figure.transFigure, facecolor=BAND_COLOUR))
        return

    def stroke(points, **more):
        figure.add_artist(Line2D(*zip(*(paper.place(*point) for point in points)), transform=figure.transFigure, **more))

    if curve["kind"] == "heavy":
        if is_dot(curve):
            stroke([(middle, y)], color=BLACK, marker="o", markersize=6)
        else:
            stroke([(x, y), (end, y)], color=BLACK, linewidth=HEAVY, solid_capstyle="butt")
        return
    if curve["kind"] != "marks" and not is_dot(curve):
        stroke([(x, y), (end, y)], color=look.colour, linestyle=look.dashes, linewidth=THIN if has_bars(curve) else LINE)
    if has_bars(curve):
        stroke([(middle, y - font / 2), (middle, y + font / 2)], color=look.colour, linewidth=THIN)
    stroke([(middle, y)], color=look.colour, marker=look.mark, markersize=5.5, markeredgewidth=THIN, markerfacecolor="none")


def put_key(layout, looks):
    paper, y, next_y = layout.paper, layout.key_top, layout.key_top
    for number, (name, curve) in enumerate(layout.entries.items()):
        column = number % layout.columns
        y = next_y if column == 0 else y
        x = paper.font + column * (paper.width - paper.font) / layout.columns
        put_sample(paper, curve, looks.get(curve.get("group", name)), x, y + paper.line("key") / 2)
        next_y = max(next_y, paper.put(layout.words[name], "key", x + (SAMPLE + 0.5) * paper.font, y))


def put_texts(layout, panels):
    paper = layout.paper
    y = paper.put(layout.title, "title", paper.width / 2, paper.font / 2, align="center")
    paper.put(layout.subtitle, "subtitle", paper.width / 2, y, align="center", colour=GRAY)
    for panel, lines, top, bottom in zip(panels, layout.x_labels, layout.top, layout.bottom):
        paper.put(lines, "label", (layout.left + layout.right) / 2, bottom + 1.75 * paper.font, align="center")
        paper.put_beside(panel["y_label"], 0.9 * paper.font, top, bottom, bottom - top + 2.7 * paper.font)
    paper.put(layout.notes, "note", paper.font / 2, layout.notes_top, colour=GRAY)


def numbers_fit(layout, panel, span, number):
    """True if fields are large enough for a number of two digits, such as 0.042, and there are few."""
    paper = layout.paper
    width = (layout.right - layout.left) * panel["field_width"] / (span.x_high - span.x_low)
    height = (layout.bottom[number] - layout.top[number]) * panel["field_height"] / (span.y_high - span.y_low)
    return (len(panel["curves"][0]["x"]) <= FEW_NUMBERS and height >= paper.line("note")
            and width >= paper.text_width("0.042 ", paper.size("note")))


def put_map(layout, ax, panel, span, number):
    """Draws the map, and its scale right of the panel. Returns the distance of other marks above the middle of a field."""
    paper, top, bottom = layout.paper, layout.top[number], layout.bottom[number]
    with_numbers = numbers_fit(layout, panel, span, number)
    fields = draw_map(ax, panel, with_numbers, paper.size("note") / POINT)
    scale = paper.add_axes(layout.right + 0.6 * paper.font, layout.right + 1.4 * paper.font, top, bottom)
    bar = paper.figure.colorbar(fields, cax=scale, format="%g")
    bar.solids.set_edgecolor("face")
    scale.tick_params(labelsize=paper.size("tick") / POINT, direction="in")
    layout.scale = max(paper.text_width(label.get_text(), paper.size("tick")) for label in scale.get_yticklabels())
    paper.put_beside(panel["scale_label"], layout.right + 2.7 * paper.font + layout.scale, top, bottom, bottom - top)
    return 0.3 * panel["field_height"] if with_numbers else 0


def draw_axes(layout, panels, spans, looks):
    """Draws the axes; returns the width of the widest number next to a vertical axis."""
    paper, widest = layout.paper, 0
    for number, (panel, span) in enumerate(zip(panels, spans)):
        ax = paper.add_axes(layout.left, layout.right, layout.top[number], layout.bottom[number])
        ax.tick_params(labelsize=paper.size("tick") / POINT)
        lift = put_map(layout, ax, panel, span, number) if has_map(panel) else 0
        draw_panel(ax, panel, looks, span, f"curve-{number}", lift)
        words = [label.get_text() for label in ax.get_yticklabels()]
        widest = max(widest, *(paper.text_width(word, paper.size("tick")) for word in [*words, ""]))
    return widest


def draw(document):
    panels = [read_panel(panel) for panel in document["panels"]]
    if not all(any(map(is_drawn, panel["curves"])) for panel in panels):
        raise BadFigure("there is nothing to draw")
    spans = [find_range(panels, k) for k in range(len(panels))]
    looks = assign_looks([curve for panel in panels for curve in panel["curves"]
                          if is_drawn(curve) and curve["kind"] not in ("band", "heavy", "map")])
    paper = Paper(document)
    left, scale = 5.4 * paper.font, 3 * paper.font
    for _ in range(2):  # again if numbers of an axis or of a map's scale need another space
        layout = Layout(paper, document, panels, spans, left, scale)
        paper.set_size(paper.width, layout.height)
        paper.figure.clear()
        widest = draw_axes(layout, panels, spans, looks)
        if widest + 2.4 * paper.font <= left and layout.scale == scale:
            break
        left, scale = max(left, widest + 2.4 * paper.font), layout.scale
    put_texts(layout, panels)
    put_key(layout, looks)
    return paper.figure
