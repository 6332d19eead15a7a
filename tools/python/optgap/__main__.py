"""python3 -m optgap COMMAND ...: the program, as `optgap COMMAND ...` where it is installed."""
# mypy: ignore-errors

import os
import pathlib
import signal
import sys

from optgap._library import ffi, lib


def main(words):
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the program has its own
    os.environ.setdefault("OPTGAP_FIGURES", str(pathlib.Path(__file__).parent / "_figures"))
    kept = [ffi.new("char[]", os.fsencode(word)) for word in ["optgap", *words]]
    return lib.optgap_main(len(kept), ffi.new("char *[]", [*kept, ffi.NULL]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
