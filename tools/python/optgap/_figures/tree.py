"""Draws a decision tree from left to right.

    {"figure": "tree", "title", "subtitle",
     "nodes": [{"name", "kind", "text"}], "arrows": [{"from", "to", "kind", "text"}]}

Texts may have several lines. Kinds of nodes: the boxes "state", "end", "chance" and "cut", the ellipses "best" and "other"
and, with a policy beside the optimum, "agreed" (its choice, optimal) and "losing". Kinds of arrows: "best" and "other", from a
state to a choice, and "outcome", with a text. The first node is the root, and arrows lead to later nodes only. The text of an
arrow has a place like a node; an arrow that passes a column of nodes has a place there too, so that nothing overlaps.
Optional keys: "width" and "height" in pixels, in which the tree is fitted, "font" and "points". A tree whose letters would be
smaller than 8 points on a page of 16 cm, or that is higher than wide, is drawn with fewer words.
"""
# mypy: ignore-errors

import bisect
import math
import re

import matplotlib
from matplotlib.patches import Ellipse, FancyArrowPatch, FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path

from .looks import BLACK, GRAY, TABLE
from .paper import POINT, BadFigure, Paper, clean

POINTS, LEAST = 11, 4  # of letters, usually and at least
SIZE = POINTS * POINT
LINE = 1.25
BESIDE, BETWEEN = 12, 13  # pixels between nodes of a column, and between columns
ACROSS = 604.7  # 16 cm, in pixels
PRINTED = 8  # points of letters that a page of this width should have
SWEEPS = 12
BOXES, ELLIPSES = ("state", "end", "chance", "cut", "others"), ("best", "other", "agreed", "losing")


def style_of(row):
    """A row of looks.json as matplotlib's style."""
    style = {"linewidth": row.get("width", 1)}
    style.update({name: row[key] for name, key in (("facecolor", "fill"), ("edgecolor", "line")) if key in row})
    return {**style, **({"linestyle": (0, tuple(row["dashes"]))} if "dashes" in row else {})}


NODES = {kind: style_of(row) for kind, row in TABLE["nodes"].items()}
NODES["others"] = NODES["other"]
ARROWS = {kind: style_of(row) for kind, row in TABLE["arrows"].items()}


class Place:
    """The place of a node, of an arrow's text, or of a point of an arrow (with an empty text)."""

    def __init__(self, paper, kind, text):
        self.kind, self.lines = kind, [clean(line).strip() for line in text.split("\n")] if text else []
        self.line = LINE * SIZE
        self.width = max((paper.text_width(line, SIZE) for line in self.lines), default=0)
        self.height = self.line * len(self.lines)
        if kind in ELLIPSES:
            self.width, self.height = 1.3 * self.width + 6, 1.3 * self.height + 8
        elif kind in BOXES:
            self.width, self.height = self.width + 10, self.height + 8
        elif text:
            self.width += 6
        self.before, self.after = [], []
        self.column, self.edges = 0, (0.0, 0.0)  # of the whole column, left and right
        self.x = self.y = 0.0


def join(one, other):
    one.after.append(other)
    other.before.append(one)


def find_columns(places):
    """Puts each place to the right of all places that lead to it."""
    waits = {id(place): len(place.before) for place in places}
    ready = [place for place in places if not place.before]
    for place in ready:
        for other in place.after:
            other.column = max(other.column, place.column + 1)
            waits[id(other)] -= 1
            if waits[id(other)] == 0:
                ready.append(other)


def place_all(paper, document):
    """Returns nodes by name, all places, and arrows as (arrow, its places from start to end)."""
    nodes = {node["name"]: Place(paper, node["kind"], node["text"]) for node in document["nodes"]}
    places, arrows = list(nodes.values()), []
    for arrow in document["arrows"]:
        way = [nodes[arrow["from"]], nodes[arrow["to"]]]
        if arrow.get("text"):
            way.insert(1, Place(paper, "words", arrow["text"]))
            places.append(way[1])
        for one, other in zip(way, way[1:]):
            join(one, other)
        arrows.append((arrow, way))
    find_columns(places)
    for _, way in arrows:
        for k in range(len(way) - 2, -1, -1):  # a point in each column that it passes
            one, other = way[k], way[k + 1]
            if other.column > one.column + 1:
                one.after.remove(other)
                other.before.remove(one)
                points = [Place(paper, "point", "") for _ in range(other.column - one.column - 1)]
                for column, point in enumerate(points, start=one.column + 1):
                    point.column = column
                places.extend(points)
                for a, b in zip([one, *points], [*points, other]):
                    join(a, b)
                way[k + 1:k + 1] = points
    return places, arrows


def first_order(places):
    """Orders the columns as the root leads to them, depth first."""
    columns = [[] for _ in range(max(place.column for place in places) + 1)]
    seen, stack = set(), [place for place in reversed(places) if not place.before]
    while stack:
        place = stack.pop()
        if id(place) not in seen:
            seen.add(id(place))
            columns[place.column].append(place)
            stack.extend(reversed(place.after))
    return columns


def crossings(columns):
    """The number of crossings of arrows."""
    count = 0
    for column, following in zip(columns, columns[1:]):
        rank = {id(place): k for k, place in enumerate(following)}
        ends = []
        for place in column:
            to = sorted(rank[id(other)] for other in place.after)
            count += sum(len(ends) - bisect.bisect_right(ends, k) for k in to)
            for k in to:
                bisect.insort(ends, k)
    return count


def uncross(columns):
    """Sorts each column by the mean of the neighbours, forwards and backwards; keeps the best order found."""
    best, least = columns, crossings(columns)
    for sweep in range(SWEEPS):
        if least == 0:
            break
        columns = [list(column) for column in columns]
        forth = sweep % 2 == 0
        for column in columns[1:] if forth else columns[-2::-1]:
            beside = columns[column[0].column + (-1 if forth else 1)]
            rank = {id(place): k for k, place in enumerate(beside)}
            now = {id(place): k for k, place in enumerate(column)}

            def mean(place, rank=rank, now=now, forth=forth):
                joined = [rank[id(other)] for other in (place.before if forth else place.after)]
                return sum(joined) / len(joined) if joined else now[id(place)]

            column.sort(key=mean)
        count = crossings(columns)
        if count < least:
            best, least = columns, count
    return best


def settle(column, wanted):
    """Heights as near to the wanted ones as possible without overlaps, by least squares: neighbours that would overlap are pooled
    (pool adjacent violators)."""
    offset, pools = 0, []
    for k, (place, want) in enumerate(zip(column, wanted)):
        if k > 0:
            offset += (column[k - 1].height + place.height) / 2 + BESIDE
        pools.append([want - offset, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, size = pools.pop()
            pools[-1] = [(pools[-1][0] * pools[-1][1] + mean * size) / (pools[-1][1] + size), pools[-1][1] + size]
    offset, heights = 0, [mean for mean, size in pools for _ in range(size)]
    for k, place in enumerate(column):
        if k > 0:
            offset += (column[k - 1].height + place.height) / 2 + BESIDE
        place.y = heights[k] + offset


def find_heights(columns):
    for column in columns:
        settle(column, [0.0] * len(column))
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 1
        for column in columns[1:] if forth else columns[-2::-1]:
            wanted = []
            for place in column:
                joined = (place.before if forth else place.after) or place.before or place.after
                wanted.append(sum(other.y for other in joined) / len(joined) if joined else place.y)
            settle(column, wanted)


def find_places(columns, left, top, between=BETWEEN):
    """Sets all places; returns the width and the height of the drawing."""
    x = left
    for column in columns:
        width = max(place.width for place in column)
        for place in column:
            place.x, place.edges = x + width / 2, (x, x + width)
        x += width + between
    places = [place for column in columns for place in column]
    highest = min(place.y - place.height / 2 for place in places)
    for place in places:
        place.y += top - highest
    return x - between + left, max(place.y + place.height / 2 for place in places)


def scaled(style, scale):
    return {**style, "linewidth": scale * style["linewidth"]}


def put_place(ax, place, scale):
    style = {"facecolor": "white", "edgecolor": BLACK, "zorder": 2, **scaled(NODES.get(place.kind, {"linewidth": 1}), scale)}
    corner = (place.x - place.width / 2, place.y - place.height / 2)
    if place.kind in ELLIPSES:
        ax.add_patch(Ellipse((place.x, place.y), place.width, place.height, **style))
    elif place.kind == "chance":
        ax.add_patch(FancyBboxPatch(corner, place.width, place.height, boxstyle="round,pad=0,rounding_size=8", **style))
    elif place.kind in BOXES:
        ax.add_patch(Rectangle(corner, place.width, place.height, **style))
    top = place.y - place.line * len(place.lines) / 2
    for k, line in enumerate(place.lines):
        ax.text(place.x, top + (k + 0.5) * place.line, line, size=scale * POINTS, color=BLACK, ha="center",
                va="center_baseline", zorder=3)


def put_arrow(ax, arrow, way, scale):
    """Draws an arrow from place to place, curved only between columns; texts interrupt it."""
    strokes = [[]]
    for one, other in zip(way, way[1:]):
        begin, end = one.x + one.width / 2, other.x - other.width / 2
        left, right = one.edges[1], other.edges[0]
        middle = (left + right) / 2
        if not strokes[-1]:
            strokes[-1] = [(Path.MOVETO, (begin, one.y))]
        strokes[-1] += [(Path.LINETO, (left, one.y)), (Path.CURVE4, (middle, one.y)), (Path.CURVE4, (middle, other.y)),
                        (Path.CURVE4, (right, other.y))]
        if end > right + 0.5:  # the head needs a line of some length
            strokes[-1].append((Path.LINETO, (end, other.y)))
        if other.kind == "words":
            strokes.append([])
    style = scaled(ARROWS[arrow["kind"]], scale)
    for k, stroke in enumerate(strokes):
        codes, points = zip(*stroke)
        path = Path(points, codes)
        if arrow["kind"] == "outcome" and k == len(strokes) - 1:
            ax.add_patch(FancyArrowPatch(path=path, arrowstyle="-|>,head_length=4,head_width=2", shrinkA=0, shrinkB=0,
                                         mutation_scale=1.4 * scale, facecolor=BLACK, edgecolor=BLACK, zorder=1, **style))
        else:
            ax.add_patch(PathPatch(path, facecolor="none", edgecolor=BLACK, zorder=1, **style))


def lay_out(paper, document):
    """Returns all places, all arrows and the columns, with heights."""
    places, arrows = place_all(paper, document)
    columns = uncross(first_order(places))
    find_heights(columns)
    return places, arrows, columns


def put_all(ax, places, arrows, width, height, scale=1):
    """Draws on axes that are so many pixels wide and high, or that many times `scale`."""
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.axis("off")
    for arrow, way in arrows:
        put_arrow(ax, arrow, way, scale)
    for place in places:
        put_place(ax, place, scale)


def draw_on(document, ax=None):
    """Draws without title and legend: on axes of the caller, as large as they have room for, or on new ones. Returns them."""
    figure = None
    if ax is None:  # before the rc_context, which would undo what a notebook sets with its first figure, and show no others
        from matplotlib import pyplot

        figure = pyplot.figure()
    with matplotlib.rc_context():
        paper = Paper(document)
        edge = paper.font / 2
        places, arrows, columns = lay_out(paper, document)
        width, height = find_places(columns, edge, edge)
        height += edge
        if figure is not None:
            figure.set_size_inches(width / 96, height / 96)
            ax = figure.add_axes([0, 0, 1, 1])
        room = ax.get_window_extent()
        ax.set_aspect("equal", adjustable="box")
        put_all(ax, places, arrows, width, height, min(room.width / width, room.height / height) * 96 / ax.figure.dpi)
    return ax


def shortened(text):
    """The lines of a node or an arrow without words that its shape or the legend tells."""
    text = re.sub(r"^(value|label) ", "", re.sub(" {2,}", " ", text), flags=re.MULTILINE)
    return re.sub(r"\s*\(mirrored\)", " *", text).replace("\nno more gain", "")


def narrowed(text):
    """A box whose first line, the state, is broken between instances where it is longer than the others."""
    others = shortened(text).split("\n")[1:]
    lines = [""]
    for instance in re.split(" {2,}", text.split("\n")[0]):
        longer = f"{lines[-1]} {instance}".strip()
        if lines[-1] and len(longer) > max([8, *map(len, others)]):
            lines.append(instance)
        else:
            lines[-1] = longer
    return shortened("\n".join([*lines, *others]))


def with_fewer_words(document, of_box=shortened):
    """The same tree: choices that are neither optimal nor followed are a box for each state, a * stands for (mirrored), and the
    policy's name is in the legend alone."""
    leads = {arrow["from"] for arrow in document["arrows"]}
    kinds = {node["name"]: node["kind"] for node in document["nodes"]}
    first, texts, arrows, nodes = {}, {}, [], []
    for arrow in document["arrows"]:
        leaf = kinds[arrow["to"]] == "other" and arrow["to"] not in leads
        name = first.setdefault(arrow["from"], arrow["to"]) if leaf else arrow["to"]
        if name == arrow["to"]:
            arrows.append({**arrow, "text": shortened(arrow["text"])} if arrow.get("text") else arrow)
        if leaf:
            texts.setdefault(name, []).append(arrow["to"])
    filled = [set(node["text"].split("\n")) for node in document["nodes"] if node["kind"] in ("agreed", "losing")]
    name = set.intersection(*filled) if filled else set()
    choices = {node["name"]: " ".join(shortened(node["text"]).split("\n")) for node in document["nodes"]}
    gone = {name for names in texts.values() for name in names[1:]}
    for node in document["nodes"]:
        if node["name"] in texts:
            nodes.append({**node, "kind": "others", "text": "\n".join(choices[name] for name in texts[node["name"]])})
        elif node["name"] not in gone:
            text = "\n".join(line for line in node["text"].split("\n") if line not in name)
            nodes.append({**node, "text": (shortened if node["kind"] in ELLIPSES else of_box)(text)})
    below = [(document.get("subtitle") or "").replace("(mirrored):", "*:")]
    below += ["Dashed boxes: worse choices."] if texts else []
    below += ["Gray with labels left: no more gain."] if any("\nno more gain" in node["text"] for node in document["nodes"]) else []
    return {**document, "nodes": nodes, "arrows": arrows, "subtitle": " ".join(below)}


def too_small(width):
    """True if letters are smaller than they should be on a page of 16 cm."""
    return POINTS * ACROSS < PRINTED * width


def scale_of(document, width, height):
    """How many times larger than usual the picture is drawn. BadFigure: it does not fit."""
    points, room = document.get("points"), [document.get("width"), document.get("height")]
    fits = min(room[0] / width, room[1] / height) if all(room) else math.inf
    scale = points / POINTS if points else fits if all(room) else 1
    if scale > fits or scale * POINTS < LEAST:
        least = max(scale, LEAST / POINTS)
        raise BadFigure(f"{room[0]:.0f}x{room[1]:.0f} pixels are too small for this tree: at least {math.ceil(width * least)}x"
                        f"{math.ceil(height * least)} with letters of {least * POINTS:.3g} points; --levels draws fewer labels")
    return scale


def draw(document):
    """A tree that is higher than wide is spread over at most 16 cm."""
    font = {"font": document.get("font")}
    paper = Paper(font)
    edge = paper.font / 2
    def size_of(width, height):  # of paper that is half as high again as wide
        return max(width, height / 1.5)

    best = None
    for words, between in ((lambda: document, BETWEEN), (lambda: with_fewer_words(document), 8), (lambda: with_fewer_words(document, narrowed), 8)):
        tried = words()
        laid = lay_out(paper, tried)
        width, height = find_places(laid[2], edge, 0, between)
        if best is None or size_of(width, height) < 0.95 * size_of(*best[3:]):
            best = tried, laid, between, width, height
        if not too_small(width) and height <= max(width, ACROSS):
            break
    document, (places, arrows, columns), between, width, height = best
    between += max(0, min(height, ACROSS) - width) / max(1, len(columns) - 1)
    own_width = find_places(columns, edge, 0, between)[0]
    width = max(own_width, paper.width)
    if too_small(width) and not document.get("width"):
        told = (f"Printed 16 cm wide, letters have {POINTS * ACROSS / width:.1f} points; {PRINTED} points need "
                f"{math.ceil(16 * PRINTED * width / POINTS / ACROSS)} cm.")
        document = {**document, "subtitle": f"{document.get('subtitle') or ''}\n{told}"}
    head, below = [[line for text in (document.get(key) or "").split("\n") for line in paper.balance(text, key, width - 2 * edge)]
                   for key in ("title", "subtitle")]
    top = 2 * edge + len(head) * paper.line("title") + len(below) * paper.line("subtitle") + edge
    height = find_places(columns, edge + (width - own_width) / 2, top, between)[1] + edge
    scale = scale_of(document, width, height)
    paper = Paper({**font, "points": 12 * scale})
    paper.set_size(document.get("width") or scale * width, document.get("height") or scale * height)
    left, high = (paper.width - scale * width) / 2, (paper.height - scale * height) / 2
    put_all(paper.add_axes(left, left + scale * width, high, high + scale * height), places, arrows, width, height, scale)
    y = paper.put(head, "title", paper.width / 2, high + scale * edge, align="center")
    paper.put(below, "subtitle", paper.width / 2, y, align="center", colour=GRAY)
    return paper.figure
