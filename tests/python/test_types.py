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


def mypy(code, cache, *options):
    """mypy's errors of a program, without file names."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "example.py")
        file.write_text(code)
        done = subprocess.run(["mypy", *options, "--no-error-summary", "--cache-dir", cache, str(file)],
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


def answers():
    """A result of each question, and of each problem type."""
    yield from (optgap.solve(4, "2x1,1", exact=True), optgap.solve(4, "3x1,1", dry_run=True), optgap.query(3, "2x1,1 2,1", policies="kg"),
                optgap.compare(4, "2x1,1 2,1", policies="kg,thompson", runs=20, explain=True, truth="list:0.3,0.6,0.7"),
                optgap.compare(3, "2x1,1", assume=(2, 1), exact=True), optgap.compare(8, "3x1,1", policies="kg", reach=0.7),
                optgap.compare(4, "2x1,1", policies=["fixed:1", "kg"], price=0.01), optgap.bound(4, "2x1,1", exact=True), optgap.index("kg", 3),
                optgap.simulate(4, "2x1,1", policies="kg,uniform", runs=20), optgap.tree(2, "2x1,1", against="kg", exact=True),
                optgap.find("kg", instances=2), optgap.next(ROOT / "tests/data/sample-labels.tsv", budget=9, batch=3),
                optgap.next(ROOT / "tests/data/sample-labels.tsv", final=True))
    for words, options in (("2x1,1", {"workers_prior": "2x4,1"}), ("3x1", {"problem": "ranking"}), ("1,1 2,1", {"problem": "bandit"}),
                           ("2x1", {"problem": "assignment", "workers_prior": "3x4,1"}), ("2x1,1", {"source": ["crowd:1:0.7", "expert:2:0.9"]}),
                           ("0.9 0.7 0.6", {"problem": "labelers"}), ("2x1,1", {"batch": 2}), ((), {"features": ROOT / "tests/data/features.tsv"})):
        yield optgap.compare(2, words, runs=20, **options)
        if options.get("problem") != "labelers":
            yield optgap.query(2, words, **options)


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
        self.assertEqual(mypy("\n".join(parts), self.cache, "--ignore-missing-imports"), [])

    @needs_mypy
    def test_wrong_programs_are_found(self):
        programs = (
            ("optgap.compare(5, 5)", 'No overload variant of "compare" matches argument types "int", "int"'),
            ("optgap.solve(2, '1,1', landings=1)", 'No overload variant of "solve"'),
            ("optgap.compare(2, '1,1', policies=[3])", "List item 0 has incompatible type"),
            ("optgap.compare(2, '1,1', policies=[lambda instances: instances[:, 0]])", ""),
            ("optgap.compare(2, '1,1').valeu", 'has no attribute "valeu"; maybe "value"?'),
            ("optgap.compare(2, '1,1').rows[0].gapp", '"Row[float]" has no attribute "gapp"'),
            ("optgap.query(2, '1,1').instances[0].p", 'has no attribute "p"'),
            ("optgap.solve(2, '1,1').value.numerator", '"float" of "Union[float, Any]" has no attribute "numerator"'),
            ("optgap.solve(2, '1,1', exact=True).value.numerator", ""), ("optgap.compare(2, '1,1', ties='wurst')", "incompatible type"),
            ("optgap.compare(2, '1,1', ties=['best', 'worst'], policies='kg,opt-kg')", ""),
            ("optgap.simulate(2, '1,1', seed='one')", 'Argument "seed" to "simulate" has incompatible type'),
            ("rows: list[optgap.Row[float]] = optgap.compare(2, '1,1').rows", ""),
            ("optgap.solve(2, '1,1', engine='fast')", 'No overload variant of "solve"'),
            ("optgap.solve(2, '1,1').optimal.value + 1", ""), ("len(optgap.solve(2, '1,1').reason) + ''", "Unsupported operand"),
            ("optgap.policy(lambda copies: copies, look='all')", "No overload variant"))
        found = mypy("import optgap\n" + "".join(code + "\n" for code, _ in programs), self.cache, "--strict")
        for line, (code, said) in enumerate(programs, 2):
            with self.subTest(code=code):
                errors = [error for error in found if error.startswith(f"{line}:")]
                self.assertEqual(len(errors) > 0, bool(said), found)
                self.assertIn(said, " ".join(errors))

    @needs_mypy
    def test_stubs_are_the_package(self):
        """stubtest on the whole package; --strict on the stubs themselves."""
        done = subprocess.run(["stubtest", "--concise", "optgap"], capture_output=True, text=True, timeout=250,
                              env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        strict = subprocess.run(["mypy", "--strict", "--cache-dir", self.cache, str(STUB)], capture_output=True, text=True, timeout=250)
        self.assertIn("Success", strict.stdout)

    def test_stubs_have_the_keys_of_documents(self):
        """Keys that are attributes in the stubs, and their types, against answers of all kinds."""
        classes = {node.name: {one.target.id: ast.unparse(one.annotation) for one in node.body if isinstance(one, ast.AnnAssign)}
                   for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ClassDef)}
        checked = set()

        def check(name, document):
            for key, value in document.items():
                if name == "Part" or value is None or not key.isidentifier() or key.endswith("_exact") or key == "items":
                    continue
                known = {**classes["Report"], **classes[name]} if name in ("Advice", "IndexTable", "Tree", "Batch", "Replay") else classes[name]
                if hasattr(getattr(optgap, name, None), key):  # a property
                    continue
                self.assertIn(key, known, f"a key of {name}")
                follow(known[key].removesuffix(" | Any"), value, f"{name}.{key}")
                checked.add((name, key))

        def follow(of, value, place):
            plain = {"str": str, "int": int, "bool": bool, "float": (int, float), "_N": (int, float)}
            inner = re.fullmatch(r"list\[(.*)\]", of)
            if of in plain:
                self.assertIsInstance(value, plain[of], place)
                self.assertEqual(isinstance(value, bool), of == "bool", place)
            elif inner:
                for one in value:
                    if one is not None:
                        follow(inner[1], one, place)
            elif (name := of.partition("[")[0]) in classes and name != "_Keys":
                check(name, value)

        for result in answers():
            name = type(result).__name__
            check(name, result.json)
            for row in result.json["policies"] if isinstance(result.json.get("policies"), list) else ():
                check("Row", row)
        self.assertGreater(len(checked), 150)

    def test_docstrings_have_sections(self):
        for name in ("solve", "compare", "query", "bound", "simulate", "index", "tree", "find", "verify", "next", "replay", "fit", "sweep",
                     "read_policy", "optimal_policy", "policy", "weights", "process", "Problem"):
            text = inspect.getdoc(getattr(optgap, name))
            parts = re.findall(r"^(\w+)\n(-+)$", text, re.MULTILINE)
            self.assertEqual([len(line) for _, line in parts], [len(part) for part, _ in parts], name)
            self.assertEqual([part for part, _ in parts if part in ("Parameters", "Returns", "Raises", "Notes", "Examples")],
                             [part for part, _ in parts], name)
            self.assertEqual(parts[0][0], "Parameters", name)

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
                for argument in function.__code__.co_varnames[:function.__code__.co_argcount + function.__code__.co_kwonlyargcount]:
                    if argument not in ("options", "reading", "more", "T", "instances", "threads", "memory", "file", "progress"):
                        self.assertRegex(text, rf"\b{argument}\b")
                self.assertTrue(all(len(line) <= 120 for line in text.splitlines()))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
