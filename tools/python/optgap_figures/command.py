"""The command line (see __main__.py)."""

import json
import sys

from optgap_figures.paper import BadFigure
from optgap_figures.save import FORMATS, format_of, picture_of, save


def main(words):
    if len(words) != 1:
        print("usage: python3 -m optgap_figures FILE.svg|FILE.pdf|FILE.png|svg|pdf|png < NUMBERS.json", file=sys.stderr)
        return 2
    try:
        if words[0] not in FORMATS:
            format_of(words[0])
        document = json.loads(sys.stdin.buffer.read().decode(errors="replace"))
        if words[0] in FORMATS:
            many = document["figures"] if "figures" in document else [document]
            pictures = [picture_of(one, words[0]) for one in many]
            sys.stdout.buffer.write(b"".join(pictures))
            sys.stdout.buffer.flush()
        else:
            save(document, words[0])
    except BadFigure as bad:
        print(bad, file=sys.stderr)
        return 2
    except (json.JSONDecodeError, KeyError, TypeError) as bad:
        print(f"the numbers are not those of a figure: {bad!r}", file=sys.stderr)
        return 2
    except OSError as bad:
        print(f"'{words[0]}' could not be written: {bad.strerror}", file=sys.stderr)
        return 1
    return 0
