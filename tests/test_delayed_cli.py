"""Labels that take time, through the program.

    test_delayed_cli.py PROGRAM [unittest option...]
"""

import sys

sys.dont_write_bytecode = True
from cli import SANITIZED, Case, main, run  # noqa: E402


RATES = ["--arrival-rate", "0.1", "--service-rate", "0.4"]


class ValueTest(Case):
    def test_bounds_of_batches_are_shown_above_the_optimum(self):
        """Each has its cells, whether one that must be asked for is among them or not."""
        for words in [], ["--joint-end", "2"]:
            done = run("compare", "-T", "4", "--batch", "2", "--policies", "kg", *words, "3x1,1")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            text = done.stdout
            self.assertRegex(text, r"(?m)^one_by_one +2\.25 +0 +0$")
            self.assertEqual("joint_end" in text, words != [])

    def test_the_own_index_sees_work_in_progress(self):
        found = self.document("compare", *RATES, "--arrivals", "12", "10x1,1")
        gap = {row["name"]: row["gap"] for row in found["policies"]}
        self.assertLess(gap["hu-frazier"], 1e-11)
        self.assertGreater(gap["gittins-fh"], 0.017)

    def test_query_names_the_optimal_instance(self):
        found = self.document("query", *RATES, "--arrivals", "3", "2,1", "2,1", "3,3")
        self.assertEqual([a["optimal"] for a in found["actions"]], [True, True, False])
        self.assertEqual(found["policies"]["hu-frazier"], [2])
        self.assertEqual(found["policies"]["uniform"], [0, 1, 2])
        q = found["actions"][2]["q"]
        self.assertLessEqual(abs(q - 7 / 32), found["actions"][2]["error_bound"] + 2e-16)


class SimulateTest(Case):
    def test_a_thousand_instances(self):
        words = ["simulate", *RATES, "--arrivals", "1200", "--runs", "20", "1000x1,1"]
        # What the last one would take is forecast in two seconds, or ten under a sanitizer.
        last = [] if SANITIZED else ["hu-frazier"]
        found = self.document(*words, "--policies", ",".join(["opt-kg", "hu-frazier:10", *last]))
        for row in found["policies"][:2]:
            self.assertEqual(row["status"], "ok")
            self.assertLess(row["interval"][0], 243 / 32 * 100)  # the bound, 100 times 10x1,1
            self.assertGreater(row["interval"][1], 755)
        for row in found["policies"][2:]:
            self.assertIn("forecast", row["limit"])


class RefusalTest(Case):
    def test_options_that_are_missing_or_too_many(self):
        for words, expected in [
            (["solve", *RATES, "1,1"], "--arrivals U is missing"),
            (["solve", "--arrivals", "3", "1,1"], "--arrival-rate R is missing"),
            (["solve", *RATES[:2], "--arrivals", "3", "1,1"], "--service-rate R is missing"),
            (["compare", *RATES, "-T", "3", "--arrivals", "3", "1,1"], "-T and --arrivals"),
            (["bound", "1,1"], "-T N"),
        ]:
            self.assert_refused(words, expected)

    def test_numbers_that_are_none(self):
        for rate in ["0", "-1", "x", "nan", "1e400", ""]:
            words = ["solve", "--arrival-rate", rate, "--service-rate", "1", "--arrivals", "3", "1,1"]
            self.assert_refused(words, "--arrival-rate must be a decimal number")
        words = ["solve", "--arrival-rate", "1", "--service-rate", "1e7", "--arrivals", "3", "1,1"]
        self.assert_refused(words, "the service rate must lie between")
        self.assert_refused(["solve", *RATES, "--arrivals", "-3", "1,1"], "--arrivals")

    def test_query_without_labels_has_nothing_to_decide(self):
        done = run("query", *RATES, "--arrivals", "0", "2x1,1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("No labels are left, so there is no choice.", done.stdout)

    def test_what_this_kind_of_problem_does_not_have(self):
        words = [*RATES, "--arrivals", "3", "2x1,1"]
        for command in ["solve", "compare", "query", "bound"]:
            self.assert_refused([command, "--arithmetic", "exact", *words],
                                "--arithmetic exact does not support labels that take time")
        for options in (["--checkpoint", "x"], ["--dry-run"], ["--export-policy", "x"]):
            self.assert_refused(["solve", *options, *words],
                                f"{options[0]} does not support labels that take time")

    def test_the_own_index_with_a_number_is_for_labels_that_take_time(self):
        self.assert_refused(["compare", "-T", "3", "--policy", "hu-frazier:2", "2x1,1"], "take time")
        for command in ("compare", "simulate"):
            for policy in ("thompson", "ucb1-tuned", "lookahead:2", "nlu"):
                self.assert_refused([command, *RATES, "--arrivals", "3", "--policy", policy, "2x1,1"],
                                    f"policy '{policy}' is not an index of one instance")
        for number in ["0", "1.5", "x", "-2"]:
            words = ["compare", *RATES, "--arrivals", "3", "--policy", f"hu-frazier:{number}", "1,1"]
            self.assert_refused(words, "whole number")


if __name__ == "__main__":
    main()
