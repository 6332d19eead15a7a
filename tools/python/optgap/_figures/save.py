"""Draws a document and writes the picture."""
# mypy: ignore-errors

import html
import io
import os
import pathlib
import re

import matplotlib

from . import curves, histograms, tree
from .command import FORMATS
from .paper import BadFigure, clean

KINDS = {"curves": curves.draw, "histograms": histograms.draw, "tree": tree.draw}
MOST_PIXELS = 2**16 - 1  # of a PNG, in width and height
# Texts stay texts, and nothing depends on a matplotlibrc or on the time.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "optgap", "pdf.fonttype": 42, "text.parse_math": False,
            "text.hinting": "none", "path.simplify": False, "axes.unicode_minus": False}


def draw(document):
    """The matplotlib Figure of a document."""
    kind = document.get("figure")
    if kind not in KINDS:
        raise BadFigure(f"a figure is one of {', '.join(KINDS)}, not {kind!r}")
    return KINDS[kind](document)


def name_parts(picture, document):
    """Gives parts of the SVG the names of the curves that their identifiers (curves.py) refer to: browsers show the name, and
    screen readers read it."""
    def name(found):
        panel, curve = map(int, found.groups())
        words = clean(document["panels"][panel]["curves"][curve]["name"])
        return f"{found[0]}\n<title>{html.escape(words, quote=False)}</title>"

    return re.sub(r'<g id="curve-(\d+)-(\d+)">', name, picture)


def picture_of(document, format):
    """The bytes of the picture."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
        figure = draw(document)
        title = clean(document.get("title") or "figure")
        metadata = {"svg": {"Title": title, "Date": None, "Creator": None, "Format": None, "Type": None},
                    "pdf": {"Title": title, "CreationDate": None, "Creator": None, "Producer": None},
                    "png": {"Title": title, "Software": None}}[format]
        dots = min(192, *(MOST_PIXELS // inches for inches in figure.get_size_inches()))
        out = io.BytesIO()
        figure.savefig(out, format=format, dpi=dots, metadata=metadata)
    picture = out.getvalue()
    return name_parts(picture.decode(), document).encode() if format == "svg" else picture


def save(document, path):
    """Writes the figure to a path that ends in .svg, .pdf or .png. The old file remains until the new one is complete."""
    format = pathlib.Path(path).suffix[1:]
    if format not in FORMATS:
        raise BadFigure(f"a figure goes to a file that ends in .svg, .png or .pdf, not '{path}'")
    picture = picture_of(document, format)
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "xb") as file:
            file.write(picture)
        os.replace(part, path)
    except OSError:
        pathlib.Path(part).unlink(missing_ok=True)
        raise
