"""What tells curves apart, and how their axes look.

Any one of colour, dashes and mark is enough. The colours have a contrast of 3:1 at least with white paper; the two that
are nearest to each other are 17 apart (CIE76), also for those who do not see red, green or blue, and as far from the
optimum's black.
"""

from typing import NamedTuple

BLACK, GRAY, GRID, BAND = "#000000", "#444444", "#DDDDDD", "#BBBBBB"


class Look(NamedTuple):
    colour: str
    dashes: object  # a linestyle of matplotlib's
    mark: str


LOOKS = (
    Look("#0072B2", "solid", "o"),
    Look("#D55E00", (0, (4, 1.7)), "^"),
    Look("#009E73", (0, (1, 1.5)), "s"),
    Look("#A27EA2", (0, (6, 2, 1, 2)), "D"),
    Look("#6C2400", (0, (9, 2.5)), "v"),
    Look("#3636D8", (0, (2.5, 1.5)), "x"),
    Look("#48365A", (0, (4.5, 1.5, 1, 1.5, 1, 1.5)), "+"),
)


def look(number):
    """The look of a number; past the last one the colours come again, with other dashes and marks."""
    again, count = number // len(LOOKS), len(LOOKS)
    return Look(LOOKS[number % count].colour, LOOKS[(number + 3 * again) % count].dashes,
                LOOKS[(number + 5 * again) % count].mark)


def assign_looks(curves):
    """Group -> Look. Curves of one group look alike, those of two never do; a group has the number that its first
    curve asks for as its "look" where no group before it has, else the first number that is free."""
    number, asked = {}, {}
    for curve in curves:
        asked.setdefault(curve.get("group", curve["name"]), curve.get("look"))
    for group, wanted in asked.items():
        if wanted is not None and wanted not in number.values():
            number[group] = wanted
    for group in asked:
        free = (k for k in range(len(asked) + len(number) + 1) if k not in number.values())
        number.setdefault(group, next(free))
    return {group: look(number[group]) for group in asked}


def plain_axes(ax):
    """Two axes, and a grid behind what is drawn."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=GRID, linewidth=0.5)
    ax.set_axisbelow(True)
    return ax
