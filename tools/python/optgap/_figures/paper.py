"""Paper and its texts, in pixels of 1/96 inch from the upper left corner.

matplotlib breaks no lines and reserves no space for texts. So title, labels, key and notes are measured and placed here;
matplotlib draws only axes, ticks and curves.
"""
# mypy: ignore-errors

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from .looks import BLACK

POINT = 96 / 72
SIZES = {"title": 1.125, "subtitle": 0.9, "label": 1, "key": 0.95, "note": 0.85, "tick": 0.9}  # relative to the default size
LINE = 1.4  # height of a line, relative to its letters
GENERIC = {"sans": "sans-serif", "mono": "monospace", "times": "Times New Roman"}


class BadFigure(Exception):
    """The figure cannot be drawn; the message gives the reason."""


def clean(text):
    """Replaces characters that XML or fonts lack by '?'."""
    return "".join(c if c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" else "?" for c in text)


class Paper:
    def __init__(self, document, usual_width=480, usual_points=12):
        self.width = document.get("width") or usual_width
        self.height = document.get("height")  # None: as high as needed; then call set_height
        self.font = POINT * (document.get("points") or usual_points)
        font = document.get("font") or ""
        matplotlib.rcParams["font.family"] = [*([GENERIC.get(font.lower(), font)] if font else []), "sans-serif"]
        matplotlib.rcParams["font.sans-serif"] = ["DejaVu Sans"]
        self.figure = Figure(figsize=(self.width / 96, 1), dpi=96)
        self.renderer = FigureCanvasAgg(self.figure).get_renderer()

    def size(self, kind):
        return self.font * SIZES[kind]

    def line(self, kind):
        return LINE * self.size(kind)

    def text_width(self, text, size):
        words = FontProperties(size=size / POINT)
        return self.renderer.get_text_width_height_descent(text, words, False)[0]

    def wrap(self, text, kind, width):
        """The lines of a text; a word that is longer than a line is broken."""
        lines, size = [], self.size(kind)
        for word in clean(text).split(" "):
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.text_width(longer, size) <= width:
                lines[-1] = longer
                continue
            while self.text_width(word, size) > width and len(word) > 1:
                fits = max(1, next(k for k in range(len(word), -1, -1) if self.text_width(word[:k], size) <= width or k == 0))
                lines.append(word[:fits])
                word = word[fits:]
            lines.append(word)
        return lines if text else []

    def balance(self, text, kind, width):
        """As many lines as wrap returns, of about the same length."""
        lines = self.wrap(text, kind, width)
        shorter = lines
        while len(lines) > 1 and len(shorter) == len(lines):
            lines, width = shorter, 0.97 * width
            shorter = self.wrap(text, kind, width)
        return lines

    def set_size(self, width, height):
        self.width, self.height = width, height
        self.figure.set_size_inches(width / 96, height / 96)

    def place(self, x, y):
        """Converts to matplotlib's fractions of the figure."""
        return x / self.width, 1 - y / self.height

    def put_line(self, text, x, y, size, colour=BLACK, align="left", **more):
        """Puts one line with its middle at y."""
        self.figure.text(*self.place(x, y), text, size=size / POINT, color=colour, ha=align,
                         **{"va": "center_baseline", **more})

    def put(self, lines, kind, x, y, **more):
        """Puts lines below y; returns the place of the next line."""
        for text in lines:
            self.put_line(text, x, y + self.line(kind) / 2, self.size(kind), **more)
            y += self.line(kind)
        return y

    def put_beside(self, text, x, top, bottom, room):
        """Puts a rotated text next to an axis; the letters shrink if the axis is short."""
        size = self.size("label")
        text = clean(text)
        length = self.text_width(text, size)
        middle = (top + bottom) / 2 if length <= bottom - top else top + room / 2
        self.put_line(text, x, middle, size * min(1, room / max(length, 1)), align="center", rotation=90, rotation_mode="anchor", va="center")

    def add_axes(self, left, right, top, bottom):
        x, y = self.place(left, bottom)
        return self.figure.add_axes([x, y, (right - left) / self.width, (bottom - top) / self.height])
