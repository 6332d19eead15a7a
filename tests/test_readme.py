"""The README and the manual: what they show is what the program prints, and their links lead somewhere.

    test_readme.py PROGRAM [unittest option...]
    test_readme.py PROGRAM --write      put what the program prints now into all pages
"""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from cli import PROGRAM, main  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MANUAL = SOURCE / "tools" / "manual"

# The sanitizers of the build, or coverage. Examples are there for how they look; where one of these
# makes each ten times slower, those of the first pages do.
SANITIZED = os.environ.get("OG_SANITIZED", "")
FIRST = ["README.md", "tutorial.md", "policies.md", "json.md", "installing.md"]


def all_pages():
    """The README and the manual."""
    return [SOURCE / "README.md", *sorted(MANUAL.glob("*.md"))]


def linked_pages():
    """Every page of the tree that may link to others."""
    return [*all_pages(), *SOURCE.glob("[A-Z]*.md"), *(SOURCE / "bench").rglob("*.md")]


def parts_of(page):
    """A page, cut before every prompt and every fence."""
    return re.split(r"(?m)^(?=\$ |```)", page.read_text())


def example_in(part):
    """A command of the program and what is shown below it; None twice if the part is none."""
    line, _, shown = part.partition("\n")
    found = re.match(r"\$ (?:build/)?(optgap .*|cat .*|printf .* optgap .*)", line)
    return (found[1], shown) if found else (None, None)


@contextlib.contextmanager
def example_folder():
    """Where the examples run: each finds the files that those before it have written."""
    with tempfile.TemporaryDirectory() as folder:
        for below in ("tests", "tools"):
            os.symlink(SOURCE / below, os.path.join(folder, below))
        yield folder


ANSWERS = (0, 3)  # an example shows an answer, or one that a limit cut short


def run_example(command, folder):
    path = os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"]
    done = subprocess.run(["bash", "-c", command], env={**os.environ, "PATH": path}, cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    if done.returncode not in ANSWERS:
        raise AssertionError(f"{command} ends with status {done.returncode}: {done.stdout}")
    return done.stdout


MASKS = [
    (r"\d+\.\d+ s\b", "TIME"),
    (r"\d+(\.\d+)? [KMG]?B\b", "MEMORY"),
    (r"\d+ states?\b", "STATES"),
    (r"(?m)^(States +)\d+$", r"\1STATES"),
    (r'("(seconds|memory_bytes|states)": )[-+.e\d]+', r"\1NUMBER"),
    (r'("commit": )("[^"]*"|null)', r"\1COMMIT"),
]


def masked(text):
    """The text without what differs from run to run."""
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text)
    return text.strip("\n")


def shows(shown, printed):
    """True if a page shows what is printed; there a line `...` stands for any lines."""
    parts = re.split(r"(?m)^\.\.\.$\n?", masked(shown) + "\n")
    return re.fullmatch(r"(?:.*\n)*?".join(map(re.escape, parts)), masked(printed) + "\n") is not None


def write_pages():
    for page in all_pages():
        parts = []
        with example_folder() as folder:
            for part in parts_of(page):
                command, shown = example_in(part)
                if command is not None:
                    before = "\n" if shown.startswith("\n") else ""
                    after = "\n" if shown.endswith("\n\n") else ""
                    printed = run_example(command, folder)
                    if not shows(shown, printed):
                        part = part.partition("\n")[0] + "\n" + before + printed + after
                parts.append(part)
        page.write_text("".join(parts))


PAPERS = {"CLZ": "Chen, Lin and Zhou", "HF": "Hu and Frazier", "CJL": "Chen, Jiao and Lin", "LL": "Liu and Liu",
          "ZMS": "Zhang, Ma and Sugiyama"}
NAME = r"`([a-z][\w+-]*)(?:[^\w`+-][^`]*)?`"
NAMES = rf"((?:{NAME}(?:, and |, | and )?)+)"


def attributed(text):
    """What a page says of sources: pairs of a policy's name and the words about where it is from."""
    source = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells or cells[-1] == "source":
            source = bool(cells)
        elif source and "named there" not in cells[-1]:
            for name in re.findall(NAME, cells[0].split(", also ")[0]):
                yield name, cells[-1]
    flowing = " ".join(text.split())
    for names, *_, paper in re.findall(rf"{NAMES}(?: is| are)?,? (?:\[(\w+)\]'s)", flowing):
        yield from ((name, PAPERS[paper]) for name in re.findall(NAME, names))
    for paper, names, *_ in re.findall(rf"\[(\w+)\]'s {NAMES}", flowing):
        yield from ((name, PAPERS[paper]) for name in re.findall(NAME, names))
    for names, *_ in re.findall(rf"{NAMES}(?:,| is| are) (?:optgap's|a policy of optgap)", flowing):
        yield from ((name, "optgap") for name in re.findall(NAME, names))
    yield from re.findall(rf"{NAME} \(([A-Z][a-z]+[^()`]* \d{{4}})\)", flowing)


def agrees(said, source):
    """True if a registry's source has each surname and year that a page gives, and a policy of optgap is called one."""
    words = re.findall(r"[A-Z][A-Za-z-]+|\b(?:19|20)\d\d\b|optgap", said)
    return source == "the user's own" or said == source or (
        bool(words) and all(re.search(rf"\b{word}\b", source) for word in words) and
        ("optgap" in said or not source.startswith("optgap")))


class ReadmeTest(unittest.TestCase):
    maxDiff = None

    def test_examples_print_what_is_shown(self):
        """Times, memory and states apart."""
        count = 0
        for page in all_pages():
            if SANITIZED and page.name not in FIRST:
                continue
            with example_folder() as folder:
                for part in parts_of(page):
                    command, shown = example_in(part)
                    if command is not None:
                        printed = run_example(command, folder)
                        if not shows(shown, printed):
                            self.assertEqual(masked(shown), masked(printed), command)
                        count += 1
        self.assertGreaterEqual(count, 5)

    def test_links_lead_somewhere(self):
        def anchors(page):
            heads = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", page.read_text()))
            return {re.sub(r"[`',.:?()\[\]]", "", head.lower()).replace(" ", "-") for head in heads}

        for page in linked_pages():
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if "://" in target:
                    continue
                path, _, anchor = target.partition("#")
                other = (page.parent / path).resolve() if path else page
                self.assertTrue(other.exists(), (page, target))
                if anchor:
                    self.assertIn(anchor, anchors(other), (page, target))

    def test_files_that_are_named_exist(self):
        named = r"`((?:tools|tests|bench|dp|heuristics)/[\w./-]+)`"
        for page in all_pages():
            for path in re.findall(named, page.read_text()):
                self.assertTrue((SOURCE / path).exists(), (page, path))

    def test_sources_are_those_that_the_program_lists(self):
        listed = json.loads(subprocess.run([PROGRAM, "policies", "--json"], capture_output=True, text=True, check=True).stdout)
        sources = {row["name"]: row["source"] for row in listed["policies"]}
        found = [(page, *each) for page in linked_pages() if page.name != "CHANGELOG.md" for each in attributed(page.read_text())]
        for page, name, said in found:
            self.assertTrue(name in sources and agrees(said, sources[name]), (page.name, name, said, sources.get(name)))
        self.assertGreater(len(found), 25)

    def test_what_attributions_are_found(self):
        for text, pairs in (("| name | source |\n|---|---|\n| `kg`, `a:B` | Gupta 1996 |", [("kg", "Gupta 1996"), ("a", "Gupta 1996")]),
                            ("`greedy` and `vote` are optgap's", [("greedy", "optgap"), ("vote", "optgap")]),
                            ("[HF]'s `thompson` and `ucb`", [("thompson", "Hu and Frazier"), ("ucb", "Hu and Frazier")]),
                            ("`thompson` (Thompson 1933)", [("thompson", "Thompson 1933")])):
            self.assertEqual([each for each in attributed(text) if "---" not in each[0]], pairs)
        for said, source, right in (("Liu, Liu 2015", "Liu and Liu, SIGMETRICS (2015)", True), ("optgap", "Liu and Liu (2015)", False),
                                    ("Liu, Liu 2015", "optgap, after Liu and Liu (2015)", False), ("", "optgap", False)):
            self.assertEqual(agrees(said, source), right, (said, source))

    def test_the_readme_is_short_and_leads_to_every_page(self):
        text = (SOURCE / "README.md").read_text()
        self.assertLessEqual(len(text.split()), 1100)
        for page in MANUAL.glob("*.md"):
            self.assertIn(f"](tools/manual/{page.name})", text)


if __name__ == "__main__":
    if sys.argv[2:] == ["--write"]:
        write_pages()
    else:
        main()
