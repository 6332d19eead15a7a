"""The program's fractions, exported policies and list of policies.

    test_exact_cli.py PROGRAM [unittest option...]

Known values come from tests/data. A value that is a fraction there must be printed as that fraction.
"""

import ctypes
import ctypes.util
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import PROGRAM, SANITIZED, Case, main, run  # noqa: E402
from test_cli import TIES  # noqa: E402
from test_golden_cli import golden_by_problem  # noqa: E402

EXACT = ["--arithmetic", "exact"]


def is_rational(problem):
    """Priors of whole numbers."""
    return all(re.fullmatch(r"(\d+x)?\d+,\d+(@[\d.]+)?", word) for word in problem.split())


def golden_fractions():
    """The known problems with whole priors, and of their quantities those known exactly."""
    for (problem, budget), known in golden_by_problem().items():
        fractions = {name: value for name, (value, tolerance) in known.items() if tolerance == 0}
        if is_rational(problem) and fractions:
            yield problem, budget, fractions


class ExactCase(Case):
    def assert_rounded(self, value, exact, error, about=None):
        """A double, and its fraction."""
        self.assertEqual(str(Fraction(exact)), exact, "not in lowest terms")
        self.assertLessEqual(abs(Fraction(value) - Fraction(exact)), Fraction(error), about)


class GoldenTest(ExactCase):
    def test_compare(self):
        count = 0
        for problem, budget, known in golden_fractions():
            rows = [name.split("/") for name in known if "/" in name and name[:2] != "q/"]
            if not rows or "optimal" not in known:
                continue
            names = list(dict.fromkeys(name for name, _ in rows))
            ties = ",".join(TIES) if any(rule != "random" for _, rule in rows) else "random"
            found = self.document("compare", "-T", budget, *EXACT, "--policies", ",".join(names),
                                  "--ties", ties, *problem.split())
            optimal = Fraction(found["optimal"]["value_exact"])
            self.assertEqual(optimal, known["optimal"], (problem, budget))
            values = {(row["name"], row["ties"]): row for row in found["policies"]}
            for name, rule in rows:
                row = values[name, rule]
                about = (problem, budget, name, rule)
                self.assertEqual(Fraction(row["value_exact"]), known[f"{name}/{rule}"], about)
                self.assertEqual(Fraction(row["gap_exact"]), optimal - known[f"{name}/{rule}"])
                self.assert_rounded(row["value"], row["value_exact"], row["error_bound"], about)
                self.assert_rounded(row["gap"], row["gap_exact"], row["gap_error_bound"], about)
                count += 1
            for name in ("lagrangian_scalar", "lagrangian_vector"):
                self.assertGreaterEqual(Fraction(found["bounds"][name]["value_exact"]), optimal)
        self.assertGreater(count, 50)

    def test_bound(self):
        count = 0
        for problem, budget, known in golden_fractions():
            if "lagrangian_scalar" not in known:
                continue
            found = self.document("bound", "-T", budget, *EXACT, *problem.split())["bounds"]
            scalar, vector = found["lagrangian_scalar"], found["lagrangian_vector"]
            value = Fraction(scalar["value_exact"])
            self.assertGreaterEqual(value, known["lagrangian_scalar"])
            self.assertLessEqual(value, known["lagrangian_scalar"] * (1 + Fraction(1, 10**9)))
            self.assertLessEqual(Fraction(vector["value_exact"]), value)
            for bound in (scalar, vector):
                self.assertGreaterEqual(Fraction(bound["value"]), Fraction(bound["value_exact"]))
                self.assert_rounded(bound["value"], bound["value_exact"], bound["error_bound"])
            self.assertEqual(len(vector["prices_exact"]), int(budget))
            self.assertGreaterEqual(Fraction(scalar["price_exact"]), 0)
            self.assertIsNone(found["prevailing_charge"]["value_exact"])
            count += 1
        self.assertGreater(count, 0)


class FormTest(ExactCase):
    problem = ["3x1,1", "2,1@0.3"]

    def test_doubles_have_no_fractions(self):
        for command in ("solve", "compare", "query", "bound"):
            text = self.answer(command, "-T", "3", "--json", *self.problem)
            self.assertNotIn("exact", text, command)

    def test_decimals_are_the_fractions_they_spell(self):
        found = self.document("query", "-T", "1", *EXACT, "1,1@0.3")["instances"][0]
        # calls positive but after a negative label, with P(theta >= 0.3) = 0.49: 1/2 of 0.02
        self.assertEqual(found["q_exact"], "1/100")

    def test_the_gap_of_an_optimal_policy_is_none(self):
        found = self.document("compare", "-T", "6", *EXACT, "--policies", "opt-kg,kg", "3x1,1")
        self.assertEqual([row["gap_exact"] for row in found["policies"]], ["0", "1/72"])
        self.assertEqual(found["policies"][0]["gap_percent"], 0)

    def test_ties_are_equal_fractions(self):
        words = ["-T", "4", "2,1", "1,2", "3,2@0.37"]
        rows = self.document("query", *words, *EXACT)["instances"]
        best = max(Fraction(row["q_exact"]) for row in rows)
        for row in rows:
            self.assertEqual(row["optimal"], Fraction(row["q_exact"]) == best)
            self.assertIs(row["near_tie"], False)
        self.assertEqual([row["optimal"] for row in rows[:2]], [True, True])

    def test_tables_show_short_fractions(self):
        self.assertRegex(self.answer("solve", "-T", "12", *EXACT, "10x1,1"),
                         r"(?m)^Optimal value +7\.5625 .*\nExactly +121/16$")
        self.assertRegex(self.answer("query", "-T", "2", *EXACT, "2x2,1", "3,3"),
                         r"(?m)^2,1 +2 +0\.1666666667 +1/6 +0 +optimal$")
        self.assertRegex(self.answer("compare", "-T", "6", *EXACT, "3x1,1"),
                         r"(?m)^kg +random +337/144 +1/72$")
        self.assertRegex(self.answer("bound", "-T", "12", *EXACT, "10x1,1"),
                         r"(?m)^lagrangian_scalar +7\.59375 +243/32 ")

    def test_tables_say_where_long_fractions_are(self):
        for command in ("solve", "compare", "query", "bound"):
            text = self.answer(command, "-T", "20", *EXACT, "2x1,1", "3,1@0.37")
            self.assertIn("--json prints", " ".join(text.split()), command)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)
                self.assertEqual(line, line.rstrip())

    def test_no_labels_are_no_gain(self):
        found = self.document("solve", "-T", "0", *EXACT, "3x1,1")["optimal"]
        self.assertEqual((found["value_exact"], found["gain_exact"]), ("3/2", "0"))
        found = self.document("query", "-T", "0", *EXACT, "2,1")["instances"][0]
        self.assertEqual((found["q"], found["q_exact"]), (None, None))
        self.document("compare", "-T", "0", *EXACT, "2,1")


class RefusalTest(ExactCase):
    def test_what_has_no_fraction_is_pointed_to_doubles(self):
        for command in ("solve", "compare", "query", "bound"):
            self.assert_refused([command, "-T", "3", *EXACT, "0.5,0.5"], "proved error bound")
            self.assert_refused([command, "-T", "3", *EXACT, "1,1", "1.5,2"], "1.5,2")

    def test_what_exact_arithmetic_does_not_do(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "file")
            for command in ("solve", "compare"):
                words = [command, "-T", "3", *EXACT, "1,1"]
                self.assert_refused([*words, "--checkpoint", file], "--checkpoint")
            words[0] = "solve"
            self.assert_refused([*words, "--export-policy", file], "--export-policy")
            self.assert_refused([*words, "--dry-run"], "--dry-run")
            self.assert_refused(["index", "--policy", "kg", *words[1:]], "index does not support --arithmetic; omit it, or use compare or solve or query or bound or tree")
            self.assertEqual(os.listdir(folder), [])

    def test_limits_are_limits(self):
        words = ["-T", "20", *EXACT, "--memory", "32K", "6x1,1"]
        for command in ("solve", "query"):
            self.assert_refused([command, *words], "limit", code=3)
        done = run("compare", *words, "--policies", "kg,uniform", "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        found = json.loads(done.stdout)
        for key in ("value", "value_exact", "gain_exact"):
            self.assertIsNone(found["optimal"][key])
        for row in found["policies"]:
            self.assertIsNone(row["gap_exact"])
        truth = self.document("solve", "-T", "20", "6x1,1")["optimal"]["value"]
        self.assertLess(found["bracket"]["lower"], truth)
        self.assertGreater(found["bracket"]["upper"], truth)
        done = run("solve", "-T", "60", *EXACT, "--time-limit", "0.3", "10x1,1")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("time limit", done.stderr)
        self.assertNotIn("--checkpoint", done.stderr)


    def test_a_signal_ends_the_work_and_promises_nothing(self):
        for command, shown in (("solve", ""), ("compare", "not proved (interrupted)")):
            done = subprocess.Popen(
                [PROGRAM, command, "-T", "70", *EXACT, "10x1,1"]
                + (["--policies", "uniform"] if command == "compare" else []),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            test_cli.wait_until_signals_are_caught(done)
            done.send_signal(signal.SIGTERM)
            out, err = done.communicate(timeout=200)
            self.assertEqual(done.returncode, 3, err)
            self.assertIn(shown, out)
            self.assertEqual(out == "", shown == "")
            self.assertRegex(err, r"\Aoptgap: interrupted [^\n]*\n\Z")
            self.assertNotIn("continue", err)


class PolicyFileTest(ExactCase):
    problem = ["-T", "6", "2x1,1", "2,1@0.3"]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(folder.name, "policy.txt")

    def export(self, *words):
        return self.document("solve", "--export-policy", self.file, *words)

    def verify(self, *words):
        return self.document("verify", self.file, *words)

    def test_a_name_that_is_no_utf8_does_not_lose_the_result(self):
        self.file = os.path.join(self.folder, "caf\udce9.txt")  # one byte, 0xe9
        self.assertEqual(os.path.basename(self.export(*self.problem)["policy"]["file"]),
                         "caf\ufffd.txt")
        self.assertTrue(os.path.exists(self.file))

    def assert_round_trip(self, *words):
        solved = self.export(*words)
        found = self.verify()
        optimal, policy = solved["optimal"], solved["policy"]
        self.assertEqual(found["stated_value"], optimal["value"])
        self.assert_near(found["value"], Fraction(optimal["value"]),
                         found["error_bound"] + optimal["error_bound"])
        self.assertEqual(found["budget"], solved["problem"]["budget"])
        for key in ("states", "actions", "near_ties", "file"):
            self.assertEqual(found[key], policy[key], key)
        self.assertEqual(policy["bytes"], os.path.getsize(self.file))
        self.assertEqual(os.listdir(self.folder), ["policy.txt"])
        return found

    def test_what_is_exported_is_verified(self):
        for words in (self.problem, ["-T", "12", "10x1,1"], ["-T", "5", "0.5,0.7", "2x1,1"],
                      ["-T", "0", "3x1,1"], ["-T", "3", "9,1"]):
            for more in ([], ["--all-optimal"]):
                found = self.assert_round_trip(*words, *more)
                self.assertIs(found["optimality_certified"], True, words)

    def test_large_ones_are_certified_for_their_value(self):
        self.assertIs(self.assert_round_trip("-T", "18", "10x1,1")["optimality_certified"], True)
        little = ["--memory", "1M"]  # too little for all states, enough for the policy's
        found = self.verify(*little)
        self.assertIs(found["optimality_certified"], False)
        self.assertIn("not its optimality", found["certified"])
        self.assertIn("not its optimality", " ".join(self.answer("verify", self.file, *little).split()))

    def test_layers_that_are_kept_say_what_to_label(self):
        words, size = ["-T", "26", "3x1,1"], {}
        for engine in ("recursion", "blocks"):
            solved = self.export(*words, "--engine", engine)
            self.assertEqual(solved["optimal"]["engine"], engine)
            size[engine] = solved["policy"]["states"]
            found = self.verify()
            self.assert_near(found["value"], Fraction(solved["optimal"]["value"]),
                             found["error_bound"] + solved["optimal"]["error_bound"])
            self.assertEqual((found["states"], found["near_ties"]), (size[engine], 0))
            self.assertIs(found["optimality_certified"], True)
        self.assertEqual(size["blocks"], size["recursion"])
        long = ["-T", "44", "3x1,1"]
        self.assertEqual(self.export(*long)["optimal"]["engine"], "blocks")
        self.assertEqual(self.export("-T", "6", *self.problem[2:])["optimal"]["engine"], "recursion")

    def test_the_value_is_the_fraction(self):
        self.export("-T", "12", "10x1,1")
        self.assert_near(self.verify()["value"], Fraction(121, 16), self.verify()["error_bound"])

    def test_threads_and_memory_do_not_change_a_byte(self):
        self.export("-T", "18", "6x1,1")
        whole = pathlib.Path(self.file).read_bytes()
        self.export("-T", "18", "6x1,1", "--threads", "1", "--memory", "128M")
        self.assertEqual(pathlib.Path(self.file).read_bytes(), whole)
        # Without memory for fractions, near ties are marked, and the policy is still certified.
        policy = self.export("-T", "18", "6x1,1", "--memory", "1M")["policy"]
        self.assertGreater(policy["near_ties"], 0)
        self.assertEqual(self.verify()["near_ties"], policy["near_ties"])

    def test_tables_tell_the_same(self):
        text = self.answer("solve", *self.problem, "--export-policy", self.file)
        states = self.verify()["states"]
        self.assertRegex(text, rf"(?m)^States in it +{states}, one optimal action each, ")
        self.assertIn(self.file, text)
        text = self.answer("verify", self.file)
        self.assertRegex(text, rf"(?m)^States +{states}, one action each$")
        self.assertRegex(text, r"(?m)^Certified: the policy's value and its optimality")

    def test_every_flipped_byte_is_refused(self):
        self.export("-T", "3", "2x1,1")
        whole = bytearray(pathlib.Path(self.file).read_bytes())
        for at in range(0, len(whole), 7):
            whole[at] ^= 1
            pathlib.Path(self.file).write_bytes(whole)
            whole[at] ^= 1
            self.assert_refused(["verify", self.file], self.file)
        pathlib.Path(self.file).write_bytes(whole[:-1])
        self.assert_refused(["verify", self.file], self.file)

    def seal(self, body):
        """Write the file with a checksum that fits."""
        library = ctypes.CDLL(ctypes.util.find_library("xxhash"))
        library.XXH3_64bits.restype = ctypes.c_uint64
        library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
        data = body.encode()
        pathlib.Path(self.file).write_text(f"{body}{library.XXH3_64bits(data, len(data)):016x}\n")

    @unittest.skipUnless(ctypes.util.find_library("xxhash"), "no shared library of xxHash")
    def test_a_wrong_action_is_shown_wrong(self):
        for more in ([], ["--all-optimal"]):
            self.export("-T", "2", "2x2,1", "3,3", *more)
            text = pathlib.Path(self.file).read_text()
            body = text[: text.rindex("\t") + 1]
            self.seal(body)
            self.assertEqual(pathlib.Path(self.file).read_text(), text)
            self.verify()
            self.seal(self.other_action(body))
            self.assert_refused(["verify", self.file], self.file)

    @staticmethod
    def other_action(text):
        """At the root, label the other prior."""
        lines = text.split("\n")
        root = next(i for i, line in enumerate(lines) if line.startswith("2\t"))
        left, state, choice = lines[root].split("\t")
        other = next(item.split("x")[0] for item in state.split(";") if item.split("x")[0] != choice)
        lines[root] = "\t".join((left, state, other))
        return "\n".join(lines)

    def test_what_is_no_policy_is_refused(self):
        self.assert_refused(["verify", test_cli.SAMPLE], "not an exported policy")
        self.assert_refused(["verify", os.path.join(self.folder, "none")], "none")
        self.assert_refused(["verify", self.folder], self.folder)
        self.assert_refused(["verify"], "FILE")
        self.assert_refused(["verify", "a", "b"], "verify takes one FILE; omit 'b'")

    def test_nothing_is_left_where_nothing_can_be_written(self):
        place = os.path.join(self.folder, "none", "policy.txt")
        self.assert_refused(["solve", *self.problem, "--export-policy", place], place, code=1)
        self.assert_refused(["solve", *self.problem, "--export-policy="], "--export-policy")
        self.assert_refused(["solve", *self.problem, "--all-optimal"], "--export-policy FILE")
        self.assert_refused(["solve", *self.problem, "--dry-run", "--export-policy", self.file],
                            "--dry-run")
        self.assertEqual(os.listdir(self.folder), [])

    def test_limits_leave_no_file(self):
        words = ["solve", "-T", "24", "--export-policy", self.file]
        self.assert_refused([*words, "--memory", "4K", "10x1,1"], "limit", code=3)
        if not SANITIZED:  # ten seconds
            self.assert_refused([*words, "--all-optimal", "3x1,1", "2x2,1", "2x3,1", "4,1@0.3"],
                                "all optimal actions\n", code=3)
        self.assertEqual(os.listdir(self.folder), [])


    def test_verifying_has_a_memory_limit(self):
        self.export("-T", "18", "6x1,1")
        self.assert_refused(["verify", "--memory", "1K", self.file], "--memory", code=3)


class NearTieTest(ExactCase):
    def test_a_tie_that_fractions_prove_is_one_everywhere(self):
        words = ["-T", "4", "2,4@0.3", "2,1"]
        for row in self.document("query", *words)["instances"]:
            self.assertEqual((row["near_tie"], row["optimal"], row["lost"]), (False, True, 0))
            self.assertNotIn("q_exact", row)
        self.assertEqual(len(re.findall(r"(?m) optimal$", self.answer("query", *words))), 2)
        for row in self.document("query", *words, *EXACT)["instances"]:
            self.assertEqual((row["near_tie"], row["optimal"]), (False, True))
            self.assertEqual(row["q_exact"], "146902061/630000000")
        root = self.document("tree", *words)["states"][0]
        self.assertEqual([action["optimal"] for action in root["actions"]], [True, True])

    def test_the_roof_of_the_tutorial_ties(self):
        rows = self.document("query", "-T", "6", "2,1", "4,2", "4,4")["instances"]
        self.assertEqual([(row["near_tie"], row["optimal"]) for row in rows], [(False, True), (False, False), (False, True)])

    def test_ties_of_explanations_are_those_of_fractions(self):
        for words in (["-T", "4", "2,4@0.3", "2,1", "30,1"], ["-T", "6", "2,1", "4,2", "4,4"], ["-T", "3", "2,1,1", "1,1", "3,1"]):
            explain = self.document("compare", *words, "--policies", "uniform", "--explain")["policies"][0]["explain"]
            ties = 0
            for decision in explain["decisions"]:
                of = [row["text"].split("x")[-1] for row in decision["state"] for _ in range(row["count"])]
                rows = self.document("query", "-T", str(decision["left"]), *of, *EXACT)["instances"]
                best = {tuple(row["posterior"]) + (row["threshold"],) for row in rows if row["optimal"]}
                shown = {tuple(row["posterior"]) + (row["threshold"],) for row in decision["state"] if row["optimal"]}
                self.assertEqual(shown, best, (words, decision))
                ties += len(best) > 1
            self.assertGreater(ties, 0, words)

    def test_without_fractions_it_is_a_near_tie(self):
        words = ["query", "-T", "1", "1.5,2.5@0.3", "1.5,2.5@0.300000000000000001"]
        for row in self.document(*words)["instances"]:
            self.assertEqual((row["near_tie"], row["optimal"]), (True, True))
        self.assertEqual(len(re.findall(r"(?m) near-tie$", self.answer(*words))), 2)

    def test_equal_doubles_alone_are_no_tie(self):
        words = ["query", "-T", "1", "1,1@0.4", "1,1@0.400000000000000001"]
        rows = self.document(*words)["instances"]
        self.assertEqual(rows[0]["q"], rows[1]["q"])
        for more in [], EXACT:
            rows = self.document(*words, *more)["instances"]
            self.assertEqual([row["near_tie"] for row in rows], [False, False])
            self.assertEqual(sorted(row["optimal"] for row in rows), [False, True])

    def test_what_is_the_same_or_mirrored_ties(self):
        for words in (["1,1", "1,1"], ["2,1@0.3", "1,2@0.7"], ["0.3,0.7", "0.7,0.3"]):
            for row in self.document("query", "-T", "3", *words)["instances"]:
                self.assertEqual((row["near_tie"], row["optimal"]), (False, True), words)

    def test_nothing_to_gain_is_an_exact_tie(self):
        for row in self.document("query", "-T", "1", "9,1", "1.5,9")["instances"]:
            self.assertEqual((row["q"], row["near_tie"], row["optimal"]), (0, False, True))


class PoliciesTest(ExactCase):
    def test_every_policy_is_listed(self):
        found = self.document("policies")["policies"]
        names = re.findall(r"(?m)^([a-z][a-z0-9+-]*)(:[A-Z0-9,]+(?:\.so|\[:POLICY\])?|\[:[A-Z]+\]|\[:N\[,OPTION\.\.\.\]\])? +(?:yes|no) ",
                           self.answer("policies"))
        self.assertEqual([row["name"] for row in found], [name for name, _ in names])
        for row, (_, parameter) in zip(found, names):
            self.assertEqual(row["parameter"], parameter.removeprefix(":"))
            self.assertIsInstance(row["valued_exactly"], bool)
            self.assertTrue(row["summary"] and row["source"])
        table = self.answer("policies")
        for row in found:
            self.assertRegex(table, rf"(?m)^{re.escape(row['name'])}\S* +(yes|no) ")

    def test_every_policy_that_says_so_is_valued(self):
        names = [row["name"] for row in self.document("policies")["policies"]
                 if row["valued_exactly"] and row["parameter"] in ("", "[:DELTA]") and not row["objective"]]
        found = self.document("compare", "-T", "4", *EXACT, "--policies", ",".join(names), "2x1,1")
        for row in found["policies"]:
            self.assertIn("value_exact", row)
            self.assertGreaterEqual(Fraction(row["gap_exact"]), 0)

    def test_it_takes_no_argument(self):
        self.assert_refused(["policies", "kg"], "'kg'")


if __name__ == "__main__":
    main()
