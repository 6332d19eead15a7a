"""The program's policies that depend on the whole state or are only simulated.

    test_whole_state_cli.py PROGRAM [unittest option...]
"""

import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402

TIES = ["random", "first", "worst", "best"]

# 3x1,1 with 8 labels, under these tie rules
KNOWN = {
    "lookahead:1": ["31147/12960", "75/32", "75/32", "175/72"],
    "lookahead:2": ["15647/6480", "75/32", "75/32", "175/72"],
    "lookahead:3": ["18857/7776", "75/32", "75/32", "175/72"],
    "lookahead:8": ["175/72", "175/72", "175/72", "175/72"],
    "nlu": ["40769/17280", "907/384", "297/128", "343/144"],
    "rollout:uniform": ["5249/2160", "583/240", "583/240", "175/72"],
    "rollout:cvar-kg:0.5": ["175/72", "175/72", "175/72", "175/72"],
}


class ValueTest(Case):
    def test_exact_values_are_the_known_ones(self):
        words = [word for name in KNOWN for word in ("--policy", name)]
        found = self.document("compare", "-T", "8", "--arithmetic", "exact", "--ties",
                              ",".join(TIES), *words, "3x1,1")
        for row in found["policies"]:
            expected = KNOWN[row["name"]][TIES.index(row["ties"])]
            self.assertEqual(row["value_exact"], expected, (row["name"], row["ties"]))
            self.assertEqual(Fraction(row["gap_exact"]), Fraction(175, 72) - Fraction(expected))

    def test_threads_do_not_change_a_bit(self):
        words = ["compare", "-T", "9", "--ties", ",".join(TIES), "--policies",
                 "lookahead:2,rollout:kg,nlu,rollout:lookahead:2", "3x1,1", "2,1@0.3"]
        one, many = (self.document(*words, "--threads", threads) for threads in ("1", "4"))
        self.assertEqual([row["value"] for row in one["policies"]],
                         [row["value"] for row in many["policies"]])

    def test_time_ends_the_solvers_inside(self):
        done = run("compare", "-T", "80", "--time-limit", "2", "--runs", "0", "--json", "--policy",
                   "lookahead:60", "30x1,1@0.3")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('"limit": "time limit"', done.stdout)

    def test_query_lists_all_that_tie(self):
        found = self.document("query", "-T", "5", "--policies",
                              "lookahead:1,lookahead:2,lookahead:3,rollout:kg,nlu", "3,1", "2,1",
                              "1,1")
        picks = found["policies"]
        self.assertEqual(picks["lookahead:1"], [2])
        # two labels ahead, the whole further gain comes from the third instance
        self.assertEqual(picks["lookahead:2"], [0, 1, 2])
        self.assertEqual(picks["lookahead:3"], [1, 2])
        self.assertEqual(picks["nlu"], [0, 1, 2])  # no labels are known of


class SimulatedTest(Case):
    def test_compare_marks_what_is_simulated(self):
        words = ["compare", "-T", "12", "--policies", "thompson,ucb1-tuned,opt-kg", "5x1,1"]
        found = self.document(*words, "--runs", "4000")
        thompson, ucb, opt_kg = found["policies"]
        self.assertFalse(opt_kg["simulated"])
        for row in (thompson, ucb):
            self.assertEqual((row["status"], row["simulated"], row["limit"]),
                             ("simulated", True, "it can only be simulated"))
            self.assertLess(row["low"], row["value"])
            self.assertLess(row["value"], row["high"])
            self.assertAlmostEqual(row["gap"], found["optimal"]["value"] - row["value"], 12)
            self.assertAlmostEqual(row["gap_error_bound"], (row["high"] - row["low"]) / 2, 9)
        self.assertLess(ucb["high"], thompson["low"])
        again = self.document(*words, "--runs", "4000", "--threads", "3")
        self.assertEqual([row["value"] for row in again["policies"]],
                         [row["value"] for row in found["policies"]])
        other = self.document(*words, "--runs", "4000", "--seed", "2")
        self.assertNotEqual(other["policies"][0]["value"], thompson["value"])
        table = run(*words).stdout
        self.assertRegex(table, r"thompson +random +~4\.0")

    def test_other_tie_rules_and_fractions_leave_it_out(self):
        found = self.document("compare", "-T", "4", "--policies", "thompson", "--ties",
                              "first,best,worst", "2x1,1")
        self.assertEqual([row["status"] for row in found["policies"]],
                         ["simulated", "limit", "limit"])
        found = self.document("compare", "-T", "4", "--policies", "thompson", "--arithmetic",
                              "exact", "2x1,1")
        self.assertEqual((found["policies"][0]["status"], found["policies"][0]["value"]),
                         ("limit", None))

    def test_commands_that_need_a_value_say_why_there_is_none(self):
        for words in (["query"], ["index"], ["compare"]):
            name = "rollout:thompson" if words == ["compare"] else "thompson"
            done = run(*words, "-T", "3", "--policy", name, "2,1")
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, "can only be simulated|is only simulated")


class RefusalTest(Case):
    def test_bad_parameters(self):
        for name, said in (("lookahead:0", "whole number from 1"), ("lookahead", "lookahead:D"),
                           ("lookahead:x", "whole number"), ("rollout", "rollout:NAME"),
                           ("rollout:kgg", "unknown policy 'kgg'"), ("nlu:2", "no parameter"),
                           ("rollout:ucb1-tuned", "only simulated")):
            self.assert_refused(["compare", "-T", "3", "--policy", name, "2,1"], said)

    def test_no_index(self):
        self.assert_refused(["index", "-T", "3", "--policy", "lookahead:2", "2,1"],
                            "looks at all instances together")

    def test_policies_are_listed(self):
        rows = {row["name"]: row for row in self.document("policies")["policies"]}
        for name, parameter, exactly in (("lookahead", "D", True), ("rollout", "NAME", True),
                                         ("nlu", "", True), ("thompson", "", False),
                                         ("ucb1-tuned", "", False)):
            self.assertEqual((rows[name]["parameter"], rows[name]["valued_exactly"]),
                             (parameter, exactly))


if __name__ == "__main__":
    main()
