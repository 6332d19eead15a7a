#!/usr/bin/env python3
"""The browser laboratory without a browser: its C interface returns the program's documents, and its
JavaScript passes its own tests, if node is installed.

    test_web.py PROGRAM WEB_GLUE [unittest option...]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.dont_write_bytecode = True
from test_public_json import QUESTIONS, command, without_times  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / "tools" / "web"
LIMITED = ("solve", "compare", "query", "bound")  # have --memory and --threads


def question_of(words):
    """The same question as `command` makes, for the glue."""
    name, family, *rest = words.split()
    asked = {"question": name, "family": family, "options": {}, "with": {}, "policies": [], "instances": []}
    for word in rest:
        key, equals, text = word.lstrip("+").partition("=")
        if word.startswith("%"):
            asked["policies"].append(word[1:])
        elif word.startswith("+"):
            asked["with"][key] = text or None
        elif equals:
            asked["options"][key] = text or None
        else:
            asked["instances"].append(word)
    return asked


def answers(questions, calls=0):
    lines = "".join((asked if isinstance(asked, str) else json.dumps(asked)) + "\n" for asked in questions)
    printed = subprocess.run([GLUE, str(calls)], input=lines, capture_output=True, text=True, timeout=200,
                             check=True)
    return printed.stdout.split("\n--\n")[:-1]


def answer(calls=0, **asked):
    return json.loads(answers([asked], calls)[0])


def program(*words):
    return json.loads(subprocess.run([PROGRAM, *words, "--json"], capture_output=True, text=True, timeout=100,
                                     check=True).stdout)


# Kind, middle, width and height of all places of a figure, whose letters are all half as wide as high.
PLACES = """
import json, sys
sys.path.insert(0, sys.argv[1])
try:
    from _figures import tree
except ModuleNotFoundError:
    sys.exit(3)
class Paper:
    def text_width(self, line, size):
        return size / 2 * len(line)
document = json.load(sys.stdin)
tree.SIZE = 14
places, _, columns = tree.lay_out(Paper(), document)
tree.find_places(columns, 8, 8)
print(json.dumps([[place.kind, place.x, place.y, place.width, place.height] for place in places]))
"""
MY_PLACES = """
import { readFileSync } from "node:fs";
const { layOut } = await import(process.argv[1]);
const { places } = layOut(JSON.parse(readFileSync(0, "utf8")), (line, size) => size / 2 * line.length);
console.log(JSON.stringify(places.map(({ kind, x, y, width, height }) => [kind, x, y, width, height])));
"""


class Glue(unittest.TestCase):
    def test_documents_are_the_programs(self):
        asked = [words for words in QUESTIONS if words.split()[1] != "-"]
        for words, found in zip(asked, answers(map(question_of, asked)), strict=True):
            with self.subTest(question=words):
                memory = ["--memory", "1G", "--threads", "1"] if words.split()[0] in LIMITED else []
                theirs = subprocess.run([PROGRAM, *command(words), *memory], capture_output=True, text=True,
                                        timeout=100, check=True).stdout
                theirs = re.sub(r',\n  "command": ".*"\n}\n$', "\n}", theirs)
                head, mine = found.split(',"document":', 1)
                self.assertEqual(json.loads(head + "}")["status"], "ok")
                self.assertEqual(without_times(mine[:-1]), without_times(theirs))

    def test_a_function_is_a_policy(self):
        problem = {"options": {"budget": "12"}, "instances": ["5x1,1"]}
        found = answer(question="compare", policies=[{"name": "nearest", "function": 0},
                                                     {"name": "alike", "function": 1}, "uniform"],
                       **{"with": {"ties": "random,worst"}}, **problem)
        self.assertEqual(found["status"], "ok", found["message"])
        rows = found["document"]["policies"]
        script = f"command:python3 {ROOT}/tools/examples/five-lines.py"
        theirs = program("compare", "-T", "12", "--policy", script, "--ties", "random,worst", "5x1,1")["policies"]
        self.assertEqual([row["name"] for row in rows[::2]], ["nearest", "alike", "uniform"])
        self.assertEqual([row["value"] for row in rows[:2]], [row["value"] for row in theirs])
        self.assertAlmostEqual(rows[2]["value"], rows[4]["value"], delta=1e-12)
        picked = answer(question="query", policies=[{"name": "nearest", "function": 0}],
                        options={"budget": "3"}, instances=["2,1", "2,2"])
        self.assertEqual(picked["document"]["policies"], {"nearest": [1]})

    def test_a_function_sees_labels_where_it_asks_for_them(self):
        def value(labels):
            found = answer(question="compare", options={"budget": "6"}, instances=["3x1,1"],
                           policies=[{"name": "fewest", "function": 3, "labels": labels}, "uniform"])
            return [row["value"] for row in found["document"]["policies"]]
        blind, uniform = value(False)
        self.assertAlmostEqual(blind, uniform, delta=1e-12)  # all alike: random
        self.assertNotAlmostEqual(value(True)[0], uniform, delta=1e-3)

    def test_a_function_that_fails_ends_the_question_with_its_words(self):
        for number, words in ((2, "3 of 3: x is not defined"), (4, "")):
            found = answer(question="query", options={"budget": "3"}, instances=["2x1,1", "2,1"],
                           policies=[{"name": "broken", "function": number}])
            self.assertIn(found["status"], ("failed", "bad_input"))
            self.assertIn(words, found["message"])
            self.assertGreater(len(found["message"]), 10)
            self.assertIsNone(found["document"])

    def test_what_is_known_of_a_family_or_problem(self):
        found = answer(question="family", family="independent")["document"]
        self.assertIn("opt-kg", [row["name"] for row in found["policies"]])
        found = answer(question="problem", options={"budget": "3"}, instances=["2x1,1@0.3"])["document"]
        self.assertEqual(found["problem"]["instances"][0]["threshold"], 0.3)
        self.assertEqual(answer(question="family", family="workes")["status"], "bad_input")

    def test_an_option_may_be_repeated(self):
        found = answer(question="compare", family="workers", options={"budget": "4", "workers-prior": ["4,1", "1,1"]},
                       policies=["kg"], instances=["2x1,1"])
        theirs = program("compare", "-T", "4", "--workers-prior", "4,1", "--workers-prior", "1,1", "--policies", "kg", "2x1,1")
        self.assertEqual(found["document"]["optimal"]["value"], theirs["optimal"]["value"])
        self.assertEqual(found["document"]["problem"], theirs["problem"])

    def test_wrong_questions_are_refused(self):
        right = {"question": "solve", "options": {"budget": "2"}, "instances": ["1,1"]}
        wrong = [
            ({"question": "solv"}, "solv"), ({"question": 3}, "question"), ({"family": 3}, "family"),
            ({"question": None}, "question"), ({"polices": []}, "polices"), ({"question": "compare", "policies": ["kgg"]}, "kgg"),
            ({"policies": "kg"}, "policies"), ({"policies": [{"name": "x"}]}, "policies"),
            ({"policies": [{"name": "kg", "function": 0}]}, "kg"), ({"policies": ["kg"] * 65}, "64"),
            ({"options": []}, "options"), ({"options": {"budget": 2}}, "budget"),
            ({"options": {"budget": ["2", 2]}}, "budget"),
            ({"options": {"budge": "2"}}, "budge"), ({"options": {}}, '"budget" is missing'),
            ({"instances": "1,1"}, "instances"), ({"instances": [1]}, "instances"),
            ({"instances": ["1,"]}, "1,"), ({"instances": []}, "no instances"), ({"with": []}, "with"),
            ({"with": {"arithmetic": 1}}, "arithmetic"), ({"with": {"arithmetic": "fast"}}, '"arithmetic"'),
            ({"with": {"time-limit": "-1"}}, '"time-limit"'), ({"with": {"time-limit": None}}, "needs a value"),
            ({"with": {"levels": "3"}}, "'levels' of solve"), ({"with": {"budget": "3"}}, "option of the problem"),
            ({"with": {"dry-run": "1"}}, "does not take a value"), ({"explain": True}, "explain"),
        ]
        self.assertEqual(answer(**right)["status"], "ok")
        texts = [json.dumps(right | change) for change, _ in wrong] + ["", "[]", "{", '{"a":1,"a":2}', "\"\\ud800\""]
        for found, word in zip(answers(texts), [word for _, word in wrong] + ["JSON"] * 5, strict=True):
            found = json.loads(found)
            with self.subTest(word=word, message=found["message"]):
                self.assertEqual((found["status"], found["document"]), ("bad_input", None))
                self.assertIn(word, found["message"])
                self.assertNotIn("\n", found["message"])

    def test_it_stops_when_the_page_says_so(self):
        large = {"options": {"budget": "80"}, "instances": ["10x1,1"]}
        self.assertEqual(answer(1, question="solve", **large)["status"], "stopped")
        found = answer(1, question="compare", policies=["kg"], **large)
        self.assertEqual(found["status"], "ok")
        self.assertIsNone(found["document"]["optimal"]["value"])
        bracket = found["document"]["bracket"]
        self.assertLessEqual(bracket["lower"], bracket["upper"])
        self.assertEqual(answer(question="solve", **{"with": {"time-limit": "0.01"}}, **large)["status"], "stopped")


@unittest.skipUnless(shutil.which("node"), "there is no node")
class JavaScript(unittest.TestCase):
    def test_files_are_read(self):
        for file in sorted(WEB.glob("*.js")):
            with self.subTest(file=file.name):
                run = subprocess.run(["node", "--check", file], capture_output=True, text=True, timeout=60)
                self.assertEqual(run.returncode, 0, run.stderr)

    def test_what_needs_no_browser(self):
        run = subprocess.run(["node", ROOT / "tests" / "test_web.mjs", GLUE], capture_output=True, text=True,
                             timeout=100)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_trees_have_the_places_of_the_programs(self):
        """The same figure, with letters as wide, by _figures/tree.py and by layout.js."""
        for words in (["-T", "2", "--against", "opt-kg", "--all-actions", "2,1", "4,2", "4,4"], ["-T", "4", "3x1,1", "2,1"],
                      ["-T", "3", "2x1,1,1"]):
            figure = program("tree", *words)["figure"]
            for python in (sys.executable, "/usr/bin/python3"):  # one that has matplotlib
                theirs = subprocess.run([python, "-c", PLACES, WEB.parent / "python/optgap"], input=json.dumps(figure), capture_output=True, text=True)
                if theirs.returncode != 3:
                    break
            if theirs.returncode == 3:
                self.skipTest("there is no matplotlib")
            mine = subprocess.run(["node", "--input-type=module", "-e", MY_PLACES, WEB / "layout.js"], input=json.dumps(figure),
                                  capture_output=True, text=True)
            self.assertEqual((theirs.returncode, mine.returncode), (0, 0), theirs.stderr + mine.stderr)
            theirs, mine = json.loads(theirs.stdout), json.loads(mine.stdout)
            self.assertGreater(len(theirs), 10)
            self.assertEqual(len(mine), len(theirs))
            for one, other in zip(mine, theirs, strict=True):
                self.assertEqual(one[0], other[0])
                for x, y in zip(one[1:], other[1:], strict=True):
                    self.assertAlmostEqual(x, y, delta=1e-9)


class Page(unittest.TestCase):
    def test_the_page_has_stand_ins_for_what_starts_processes(self):
        """It is linked by hand alone (tools/check --web); a source that starts programs would not link there."""
        root, build = WEB.parent.parent, (WEB / "build").read_text(encoding="utf-8")
        starts = [file for file in (root / "heuristics").rglob("*.c") if "whole_state/child.h" in file.read_text(encoding="utf-8")]
        self.assertIn(root / "heuristics/whole_state/command.c", starts)
        self.assertEqual([file for file in starts if f"-not -path {file.relative_to(root)}" not in build], [])

    def test_nothing_is_loaded_from_elsewhere(self):
        for file in [*WEB.glob("*.js"), *WEB.glob("*.html"), *WEB.glob("*.css")]:
            text = file.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
            self.assertNotRegex(text, r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}/", file.name)

    def test_elements_that_the_scripts_name_are_on_the_page(self):
        page = (WEB / "index.html").read_text(encoding="utf-8")
        ids = re.findall(r'\bid="([^"]+)"', page)
        self.assertEqual(len(ids), len(set(ids)))
        named = {name for file in WEB.glob("*.js")
                 for name in re.findall(r'\bbyId\("([^"]+)"\)', file.read_text(encoding="utf-8"))}
        self.assertGreater(len(named), 10)
        self.assertEqual(named - set(ids), set())
        for target in re.findall(r'\b(?:for|aria-controls|aria-describedby|aria-labelledby)="([^"]+)"', page):
            for name in target.split():
                self.assertIn(name, ids)

    def test_each_screen_has_its_parts(self):
        """Elements whose names begin with the screen's: of its form, and of its results."""
        page = (WEB / "index.html").read_text(encoding="utf-8")
        ids = set(re.findall(r'\bid="([^"]+)"', page))
        screens = re.findall(r"^    (\w+): \{ instances: (.*)\},$", (WEB / "state.js").read_text(encoding="utf-8"),
                             flags=re.MULTILINE)
        self.assertEqual([name for name, _ in screens], ["play", "crowd", "rank", "compare", "tree", "own"])
        for name, fields in screens:
            keys = {"instances", *re.findall(r", (\w+):", fields)} - {"moves", "lesson"}
            parts = {"form", "error", "command", "copy", "link"}
            shown = re.findall(r"`\$\{screen\}-([\w-]+)`", (WEB / "compare.js").read_text(encoding="utf-8"))
            parts |= set(shown) if name in ("compare", "own") else set()
            match = (WEB / "match.js").read_text(encoding="utf-8")
            parts |= set(re.findall(r'\bpart\("(\w+)"\)', match)) if name in ("crowd", "rank") else set()
            self.assertEqual({f"{name}-{part}" for part in keys | parts} - ids, set())

    def test_every_field_has_a_name(self):
        page = (WEB / "index.html").read_text(encoding="utf-8")
        labelled = set(re.findall(r'<label[^>]*\bfor="([^"]+)"', page))
        for field in re.findall(r"<(?:input|select|textarea)\b[^>]*>", page):
            name = re.search(r'\bid="([^"]+)"', field)
            self.assertTrue(name and name.group(1) in labelled or "aria-label" in field, field)


    def test_the_manual_shows_a_picture_of_it(self):
        """tests/web_browser.mjs makes it; it is small, and both pages have it."""
        picture = ROOT / "tools" / "manual" / "laboratory.png"
        data = picture.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertLess(len(data), 120000)
        for page in (ROOT / "README.md", picture.parent / "teaching.md"):
            link = re.search(r"!\[([^\]]+)\]\(([^)]+laboratory\.png|laboratory\.png)\)", page.read_text(encoding="utf-8"))
            self.assertIsNotNone(link, page.name)
            self.assertEqual((page.parent / link[2]).resolve(), picture)


class Serve(unittest.TestCase):
    def test_files_have_the_types_that_browsers_insist_on(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("index.html", "optgap.wasm", "optgap.mjs", "lab.js", "style.css"):
                pathlib.Path(folder, name).write_text(name, encoding="utf-8")
            server = subprocess.Popen([sys.executable, WEB / "serve", "--port", "0", folder], stdout=subprocess.PIPE,
                                      text=True)
            try:
                address = server.stdout.readline().split()[0]
                for name, kind in (("", "text/html"), ("optgap.wasm", "application/wasm"),
                                   ("optgap.mjs", "text/javascript"), ("lab.js", "text/javascript")):
                    with urllib.request.urlopen(address + name, timeout=60) as answered:
                        self.assertEqual(answered.headers.get_content_type(), kind)
                        self.assertEqual(answered.headers["Cross-Origin-Opener-Policy"], "same-origin")
                        self.assertEqual(answered.headers["Cross-Origin-Embedder-Policy"], "require-corp")
                        self.assertEqual(answered.read().decode(), name or "index.html")
            finally:
                server.terminate()
                server.communicate(timeout=60)

    def test_a_folder_without_a_page_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, WEB / "serve", folder], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("tools/web/build makes it", run.stderr)


if __name__ == "__main__":
    PROGRAM, GLUE = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
