"""python3 .../optgap/_figures FILE.svg < NUMBERS.json: draws the figure that the numbers describe.

FILE ends in .svg, .pdf or .png; "svg", "pdf" or "png" alone means standard output. NUMBERS.json is the output of
`optgap plot --data`, or what it asks of a study (kinds.py). Exit status: 0 drawn, 1 failed, 2 invalid numbers or FILE, 3 matplotlib is missing.
"""
# mypy: ignore-errors

import importlib
import pathlib
import sys


def main(words):
    package = __package__
    if not package:  # run as a folder, which needs neither the package optgap nor its extension
        folder = pathlib.Path(__file__).resolve().parent
        sys.path[0], package = str(folder.parent), folder.name
    try:
        return importlib.import_module(f"{package}.command").main(words)
    except ModuleNotFoundError as missing:
        if missing.name.partition(".")[0] not in ("matplotlib", "numpy"):
            raise
        print(f"{missing.name} is missing", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
