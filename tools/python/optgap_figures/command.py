"""The command line (see __main__.py)."""

import json
import pathlib
import sys

FORMATS = ("svg", "pdf", "png")


def fail(status, words):
    print(words, file=sys.stderr)
    return status


def main(words):
    if len(words) != 1:
        return fail(2, "usage: python3 -m optgap_figures FILE.svg|FILE.pdf|FILE.png|svg|pdf|png < NUMBERS.json")
    format = words[0] if words[0] in FORMATS else pathlib.Path(words[0]).suffix[1:]
    if format not in FORMATS:
        return fail(2, f"a figure goes to a file that ends in .svg, .pdf or .png, not '{words[0]}'")
    try:
        document = json.loads(sys.stdin.buffer.read().decode(errors="replace"))
    except json.JSONDecodeError as bad:
        return fail(2, f"the numbers are not those of a figure: {bad}")
    from optgap_figures.save import BadFigure, picture_of, save  # matplotlib takes a while

    try:
        if words[0] == format:
            pictures = [picture_of(one, format) for one in document.get("figures", [document])]
            sys.stdout.buffer.write(b"".join(pictures))
            sys.stdout.buffer.flush()
        else:
            save(document, words[0])
    except BadFigure as bad:
        return fail(2, bad)
    except (AttributeError, KeyError, TypeError) as bad:
        return fail(2, f"the numbers are not those of a figure: {bad!r}")
    except OSError as bad:
        return fail(1, f"'{words[0]}' could not be written: {bad.strerror}")
    return 0
