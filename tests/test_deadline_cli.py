"""Labels with a deadline, through the program. The definition is in tests/conformance_arms.c.

    test_deadline_cli.py PROGRAM [unittest option...]
"""

import subprocess
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import PROGRAM, Case, main, run  # noqa: E402


class ExactCase(Case):
    def value(self, *words):
        return Fraction(self.document("solve", "--arithmetic", "exact", *words)["optimal"]["value_exact"])


class ValueTest(ExactCase):
    def test_the_cases_of_the_manual(self):
        """By hand."""
        for words, optimal, kg in (
                (["--deadline", "3", "--slot-arrivals", "0.5", "--slot-service", "2"], Fraction(5, 4), Fraction(39, 32)),
                (["--deadline", "1", "--slot-arrivals", "0.25,0.5"], Fraction(21, 16), Fraction(5, 4))):
            found = self.document("compare", "--arithmetic", "exact", "-T", "2", *words, "--policies", "kg", "2x1,1")
            self.assertEqual(Fraction(found["optimal"]["value_exact"]), optimal)
            self.assertEqual(Fraction(found["policies"][0]["value_exact"]), kg)
            actions = self.document("query", "--arithmetic", "exact", "-T", "2", *words, "2x1,1")["actions"]
            self.assertGreaterEqual(Fraction(actions[0]["q_exact"]), optimal - 1)  # the first worker may not come


class LimitTest(ExactCase):
    def test_one_worker_may_be_told_as_a_law(self):
        words = ["-T", "3", "--deadline", "5", "--slot-service", "2,0.5", "2x1,1"]
        self.assertEqual(self.value("--slot-arrivals", "0.3,0.0000001", *words) > self.value("--slot-arrivals", "0.3", *words), True)
        one, law = (self.document("solve", "--slot-arrivals", text, *words)["problem"] for text in ("0.3", "0.3,0.1"))
        self.assertEqual((one["arrival"], one["labels_in_time"]), (0.3, 3))
        self.assertEqual((law["arrival"], law["labels_in_time"]), ([0.3, 0.1], 3))

    def test_small_slots_are_the_time_that_flows(self):
        """With slots of 1/m and a deadline that is too late to matter, the value differs by O(1/m) from that of labels
        without one, and the extrapolated value by O(1/m^2)."""
        flowing = self.document("solve", "--arrival-rate", "1", "--service-rate", "1", "--arrivals", "5",
                                "2x1,1")["optimal"]["value"]
        off, last = [], None
        for m in 4, 8, 16:
            found = self.document("solve", "-T", "5", "--deadline", str(40 * m), "--slot-arrivals", str(1 / m), "--slot-service",
                                  f"1,{1 / m}", "2x1,1")["optimal"]["value"]
            if last is not None:
                off.append((abs(found - flowing), abs(2 * found - last - flowing)))
            last = found
        self.assertLess(abs(off[1][0] / off[0][0] - 0.5), 0.05)
        self.assertLess(off[1][1] / off[0][1], 0.35)
        self.assertLess(off[1][1], off[1][0] / 10)


class SimulateTest(Case):
    def test_labels_at_once_are_the_runs_of_the_usual_problem(self):
        words = ["--runs", "300", "--ties", "first", "--policies", "kg,opt-kg,gittins-fh", "-T", "7", "3x1,1", "2,1"]
        usual, found = (self.document("simulate", *words, *more)["policies"] for more in ([], ["--deadline", "7"]))
        self.assertEqual([row["accuracy"] for row in found], [row["accuracy"] for row in usual])


class ProgramTest(Case):
    WORDS = ["-T", "4", "--deadline", "6", "--slot-service", "2,0.5", "--slot-arrivals", "0.5", "3x1,1"]

    def test_the_problem_is_told(self):
        problem = self.document("solve", *self.WORDS, "--turn-away")["problem"]
        self.assertEqual({key: problem[key] for key in ("budget", "deadline", "arrival", "service", "turn_away",
                                                        "late_labels", "labels_in_time")},
                         {"budget": 4, "deadline": 6, "arrival": 0.5, "service": {"phases": 2, "chance": 0.5},
                          "turn_away": True, "late_labels": False, "labels_in_time": 4})
        self.assertRegex(run("solve", *self.WORDS).stdout,
                         r"Deadline +6 slots, a worker in each with probability 0.5\n"
                         r"Service +2 phases, each of which ends in a slot with probability 0.5\n")

    def test_the_own_index_sees_what_is_under_way(self):
        found = self.document("compare", "-T", "6", "--deadline", "12", "--slot-service", "2,0.5", "--slot-arrivals", "0.5", "5x1,1")
        gap = {row["name"]: row["gap"] for row in found["policies"]}
        self.assertEqual(list(gap), ["uniform", "kg", "opt-kg", "gittins-fh", "hu-frazier"])
        self.assertLess(gap["hu-frazier"], 1e-11)
        self.assertGreater(gap["gittins-fh"], 0.15)
        bounds = found["bounds"]
        self.assertLess(bounds["lagrangian_scalar"]["value"], bounds["prevailing_charge"]["value"] - 0.05)
        self.assertLess(bounds["lagrangian_vector"]["value"], bounds["lagrangian_scalar"]["value"] - 0.2)
        self.assertEqual(bounds["lagrangian_vector"]["prices"], [])
        self.assertEqual(bounds, self.document("bound", "-T", "6", "--deadline", "12", "--slot-service", "2,0.5",
                                               "--slot-arrivals", "0.5", "5x1,1")["bounds"])

    def test_bounds_without_an_exact_form_are_named(self):
        exact = ["--arithmetic", "exact", "1,1"]
        self.assertRegex(run("bound", "-T", "2", "--deadline", "2", *exact).stdout,
                         r"lagrangian_scalar,\slagrangian_vector,\s+prevailing_charge\sand\s+priced_end\shave\sno\sexact\sform\shere")
        self.assertRegex(run("bound", "-T", "2", *exact).stdout,
                         r"prevailing_charge\sand\spriced_end\shave\sno\sexact\sform\shere")

    def test_with_labels_at_once_the_own_bound_is_the_usual_one(self):
        """The one by subgradients, the other by a linear programme within 1e-7 of the least."""
        for words in ["-T", "4", "2x1,2@0.5", "4x1,1", "1,3@0.3"], ["-T", "6", "3x1,4@0.5", "2,1@0.3", "4x2,4@0.7"]:
            usual = self.document("bound", *words)["bounds"]["lagrangian_vector"]["value"]
            found = self.document("bound", "--deadline", words[1], *words)["bounds"]["lagrangian_vector"]["value"]
            self.assertLessEqual(found, usual + 1e-12)
            self.assertAlmostEqual(found, usual, delta=1e-6 * usual)

    def test_with_labels_at_once_the_own_index_is_that_of_gittins(self):
        for words in ["-T", "7", "3x1,1"], ["-T", "6", "2,1", "1,1@0.3", "2x1,2"], ["-T", "24", "2x1,1"]:
            found = self.document("compare", "--deadline", words[1], *words, "--policies", "gittins-fh,hu-frazier",
                                  "--ties", "random,first")
            value = {(row["name"], row["ties"]): row["value"] for row in found["policies"]}
            for ties in "random", "first":
                self.assertAlmostEqual(value["gittins-fh", ties], value["hu-frazier", ties], delta=1e-13)

    def test_play_waits_for_the_first_worker(self):
        done = subprocess.run(
            [PROGRAM, "play", "-T", "1", "--deadline", "9", "--slot-arrivals", "0.4", "--turn-away", "--seed", "2",
             "2,1"], input="2\n2\n2\n2\n2\n2\n2\n2\n2\n", stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("No worker comes.\n", done.stdout)
        self.assertIn("Nobody.\n", done.stdout)

    def test_what_makes_no_sense_is_refused(self):
        for words, expected in [
                (["-T", "2", "--slot-service", "2", "1,1"], "--deadline D is missing"),
                (["--deadline", "2", "1,1"], "-T N"),
                (["-T", "2", "--deadline", "0", "1,1"], "from 1 to 10000"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "1.5", "1,1"], "at most 1"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0", "1,1"], "greater than 0"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5,", "1,1"], "or the probabilities of one worker"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5,0", "1,1"], "the last one greater than 0"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5,0.6", "1,1"], "their sum at most 1"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5;0.2", "1,1"], "greater than 0"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0,0,0,0,0,0,0,0,1", "1,1"], "at most 8"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.1,0.0000000001", "1,1"], "nine decimals"),
                (["-T", "2", "--deadline", "2", "--slot-service", "0", "1,1"], "K or K,Q"),
                (["-T", "2", "--deadline", "2", "--slot-service", "1,2", "1,1"], "K or K,Q"),
                (["-T", "2", "--deadline", "2", "--slot-service", "2,", "1,1"], "K or K,Q"),
                (["-T", "2", "--deadline", "99", "--slot-service", "33", "1,1"], "at most 32 phases"),
                (["-T", "2", "--deadline", "99", "--slot-service", "17,0.5", "1,1"], "at most 16 phases"),
                (["-T", "2", "--deadline", "2", "--arrivals", "2", "1,1"], "different problem types")]:
            self.assert_refused(["solve", *words], expected)
        for policy in "gittins-fh", "uniform":  # no label can be done in time
            self.assert_refused(["query", "-T", "1", "--deadline", "2", "--slot-service", "3", "--policy", policy, "1,1"], "nothing to choose")
        self.assert_refused(["compare", "-T", "2", "--deadline", "4", "--policies", "hu-frazier:2", "1,1"],
                            "choose hu-frazier")


if __name__ == "__main__":
    main()
