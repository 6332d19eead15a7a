"""Workers of unknown reliability, through the program.

    test_workers_cli.py PROGRAM [unittest option...]
"""

import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, main  # noqa: E402


# instances, workers, labels: the value with and without repeats
VALUES = {
    ("1,1", "4,1", "1"): ("13/20", "13/20"),
    ("1,1", "4,1", "3"): ("393/560", "13/20"),
    ("2x1,1", "2x4,1", "3"): ("1369/1050", "13/10"),
    ("2x1,1", "2x4,1", "4"): ("3817/2800", "13/10"),
    ("2x1,1", "3,1 8,1", "4"): ("11497/7920", "25/18"),
    ("2,1 1,1", "4,1 1,1", "4"): ("7319/5040", "7/5"),
}


def words_for(instances, workers, labels):
    crew = [word for prior in workers.split() for word in ("--workers-prior", prior)]
    return ["-T", labels, *crew, *instances.split()]


class ValueTest(Case):
    def test_solve_and_compare_have_the_known_values(self):
        for key, values in VALUES.items():
            for once, value in zip([False, True], values):
                words = words_for(*key) + (["--once"] if once else [])
                for found in (self.document("solve", *words), self.document("compare", *words)):
                    optimal = found["optimal"]
                    off = abs(Fraction(optimal["value"]) - Fraction(value))
                    self.assertLessEqual(off, Fraction(optimal["error_bound"]), words)
                    self.assertLess(optimal["error_bound"], 1e-12)
                    self.assertEqual(found["problem"]["once"], once)
                    self.assertEqual(
                        sum(w["count"] for w in found["problem"]["workers"]),
                        2 if key[1] != "4,1" else 1,
                    )

    def test_two_coins_and_mixtures(self):
        for prior, shown, value in (("2x4,1/4,1", [[4, 1], [4, 1]], "457/350"),
                                    ("2x0.5*5,1+0.3*1,1+0.2*1,5", [[0.5, 5, 1], [0.3, 1, 1], [0.2, 1, 5]],
                                     "27757/25200")):
            found = self.document("solve", *words_for("2x1,1", prior, "3"), "--arithmetic", "exact")
            self.assertEqual(found["optimal"]["value_exact"], value)
            self.assertEqual(found["problem"]["workers"], [{"prior": shown, "count": 2}])
            self.assertIn(f"{prior} (2 workers)", self.answer("solve", *words_for("2x1,1", prior, "3")))
            self.assertEqual(len(self.document("tree", *words_for("1,1", prior, "1"))["problem"]["workers"]), 1)

    def test_an_approximate_posterior_can_call_wrongly(self):
        found = self.document("compare", *words_for("2x1,1", "2x4,1", "6"), "--policy", "opt-kg")
        row = found["policies"][0]
        self.assertGreater(row["called_value"] - row["value"], 1e-4)

    def test_query_names_the_optimal_pair(self):
        found = self.document("query", *words_for("2,1 1,1", "4,1 8,1", "3"))
        best = [a for a in found["actions"] if a["optimal"]]
        self.assertEqual([(a["instance"], a["worker"]) for a in best], [(1, 1)])
        gain = self.document("solve", *words_for("2,1 1,1", "4,1 8,1", "3"))["optimal"]["gain"]
        self.assertAlmostEqual(best[0]["q"], gain, delta=1e-12)
        self.assertEqual(found["policies"]["uniform"], [0, 1, 2, 3])
        self.assertEqual(found["policies"]["opt-kg"], [3])
        other = self.document("query", *words_for("1,1", "0.5*4,1+0.5*1,2", "1"))
        self.assertEqual(other["actions"][0]["text"], "1,1 by 0.5*4,1+0.5*1,2")
        for action in found["actions"]:
            self.assertEqual(action["lost"] == 0, action["optimal"])
            self.assertFalse(action["near_tie"])


class RefusalTest(Case):
    def test_what_is_no_such_problem(self):
        for words, expected in [
            (["-T", "3", "--once", "1,1"], "--workers-prior A,B is missing"),
            (words_for("1,1@0.3", "4,1", "3"), "threshold must be 0.5"),
            (words_for("1,1", "4,1@0.3", "3"), "no threshold"),
            (words_for("1,1", "4", "3"), "two parameters"),
            (words_for("33x1,1", "4,1", "3"), "at most 32 instances"),
            (words_for("1,1", "4,1", "61"), "at most 60 labels"),
            (words_for("1,1", "4,1", "3") + ["--arrival-rate", "1"], "different problem types"),
            (words_for("1,1", "4,1", "3") + ["--arithmetic", "exact"], "--arithmetic exact with policies"),
            (words_for("1.5,1", "4,1", "3") + ["--arithmetic", "exact"], "small whole numbers"),
            (words_for("1,1", "4,1/2", "3"), "not '4,1/2'"),
            (words_for("1,1", "4,1/2,1/1,1", "3"), "[Nx]A,B/A,B (two coins)"),
            (words_for("1,1", "4,1/0,1", "3"), "the parameter A must be greater than 0"),
            (words_for("1,1", "0x4,1/2,1", "3"), "the count must be at least 1"),
            (words_for("1,1", "0.5*4,1+0.4*1,1", "3"), "must have the sum 1, not 0.9"),
            (words_for("1,1", "0.5:4,1+0.5:1,1", "3"), "[Nx]W*A,B+W*A,B (a mixture)"),
            (words_for("1,1", "0.5*4,1/2,1", "3"), "not '0.5*4,1/2,1'"),
            (words_for("3x1", "4,1/2,1", "3") + ["--problem", "ranking"], "must be a Beta"),
            (words_for("3x1", "1*4,1", "3") + ["--problem", "assignment"], "must be a Beta"),
            (words_for("4,1/2,1", "4,1", "3"), "instance '4,1/2,1'"),
        ]:
            self.assert_refused(["compare", *words], expected)
        query = ["query", *words_for("2x1,1", "2x4,1", "3"), "--history"]
        for history, expected in [
            ("1+", "'1+' must be a label of an instance, 1 to 2, by a worker, 1 to 2, such as"),
            ("1@3+", "'1@3+' must be a label"),
            ("1@1:2", "must be a label of two classes"),
            ("1@1+ 1@1+ 1@1+ 1@1+", "has 4 words, more than the whole budget"),
        ]:
            self.assert_refused([*query, history], expected)
        self.assert_refused([*query, "1@1+ 1@1-", "--once"], "a second label by this worker")

    def test_the_same_options_make_workers_who_rank(self):
        ranked = ["--objective", "ranking", "--workers-prior", "2x4,1", "3x1"]
        found = self.document("compare", "-T", "3", "--policy", "akg", "--ties", "first", *ranked)
        self.assertAlmostEqual(found["optimal"]["value"], 0.657962522243, delta=1e-11)
        self.assertAlmostEqual(found["policies"][0]["called_value"], 0.657387337757, delta=1e-11)
        self.assertEqual(found["problem"]["workers"], [{"prior": [4, 1], "count": 2}])
        self.assertTrue(0 < found["bounds"]["split"]["price"] < 0.2)
        query = self.document("query", "-T", "2", "--history", "1>2@1", *ranked)
        best = [act for act in query["actions"] if act["optimal"]]
        self.assertEqual([(act["pair"], act["worker"]) for act in best], [([1, 2], 0)])
        self.assertEqual(len(query["actions"]), 5)
        self.assert_refused(["query", "-T", "2", "--history", "1>2", *ranked], "such as 1>2@1")
        self.assert_refused(["solve", "-T", "2", "--arrival-rate", "1", *ranked], "--problem ranking does not support --arrival-rate, an option of labels that take time")
        self.assert_refused(["compare", "-T", "2", "--policy", "distance", *ranked], "distance")

    def test_policies_with_too_many_histories_or_without_a_meaning(self):
        words = words_for("2x1,1", "2x4,1", "11")
        self.assert_refused(["compare", *words], "2^31 histories")
        self.assert_refused(["compare", *words, "--policy", "gittins-fh"], "does not support")
        found = self.document("compare", *words, "--policy", "opt-kg-exact")
        self.assertEqual(found["policies"][0]["status"], "ok")

    def test_a_history_is_a_state(self):
        found = self.document("query", *words_for("2x1,1", "2x4,1", "3"), "--history", "1@1+ 2@2-")
        self.assertEqual((found["left"], found["problem"]["history"]), (1, "1@1+ 2@2-"))
        self.assertEqual(len(found["actions"]), 4)
        self.assertEqual([action["pair"] for action in found["actions"]],
                         [[0, 0], [0, 1], [1, 0], [1, 1]])
        first = self.document("query", *words_for("1,1", "4,1", "2"))["q"]
        later = self.document("query", *words_for("1,1", "4,1", "2"), "--history", "1@1-")["q"]
        self.assertAlmostEqual(first, 0.15 + later, delta=1e-12)  # 13/20 after either label
        once = self.document("query", *words_for("2x1,1", "2x4,1", "3"), "--once",
                             "--history", "1@1+")
        self.assertEqual([action["pair"] for action in once["actions"]], [[0, 1], [1, 0], [1, 1]])

    def test_query_asks_policies_whatever_their_histories(self):
        """One state has no histories: every policy chooses there, also those that compare refuses."""
        words = [*words_for("1,1", "2x4,1", "11"), "2,1"]
        self.assert_refused(["compare", *words], "2^31 histories")
        found = self.document("query", *words)
        self.assertEqual(len(found["actions"]), 2)
        self.assertGreaterEqual(len(found["policies"]), 3)
        self.assertEqual(found["policies"]["uniform"], list(range(len(found["actions"]))))
        for name, picks in found["policies"].items():
            self.assertTrue(picks, name)
            alone = self.document("query", *words, "--policy", name)
            self.assertEqual(alone["policies"], {name: picks})


if __name__ == "__main__":
    main()
