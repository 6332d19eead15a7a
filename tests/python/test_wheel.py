#!/usr/bin/env python3
"""The Python package as a wheel: built twice from a copy of the sources, run in virtual environments. Takes minutes.

    test_wheel.py PROGRAM [unittest option...]

It needs Debian's python3-mesonpy, python3-build and python3-venv, and is skipped without them. PROGRAM is not used.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = "/usr/bin/python3"
ASK = """
import sys, optgap
from fractions import Fraction
@optgap.policy
def mean(posterior):
    return posterior[:, 0] / posterior.sum(1)
r = optgap.compare(5, "2x1,1 2,1@0.3", policies=["kg", mean], exact=True)
assert r.rows[0].gap == Fraction(17, 432), r
assert optgap.__file__.startswith(sys.prefix), optgap.__file__
print(optgap.__version__, r.value)
"""


def output_of(*words, **more):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=3000, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def missing():
    needed = "mesonpy", "build", "venv", "cffi", "numpy"
    code = "import importlib.util as u; print(*[m for m in %r if u.find_spec(m) is None])" % (needed,)
    return subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=False).stdout.split()


@unittest.skipIf(missing(), f"{PYTHON} lacks {' and '.join(missing())} (Debian: python3-mesonpy, python3-build, python3-venv)")
class WheelTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.sources = pathlib.Path(cls.folder.name, "sources")
        output_of("git", "clone", "-q", ROOT, cls.sources)
        changed = subprocess.run(["git", "-C", ROOT, "diff", "--binary", "HEAD"], capture_output=True, check=True).stdout
        if changed:
            subprocess.run(["git", "-C", cls.sources, "apply"], input=changed, check=True)
            output_of("git", "-C", cls.sources, "-c", "user.name=test", "-c", "user.email=test", "commit", "-qam", "changes")

    def environment(self, name):
        """A virtual environment that sees Debian's packages; its Python."""
        place = pathlib.Path(self.folder.name, name)
        output_of(PYTHON, "-m", "venv", "--system-site-packages", place)
        return place / "bin" / "python"

    def test_a_wheel_runs_elsewhere(self):
        output_of(PYTHON, "-m", "build", "--wheel", "--no-isolation", cwd=self.sources)
        wheel, = (self.sources / "dist").glob("*.whl")
        self.assertRegex(wheel.name, r"^optgap-[0-9.]+-cp3\d+-abi3-linux_\w+\.whl$")
        names = zipfile.ZipFile(wheel).namelist()
        self.assertLessEqual({"optgap/__init__.py", "optgap/__init__.pyi", "optgap/py.typed", "optgap/_library.abi3.so",
                              "optgap/_figures/looks.json"}, set(names))
        self.assertEqual([name for name in names if not re.match(r"optgap/|optgap-[0-9.]+\.dist-info/", name)], [])
        python = self.environment("one")
        output_of(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel)
        self.assertRegex(output_of(python, "-c", ASK, cwd=self.folder.name), r"^\d+\.\d+\.\d+ 3017/1200\n$")
        output_of(python, "-m", "optgap", "tree", "-T", "1", "-o", "tree.svg", "1,1", cwd=self.folder.name)
        output_of(python, "-m", "mypy.stubtest", "optgap", cwd=self.folder.name)

    def test_pip_installs_a_checkout(self):
        python = self.environment("two")
        output_of(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", ".", cwd=self.sources)
        self.assertRegex(output_of(python, "-c", ASK, cwd=self.folder.name), r"^\d+\.\d+\.\d+ 3017/1200\n$")


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
