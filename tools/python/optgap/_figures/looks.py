"""The looks of curves and axes.

looks.json is the one table of looks: of the optimum, which is black and thick, and of each policy, by a number. The laboratory
reads it too (tools/web/draw.js). Curves differ in colour, dashes and mark; one of these is enough to distinguish the first
seven. Their colours have a contrast of at least 3:1 with white paper, those for dark screens with #16181C. The two nearest ones
are 17 apart (CIE76; 31 on dark screens), also for colour-blind readers, and as far from the colour of the optimum.
"""
# mypy: ignore-errors

import json
import pathlib
import re
import typing

TABLE = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
BLACK, GRAY, GRID, BAND = TABLE["optimum"]["colour"], "#444444", "#DDDDDD", "#BBBBBB"
LOOKS = len(TABLE["looks"])
MARKS = {"circle": "o", "triangle": "^", "square": "s", "diamond": "D", "point-down": "v", "cross": "x", "plus": "+"}


class Look(typing.NamedTuple):
    colour: str
    dashes: object  # a matplotlib linestyle
    mark: str


def look(number):
    """The look with this number; after the last one the colours repeat, with other dashes and marks."""
    looks, again = TABLE["looks"], number // LOOKS
    dashes = looks[(number + 3 * again) % LOOKS]["dashes"]
    return Look(looks[number % LOOKS]["colour"], (0, tuple(dashes)) if dashes else "solid",
                MARKS[looks[(number + 5 * again) % LOOKS]["mark"]])


def number_of(name):
    """The number of a policy's look, None if the table lacks it: "bbta:1" has its own, "gittins-fh:3" and "kg (4000 runs)" have
    that of their first word."""
    numbers = TABLE["policies"]
    return numbers.get(name, numbers.get(re.split("[:, ]", name)[0]))


def assign_looks(curves):
    """Returns {group: Look}. Curves of one group have the same look, different groups have different looks. A group gets the
    number that its first curve requests as "look", or its policy's, if no earlier group has it; otherwise the first free number."""
    number, asked = {}, {}
    for curve in curves:
        group = curve.get("group", curve["name"])
        asked.setdefault(group, curve["look"] if "look" in curve else number_of(group))
    for group, wanted in asked.items():
        if wanted is not None and wanted not in number.values():
            number[group] = wanted
    for group in asked:
        free = (k for k in range(len(asked) + len(number) + 1) if k not in number.values())
        number.setdefault(group, next(free))
    return {group: look(number[group]) for group in asked}


def plain_axes(ax):
    """Two axes, and a grid in the background."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=GRID, linewidth=0.5)
    ax.set_axisbelow(True)
    return ax
