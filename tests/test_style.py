#!/usr/bin/env python3
"""Rules for every source file: it begins with its purpose, and the body of an if, else, for, while or do has
braces. And words that messages must not use."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import cli  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOP = ("dp heuristics bench tests tools findings debian meson.build meson_options.txt optgap.h pyproject.toml Dockerfile "
       "README.md CHANGELOG.md CONTRIBUTING.md COPYING CITATION.cff").split()


def sources(*patterns):
    names = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", *patterns],
        check=True, capture_output=True, text=True).stdout.split()
    return [name for name in names if (ROOT / name).is_file()]


def without_comments(text):
    """Comments and strings blanked out; lines keep their numbers."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.DOTALL)


def end_of_parentheses(text, at):
    depth = 0
    while at < len(text):
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
        if depth == 0:
            return at
    return at


def bare_bodies(text):
    """Line numbers of bodies without braces."""
    text = without_comments(text)
    for found in re.finditer(r"\b(if|for|while|else|do)\b", text):
        line_start = text.rfind("\n", 0, found.start()) + 1
        if text[line_start:found.start()].lstrip().startswith("#"):
            continue
        at = found.end()
        if found.group(1) not in ("else", "do"):
            at = text.find("(", at)
            at = end_of_parentheses(text, at)
        rest = text[at:].lstrip(" \t\n\\")
        ends_a_do = found.group(1) == "while" and text[line_start:found.start()].strip() == "}"
        chained = found.group(1) == "else" and re.match(r"if\b", rest)
        if not rest.startswith("{") and not ends_a_do and not chained:
            yield text.count("\n", 0, found.start()) + 1


def messages(text):
    """Line numbers and words of messages."""
    for found in re.finditer(r"\b(?:og_message_set|og_family_lacks)\(", text):
        call = text[found.start():end_of_parentheses(re.sub(r'"(?:\\.|[^"\\\n])*"', lambda word: " " * len(word.group(0)),
                                                            text), found.end() - 1)]
        words = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', call))
        yield text.count("\n", 0, found.start()) + 1, words


class Style(unittest.TestCase):
    maxDiff = None

    def test_the_top_level_is_fixed(self):
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], check=True, capture_output=True).stdout
        names = {name.split("/")[0] for name in os.fsdecode(listed).split("\0") if name}
        self.assertLessEqual({"dp", "tests", "README.md"}, names)
        self.assertEqual({name for name in names if not name.startswith(".")} - set(TOP), set())
        self.assertTrue(os.fsdecode(listed).replace("\0", "").isprintable())

    def test_a_result_that_is_not_finite_cannot_be_printed(self):
        results = r'og_put_number\(\s*\w+,\s*"(?:value|gain|q|q_lower|q_upper|error_bound|lower|upper)"'
        for name in sources("bench/*.c", "tools/*.c"):
            self.assertIsNone(re.search(results, (ROOT / name).read_text()), name + ": og_put_result says when it is unknown")

    def test_bodies_stand_in_braces(self):
        wrong = [f"{name}:{line}" for name in sources("*.c", "*.h")
                 for line in bare_bodies((ROOT / name).read_text(encoding="utf-8"))]
        self.assertEqual(wrong, [])

    def test_a_bare_body_is_found(self):
        self.assertEqual(list(bare_bodies("if (a)\n    b();\n")), [1])
        self.assertEqual(list(bare_bodies("for (;;) {\n}\ndo {\n} while (c);\n")), [])

    def test_a_message_says_what_is_supported(self):
        """No message says that a program knows something: it supports or requires it, or does not."""
        wrong = [f"{name}:{line}: {words}" for name in sources("dp/**.c", "heuristics/**.c", "bench/**.c", "tools/**.c")
                 for line, words in messages((ROOT / name).read_text())
                 if re.search(r"\bknows?\b|\b(is|are|that is) (not )?known\b", words)]
        self.assertEqual(wrong, [])

    def test_names_say_what_they_are(self):
        for name in sources("*.c", "*.h"):
            found = re.search(r"\bof\b", without_comments((ROOT / name).read_text()))
            self.assertIsNone(found, f"{name}: an object is called what it is, not 'of'")

    def test_sources_open_with_what_they_are_for(self):
        wrong = [name for name in sources("dp/*.c", "heuristics/*.c", "bench/*.c", "tools/*.c")
                 if not (ROOT / name).read_text(encoding="utf-8").startswith("/*")]
        self.assertEqual(wrong, [])

    def test_every_test_is_run(self):
        listed = (ROOT / "tests" / "meson.build").read_text() + (ROOT / "tools" / "night").read_text()
        names = [pathlib.Path(name).stem.removeprefix("test_")
                 for name in sources("tests/test_*.py", "tests/python/test_*.py", "tests/test_*.c")]
        self.assertEqual([name for name in names if not re.search(rf"['\"/](test_)?{name}(\.py)?['\"]", listed)], [])

    def test_cloned_functions_have_names_of_their_own(self):
        """clang gives the resolvers of static clones to all files: two of the same name do not link."""
        names = [name for file in sources("*.c")
                 for name in re.findall(r"^OG_VECTOR_CLONES\s[^(]*?(\w+)\(", (ROOT / file).read_text(encoding="utf-8"), re.M)]
        self.assertGreater(len(names), 10)
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_what_is_claimed_of_rounding_names_its_test(self):
        """A comment that proves a bound of rounding errors names the test that compares computed with exact numbers."""
        count = 0
        for name in sources("dp/*.c", "heuristics/*.c", "bench/*.c", "tools/*.c", "dp/*.h", "heuristics/*.h", "bench/*.h"):
            for comment in re.findall(r"/\*.*?\*/", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL):
                if not re.search(r"\* Rounding(?: of [\w ]+)?\. ", comment):
                    continue
                found = re.search(r"\* Checked by (tests/[\w.]+):[\s*]+(\w+)\n", comment)
                self.assertIsNotNone(found, f"{name}: no line 'Checked by tests/FILE: TEST' behind a proof of rounding")
                text = (ROOT / found[1]).read_text(encoding="utf-8")
                self.assertRegex(text, rf"(?:OG_TEST(?:_LOOP)?\(|def ){found[2]}\(?\b", name)
                count += 1
        self.assertGreaterEqual(count, 13)

    def test_tests_that_a_page_names_exist(self):
        text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Promises and their tests")[2]
        named = set(re.findall(r"`((?:test_|fuzz_|oracle)[\w.*]*)`", text))
        self.assertGreater(len(named), 30)
        wrong = [name for name in named if not list((ROOT / "tests").glob(name if "." in name else name + ".c"))]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    cli.main(asks=False)
