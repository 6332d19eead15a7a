"""The README and the manual: their examples show the program's output, and their links exist.

    test_readme.py PROGRAM [unittest option...]
    test_readme.py PROGRAM --write      update the outputs on all pages
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
from cli import PROGRAM, SANITIZED, main  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MANUAL = SOURCE / "tools" / "manual"

# The sanitizers of the build, or coverage. Examples are there for how they look; where one of these
# makes each ten times slower, those of the first pages do.
FIRST = ["README.md", "cookbook.md", "tutorial.md", "policies.md", "reference.md", "installing.md"]

# How many words a page may have: what holds a letter or a digit, examples included.
WORDS = {
    "own.md": 1270,
    "choose.md": 645, "tutorial.md": 1095, "cookbook.md": 1505, "installing.md": 355,
    "paper.md": 2427, "truth.md": 1372, "limits.md": 1490, "trust.md": 494, "variants.md": 1475,
    "time.md": 1056, "workers.md": 1794, "ranking.md": 905, "labelers.md": 905, "labels.md": 509, "next.md": 846,
    "policies.md": 1329, "studies.md": 974, "teaching.md": 680, "python.md": 540, "library.md": 603,
    "reference.md": 1510, "json.md": 1124, "process.md": 700, "sampling.md": 917,
}

# Habits that make prose hard to read: hidden agents, clauses for nouns, programs that know or tell,
# unusual verbs and prepositions. At most so many in a thousand words, with sentences that are too long.
RIDDLES = [
    r"who(ever)? (knows?|is|has|pays|believes?|breaks|asks?|calls)|nobody|somebody|whom",
    r"what (is|was|are|that|it|policies|play|labels?|users?|each|others?) \w+",
    r"knows? (no|nothing|of)|is (not )?known (to|for|with)|tells?|is told|says (how|so|what|which|why)",
    r"(of|for|by|behind|to|in|from) (which|whom)",
    r"hangs? on|comes? to|stands? (at|for|in|beside|behind|where)|takes? .{1,20} for|is (had|to be had)",
    r"by the|by its|beside it|behind it|behind a|but for|of (one's|its|their|your) own",
]
RIDDLES_IN_A_THOUSAND = 5
LONG_SENTENCE = 30

# Commands that together print nearly every key of --json.
RECORDED = r"--labels tests/data/sample-labels.tsv --gold <(printf 'task\tlabel\nreview-07\t1\nreview-15\t0\n')"
ASKED = [
    "solve -T 2 --arithmetic exact 2x1,1", "solve -T 3 --dry-run 2x1,1", "bound -T 3 2x1,1",
    "compare -T 2 --policies kg,thompson --runs 10 --explain --joint-end 1 --arithmetic exact 2x1,1@0.4",
    "compare -T 2 --policies kg --truth list:0.2,0.4 --arithmetic exact 2x1,1",
    "compare -T 2 --policies kg --truth grid:0.1:0.9:0.4 2x1,1",
    "compare -T 2 --policies kg --believe 2,1 --arithmetic exact 2x1,1",
    "compare -T 4 --policies kg --reach 0.6 2x1,1",
    "compare -T 2 --price 0.1 --payoff 1,0,0,2,0.4 2x1,1", "compare -T 2 --batch 2 2x1,1",
    "compare --arrival-rate 1 --service-rate 1 --workers 2 2x1,1", "compare -T 1 --deadline 2 --arrival 1 --service 1 1,1",
    "compare -T 2 --workers-prior 2x4,1 1,1", "compare -T 2 --source a:1:0.7 --source b:2:0.9 1,1",
    "compare -T 2 --objective ranking 3x1", "compare -T 2 --objective labelers --theory --policies ls-ol 0.9 0.7",
    "compare -T 2 --objective assignment --accuracies 0.9,0.7 2x1", "query -T 2 2x1,1", "query -T 2 --workers-prior 2x4,1 1,1",
    "compare -T 2 --features tests/data/features.tsv", "solve -T 10 --dry-run --ranks 2 10x1,1",
    "solve -T 2 --export-policy p.txt 2x1,1", "solve -T 2 --export-model p.drn 2x1,1", "policies",
    "index -T 2 --policy kg 1,1", "find gittins-fh", "tree -T 1 1,1", "simulate -T 2 --price 0.1 --runs 10 2x1,1",
    "simulate -T 3 --objective ranking --workers-prior 2x4,1 --counts --runs 4 3x1",
    "simulate -T 3 --objective assignment --workers-prior 3x4,1 --counts --runs 4 2x1",
    "fit tests/data/sample-labels.tsv", "next --labels tests/data/sample-labels.tsv -T 4 --price 0.1",
    "next --labels tests/data/sample-labels.tsv --final", f"replay {RECORDED} -T 4 --runs 4 --price 0.1 --policies kg",
    f"replay --objective assignment {RECORDED} --fill none --counts -T 4 --runs 2 --policies naive,kg",
    f"replay {RECORDED} --arrival-rate 1 --service-rate 1 --arrivals 3 --holdout 9 --runs 2 --policies hu-frazier",
    f"replay {RECORDED} --result r.json --runs 2 --policies kg", f"replay {RECORDED} --problem labelers --result r.csv --runs 2",
    f"replay {RECORDED} --problem assignment --result r.json --runs 2 --fill none --policies bbta:0",
    r"replay --pairs <(printf 'worker\tleft\tright\tlabel\na\tx\ty\tx\nb\tx\ty\ty\n') -T 2 --runs 2 --result r.csv"
    r" --gold <(printf 'item\tscore\nx\t1\ny\t2\n')",
]


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
    """The folder where examples run: each finds the files that earlier ones wrote."""
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
    """The text without the parts that differ between runs."""
    for pattern, word in MASKS:
        text = re.sub(pattern, word, text)
    return text.strip("\n")


def words_of(page):
    return len(re.findall(r"\S*\w\S*", re.sub(r"(?s)<!--.*?-->", "", page.read_text())))


def prose_of(page):
    """A page's sentences: without code, tables and comments."""
    text = re.sub(r"(?ms)^```.*?^```$|^    .*?$|^\|.*?$|<!--.*?-->", "\n\n", page.read_text())
    return re.sub(r"`[^`]*`", "X", text)


def comments_of(text):
    """The comments of a file in C, a blank line between two, without the stars at the beginning of lines."""
    found = re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|/\*(.*?)\*/|//([^\n]*)', text, re.DOTALL)
    return "\n\n".join(re.sub(r"(?m)^\s*\*? ?", "", hit[1]) if hit[1] else hit[2] for hit in found if hit[1] or hit[2])


def riddles_in(text):
    found = [hit[0] for pattern in RIDDLES for hit in re.finditer(rf"\b({pattern})\b", text, re.I)]
    sentences = re.split(r"(?<=[.?!:;])\s+|\n\s*\n", text)
    return found + [sentence.strip() for sentence in sentences if len(sentence.split()) > LONG_SENTENCE]


def keys_of(document):
    """Every key of an object of JSON; below a policy's name there are none."""
    if isinstance(document, list):
        return set().union(*map(keys_of, document))
    return set(document).union(*map(keys_of, document.values())) if isinstance(document, dict) else set()


def shows(shown, printed):
    """True if a page shows the printed lines; a line `...` of the page matches any lines."""
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
    """A page's sources: pairs of a policy's name and the words about its source."""
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
        self.assertGreater(len(found), 20)

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

    def test_pages_are_short(self):
        pages = {page.name: words_of(page) for page in MANUAL.glob("*.md")}
        self.assertEqual(set(pages), set(WORDS))
        self.assertEqual({name: words for name, words in pages.items() if words > WORDS[name]}, {})

    def test_pages_are_in_plain_words(self):
        pages = {page.name: riddles_in(prose_of(page)) for page in all_pages()}
        words = sum(len(prose_of(page).split()) for page in all_pages())
        self.assertLessEqual(1000 * sum(map(len, pages.values())), RIDDLES_IN_A_THOUSAND * words, pages)

    def test_help_names_pages(self):
        with example_folder() as folder:
            topics = run_example("optgap help topics", folder).split()
            texts = [run_example(f"optgap help {topic}", folder) for topic in topics]
            texts.append(run_example("optgap compare --help", folder))
        named = {name for text in texts for name in re.findall(r"man 7 optgap-(\w+)", text)}
        self.assertGreater(len(named), 5)
        self.assertLessEqual({name + ".md" for name in named}, set(WORDS))

    def test_comments_are_in_plain_words(self):
        files = [path for folder in ("dp", "heuristics", "bench", "tools", "tests")
                 for path in (SOURCE / folder).rglob("*.[ch]")] + [SOURCE / "optgap.h"]
        text = [comments_of(path.read_text()) for path in files]
        hits, words = sum(len(riddles_in(each)) for each in text), sum(len(each.split()) for each in text)
        self.assertGreater(words, 100000)
        self.assertLessEqual(1000 * hits, RIDDLES_IN_A_THOUSAND * words, (hits, words))

    def test_a_comment_is_found(self):
        self.assertEqual(comments_of('/* One\n * two. */ char *a = "/* no */"; // three'), "One\ntwo. \n\n three")

    def test_a_riddle_is_found(self):
        self.assertEqual(riddles_in("Nobody knows of it."), ["Nobody", "knows of"])
        self.assertEqual(riddles_in("One label. " + "word " * 31), ["word " * 30 + "word"])
        self.assertEqual(riddles_in("The program prints the value."), [])

    def test_every_key_of_json_is_on_its_page(self):
        named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", (MANUAL / "json.md").read_text()))))
        for asked in ASKED:
            with example_folder() as folder:
                document = json.loads(run_example(f"optgap {asked} --json", folder))
            if asked.startswith("query"):
                del document["policies"], document["indices"]  # their keys are policies
            self.assertEqual(keys_of(document) - named, set(), asked)


if __name__ == "__main__":
    if sys.argv[2:] == ["--write"]:
        write_pages()
    else:
        main()
