"""compare --truth: values of policies if labels do not follow the assumed prior.

    test_truth_cli.py PROGRAM [unittest option...]
"""

import json
import math
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import SANITIZED, Case, main, run  # noqa: E402

POLICIES = "uniform,kg,opt-kg,gittins-fh"


class UnderTruth(Case):
    def truth(self, words, truth, *more):
        """(name, ties, truth) of the optimal policy and each other."""
        found = self.document("compare", *words, "--truth", truth, "--policies", POLICIES, *more)
        self.assertEqual(found["truth"], truth)
        rows = [("optimal", "random", found["optimal"]["truth"])]
        return found, rows + [(row["name"], row["ties"], row["truth"]) for row in found["policies"]]

    def assert_agree(self, truth, instances, labels):
        """The numbers of one policy agree with each other."""
        slack = 4 * truth["relative_error"] + 4e-16
        mean, law = truth["mean"], truth["law"]
        most = instances if "wrong" in truth else labels
        self.assertEqual(len(law), most + 1)
        self.assertAlmostEqual(math.fsum(law), 1, delta=slack)
        self.assertAlmostEqual(math.fsum(k * p for k, p in enumerate(law)), mean, delta=slack * most)
        self.assertAlmostEqual(math.fsum(p * (k - mean) ** 2 for k, p in enumerate(law)), truth["variance"],
                               delta=slack * most ** 2)
        if "wrong" in truth:
            self.assertAlmostEqual(math.fsum(truth["wrong"]), truth["regret"], delta=slack * instances)
            self.assertAlmostEqual(truth["regret"], instances - mean, delta=slack * instances)
        self.assertAlmostEqual(math.fsum(truth["labels"]), labels, delta=slack * labels)
        self.assertEqual(len(truth["labels_law"]), instances)
        for expected, chances in zip(truth["labels"], truth["labels_law"]):
            self.assertAlmostEqual(math.fsum(chances), 1, delta=slack)
            self.assertAlmostEqual(math.fsum(n * p for n, p in enumerate(chances)), expected,
                                   delta=slack * labels)


class TruthTest(UnderTruth):
    def test_numbers_agree(self):
        for words, truth, instances in (
                (["-T", "6", "2x1,1", "2,1@0.3"], "list:0.1,0.5,0.3", 3),
                (["-T", "5", "4x1,2"], "beta:0.5,1.5", 4),
                (["-T", "4", "2x0.5:1,1+0.5:8,2", "1,1"], "list:0,1,0.7", 3),
                (["-T", "0", "2x1,1"], "list:0.2,0.5", 2)):
            _, rows = self.truth(words, truth, "--ties", "random,first")
            self.assertEqual(len(rows), 9)
            for _, _, row in rows:
                self.assert_agree(row, instances, int(words[1]))

    def test_runs_call_posteriors_wrong_only_where_they_are(self):
        for wrong, truth, *words in ((False, "beta:2,2", "5x2,2"), (False, "beta:2,1", "2,1=1,0,0,1", "2,1@0.3"),
                                     (True, "beta:2,2", "5x2,1"), (True, "beta:2,2", "2,2", "0.5:2,2+0.5:1,3")):
            told = run("simulate", "-T", "3", "--runs", "10", "--policies", "kg", "--truth", truth, *words).stdout
            self.assertEqual("wrong here" in told, wrong, words)

    def test_as_believed_it_is_the_value(self):
        for words in (["-T", "7", "3x1,1", "2,1@0.3"], ["-T", "5", "2x0.7,1.3@0.6", "1,1"],
                      ["-T", "5", "2x0.5:1,1+0.5:8,2", "1,1"], ["-T", "4", "0.3:0.7,1+0.7:2,2@0.4", "0.5:1,3+0.5:3,1"]):
            found, rows = self.truth(words, "prior", "--ties", "random,first")
            for row, (_, _, truth) in zip([found["optimal"], *found["policies"]], rows):
                self.assertAlmostEqual(row["value"], truth["mean"],
                                       delta=row["error_bound"] + truth["error_bound"])

    def test_fractions(self):
        for words, truth in ((["-T", "5", "2x1,1", "1,2@0.3"], "list:0.2,0.5,0.8"),
                             (["-T", "5", "2x1,1", "1,2@0.3"], "beta:2,1"),
                             (["-T", "5", "2x0.5:1,1+0.5:8,2", "0.4:1,2+0.6:2,1@0.3"], "prior")):
            _, doubles = self.truth(words, truth, "--ties", "random,first")
            found, rows = self.truth(words, truth, "--ties", "random,first", "--arithmetic", "exact")
            for (_, _, row), (_, _, double) in zip(rows, doubles):
                exact = Fraction(row["mean_exact"])
                law = [Fraction(p) for p in row["law_exact"]]
                self.assertEqual(sum(law), 1)
                self.assertEqual(sum(k * p for k, p in enumerate(law)), exact)
                self.assertEqual(sum((k - exact) ** 2 * p for k, p in enumerate(law)),
                                 Fraction(row["variance_exact"]))
                self.assertEqual(sum(map(Fraction, row["wrong_exact"])), Fraction(row["regret_exact"]))
                self.assertEqual(sum(map(Fraction, row["labels_exact"])), 5)
                self.assertEqual(row["mean"], float(exact))
                self.assert_near(double["mean"], exact, double["error_bound"])
                for name in ("law", "wrong", "labels"):
                    for number, fraction in zip(double[name], row[name + "_exact"]):
                        self.assert_near(number, Fraction(fraction),
                                         double["relative_error"] * float(Fraction(fraction)))
            self.assertIn("correct exactly", self.answer("compare", *words, "--truth", truth,
                                                         "--arithmetic", "exact"))

    def test_simulations_agree(self):
        runs = "2000" if SANITIZED else "20000"
        for words, truth in ((["-T", "8", "3x1,1", "2,1"], "list:0.3,0.45,0.9,0.5"),
                             (["-T", "6", "4x1,1"], "beta:1,3"),
                             (["-T", "5", "3x0.5:1,1+0.5:8,2", "0.5:1,3+0.5:3,1"], "prior")):
            _, rows = self.truth(words, truth, "--ties", "random,first")
            played = self.document("simulate", *words, "--truth", truth, "--policies", POLICIES, "--ties",
                                   "random,first", "--runs", runs, "--seed", "7")
            for row, (name, ties, found) in zip(played["policies"], rows[1:]):
                self.assertEqual((row["name"], row["ties"]), (name, ties))
                self.assertAlmostEqual(row["accuracy"] * 4, found["mean"],
                                       delta=5 * 4 * row["accuracy_standard_error"], msg=(name, ties))

    def test_followed_by_hand(self):
        # One label, 1,1: the call is the label; at 0.3 it is negative and right with chance 0.7.
        found, rows = self.truth(["-T", "1", "1,1"], "list:0.3", "--arithmetic", "exact")
        for _, _, row in rows:
            self.assertEqual((row["mean_exact"], row["variance_exact"], row["labels_law"]),
                             ("7/10", "21/100", [[0, 1]]))
        # At the threshold, positive is correct; also without labels, because 1,1 is called positive.
        self.assertEqual([row["mean"] for _, _, row in self.truth(["-T", "0", "1,1"], "list:0.5")[1]], 5 * [1])
        self.assertEqual([row["mean"] for _, _, row in self.truth(["-T", "0", "1,1"], "list:0.49")[1]], 5 * [0])
        self.assertEqual(found["problem"]["instances"][0]["text"], "1,1")

    def test_instances_keep_their_order(self):
        _, one = self.truth(["-T", "4", "3x1,1"], "list:0.2,0.9,0.6")
        _, other = self.truth(["-T", "4", "3x1,1"], "list:0.6,0.2,0.9")
        for (_, _, x), (_, _, y) in zip(one, other):
            for name in ("wrong", "labels"):
                for i, j in ((0, 1), (1, 2), (2, 0)):
                    self.assertAlmostEqual(x[name][i], y[name][j], delta=1e-12)

    def test_a_limit_is_said(self):
        words = ["-T", "14", "6x1,1", "--truth", "list:.1,.2,.3,.4,.5,.6", "--policies", "opt-kg"]
        found = self.document("compare", *words, "--max-policy-states", "3000", "--engine", "recursion")
        for row in (found["optimal"], found["policies"][0]):
            self.assertIsNone(row["truth"])
            self.assertIn("more than 3000 states", row["truth_limit"])
        self.assertIn("Not followed: opt-kg (random): ",
                      self.answer("compare", *words, "--max-policy-states", "3000", "--engine", "recursion"))

    def test_a_time_limit_is_said(self):
        done = run("compare", "-T", "20", "--policies", "uniform", "--time-limit", "0.5", "--runs", "0", "--json",
                   "--truth", "list:.1,.2,.3,.4,.5,.6,.7,.8,.9,1", "10x1,1")
        self.assertIn(done.returncode, (0, 3), done.stderr)  # 3: not even the optimum had its time
        row = json.loads(done.stdout)["policies"][0]
        self.assertIsNone(row["truth"])
        if row["status"] == "ok":
            self.assertRegex(row["truth_limit"], "time limit|memory limit")

    def test_grids_are_not_for_runs(self):
        self.assert_refused(["simulate", "-T", "2", "--runs", "10", "--truth", "grid:0:1:0.1", "1,1"],
                            "only by compare")

    def test_a_grid_is_its_lists(self):
        words = ["compare", "-T", "4", "--policies", "kg,uniform", "--ties", "random,first"]
        for grid, lists, instances in (
                ("grid:0:1:0.5", ("0,0,0", "0.5,0.5,0.5", "1,1,1"), ["2x1,1", "2,1@0.3"]),
                ("grid:0.2:0.4:0.2,0.7", ("0.2,0.7", "0.4,0.7"), ["1,1", "0.5:1,1+0.5:4,1"])):
            found = self.document(*words, "--truth", grid, *instances)
            self.assertEqual(found["truth"], grid)
            self.assertEqual(len(found["truths"]), len(lists))
            self.assertNotIn("truth", found["optimal"])
            for row, truth in zip(found["truths"], lists):
                one = self.document(*words, "--truth", "list:" + truth, *instances)
                self.assertEqual(row["truth"], [float(x) for x in truth.split(",")])
                for ours, theirs in zip([row["optimal"], *row["policies"]],
                                        [one["optimal"], *one["policies"]]):
                    for key in ("mean", "variance", "error_bound"):
                        self.assertEqual(ours[key], theirs["truth"][key], (grid, truth, key))
        found = self.document(*words, "--truth", "grid:0:1:0.5", "--max-policy-states", "1", "4x1,1")
        self.assertIn(None, found["truths"][0]["policies"])

    def test_a_grid_is_a_table(self):
        shown = self.answer("compare", "-T", "1", "--policies", "kg", "--truth", "grid:.25:.75:.5", "1,1")
        self.assertRegex(shown, r"\n0\.25 +0\.75 +0\.75\n0\.75 +0\.75 +0\.75\n")

    def test_refuses(self):
        for words, expected in (
                (["--truth", "list:0.2", "2x1,1"], "1 soft label, but there are 2 instances"),
                (["--truth", "list:0.2,1.5", "2x1,1"], "soft label 2"),
                (["--truth", "grid:0:2:0.5", "2x1,1"], "grid:0:2:0.5"),
                (["--truth", "grid:0:1:0.5,0.5", "1,1"], "2 soft labels, but there is 1 instance"),
                (["--truth", "grid:0:1:0.5", "--assume", "1,1", "1,1"], "--assume"),
                (["--truth", "grid:0:1:0.5", "--payoff", "1,-5,0,1", "1,1"], "--payoff"),
                (["--truth", "list:0.2,x", "2x1,1"], "number 2"),
                (["--truth", "uniform", "2x1,1"], "prior, beta:A,B or list"),
                (["--truth", "dirichlet:1,1", "2x1,1"], "ranking"),
                (["--truth", "beta:0,1", "2x1,1"], "beta:0,1"),
                (["--truth", "prior", "1,1,1"], "several classes"),
                (["--truth", "list:1", "1,1,1"], "several classes"),
                (["--truth", "prior", "--arithmetic", "exact", "0.5:0.5,1+0.5:4,1"], "whole"),
                (["--truth", "beta:0.5,1", "--arithmetic", "exact", "1,1"], "whole"),
                (["--truth", "prior", "--reach", "0.9", "1,1"], "--truth"),
                (["--truth", "prior", "--batch", "2", "2x1,1"], "does not support"),
                (["--truth", "prior", "--source", "a:1:0.8", "2x1,1"], "does not support")):
            self.assert_refused(["compare", "-T", "4", *words], expected)
        self.assert_refused(["solve", "-T", "4", "--truth", "prior", "1,1"], "--truth")

    def test_a_policy_that_is_only_played(self):
        found = self.document("compare", "-T", "3", "--truth", "beta:1,1", "--policies", "thompson", "--runs",
                              "10", "2x1,1")
        self.assertIsNone(found["policies"][0]["truth"])
        self.assertIn("simulate --truth", found["policies"][0]["truth_limit"])
        self.assertIsNotNone(found["optimal"]["truth"])
        self.assertEqual(run("compare", "-T", "3", "2x1,1").stdout.find("truth"), -1)


def greedy(priors, truth, labels):
    """The distribution of the reward if the largest posterior mean is labelled, ties at random, over all histories."""
    law = [Fraction(0)] * (labels + 1)

    def follow(counts, left, probability):
        if left == 0:
            law[sum(s for s, _ in counts)] += probability
            return
        means = [Fraction(a + s, a + b + s + f) for (a, b), (s, f) in zip(priors, counts)]
        tied = [i for i, mean in enumerate(means) if mean == max(means)]
        for i in tied:
            s, f = counts[i]
            for new, chance in (((s + 1, f), truth[i]), ((s, f + 1), 1 - truth[i])):
                follow([*counts[:i], new, *counts[i + 1:]], left - 1, probability * chance / len(tied))

    follow([(0, 0)] * len(priors), labels, Fraction(1))
    return law


class BanditTest(UnderTruth):
    def bandit(self, words, truth, *more):
        return self.truth([*words, "--problem", "bandit"], truth, *more)

    def test_numbers_agree(self):
        for words, truth, instances in (
                (["-T", "6", "2x1,1", "2,1"], "list:0.1,0.5,0.3", 3), (["-T", "5", "4x1,2"], "beta:0.5,1.5", 4),
                (["-T", "4", "2x0.5:1,1+0.5:8,2", "1.5,1"], "prior", 3), (["-T", "0", "2x1,1"], "list:0.2,0.5", 2)):
            _, rows = self.bandit(words, truth, "--ties", "random,first")
            self.assertEqual(len(rows), 9)
            for _, _, row in rows:
                self.assertNotIn("wrong", row)
                self.assert_agree(row, instances, int(words[1]))

    def test_histories_of_the_largest_mean(self):
        for priors, truth, labels in ((["1,1", "1,1"], "0.2,0.7", 7), (["2,1", "1,1", "1,2"], "0,0.5,1", 6),
                                      (["3,2", "3,2"], "0.9,0.1", 5)):
            _, rows = self.bandit(["-T", str(labels), *priors, "--arithmetic", "exact"], "list:" + truth)
            soft = [Fraction(p) for p in truth.split(",")]
            law = greedy([tuple(map(int, prior.split(","))) for prior in priors], soft, labels)
            row = {name: row for name, _, row in rows}["kg"]
            self.assertEqual([Fraction(p) for p in row["law_exact"]], law)
            mean = sum(k * p for k, p in enumerate(law))
            self.assertEqual(Fraction(row["mean_exact"]), mean)
            self.assertEqual(Fraction(row["regret_exact"]), labels * max(soft) - mean)
            self.assertAlmostEqual(row["regret"], float(labels * max(soft) - mean), delta=row["regret_error_bound"])

    def test_uniform_labels_are_independent(self):
        _, rows = self.bandit(["-T", "9", "2x1,1", "3,1"], "list:0.1,0.4,0.7")
        row = {name: row for name, _, row in rows}["uniform"]
        for k, p in enumerate(row["law"]):
            self.assertAlmostEqual(p, math.comb(9, k) * 0.4 ** k * 0.6 ** (9 - k), delta=1e-14)
        for chances in row["labels_law"]:
            for n, p in enumerate(chances):
                self.assertAlmostEqual(p, math.comb(9, n) * 2 ** (9 - n) / 3 ** 9, delta=1e-14)

    def test_as_believed_it_is_the_value(self):
        for words, largest in ((["-T", "7", "3x1,1"], "3/4"), (["-T", "5", "2,1", "3,1"], "5/6"),
                               (["-T", "5", "2x0.7,1.3"], None), (["-T", "4", "2x0.25:1,1+0.75:2,1"], "371/480")):
            found, rows = self.bandit([*words, "--arithmetic", "exact"], "prior")
            for row, (_, _, truth) in zip([found["optimal"], *found["policies"]], rows):
                self.assertEqual(row["value_exact"], truth["mean_exact"])
                if largest is None:
                    self.assertIsNone(truth["regret_exact"])
                else:
                    self.assertEqual(Fraction(truth["regret_exact"]),
                                     int(words[1]) * Fraction(largest) - Fraction(truth["mean_exact"]))
                self.assertGreater(truth["regret"], 0)
                self.assertLess(truth["regret_error_bound"], 1e-13)

    def test_fractions(self):
        words = ["-T", "5", "2x0.5,1", "0.5:1,2+0.5:1.5,1"]
        _, doubles = self.bandit(words, "beta:0.5,2")
        _, rows = self.bandit(words, "beta:0.5,2", "--arithmetic", "exact")
        for (_, _, row), (_, _, double) in zip(rows, doubles):
            self.assert_near(double["mean"], Fraction(row["mean_exact"]), double["error_bound"])
            self.assert_near(double["variance"], Fraction(row["variance_exact"]), double["variance_error_bound"])
            self.assertEqual(sum(map(Fraction, row["law_exact"])), 1)
            self.assertNotIn("wrong_exact", row)

    def test_simulations_agree(self):
        runs = "2000" if SANITIZED else "20000"
        for words, truth in ((["-T", "8", "3x1,1", "2,1"], "list:0.3,0.45,0.9,0.5"), (["-T", "6", "4x1,1"], "beta:1,3"),
                             (["-T", "5", "3x0.5:1,1+0.5:8,2", "0.5:1,3+0.5:3,1"], "prior")):
            words = [*words, "--problem", "bandit"]
            _, rows = self.truth(words, truth, "--ties", "random,first")
            played = self.document("simulate", *words, "--truth", truth, "--policies", POLICIES, "--ties",
                                   "random,first", "--runs", runs, "--seed", "7")
            for row, (name, ties, found) in zip(played["policies"], rows[1:]):
                self.assertEqual((row["name"], row["ties"], row["accuracy"]), (name, ties, None))
                self.assertAlmostEqual(row["mean"], found["mean"], delta=5 * row["standard_error"], msg=(name, ties))
                self.assertAlmostEqual(row["standard_error"], math.sqrt(found["variance"] / int(runs)),
                                       delta=0.2 * row["standard_error"])

    def test_thompson_by_hand(self):
        # After a positive label of one, Beta(2,1) against Beta(1,1), it draws the larger number with chance 2/3;
        # after a negative one with 1/3.
        words = ["-T", "2", "--problem", "bandit", "2x1,1", "--policies", "thompson", "--runs", "20000"]
        value = (1 + Fraction(2, 3) ** 2 + Fraction(1, 3) / 2 + Fraction(1, 3) ** 2 + Fraction(2, 3) / 2) / 2
        for row in (self.document("simulate", *words)["policies"][0], self.document("compare", *words)["policies"][0]):
            self.assertAlmostEqual(row.get("mean", row.get("value")), float(value), delta=5 * row["standard_error"])
        self.assertIn("positive labels of 2", self.answer("simulate", *words).replace("\n", " "))
        self.assert_refused(["simulate", "-T", "2", "--problem", "bandit", "--policies", "thompson", "0.5:1,1+0.5:2,1"],
                            "supports only Beta priors")

    def test_a_wrong_belief(self):
        words = ["-T", "4", "--problem", "bandit", "--arithmetic", "exact", "--policies", POLICIES]
        found = self.document("compare", *words, "--assume", "3,1", "2x1,2", "1,2")
        other = self.document("compare", *words, "--truth", "beta:1,2", "3x3,1")
        for row, same in zip([found["optimal"], *found["policies"]], [other["optimal"], *other["policies"]]):
            for name in ("mean_exact", "variance_exact", "law_exact", "labels_exact", "regret_exact"):
                self.assertEqual(row["believed"][name], same["truth"][name])
            self.assertEqual(Fraction(row["believed"]["price_exact"]),
                             Fraction(row["value_exact"]) - Fraction(row["believed"]["mean_exact"]))
        self.assertGreater(found["optimal"]["believed"]["price"], 0)

    def test_a_grid(self):
        words = ["compare", "-T", "4", "--problem", "bandit", "--policies", "kg"]
        found = self.document(*words, "--truth", "grid:0.2:0.8:0.2", "2x1,1")
        self.assertEqual([row["truth"] for row in found["truths"]], [[p, p] for p in (0.2, 0.4, 0.6, 0.8)])
        for row in found["truths"]:
            self.assertAlmostEqual(row["optimal"]["mean"], 4 * row["truth"][0], delta=1e-14)
            self.assertAlmostEqual(row["policies"][0]["variance"], 4 * row["truth"][0] * (1 - row["truth"][0]),
                                   delta=1e-14)
        self.assertRegex(self.answer(*words, "--truth", "grid:.25:.75:.5", "1,1"), r"\n0\.25 +1 +1\n0\.75 +3 +3\n")

    def test_it_is_a_table(self):
        shown = self.answer("compare", "-T", "2", "--problem", "bandit", "--policies", "kg", "--truth", "list:0.5,1",
                            "2x1,1")
        self.assertIn("positive labels", shown)
        self.assertIn("the expected positive labels", shown)
        self.assertNotIn("wrong call", shown)
        self.assertNotIn("correct", shown)

    def test_refuses_bandits(self):
        for words, expected in ((["--truth", "list:0.5", "2x1,1"], "1 soft label, but there are 2 instances"),
                                (["--truth", "prior", "1,1@0.3"], "no threshold"),
                                (["--assume", "2", "1,1"], "A,B")):
            self.assert_refused(["compare", "-T", "4", "--problem", "bandit", *words], expected)


def greedy_by_value(priors, truth, labels, best):
    """The same if the tie's best, or worst, instance under the truth is labelled: (mean, law) of each history."""
    def follow(counts, left):
        if left == 0:
            reward = sum(s for s, _ in counts)
            return Fraction(reward), {reward: Fraction(1)}
        means = [Fraction(a + s, a + b + s + f) for (a, b), (s, f) in zip(priors, counts)]
        found = []
        for i in (i for i, mean in enumerate(means) if mean == max(means)):
            s, f = counts[i]
            value, law = 0, {}
            for new, chance in (((s + 1, f), truth[i]), ((s, f + 1), 1 - truth[i])):
                mean, after = follow([*counts[:i], new, *counts[i + 1:]], left - 1)
                value += chance * mean
                for k, p in after.items():
                    law[k] = law.get(k, 0) + chance * p
            found.append((value, law))
        value = (max if best else min)(value for value, _ in found)
        tied = [law for mean, law in found if mean == value]
        return value, {k: sum(law.get(k, 0) for law in tied) / len(tied) for k in set().union(*tied)}

    mean, law = follow([(0, 0)] * len(priors), labels)
    return mean, [law.get(k, 0) for k in range(labels + 1)]


class TieTest(UnderTruth):
    """The ties best and worst use the truth."""

    def test_as_believed_it_is_the_value(self):
        for words in (["3x1,1", "2,1@0.3"], ["2x0.5:1,1+0.5:8,2", "1,1"], ["--problem", "bandit", "2x1,1", "1,2"]):
            found, rows = self.truth(["-T", "5", "--arithmetic", "exact", *words], "prior", "--ties", "best,worst")
            for row, (_, _, truth) in zip(found["policies"], rows[1:]):
                self.assertEqual(row["value_exact"], truth["mean_exact"], (words, row["name"], row["ties"]))

    def test_numbers_agree(self):
        for words, truth in ((["-T", "6", "2x1,1", "2,1@0.3"], "list:0.1,0.5,0.3"), (["-T", "5", "3x1,2"], "beta:0.5,1.5"),
                             (["-T", "5", "--problem", "bandit", "3x1,1"], "list:0.2,0.2,0.9")):
            _, rows = self.truth(words, truth, "--ties", "worst,random,first,best")
            for _, _, row in rows:
                self.assert_agree(row, 3, int(words[1]))
            for i in range(1, len(rows), 4):
                worst, random, first, best = (rows[i + k][2]["mean"] for k in range(4))
                for mean in (random, first):
                    self.assertLessEqual(worst, mean + 1e-12)
                    self.assertLessEqual(mean, best + 1e-12)

    def test_histories_of_the_largest_mean(self):
        for priors, soft, labels in ((["1,1", "1,1"], "0.2,0.7", 6), (["2,1", "1,1", "1,2"], "0,0.5,1", 5),
                                     (["1,1", "1,1", "1,1"], "0.3,0.3,0.3", 4), (["3,2", "3,2"], "0.9,0.1", 4)):
            words = ["-T", str(labels), "--problem", "bandit", *priors]
            _, doubles = self.truth(words, "list:" + soft, "--ties", "best,worst")
            _, rows = self.truth(words, "list:" + soft, "--ties", "best,worst", "--arithmetic", "exact")
            for (name, ties, row), (_, _, double) in zip(rows, doubles):
                if name == "kg":
                    mean, law = greedy_by_value([tuple(map(int, prior.split(","))) for prior in priors],
                                                [Fraction(p) for p in soft.split(",")], labels, ties == "best")
                    self.assertEqual(Fraction(row["mean_exact"]), mean)
                    self.assertEqual([Fraction(p) for p in row["law_exact"]], law)
                    self.assert_near(double["mean"], mean, double["error_bound"])
                    for p, exact in zip(double["law"], law):
                        self.assertAlmostEqual(p, float(exact), delta=1e-13)

    def test_alike_instances_that_differ_in_truth(self):
        # One label, 1,1 twice: the tie-breaker knows the truth, and so which call the label is more likely to correct.
        found, rows = self.truth(["-T", "1", "2x1,1", "--arithmetic", "exact"], "list:0.1,0.6", "--ties", "best,worst")
        means = {ties: Fraction(row["mean_exact"]) for name, ties, row in rows if name == "uniform"}
        # Labels of the first: right with chance 0.9, and the other, called positive, is right. Of the second:
        # right with chance 0.6, and the first is called positive and wrong.
        self.assertEqual(means, {"best": Fraction(19, 10), "worst": Fraction(6, 10)})

    def test_with_a_belief_and_over_a_grid(self):
        words = ["compare", "-T", "3", "--policies", "kg,uniform", "--ties", "best,worst", "2x1,1"]
        believed = self.document(*words, "--assume", "1,1")
        for row in believed["policies"]:
            self.assertLessEqual(abs(row["believed"]["price"]), row["believed"]["price_error_bound"])
        grid = self.document(*words, "--truth", "grid:0.2:0.8:0.6,0.5")
        for point, truth in zip(grid["truths"], ("list:0.2,0.5", "list:0.8,0.5")):
            one = self.document(*words, "--truth", truth)
            self.assertEqual([row["mean"] for row in point["policies"]],
                             [row["truth"]["mean"] for row in one["policies"]])
        self.assertIn("the tie-breaker knows the truth", self.answer(*words, "--truth", "prior").replace("\n", " "))
        self.assertNotIn("tie-breaker", self.answer("compare", "-T", "1", "1,1", "--truth", "prior"))

    def test_a_limit_is_said(self):
        row = self.document("compare", "-T", "8", "6x1,1", "--truth", "list:.1,.2,.3,.4,.5,.6", "--policies", "uniform",
                            "--ties", "best", "--max-policy-states", "3000", "--engine", "recursion")["policies"][0]
        self.assertIsNone(row["truth"])
        self.assertIn("more than 3000 states", row["truth_limit"])


class BeliefTest(Case):
    def believed(self, words, belief, *more):
        found = self.document("compare", *words, "--assume", belief, "--policies", POLICIES, "--ties",
                              "random,first", *more)
        self.assertEqual(found["believed"], belief)
        return [found["optimal"], *found["policies"]]

    def test_wrong_calls_are_not_called_regret(self):
        """Regret is a shortfall; of positive labels that is what the best instance would earn more."""
        for words, head in ((["--assume", "2,1"], "wrong"), (["--truth", "beta:2,1"], "wrong"),
                            (["--truth", "beta:2,1", "--problem", "bandit"], "regret")):
            shown = self.answer("compare", "-T", "2", "--policies", "kg", *words, "2x1,1")
            self.assertRegex(shown, rf"(?m)^(with the belief|under the truth) .* {head}( |$)")
            self.assertEqual("regret" in shown.lower(), head == "regret", shown)

    def test_a_right_belief_costs_nothing(self):
        for row in self.believed(["-T", "6", "3x2,1@0.4", "2,1"], "2,1"):
            self.assertLessEqual(abs(row["believed"]["price"]), row["believed"]["price_error_bound"])

    def test_it_is_the_problem_of_the_belief_under_the_real_prior(self):
        words = ["-T", "5", "--arithmetic", "exact"]
        rows = self.believed([*words, "2x1,2", "1,2@0.3"], "3,1")
        other = self.document("compare", *words, "2x3,1", "3,1@0.3", "--truth", "beta:1,2", "--policies", POLICIES,
                              "--ties", "random,first")
        for row, same in zip(rows, [other["optimal"], *other["policies"]]):
            for name in ("mean_exact", "variance_exact", "law_exact", "wrong_exact", "labels_exact"):
                self.assertEqual(row["believed"][name], same["truth"][name])
            self.assertEqual(Fraction(row["believed"]["price_exact"]),
                             Fraction(row["value_exact"]) - Fraction(row["believed"]["mean_exact"]))
            self.assertEqual(len(row["believed"]["wrong"]), 3)
        self.assertGreater(rows[0]["believed"]["price"], 0)

    def test_a_mixture_is_the_mean_over_its_parts(self):
        parts = {"1,2": Fraction(1, 4), "3,1": Fraction(3, 4)}
        mixture = "+".join(f"{weight}:{part}" for part, weight in (("1,2", 0.25), ("3,1", 0.75)))
        words = ["-T", "4", "--arithmetic", "exact"]
        found = self.believed([*words, f"2x{mixture}@0.4"], "1,1")
        sums = [0] * len(found)
        for first in parts:
            for second in parts:
                rows = self.believed([*words, f"{first}@0.4", f"{second}@0.4"], "1,1")
                for i, row in enumerate(rows):
                    sums[i] += parts[first] * parts[second] * Fraction(row["believed"]["mean_exact"])
        self.assertEqual([Fraction(row["believed"]["mean_exact"]) for row in found], sums)

    def test_different_priors_of_one_belief(self):
        # They look alike: the label goes to either. A label is what its instance is called, the other one
        # is called positive.
        rows = self.believed(["-T", "1", "--arithmetic", "exact", "4,1", "1,1"], "1,1")
        first = Fraction(4, 5) * Fraction(31, 32) + Fraction(1, 5) * (1 - Fraction(26, 32)) + Fraction(1, 2)
        second = Fraction(15, 16) + Fraction(3, 4)
        for row in rows:
            if row.get("ties", "random") == "random":
                self.assertEqual(Fraction(row["believed"]["mean_exact"]), (first + second) / 2)
            else:
                self.assertEqual(Fraction(row["believed"]["mean_exact"]), first)

    def test_refuses(self):
        for words, expected in ((["--assume", "2", "1,1"], "A,B"), (["--assume", "2,1@0.3", "1,1"], "A,B"),
                                (["--assume", "3x2,1", "1,1"], "A,B"), (["--assume", "0,1", "1,1"], "A,B"),
                                (["--assume", "1,1,1", "1,1"], "A,B"),
                                (["--assume", "2,1", "1,1,1"], "classes"),
                                (["--assume", "2,1", "--truth", "prior", "1,1"], "--assume"),
                                (["--assume", "2,1", "--reach", "0.9", "1,1"], "--assume")):
            self.assert_refused(["compare", "-T", "4", *words], expected)


if __name__ == "__main__":
    main()
