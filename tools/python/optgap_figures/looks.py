"""The looks of curves and axes.

Curves differ in colour, dashes and mark; one of these is enough to distinguish them. The colours have a contrast of at
least 3:1 with white paper. The two nearest ones are 17 apart (CIE76), also for colour-blind readers, and as far from the
black of the optimum.
"""
# mypy: ignore-errors

from typing import NamedTuple

BLACK, GRAY, GRID, BAND = "#000000", "#444444", "#DDDDDD", "#BBBBBB"


class Look(NamedTuple):
    colour: str
    dashes: object  # a matplotlib linestyle
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
    """The look with this number; after the last one the colours repeat, with other dashes and marks."""
    again, count = number // len(LOOKS), len(LOOKS)
    return Look(LOOKS[number % count].colour, LOOKS[(number + 3 * again) % count].dashes,
                LOOKS[(number + 5 * again) % count].mark)


def assign_looks(curves):
    """Returns {group: Look}. Curves of one group have the same look, different groups have different looks. A group gets the
    number that its first curve requests as "look" if no earlier group has it, otherwise the first free number."""
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
    """Two axes, and a grid in the background."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color=GRID, linewidth=0.5)
    ax.set_axisbelow(True)
    return ax
