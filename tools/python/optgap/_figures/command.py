"""The command line (see __main__.py)."""
# mypy: ignore-errors

import json
import pathlib
import sys

FORMATS = ("svg", "pdf", "png")
TEXTS = ("json", "html")  # the numbers of a figure of a study, and the page of a study


def fail(status, words):
    print(words, file=sys.stderr)
    return status


def of_study(request, format):
    """The text or the document that is wanted of a study (kinds.py)."""
    if format == "html":
        from .page import page_of

        return page_of(request)
    from .kinds import figure_of, request_of

    figure = figure_of(request_of(request))
    return json.dumps(figure, indent=2) + "\n" if format == "json" else figure


def main(words):
    if len(words) not in (1, 2):
        return fail(2, "usage: python3 .../optgap/_figures FILE.svg|FILE.pdf|FILE.png|svg|pdf|png < NUMBERS.json")
    format = words[0] if words[0] in FORMATS else pathlib.Path(words[0]).suffix[1:]
    if format not in FORMATS and words[0] not in TEXTS:
        return fail(2, f"a figure goes to a file that ends in .svg, .pdf or .png, not '{words[0]}'")
    try:
        document = json.loads(sys.stdin.buffer.read().decode(errors="replace"))
    except json.JSONDecodeError as bad:
        return fail(2, f"the numbers are not those of a figure: {bad}")
    from .lines import BadStudy

    try:
        if len(words) == 2:
            document = of_study({**document, "study": words[1]}, words[0])
        elif isinstance(document, dict) and "paper" in document:  # --size and --font of a tree
            from .kinds import paper_of

            document = {**document, **paper_of(document["paper"])}
    except BadStudy as bad:
        return fail(2, bad)
    except OSError as bad:
        return fail(2, f"'{words[1]}' cannot be read: {bad.strerror}")
    if words[0] in TEXTS:
        sys.stdout.buffer.write(document.encode(errors="replace"))
        return 0
    from .save import BadFigure, picture_of, save  # matplotlib takes a while

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
