#!/usr/bin/env python3
"""One result in every format: JSON, CSV and LaTeX agree, and show the origin of a result.

    test_tables_cli.py PROGRAM [unittest option...]
"""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from cli import PROGRAM, main  # noqa: E402

# A policy of the user's own, whose name has all that CSV and LaTeX take for markup.
NASTY = r"""command:sed -u 's/.*/{"choose":0}/' # \ & 100% $x_y^z ~ <a|b> "q" -- é"""
QUESTIONS = {
    "compare": ["-T", "5", "--policies", "opt-kg,kg", "--ties", "random,worst", "3x1,1", "2,1@0.3"],
    "bracket": ["compare", "-T", "40", "--engine", "recursion", "--max-states", "20",
                "--policies", "kg", "--policy", "thompson", "--runs", "50", "10x1,1"],
    "solve": ["-T", "5", "--arithmetic", "exact", "3x1,1"],
    "bound": ["-T", "6", "4x1,1"],
    "query": ["-T", "3", "--policies", "kg,uniform", "2x2,1", "3,3", "3,1"],
    "ranking": ["query", "--problem", "ranking", "-T", "2", "3x1"],
    "named": ["compare", "-T", "2", "--policy", NASTY, "--policy", "kg", "2x1,1"],
    "ours": ["compare", "-T", "2", "--policy", "Ours & 1_2=" + NASTY, "--policy", "kg", "2x1,1"],
}


def printed_by(*words, status=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=200)
    if done.returncode != status:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout if status in (0, 3) else done


def ask(name, form):
    words = QUESTIONS[name]
    words = words if words[0] in ("compare", "query") else [name, *words]
    return printed_by(words[0], form, *words[1:], status=3 if name == "bracket" else 0)


def rows_of(name):
    return list(csv.DictReader(io.StringIO(ask(name, "--csv")), strict=True))


def column(row, start):
    (name,) = [name for name in row if name.startswith(start + " (") or name == start]
    return row[name]


LETTERS = {r"\textbackslash{}": "\\", r"\textasciicircum{}": "^", r"\textasciitilde{}": "~",
           r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\textquotedbl{}": '"',
           r"\textasciigrave{}": "`", "-{}": "-", "'{}": "'"}


def latex_rows(printed):
    """The cells as a reader gets them, headings first."""
    body = printed.split("\\toprule\n")[1].split("\\bottomrule")[0]
    for line in body.splitlines():
        if line != "\\midrule":
            cells = line.removesuffix(" \\\\").split(" & ")
            yield [unescape(cell) for cell in cells]


def unescape(cell):
    number = re.fullmatch(r"\$(?:\\sim )?(-?[\d.]+)(?: \\times 10\^\{(-?\d+)\})?\$", cell)
    if number:
        return float(number[1] + "e" + (number[2] or "0"))
    bare = re.sub(r"\\text\w+\{\}|-\{\}|'\{\}|\\[{}$&#%_]", "", cell)
    assert not re.search(r"[\\{}$&#%_^~<>|\"]|--", bare), cell
    return re.sub(r"\\text\w+\{\}|-\{\}|'\{\}|\\([{}$&#%_])", lambda m: m[1] or LETTERS[m[0]], cell)


class Tables(unittest.TestCase):
    def test_csv_has_the_values_of_the_json(self):
        found, rows = json.loads(ask("compare", "--json")), rows_of("compare")
        self.assertEqual([row["kind"] for row in rows], ["optimum"] + 4 * ["policy"] + 4 * ["bound"])
        self.assertEqual(float(column(rows[0], "value")), found["optimal"]["value"])
        for row, policy in zip(rows[1:5], found["policies"]):
            self.assertEqual((row["name"], row["ties"]), (policy["name"], policy["ties"]))
            self.assertEqual(float(row["gap (correct calls)"]), policy["gap"])
            self.assertEqual(float(row["gap (% of value)"]), policy["gap_percent"])
            self.assertEqual(float(row["error at most (correct calls)"]), policy["error_bound"])
            self.assertEqual(row["simulated"], "false")
        for row in rows[5:]:
            self.assertEqual(float(column(row, "value")), found["bounds"][row["name"]]["value"])
            self.assertEqual(column(row, "gain lost"), "")

    def test_csv_of_a_bracket_has_both_ends_and_what_was_simulated(self):
        found, rows = json.loads(ask("bracket", "--json")), rows_of("bracket")
        self.assertEqual((rows[0]["name"], column(rows[0], "value")), ("bracket", ""))
        self.assertEqual([float(column(rows[0], "at least")), float(column(rows[0], "at most"))],
                         [found["bracket"]["lower"], found["bracket"]["upper"]])
        played = found["policies"][1]
        self.assertTrue(played["simulated"])
        self.assertEqual([float(column(rows[2], "95 % from")), float(column(rows[2], "95 % to"))],
                         [played["low"], played["high"]])
        self.assertEqual((rows[2]["runs"], rows[2]["limit"]), ("50", played["limit"]))

    def test_csv_of_one_value_bounds_and_a_state(self):
        (optimum,) = rows_of("solve")
        self.assertEqual((optimum["value exactly"], column(optimum, "value")), ("37/16", "2.3125"))
        found, rows = json.loads(ask("bound", "--json")), rows_of("bound")
        self.assertEqual(float(column(rows[0], "value")), found["call_value"])
        self.assertEqual({row["name"]: float(column(row, "value")) for row in rows[1:]},
                         {name: bound["value"] for name, bound in found["bounds"].items()})
        found, rows = json.loads(ask("query", "--json")), rows_of("query")
        self.assertEqual([(row["name"], row["count"]) for row in rows[:3]],
                         [("2,1", "2"), ("3,3", "1"), ("3,1", "1")])
        self.assertEqual([(row["a"], row["b"]) for row in rows], [("2", "1"), ("3", "3"), ("3", "1"), ("", ""), ("", "")])
        self.assertEqual([float(column(row, "Q")) for row in rows[:3]],
                         [instance["q"] for instance in found["instances"]])
        self.assertEqual([row["kind"] for row in rows[3:]], ["policy", "policy"])
        self.assertIn("Q (share of pairs in order)", rows_of("ranking")[0])

    def test_names_are_never_markup(self):
        self.assertEqual(rows_of("named")[1]["name"], NASTY)
        table = list(latex_rows(ask("named", "--latex")))
        self.assertEqual(table[2][0], NASTY)
        self.assertEqual({len(row) for row in table}, {6})

    def test_a_policy_of_the_users_own_has_the_name_before_its_equals_sign(self):
        self.assertEqual(rows_of("ours")[1]["name"], "Ours & 1_2")
        self.assertEqual(list(latex_rows(ask("ours", "--latex")))[2][0], "Ours & 1_2")
        named, ours = (json.loads(ask(name, "--json"))["policies"][0] for name in ("named", "ours"))
        self.assertEqual((named["name"], ours["name"]), (NASTY, "Ours & 1_2"))
        self.assertEqual((named["value"], named["gap"]), (ours["value"], ours["gap"]))
        for question in (["query", "-T", "2"], ["simulate", "-T", "2", "--runs", "10"], ["compare", "-T", "2", "--reach", "0.9"],
                         ["compare", "-T", "2", "--truth", "list:0.3,0.7"]):
            with self.subTest(question=question):
                found = json.loads(printed_by(*question, "--json", "--policy", "mine=" + NASTY, "2x1,1"))["policies"]
                self.assertEqual(list(found) if isinstance(found, dict) else [row["name"] for row in found], ["mine"])

    def test_latex_is_the_table_that_people_see(self):
        for name in QUESTIONS:
            printed = ask(name, "--latex")
            with self.subTest(question=name):
                first, second, begin = printed.splitlines()[:3]
                self.assertRegex(first, r"^% optgap \d")
                self.assertEqual(second, r"% \usepackage{booktabs}")
                self.assertRegex(begin, r"^\\begin\{tabular\}\{[lr]+\}$")
                self.assertTrue(printed.endswith("\\bottomrule\n\\end{tabular}\n"))
                columns = len(begin.split("{")[2]) - 1
                self.assertEqual({len(row) for row in latex_rows(printed)}, {columns})
        found = json.loads(ask("compare", "--json"))
        table = list(latex_rows(ask("compare", "--latex")))
        self.assertEqual(table[0], ["name", "ties", "value (correct calls)", "gap", "gap (%)", "gain lost (%)"])
        self.assertAlmostEqual(table[4][3], found["policies"][2]["gap"], delta=5e-6)

    def test_json_says_where_it_comes_from(self):
        found = json.loads(ask("compare", "--json"))
        version = printed_by("--version").split()[1]
        self.assertEqual((found["version"], found["seed"]), (version, 1))
        self.assertRegex(found["commit"] or "0" * 12, r"^[0-9a-f]{7,40}(-dirty)?$")
        self.assertEqual(shlex.split(found["command"]), ["optgap", "compare", "--json",
                                                         *QUESTIONS["compare"]])
        command = json.loads(ask("named", "--json"))["command"]
        again = subprocess.run(["sh", "-c", command.replace("optgap", '"$0"', 1), PROGRAM],
                               capture_output=True, text=True, timeout=100, check=True)
        self.assertEqual(json.loads(again.stdout)["command"], command)
        for words in (["policies"], ["index", "-T", "2", "--policy", "kg", "1,1"]):
            self.assertEqual(json.loads(printed_by(words[0], "--json", *words[1:]))["version"], version)

    def test_two_forms_are_refused(self):
        for forms in (["--json", "--csv"], ["--csv", "--latex"], ["--latex", "--json"]):
            done = printed_by("solve", *forms, "-T", "1", "1,1", status=2)
            self.assertEqual(done.stdout, "")
            self.assertRegex(done.stderr, rf"{forms[0]}.*{forms[1]}|{forms[1]}.*{forms[0]}")


if __name__ == "__main__":
    main()
