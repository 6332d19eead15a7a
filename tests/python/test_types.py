#!/usr/bin/env python3
"""The types of the Python package: mypy on the examples, stubs with every name, keywords against the program's help.

    test_types.py PROGRAM [unittest option...]
"""

import ast
import doctest
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import optgap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGE = pathlib.Path(optgap.__file__).parent
STUB = PACKAGE / "__init__.pyi"
PROGRAM = None  # set by main
# Options of the program that have another name here, and those that are about its output or that Python lacks.
OTHERS = {"budget": "T", "arithmetic": "exact", "policy": "policies"}
OUTPUT = {"quiet", "json", "csv", "latex", "help", "help-all", "output", "export-csv", "format", "verbose", "ranks", "interactive",
          "max-answer-time", "history", "at", "trace"}
needs_mypy = unittest.skipUnless(shutil.which("mypy"), "mypy is not installed (Debian: mypy)")


def mypy(code, cache):
    """mypy's errors of a program, without file names."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "example.py")
        file.write_text(code)
        done = subprocess.run(["mypy", "--ignore-missing-imports", "--no-error-summary", "--cache-dir", cache, str(file)],
                              capture_output=True, text=True, cwd=folder, timeout=250,
                              env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
    if done.returncode > 1:
        raise AssertionError(done.stderr + done.stdout)
    return [line.partition("example.py:")[2] or line for line in done.stdout.splitlines() if ": error:" in line]


def examples():
    """The code of the manual page, of docstrings and of the examples."""
    reader = doctest.DocTestParser()
    yield "python.md", "".join(one.source for one in reader.get_examples((ROOT / "tools/manual/python.md").read_text()))
    for name in optgap.__all__:
        code = "".join(one.source for one in reader.get_examples(getattr(optgap, name).__doc__ or ""))
        if code:
            yield name, "import optgap\n" + code
    for file in (ROOT / "tools/examples").glob("*.py"):
        yield file.name, file.read_text()


def keywords():
    """The arguments of each function in the stubs."""
    return {node.name: {one.arg for one in node.args.args + node.args.kwonlyargs}
            for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.FunctionDef)}


class TypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cache = tempfile.TemporaryDirectory()  # of what is imported
        cls.addClassCleanup(cache.cleanup)
        cls.cache = cache.name

    @needs_mypy
    def test_examples_have_the_right_types(self):
        parts = [f"def part_{i}() -> None:\n" + "".join(f"    {line}\n" for line in code.splitlines())
                 for i, (_, code) in enumerate(examples()) if "import sys" not in code]
        self.assertGreater(len(parts), 6)
        self.assertEqual(mypy("\n".join(parts), self.cache), [])

    @needs_mypy
    def test_wrong_programs_are_found(self):
        programs = (
            ("optgap.compare(5, 5)", 'Argument 2 to "compare" has incompatible type "int"'),
            ("optgap.solve(2, '1,1', landings=1)", 'Unexpected keyword argument "landings"'),
            ("optgap.compare(2, '1,1', policies=[lambda posterior: posterior])", "List item 0 has incompatible type"),
            ("optgap.solve(2, '1,1', engine='fast')", 'Argument "engine" to "solve" has incompatible type'),
            ("optgap.solve(2, '1,1').optimal.value + 1", ""), ("len(optgap.solve(2, '1,1').reason) + ''", "Unsupported operand"),
            ("optgap.policy(lambda copies: copies, look='all')", "No overload variant"))
        found = mypy("import optgap\n" + "".join(code + "\n" for code, _ in programs), self.cache)
        for line, (code, said) in enumerate(programs, 2):
            with self.subTest(code=code):
                errors = [error for error in found if error.startswith(f"{line}:")]
                self.assertEqual(len(errors) > 0, bool(said), found)
                self.assertIn(said, " ".join(errors))

    def test_the_package_says_that_it_has_types(self):
        self.assertTrue((PACKAGE / "py.typed").is_file())
        body = ast.parse(STUB.read_text()).body
        defined = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        defined |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
        self.assertEqual(set(optgap.__all__) - defined, set())
        known = set().union(*optgap.families().values())
        self.assertLessEqual({name.replace("-", "_") for name in known} - {"budget"}, keywords()["solve"])

    def test_keywords_are_the_programs_options(self):
        """Every option of a question and every option of a help topic is a keyword in the stubs."""
        functions = keywords()
        for question in ("solve", "compare", "query", "bound", "simulate"):
            shown = subprocess.run([PROGRAM, question, "--help-all"], capture_output=True, text=True, timeout=60).stdout
            options = set(re.findall(r"^  (?:-\w, |    )--([a-z][a-z-]*)", shown, re.MULTILINE))
            self.assertGreater(len(options), 10)
            missing = {option for option in options - OUTPUT
                       if OTHERS.get(option, option.replace("-", "_")) not in functions[question]}
            self.assertEqual(missing, set(), question)
        everywhere = set().union(*functions.values())
        for topic in ("prices", "features", "workers", "sources", "assignment", "labelers", "ranking", "deadline"):
            shown = subprocess.run([PROGRAM, "help", topic], capture_output=True, text=True, timeout=60).stdout
            for option in re.findall(r"^ *--([a-z][a-z-]+)", shown, re.MULTILINE):
                if option not in OUTPUT:
                    self.assertIn(OTHERS.get(option, option.replace("-", "_")), everywhere, topic)

    def test_help_shows_defaults_and_every_argument(self):
        for name in ("solve", "compare", "query", "bound", "simulate", "index", "tree", "find", "verify", "next", "replay", "fit",
                     "sweep"):
            function = getattr(optgap, name)
            with self.subTest(name=name):
                text = inspect.getdoc(function)
                for argument in inspect.signature(function).parameters:
                    if argument not in ("options", "reading", "more", "T", "instances", "threads", "memory", "file", "progress"):
                        self.assertRegex(text, rf"\b{argument}\b")
                self.assertTrue(all(len(line) <= 120 for line in text.splitlines()))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
