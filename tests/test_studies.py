"""The scripts of bench/studies that are more than a list of commands.

    test_studies.py PROGRAM [unittest option...]
"""

import contextlib
import functools
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as xml
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import PROGRAM, FolderCase, main  # noqa: E402
STUDIES = pathlib.Path(__file__).parent.parent / "bench/studies"
sys.path.insert(0, str(STUDIES))
import common  # noqa: E402

# Commands of the text that take less than a second.
SAMPLE = ("optgap compare -T 1 --policies opt-kg,uniform 3,2 5,5", "optgap compare -T 2 --policies gittins-fh 2,1 35.96,35.96",
          "optgap compare -T 4 --arithmetic exact --policies gittins-fh 2,8@0.35 7,9@0.35",
          "optgap compare -T 9 --policies lagrangian,uniform 8x2,1", "optgap compare -T 100 --policies opt-kg 50x1,1")
# Of the text's numbers, changed in the last digit, this share has no source at least.
NOTICED = 0.75

WORDS = ["compare", "-T", "4", "--policies", "kg", "3x1,1"]


def script(name):
    """A script of the studies as a module: its name has no .py."""
    loader = importlib.machinery.SourceFileLoader(name, str(STUDIES / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


numbers = script("numbers")
RUNS_PROGRAM = os.path.join(os.path.dirname(PROGRAM), script("resolving").RUNS_PROGRAM)


def flow(index, budget, steps):
    """The gain of an instance from the definition of the limit: small amounts of labels go to the states of the largest
    index, in proportion to their masses. The error falls with the length of the equal steps; masses below 1e-9 are
    dropped."""
    mass, gain = {(1, 1): 1.0}, 0.0
    for _ in range(steps):
        left = budget / steps
        while left > 0:
            mass = {state: share for state, share in mass.items() if share > 1e-9}
            level = max(index(*state) for state in mass)
            tied = {state: share for state, share in mass.items() if index(*state) == level}
            whole = sum(tied.values())
            used = min(1.0, left / whole)
            left = left - whole if used == 1 else 0
            for (a, b), share in tied.items():
                moved = share * used
                mass[a, b] -= moved
                if a == b:
                    gain += moved * math.comb(2 * a - 1, a) / 4 ** a
                    mass[a + 1, b] = mass.get((a + 1, b), 0.0) + moved
                else:
                    for to, chance in (((a + 1, b), a / (a + b)), ((a, b + 1), b / (a + b))):
                        mass[to] = mass.get(to, 0.0) + moved * chance
    return gain


@functools.cache
def relaxed(pool, left, pairs):
    """The optimum of the relaxed problem in the proof of theorem 1: take a reward from the pool, or explore with a pair."""
    if left == 0:
        return Fraction(0)
    most = max([reward + relaxed(pool[:at] + pool[at + 1:], left - 1, pairs) for at, reward in enumerate(pool)], default=0)
    for chance, reward in pairs:
        most = max(most, (1 - chance) * relaxed(pool, left - 1, pairs) +
                   chance * relaxed(tuple(sorted((*pool, reward))), left - 1, pairs))
    return most


def changed(line):
    """The line with all its numbers changed by one in the last digit."""
    return numbers.NUMBER.sub(lambda found: re.sub(r"\d(?=\D*$)", lambda last: str((int(last[0]) + 1) % 10), found[1], count=1) +
                              (f"({found[2]})" if found[2] else ""), line)


def after(state, at):
    """The outcomes of a label of STATE[at] at threshold 1/2: chance and state, mirror images as one; and what it gains."""
    a, b = state[at]
    others = state[:at] + state[at + 1:]
    outcomes = [(Fraction(a, a + b), (a + 1, b)), (Fraction(b, a + b), (max(a, b + 1), min(a, b + 1)))]
    return ([(chance, tuple(sorted((*others, to)))) for chance, to in outcomes],
            Fraction(math.comb(2 * a, a), 2 * 4 ** a) if a == b else Fraction(0))


def first_labels(optimum, state, labels):
    """The gain of each first label, if the optimum follows."""
    found = []
    for at in range(len(state) if labels > 0 else 0):
        outcomes, gain = after(state, at)
        found.append(gain + sum(chance * optimum(to, labels - 1) for chance, to in outcomes))
    return found


def by_definition(optimum, state, labels):
    return max(first_labels(optimum, state, labels), default=Fraction(0))


def reached(state, labels):
    """All states that LABELS labels can lead to."""
    states = {state}
    for _ in range(labels):
        states = {to for each in states for at in range(len(each)) for _, to in after(each, at)[0]}
    return states


def ruled(state, c, labels):
    """The instances that theorem 8 says are optimal to label."""
    for at, (a, b) in enumerate(state):
        if a == b and all(other[0] >= a for other in state[:at] + state[at + 1:]):
            yield at
        if (a, b) == (c + 1, c) and state.count((a, b)) > 1 and labels > 1 and all(a > b for a, b in state):
            yield at


class ConvertTest(unittest.TestCase):
    """A database of before, filled from answers, gives the rows of these answers."""

    CELL = ("prior instances budget runs seed truth status reason call_value value gain error accuracy states lower upper "
            "lagrangian_scalar lagrangian_vector prevailing_charge seconds program commit_id").split()
    POLICY = ("cell policy ties status reason value gain error low high standard_error correct correct_low correct_high "
              "tolerance_ties states seconds").split()

    def insert(self, table, columns, values):
        self.db.execute(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                        [values.get(name) for name in columns])

    def fill(self, folder, study):
        self.db = sqlite3.connect(os.path.join(folder, "study.db"))
        self.addCleanup(self.db.close)
        for table, columns in (("cell", ["id INTEGER PRIMARY KEY", *self.CELL]), ("policy", self.POLICY),
                               ("spent", ["cell", "policy", "ties", "instance", "soft", "labels", "wrong"])):
            self.db.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        rows = common.lines.rows_of(study)
        cells = dict.fromkeys(tuple(row[name] for name in ("prior", "instances", "budget", "runs", "truth")) for row in rows)
        for number, cell in enumerate(cells, 1):
            mine = [row for row in rows if tuple(row[name] for name in ("prior", "instances", "budget", "runs", "truth")) == cell]
            exact = not mine[0]["runs"]
            about = {**mine[0], "status": mine[0]["cell_status"], "reason": mine[0]["cell_reason"], "accuracy": "double",
                     "program": mine[0]["version"], "commit_id": mine[0]["commit"], "seconds": 1.0, "states": 1,
                     **{name: mine[0]["optimal_" + name] if exact else None for name in ("value", "gain", "error")}}
            self.insert("cell", self.CELL, about)
            for row in mine:
                self.insert("policy", self.POLICY, {**row, "cell": number})
        self.db.commit()

    def test_rows_are_those_of_the_answers(self):
        with tempfile.TemporaryDirectory() as folder:
            mine, other = (os.path.join(folder, name) for name in ("mine.jsonl", "other.jsonl"))
            for words in (["compare", "-T", "%T", "--policies", "kg,uniform", "--ties", "random,worst", "2x2,1@0.3"],
                          ["compare", "-T", "%T", "--policies", "kg", "--assume", "1,3", "2x2,1"],
                          ["simulate", "-T", "%T", "--policies", "kg", "--runs", "20", "2x2,1@0.3"],
                          ["compare", "-T", "%T", "--policies", "kg", "--workers-prior", "4,1", "--once", "2x1,1"]):
                subprocess.run([PROGRAM, "sweep", mine, "--quiet", "--for", "T=1:3", *words], check=True, stdout=subprocess.DEVNULL)
            study = common.lines.read(mine)
            self.fill(folder, study)
            subprocess.run([STUDIES / "convert", os.path.join(folder, "study.db"), other], check=True)
            left_out = {"asked", "states", "seconds", "optimal_states", "cell_seconds", "least_bound"}
            known, found = ([{name: value for name, value in row.items() if name not in left_out}
                             for row in common.lines.rows_of(one)] for one in (study, common.lines.read(other)))
            self.assertEqual(len(known), 12 + 6 + 3 + 3)
            for row, same in zip(known, found, strict=True):
                for name, value in row.items():
                    if isinstance(value, float):
                        self.assertAlmostEqual(value, same[name], delta=1e-12 * max(1, abs(value)), msg=name)
                    elif name != "truth":
                        self.assertEqual(value, same[name], (name, row["prior"]))
            again = subprocess.run([STUDIES / "convert", os.path.join(folder, "study.db"), other], capture_output=True, text=True)
            self.assertEqual((again.returncode, again.stderr.count("\n")), (1, 1))  # nothing is replaced

    def test_any_name_is_read_and_none_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            good, bad = (os.path.join(folder, name) for name in ("a?b#c %41.db", "b?c.db"))
            self.fill(folder, [])
            os.rename(os.path.join(folder, "study.db"), good)
            subprocess.run([STUDIES / "convert", good, os.path.join(folder, "out.jsonl")], check=True)
            with sqlite3.connect(bad) as database:  # of another version
                database.execute("CREATE TABLE cell (id)")
                database.execute("INSERT INTO cell VALUES (1)")
                database.execute("CREATE TABLE policy (cell)")
                database.execute("CREATE TABLE spent (cell, policy, ties, instance)")
            database.close()
            for path in (bad, folder, os.path.join(folder, "n?ne.db")):
                done = subprocess.run([STUDIES / "convert", path, os.path.join(folder, "no.jsonl")], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                self.assertIn(path, done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), ["a?b#c %41.db", "b?c.db", "out.jsonl"])


class NumbersTest(unittest.TestCase):
    """Every number of FINDINGS.md and the pages next to it is in the result of a query in that page."""

    def setUp(self):
        self.pages = dict(numbers.pages())
        self.kept = numbers.kept()

    def test_every_number_of_the_pages_has_a_source(self):
        for name, text in self.pages.items():
            self.assertEqual(list(numbers.without_source(text, self.kept)), [], name)

    def test_the_results_are_those_of_the_pages_queries_sorted(self):
        self.assertEqual(list(self.kept), numbers.queries(self.pages.values()))

    def test_the_summary_is_short_and_leads_to_every_page(self):
        summary = re.sub(r"(?s)<!--.*?-->", "", self.pages["FINDINGS.md"])
        self.assertLessEqual(len(summary.split()), 600)
        for name in numbers.PAGES[1:]:
            self.assertTrue("/" in name or f"({name}" in summary, name)
        for name in self.pages:
            if name.startswith("findings-"):
                self.assertIn("(FINDINGS.md)", self.pages[name], name)

    def test_results_are_written_as_they_were_read(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(numbers, "KEPT", os.path.join(folder, "kept")):
            numbers.write(self.kept)
            with open(numbers.KEPT, "rb") as file:
                written = file.read()
        with open(numbers.KEPT, "rb") as file:
            self.assertEqual(written, file.read())

    def test_a_sample_of_the_commands_gives_what_is_kept(self):
        for query in SAMPLE:
            self.assertEqual(numbers.answer(PROGRAM, None, query), self.kept[query], query)

    def test_a_sample_of_the_studies_gives_what_is_kept(self):
        query, = (query for query in self.kept if query.startswith("hf-1: "))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([STUDIES / "hf-1", PROGRAM, os.path.join(folder, "hf-1.jsonl"), "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            self.assertEqual(numbers.answer(PROGRAM, folder, query), self.kept[query])

    def test_most_numbers_that_are_changed_have_no_source(self):
        asked = missed = 0
        for lines, named in (each for text in self.pages.values() for each in numbers.sections(text)):
            sources = numbers.Sources(named, self.kept)
            for line in lines if "proof" not in named and "times" not in named else ():
                row = line.startswith("|")
                found = numbers.looked_up(line.split("|", 2)[2] if row else line)
                most = sources.rows if row else len(sources.lines)
                if found and not line.startswith("|---") and not sources.lacking(found, most):
                    at = asked % len(found)
                    if Fraction(found[at]) not in sources.free:
                        asked += 1
                        missed += not sources.lacking([*found[:at], changed(found[at]), *found[at + 1:]], most)
        self.assertGreater(asked, 300)
        self.assertLess(missed, (1 - NOTICED) * asked)

    def test_a_number_is_looked_up_in_its_own_comment(self):
        results = {"optgap a": ["1: value 0.123456, gap 17"], "optgap b": ["value 0.2"]}
        for text, lacking in (
                ("0.5 of it", ["0.5"]), ("0.1235 and 17\n\n<!-- from\noptgap a\n-->", []),
                ("0.1234\n\n<!-- from\noptgap a\n-->", ["0.1234"]), ("0.1235\n<!-- from\noptgap b\n-->", ["0.1235"]),
                ("0.1235\n# A heading\n<!-- from\noptgap a\n-->", ["0.1235"]), ("0.2\n<!-- from\noptgap c\n-->", ["optgap c", "0.2"]),
                ("12.35 %\n<!-- from\noptgap a\n= 100 * 0.12346\n-->", []), ("3.4\n<!-- from\noptgap a\n= 1.7 * 2\n-->", ["1.7"]),
                ("7 and 8\n<!-- from\ngiven 7\n-->", ["8"]), ("1/3\n<!-- from\nproof\n-->", []),
                ("T = 9, 2K + 1, Beta(4,1), figure 10(a), `0.7`", []), ("0.12(2)\n<!-- from\noptgap a\n-->", ["0.02"])):
            found = [wrong for _, wrong in numbers.without_source(text, results)]
            self.assertEqual([wrong.removeprefix("no result of ").split(" of ")[0].strip("'") for wrong in found], lacking, text)

    def test_who_says_at_most_says_of_what(self):
        for name, text in self.pages.items():
            self.assertEqual(list(numbers.endless(text)), [], name)
        for text, found in (("kg loses at most 3 % here.", 1), ("It costs up to 0.5 points.", 1), ("At K = 5, T = 9 it loses at most 2 %.", 1),
                            ("By theorem 2 kg loses at most 3 %.", 0), ("On 60 problems kg loses at most 3 %.", 0),
                            ("kg loses much. It lists at most 3 states.", 0)):
            self.assertEqual(len(list(numbers.endless(text))), found, text)

    def test_a_row_of_a_table_is_from_few_lines(self):
        results = {"optgap a": [f"value {k}" for k in range(100, 200)]}
        row = "| K | a |\n|---|---|\n| 1 | {} |\n\n<!-- from\noptgap a\n-->"
        self.assertEqual(list(numbers.without_source(row.format("101 102 103 104"), results)), [])
        self.assertNotEqual(list(numbers.without_source(row.format("101 102 103 104 105"), results)), [])

    def test_what_has_no_results_keeps_those_that_are_there(self):
        with tempfile.TemporaryDirectory() as folder:
            for query in ("gittins: SELECT 1", "recorded 1", "recorded 0", "ranking-3.json policies"):
                self.assertIsNone(numbers.answer(PROGRAM, folder, query))
            with open(os.path.join(folder, "recorded.txt"), "w", encoding="utf-8") as file:
                file.write("A title\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n| c |\n| --- |\n")
            for query, lines in (("recorded 0", ["A title"]), ("recorded 1", ["| a | b |", "| 1 | 2 |"]), ("recorded 2", ["| c |"]),
                                 ("recorded 3", None)):
                self.assertEqual(numbers.answer(PROGRAM, folder, query), lines)


class StudiesTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.kept = os.path.join(self.folder, "kept.json")

    def test_recorded_is_skipped_with_a_message_where_the_labels_are_absent(self):
        done = subprocess.run([STUDIES / "recorded", PROGRAM, self.folder, self.folder],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, f"SKIPPED clz-12a: no labels.tsv and gold.tsv in '{self.folder}' "
                                      "(set OPTGAP_SHARED)\n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_recorded_labels_are_skipped_with_a_message_in_the_other_studies_too(self):
        for name in ("hf-2-arrivals", "hf-2-recorded"):
            done = subprocess.run([STUDIES / name, PROGRAM, self.folder, self.folder], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(done.stderr, f"SKIPPED hf-2: no labels.tsv and gold.tsv in '{self.folder}' (set OPTGAP_SHARED)\n")
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            script("workers").recorded(PROGRAM, self.folder, self.folder)
        self.assertEqual(said.getvalue(), f"SKIPPED clz-12b: no labels.tsv and gold.tsv in '{self.folder}' (set OPTGAP_SHARED)\n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_rankings_are_skipped_with_a_message_for_each_study_where_the_comparisons_are_absent(self):
        data = os.path.join(self.folder, "data")
        os.makedirs(os.path.join(data, "countrypop"))
        done = subprocess.run([STUDIES / "ranking-recorded", PROGRAM, self.folder, data],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 7)
        self.assertEqual(lines[0], f"SKIPPED cjl-8a: no pairs.tsv and gold.tsv in '{data}/readlevel' (set OPTGAP_SHARED)")
        for line in lines:
            self.assertTrue(line.startswith("SKIPPED "), line)
        self.assertEqual(os.listdir(self.folder), ["data"])

    def test_tasks_that_are_not_there_are_left_out(self):
        done = subprocess.run([STUDIES / "assignment", PROGRAM, self.folder, self.folder],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual([line.split(":")[0] for line in done.stderr.splitlines()],
                         ["SKIPPED ionosphere", "SKIPPED breast", "SKIPPED pima", "SKIPPED rte, workers",
                          "SKIPPED athlete, workers", "SKIPPED netflix, workers"] + ["SKIPPED ionosphere"] * 3 +
                         ["SKIPPED breast"] * 3 + ["SKIPPED pima"] * 3 +
                         [f"SKIPPED {name}, what decides" for name in ("ionosphere", "breast", "pima")] +
                         ["SKIPPED ionosphere, orders of tasks", "SKIPPED rte", "SKIPPED dog"])

    def test_scripts_tell_how_they_are_called(self):
        scripts = [path for path in sorted(STUDIES.iterdir()) if path.is_file() and path.read_bytes().startswith(b"#!")]
        self.assertGreater(len(scripts), 35)
        begun = [subprocess.Popen([path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for path in scripts]
        for path, script in zip(scripts, begun):
            out, error = script.communicate(timeout=100)
            self.assertEqual((script.returncode, out, error.count("\n")), (2, "", 1), (path.name, error))
            self.assertTrue(error.startswith(f"usage: bench/studies/{path.name} "), error)

    def test_the_closed_form_and_the_first_losses_are_the_program_s(self):
        closed_form = script("closed-form")
        self.assertEqual(closed_form.bound(1000, 1200), Fraction("759.33984375") + Fraction(9, 256) / 3 ** 200)
        for instances in (2, 4):
            shorts, first = closed_form.study(PROGRAM, self.folder, instances)
            self.assertEqual(shorts[2 * instances + 2], Fraction(2, 3) ** instances / 16)
            self.assertEqual(first["kg"], (instances + 3, Fraction(1, 24 * instances)))
            self.assertEqual(first["opt-kg"], (instances + 5, Fraction(1, 720 * instances)))
            self.assertEqual(first["gittins-fh"][0], 2 * instances + 5)

    def test_the_relaxed_problem_is_worth_the_closed_form(self):
        closed_form = script("closed-form")
        pays = {k: Fraction(math.comb(2 * k - 1, k), 4 ** k) for k in range(1, 6)}
        pairs = tuple((Fraction(k, 2 * k + 1), pays[k + 1]) for k in range(1, 5))
        for instances in (1, 2, 3):
            for budget in range(instances, instances + 6):
                self.assertEqual(Fraction(instances, 2) + relaxed((pays[1],) * instances, budget, pairs),
                                 closed_form.bound(instances, budget))

    @unittest.skipUnless(os.path.exists(RUNS_PROGRAM), "no fluid_runs")
    def test_the_fluid_problem_is_solved_in_every_state_of_a_run(self):
        # In some of these states rounding in GLPK kept the bounds 2e-11 apart.
        done = subprocess.run([RUNS_PROGRAM, "gittins-fh", "150", "90", "10", "50x1,1"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(min(json.loads(done.stdout)["lost"]), -1e-9)

    @unittest.skipUnless(os.path.exists(RUNS_PROGRAM), "no fluid_runs")
    def test_runs_with_the_fluid_value_are_worth_the_exact_value(self):
        resolving = script("resolving")
        problem = ["3x1,1@0.4", "2,1"]
        done = subprocess.run([PROGRAM, "compare", "-T", "6", "--policies", "dual,uniform", "--json", *problem], capture_output=True,
                              text=True, check=True)
        runs = resolving.Runs(PROGRAM, self.folder)
        for row in json.loads(done.stdout)["policies"]:
            bound, values = runs.values(row["name"], 6, 400, *problem)
            self.assertAlmostEqual(resolving.mean(values), row["value"], delta=5 * resolving.error(values))
            self.assertLessEqual(max(values), bound + 1e-9)  # no choice gains on F
        self.assertEqual(len(os.listdir(self.folder)), 2 * 400 // resolving.CHUNK)

    def test_a_difference_is_decided_beyond_two_standard_errors(self):
        resolving = script("resolving")
        for values, said in (([1, 2, 3], "better"), ([-1, -2, -3], "worse"), ([-20, 21], "undecided")):
            self.assertEqual(resolving.verdict(values * 15), said)
        self.assertEqual(resolving.verdict([1, 2, 3]), "undecided")

    def test_what_is_not_as_proved_is_noticed(self):
        closed_form = script("closed-form")
        none = dict.fromkeys(closed_form.POLICIES, Fraction(0))
        for instances, budget, short, gaps, right in (
                (4, 6, 0, none, True), (4, 6, Fraction(1, 99), none, False), (4, 7, 0, none, False),
                (4, 7, 0, none | {"kg": Fraction(1, 96)}, True), (4, 9, 0, none | {"opt-kg": Fraction(1, 99)}, False),
                (4, 10, Fraction(16, 81) / 16, none, True), (4, 10, 0, none, False),
                (4, 10, Fraction(16, 81) / 16, none | {"gittins-fh": Fraction(1, 99)}, False), (4, 14, Fraction(-1), none, False)):
            self.assertEqual(closed_form.proved(instances, budget, short, gaps), right)

    def test_after_the_fresh_instances_the_rules_are_optimal_and_the_rest_is_what_is_lost(self):
        # Theorem 8 by the definition alone: its two rules in every state, and the sum over what one (c+1,c) leaves.
        for c, instances, budget in ((1, 2, 9), (2, 2, 9), (1, 3, 11)):
            optimum = functools.cache(functools.partial(by_definition, lambda *at: optimum(*at)))
            for labels in range(budget + 1):
                for state in reached(((c, c),) * instances, budget - labels):
                    gains = first_labels(optimum, state, labels)
                    for at in ruled(state, c, labels) if labels > 0 else ():
                        self.assertEqual(gains[at], max(gains), (state, labels))
            q, reward, g = script("first-losses").known(c, budget)
            more = budget - 2 * instances - 2
            short = sum(math.comb(instances - 1, hits) * q ** hits * (1 - q) ** (instances - 1 - hits)
                        * (g[more + 3 - hits] - optimum(tuple(sorted(
                            ((c + 1, c),) + ((c + 2, c + 1),) * hits + ((c + 2, c),) * (instances - 1 - hits))), more + 3 - hits))
                        for hits in range(min(more, instances - 1) + 1))
            first = instances * Fraction(math.comb(2 * c, c), 2 * 4 ** c)
            self.assertEqual(optimum(((c, c),) * instances, budget), first + g[budget - instances] - short)

    def test_first_losses_are_the_program_s_and_what_is_not_as_proved_is_noticed(self):
        first_losses = script("first-losses")
        self.assertEqual(first_losses.closed(1, 5)[0], [1, Fraction(17, 12), Fraction(289 + 48 * 5, 144)])
        self.assertEqual(first_losses.closed(1, 5)[1] * Fraction(2, 3) ** 5 / 16, Fraction(1, 1350))
        self.assertLess(first_losses.closed(3, 5)[1], 0)
        self.assertEqual(first_losses.polynomial([Fraction(k * k - 3 * k, 4) for k in (2, 3, 4)], 2), "(1 K^2 - 3 K)/4")
        self.assertEqual(first_losses.firsts(PROGRAM, self.folder, "1,1@0.6", 2),
                         {"gittins-fh": "241/93750 at 5", "opt-kg": "277/45000 at 4"})
        self.assertTrue(first_losses.right(PROGRAM, self.folder, 2, 3, 2))
        with unittest.mock.patch.object(first_losses, "short", lambda *_: (Fraction(1), Fraction(0))):
            self.assertFalse(first_losses.right(PROGRAM, self.folder, 2, 3, 2))

    def test_the_margin_cut_encloses_the_optimum_and_what_does_not_is_noticed(self):
        margin = script("margin-cut")
        for words, budget, m, low, high in (("3x2,1", 7, 1, "11/48", "205/864"), ("2x1,1", 6, 0, "1/2", "47/72"),
                                            ("2x2,2", 7, 0, "3/8", "283/500")):
            count, pair = words.split("x")
            found = margin.enclosed([tuple(map(int, pair.split(",")))] * int(count), budget, m)
            self.assertEqual((found[0], found[2]), (Fraction(low), Fraction(high)))
            self.assertEqual(list(found), sorted(found))
        margin.not_true()
        for name, wrong in (("excess", lambda *_: Fraction(-1, 9)), ("enclosed", lambda *_: (Fraction(2), 1, 2, 3))):
            with unittest.mock.patch.object(margin, name, wrong), unittest.mock.patch.object(sys, "stderr", io.StringIO()):
                with self.assertRaises(SystemExit):
                    margin.nested_pairs() if name == "excess" else margin.random_states(5)

    def test_the_cut_elsewhere_encloses_the_optimum_and_what_does_not_is_noticed(self):
        bounds = script("cut-bounds")
        for problem in (("3x1,1", 6, 2), ("4x1,1@0.7", 8), ("2x1,1,1", 5)):
            gain, least, _, cuts = bounds.elsewhere(PROGRAM, self.folder, *problem)
            self.assertGreaterEqual(least, gain)
            self.assertEqual(len(cuts), len(bounds.SHARES))
        with unittest.mock.patch.object(bounds, "excess", lambda *_: 0.0), unittest.mock.patch.object(sys, "stderr", io.StringIO()):
            with self.assertRaises(SystemExit):
                bounds.elsewhere(PROGRAM, self.folder, "3x1,1", 6, 2)

    def test_one_threshold_is_enough_to_lose_as_theorem_6_says(self):
        # Only T negative labels in a row overturn the first instance's call, and only the second's first label gains.
        for budget, first, second in script("first-losses").ONE_THRESHOLD[:5]:
            a, b = (int(word) for word in first.split(","))
            one, other = (float(word) for word in second.split(","))
            negative = [math.prod((b + k) / (a + b + k) for k in range(labels)) for labels in range(budget + 1)]
            gain = negative[budget - 1] * math.comb(2 * a, a) / 2 / 4 ** a  # of the last label, of (a,a)
            self.assertEqual(a, b + budget - 1)
            at_once = one / (one + other)
            self.assertGreater(at_once, gain / sum(negative[:budget]))
            lost = 1 - at_once / (gain + at_once * (1 - negative[budget - 1]))
            done = subprocess.run([PROGRAM, "compare", "-T", str(budget), "--policies", "gittins-fh", "--json", first,
                                   second], capture_output=True, text=True, check=True)
            self.assertAlmostEqual(json.loads(done.stdout)["policies"][0]["gain_lost_percent"] / 100, lost,
                                   delta=budget * (one + other))

    def test_the_limit_is_where_the_masses_flow(self):
        fluid = script("fluid")
        for name, index in fluid.INDICES.items():
            for budget in (1.5, 2, 2.5):
                coarse, fine = flow(index, budget, 200), flow(index, budget, 400)
                got, = fluid.index_gains(index, "random", [budget])
                self.assertAlmostEqual(got, 2 * fine - coarse, delta=abs(fine - coarse) / 20, msg=f"{name}, {budget}")

    def test_the_limit_of_opt_kg_has_a_closed_form_where_two_states_tie(self):
        # Of (2,1) and (3,2), served at the same rate, for the time u: the first is left with e^-u, and (1-(1+u)e^-u)/3
        # of the second are served, each for 7/5 of a label, which lose 1/320.
        fluid = script("fluid")
        for budget in (1.2, 2, 2.7):
            low, high = 0.0, 50.0
            for _ in range(100):
                u = (low + high) / 2
                second = (1 - (1 + u) * math.exp(-u)) / 3
                used = 4 / 3 * (1 - math.exp(-u)) + 7 / 5 * second
                low, high = (u, high) if used < budget - 1 else (low, u)
            got, = fluid.index_gains(fluid.opt_kg, "random", [budget])
            self.assertAlmostEqual(got, 1 / 4 + (1 - math.exp(-u)) / 16 + second / 16, delta=1e-13)

    def test_the_optimum_of_the_limit_begins_with_three_known_slopes(self):
        fluid = script("fluid")
        corners, optimum, losses = fluid.limits([0.5, 1.0, 2.0, 7 / 3, 2.8, 3.0])
        for got, exact in zip(corners, ((0, 0), (1, 1 / 4), (7 / 3, 5 / 16), (14 / 5, 1 / 3))):
            self.assertAlmostEqual(got[0], exact[0], delta=1e-13)
            self.assertAlmostEqual(got[1], exact[1], delta=1e-13)
        self.assertAlmostEqual(optimum[2], 1 / 4 + 3 / 64, delta=1e-13)
        self.assertEqual(losses["opt-kg, best ties"], [0] * 6)
        self.assertAlmostEqual(losses["opt-kg"][2], 2.952e-4, delta=5e-8)

    def test_nearly_all_of_the_gain_is_lost_as_theorem_6_says(self):
        # The first instance is positive with chance (1-D)^b, the second label after label with the chance that it is so.
        for budget, first, second in script("losses").NEARLY_ALL:
            b, threshold = (float(word) for word in first.removeprefix("1,").split("@"))
            one, other = (float(word) for word in second.split(","))
            negative = [math.prod((b + k) / (1 + b + k) for k in range(labels)) for labels in range(budget + 1)]
            self.assertGreater((1 - threshold) ** (b + budget - 1), 0.5)  # only all labels overturn its call
            gain, labels = negative[budget] * (1 - 2 * (1 - threshold) ** (b + budget)), sum(negative[:budget])
            at_once = one / (one + other)
            self.assertGreater(at_once, gain / labels)
            lost = 1 - at_once / (gain + at_once * (1 - negative[budget - 1]))
            done = subprocess.run([PROGRAM, "compare", "-T", str(budget), "--policies", "gittins-fh", "--json", first,
                                   second], capture_output=True, text=True, check=True)
            # The second instance's later labels gain a share of at most its parameters' sum each.
            self.assertAlmostEqual(json.loads(done.stdout)["policies"][0]["gain_lost_percent"] / 100, lost,
                                   delta=budget * (one + other))

    def test_a_result_is_computed_once(self):
        first = common.result(self.kept, PROGRAM, *WORDS)
        self.assertEqual(first["problem"]["budget"], 4)
        self.assertEqual(os.listdir(self.folder), ["kept.json"])
        self.assertEqual(common.result(self.kept, "/nothing/there", *WORDS), first)

    def test_a_failure_is_passed_on_and_nothing_kept(self):
        with self.assertRaises(SystemExit) as caught:
            common.result(self.kept, PROGRAM, "compare", "-T", "4")
        self.assertEqual(caught.exception.code, 2)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_bracket_is_a_result_too(self):
        got = common.result(self.kept, PROGRAM, "compare", "-T", "40", "--policy", "uniform", "10x1,1",
                             "--policy-states", "1000", "--optimum-states", "1000")
        self.assertIsNone(got["optimal"]["value"])

    def test_what_was_interrupted_is_not_kept(self):
        program = os.path.join(self.folder, "program")
        for printed in ('{"runs": 52}', '{"policies": [{"value": null, "reason": "interrupted"}]}'):
            with open(program, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho '{printed}'\nexit 3\n")
            os.chmod(program, 0o755)
            with self.assertRaises(SystemExit) as caught:
                common.result(self.kept, program, "simulate", "--runs", "60")
            self.assertEqual(caught.exception.code, 3)
            self.assertEqual(os.listdir(self.folder), ["program"])
        self.assertEqual(common.is_whole({"runs": 60}, ("simulate", "--runs", "60")), True)

    def test_a_figure_names_its_curves_and_axes(self):
        path = os.path.join(self.folder, "figure.svg")
        common.draw(path, "A title", "what it is about", "labels (T)", "accuracy, %",
                     {"kg": [(1, 50.0), (2, 60.0)], "opt-kg": [(1, 50.0), (2, 70.0)]})
        self.assertEqual(os.listdir(self.folder), ["figure.svg"])
        texts = [" ".join("".join(at.itertext()).split())
                 for at in xml.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        for text in ("A title", "what it is about", "labels (T)", "accuracy, %", "kg", "opt-kg"):
            self.assertIn(text, texts)

    def test_every_committed_figure_is_by_matplotlib_and_on_a_page(self):
        linked = set(re.findall(r"!\[[^]]*\]\(([^)]*\.svg)\)", "".join(text for _, text in numbers.pages())))
        self.assertEqual({path.name for path in STUDIES.glob("*.svg")}, linked)
        for path in STUDIES.glob("*.svg"):
            self.assertIn('\n <g id="figure_1">\n', path.read_text(), path.name)

    def test_a_figure_of_histograms_names_its_panels(self):
        path = os.path.join(self.folder, "figure.svg")
        bins = [(k / 20, (k + 1) / 20, k, 20 - k) for k in range(20)]
        common.draw_histograms(path, "A title", "what it is about", "accuracy", "workers",
                                [(f"panel {k}", bins) for k in range(4)])
        self.assertEqual(os.listdir(self.folder), ["figure.svg"])
        texts = [" ".join("".join(at.itertext()).split())
                 for at in xml.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        for text, times in (("A title", 1), ("what it is about", 1), ("accuracy", 1), ("workers", 2), ("panel 3", 1)):
            self.assertEqual(texts.count(text), times, text)


if __name__ == "__main__":
    main()
