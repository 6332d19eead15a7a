"""compare --priors: regret if the prior is unknown, and the smallest possible largest regret.

    test_regret_cli.py PROGRAM [unittest option...]
"""

import functools
import itertools
import json
import math
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402


def positive(a, b):
    """P(soft label >= 1/2) of Beta(a, b), whole a and b: at most a - 1 of a + b - 1 coins are heads."""
    n = a + b - 1
    return Fraction(sum(math.comb(n, k) for k in range(a)), 2 ** n)


def posterior(prior, counts):
    return [(prior[0] + s, prior[1] + f) for s, f in counts]


def more(counts, i, answer):
    s, f = counts[i]
    return counts[:i] + ((s + (answer == 0), f + (answer == 1)),) + counts[i + 1:]


def chances(prior, counts, i):
    a, b = posterior(prior, counts)[i]
    return Fraction(a, a + b), Fraction(b, a + b)


def mixture_value(priors, weights, instances, labels):
    """The optimal value if one prior, drawn with these weights, is that of all instances: over every history,
    with its weight under every prior."""
    @functools.lru_cache(maxsize=None)
    def best(counts, left, likely):
        if left == 0:
            total = Fraction(0)
            for i in range(instances):
                right = sum(w * positive(*posterior(p, counts)[i]) for p, w in zip(priors, likely))
                total += max(right, sum(likely) - right)
            return total
        return max(sum(best(more(counts, i, answer), left - 1,
                            tuple(w * chances(p, counts, i)[answer] for p, w in zip(priors, likely)))
                       for answer in (0, 1)) for i in range(instances))
    return best(((0, 0),) * instances, labels, tuple(weights))


def table_of(policy):
    """Its choices in a state, by the labels of the groups, each (positive, negative)."""
    table = {}
    for state in policy["states"]:
        groups = [(group["positive"], group["negative"]) for group in state["groups"]]
        key = tuple(sorted(itertools.chain.from_iterable(
            [(group["positive"], group["negative"])] * group["copies"] for group in state["groups"])))
        if state["label"] is not None:
            table[key] = groups[state["label"]]
        else:
            table[key] = {at: group["called_positive"] for at, group in zip(groups, state["groups"])}
    return table


def policy_value(table, prior, instances, labels):
    """Followed through every history; of equal instances the first is labelled."""
    def follow(counts, left):
        does = table[tuple(sorted(counts))]
        if left == 0:
            right = [positive(*at) for at in posterior(prior, counts)]
            return sum(r if does[c] else 1 - r for r, c in zip(right, counts))
        i = counts.index(does)
        return sum(p * follow(more(counts, i, answer), left - 1)
                   for answer, p in enumerate(chances(prior, counts, i)))
    return follow(((0, 0),) * instances, labels)


def literal_values(true, belief, instances, labels):
    """Values of the policy that is optimal under the assumed prior, of kg and of uniform, with random ties: over every
    history, with labels from `true`."""
    def gain(counts, i):
        def call(at):
            return max(positive(*posterior(belief, [at])[0]), 1 - positive(*posterior(belief, [at])[0]))
        return sum(p * call(more(counts, i, answer)[i])
                   for answer, p in enumerate(chances(belief, counts, i))) - call(counts[i])

    @functools.lru_cache(maxsize=None)
    def hoped(counts, left):
        if left == 0:
            return sum(max(right, 1 - right) for right in (positive(*at) for at in posterior(belief, counts)))
        return max(through(counts, i, left) for i in range(instances))

    def through(counts, i, left):
        return sum(p * hoped(more(counts, i, answer), left - 1)
                   for answer, p in enumerate(chances(belief, counts, i)))

    def follow(index):
        @functools.lru_cache(maxsize=None)
        def value(counts, left):
            if left == 0:
                called = [positive(*at) >= Fraction(1, 2) for at in posterior(belief, counts)]
                right = [positive(*at) for at in posterior(true, counts)]
                return sum(r if c else 1 - r for r, c in zip(right, called))
            all_of = [index(counts, i, left) for i in range(instances)]
            tied = [i for i in range(instances) if all_of[i] == max(all_of)]
            return sum(p * value(more(counts, i, answer), left - 1) for i in tied
                       for answer, p in enumerate(chances(true, counts, i))) / len(tied)
        return value(((0, 0),) * instances, labels)

    return {"optimal": follow(through), "kg": follow(lambda counts, i, left: gain(counts, i)),
            "uniform": follow(lambda counts, i, left: 0)}


class RegretTest(Case):
    def regret(self, labels, priors, words, *options):
        return self.document("compare", "-T", str(labels), "--priors", priors, *options, *words)

    def test_the_case_by_hand(self):
        found = self.regret(1, "3,1 1,3", ["1,1"], "--minimax", "--policies", "kg")
        self.assertEqual([row["value"] for row in found["priors"]], [7 / 8, 7 / 8])
        self.assertEqual([(row["name"], row["believes"], row["largest_regret"], row["worst_prior"])
                          for row in found["policies"]],
                         [("optimal", None, 3 / 32, "3,1"), ("kg", None, 3 / 32, "3,1"),
                          ("optimal", "3,1", 3 / 4, "1,3"), ("kg", "3,1", 3 / 4, "1,3"),
                          ("optimal", "1,3", 3 / 4, "3,1"), ("kg", "1,3", 3 / 4, "3,1")])
        best = found["minimax"]
        self.assertLessEqual(best["lower"], 3 / 32)
        self.assertGreaterEqual(best["upper"], 3 / 32)
        self.assertLess(best["upper"] - best["lower"], 1e-12)
        self.assertFalse(best["stopped"])

    def test_a_coin_without_labels(self):
        """Calling with a fair coin loses 3/8 under each prior: no deterministic policy does."""
        best = self.regret(0, "3,1 1,3", ["1,1"], "--minimax")["minimax"]
        self.assertAlmostEqual(best["lower"], 3 / 8, delta=1e-14)
        self.assertAlmostEqual(best["upper"], 3 / 8, delta=1e-14)
        self.assertEqual(best["regret"], [3 / 8, 3 / 8])
        self.assertEqual([row["chance"] for row in best["policies"]], [0.5, 0.5])

    def test_both_ends_are_proved_by_every_history(self):
        for instances, labels, priors in ((1, 3, [(1, 3), (2, 1), (3, 1)]), (2, 3, [(3, 1), (1, 2), (2, 2)]),
                                          (2, 2, [(1, 1), (1, 4)]), (3, 2, [(4, 1), (1, 2), (1, 1)]),
                                          (2, 3, [(2, 1)])):
            text = " ".join(f"{a},{b}" for a, b in priors)
            found = self.regret(labels, text, [f"{instances}x1,1"], "--minimax", "--policies", "kg")
            best = found["minimax"]
            optimal = [mixture_value([prior], [Fraction(1)], instances, labels) for prior in priors]
            for row, value in zip(found["priors"], optimal):
                self.assertLessEqual(abs(row["value"] - value), row["error_bound"])
            weights = [Fraction(weight) / sum(map(Fraction, best["mixture"])) for weight in best["mixture"]]
            average = (sum(w * value for w, value in zip(weights, optimal)) -
                       mixture_value(priors, weights, instances, labels))
            self.assertLessEqual(best["lower"], max(average, 0), text)
            drawn = [(Fraction(row["chance"]), table_of(row)) for row in best["policies"]]
            all_of = sum(chance for chance, _ in drawn)
            regrets = [value - sum(chance / all_of * policy_value(table, prior, instances, labels)
                                   for chance, table in drawn) for prior, value in zip(priors, optimal)]
            self.assertGreaterEqual(best["upper"], max(regrets), text)
            for told, regret in zip(best["regret"], regrets):
                self.assertAlmostEqual(told, float(regret), delta=1e-13)
            self.assertLess(best["upper"] - best["lower"], 1e-11, text)
            for row in found["policies"]:
                self.assertGreaterEqual(row["largest_regret"] + row["error_bound"], best["lower"])

    def test_rows_are_what_compare_says_one_by_one(self):
        words = ["2x1,1@0.4", "2,1"]
        rows = self.regret(4, "1:2,1.5 3,1", words, "--policies", "kg,uniform", "--ties", "random,first")["policies"]
        self.assertEqual(len(rows), 4 * 5)
        for at, (a, b) in enumerate((("1", "1.5"), ("2", "1.5"), ("3", "1"))):
            real = [f"2x{a},{b}@0.4", f"{a},{b}"]
            for belief in ("1,1.5", "2,1.5", "3,1"):
                one = self.document("compare", "-T", "4", "--policies", "kg,uniform", "--ties", "random,first",
                                    "--assume", belief, *real)
                told = {("optimal", "random"): one["optimal"]["believed"]["mean"]}
                told.update({(row["name"], row["ties"]): row["believed"]["mean"] for row in one["policies"]})
                for row in (row for row in rows if row["believes"] == belief):
                    expected = one["optimal"]["value"] - told[row["name"], row["ties"]]
                    self.assertAlmostEqual(row["regret"][at], max(expected, 0), delta=1e-13)
            one = self.document("compare", "-T", "4", "--policies", "kg,uniform", "--ties", "random,first", "--truth",
                                f"beta:{a},{b}", *words)
            best = self.document("solve", "-T", "4", *real)["optimal"]["value"]
            told = {("optimal", "random"): one["optimal"]["truth"]["mean"]}
            told.update({(row["name"], row["ties"]): row["truth"]["mean"] for row in one["policies"]})
            for row in (row for row in rows if row["believes"] is None):
                self.assertAlmostEqual(row["regret"][at], best - told[row["name"], row["ties"]], delta=1e-13)
        for row in rows:
            self.assertEqual(row["largest_regret"], max(row["regret"]))

    def test_bandits_are_what_compare_says(self):
        bandit = ["--policies", "kg", "--problem", "bandit"]
        rows = self.regret(4, "1,1 3,1 1,2", ["2x1,1"], *bandit)["policies"]
        for at, prior in enumerate(("1,1", "3,1", "1,2")):
            for row in rows:
                one = self.document("compare", "-T", "4", *bandit, "--assume", row["believes"] or "1,1", "2x" + prior)
                played = one["optimal"] if row["name"] == "optimal" else one["policies"][0]
                expected = one["optimal"]["value"] - played["believed"]["mean"]
                self.assertAlmostEqual(row["regret"][at], max(expected, 0), delta=1e-13)

    def test_fractions_are_those_of_every_history(self):
        for instances, labels, priors in ((1, 3, [(3, 1), (1, 2)]), (2, 3, [(3, 1), (1, 2), (2, 2)]),
                                          (3, 2, [(4, 1), (1, 3)]), (2, 0, [(1, 1), (1, 3)])):
            text = " ".join(f"{a},{b}" for a, b in priors)
            found = self.regret(labels, text, [f"{instances}x1,1"], "--policies", "kg,uniform", "--arithmetic",
                                "exact")
            optimal = [mixture_value([prior], [Fraction(1)], instances, labels) for prior in priors]
            self.assertEqual([Fraction(row["value_exact"]) for row in found["priors"]], optimal)
            for row in found["policies"]:
                belief = tuple(map(int, (row["believes"] or "1,1").split(",")))
                expected = [best - literal_values(prior, belief, instances, labels)[row["name"]]
                            for prior, best in zip(priors, optimal)]
                self.assertEqual([Fraction(regret) for regret in row["regret_exact"]], expected,
                                 (text, row["name"], row["believes"]))
                self.assertEqual(Fraction(row["largest_regret_exact"]), max(expected))
                self.assertEqual(row["worst_prior"], text.split(" ")[expected.index(max(expected))])
                self.assertEqual(row["regret"], [float(regret) for regret in expected])

    def test_doubles_are_within_their_errors_of_the_fractions(self):
        for words in (["2x1,1@0.3", "2,1"], ["3x2.5,1"], ["2x0.5:1,3+0.5:3,1"], ["2x1,1", "--problem", "bandit"]):
            options = ["--policies", "kg,opt-kg,gittins-fh,uniform", "--ties", "random,first"]
            rough = self.regret(5, "1:3,1:2", words, *options)
            found = self.regret(5, "1:3,1:2", words, *options, "--arithmetic", "exact")
            self.assertEqual(len(rough["policies"]), len(found["policies"]))
            for row, exact in zip(rough["priors"], found["priors"]):
                self.assertLessEqual(abs(Fraction(row["value"]) - Fraction(exact["value_exact"])),
                                     Fraction(row["error_bound"]))
                self.assertEqual(exact["value"], float(Fraction(exact["value_exact"])))
                self.assertNotIn("value_exact", row)
            for row, exact in zip(rough["policies"], found["policies"]):
                largest = Fraction(exact["largest_regret_exact"])
                self.assertLessEqual(abs(Fraction(row["largest_regret"]) - largest), Fraction(row["error_bound"]))
                self.assertLessEqual(abs(Fraction(exact["largest_regret"]) - largest), Fraction(exact["error_bound"]))
                self.assertEqual([float(Fraction(regret)) for regret in exact["regret_exact"]], exact["regret"])
                self.assertNotIn("regret_exact", row)
                for regret in exact["regret_exact"]:
                    self.assertGreaterEqual(Fraction(regret), 0)

    def test_fractions_of_bandits_are_what_compare_says(self):
        bandit = ["--policies", "kg", "--problem", "bandit", "--arithmetic", "exact"]
        rows = self.regret(4, "1,1 2.5,1", ["2x1,1"], *bandit)["policies"]
        for at, prior in enumerate(("1,1", "2.5,1")):
            for row in rows:
                one = self.document("compare", "-T", "4", *bandit, "--assume", row["believes"] or "1,1", "2x" + prior)
                played = one["optimal"] if row["name"] == "optimal" else one["policies"][0]
                expected = Fraction(one["optimal"]["value_exact"]) - Fraction(played["believed"]["mean_exact"])
                self.assertEqual(Fraction(row["regret_exact"][at]), expected)

    def test_fractions_in_the_table(self):
        words = ["compare", "-T", "1", "--policies", "kg,thompson", "--arithmetic", "exact"]
        done = run(*words, "--priors", "3,1 1,3", "1,1")
        self.assertRegex(done.stdout, r"kg +random +as given +0.09375 +3/32 +3,1\n")
        self.assertRegex(done.stdout, r"3,1 +0.875 +7/8\n")
        self.assertNotIn("Long:", done.stdout)
        self.assertIn("Long:", run(*words, "--priors", "3,1 1,3", "6x1,1@0.123457").stdout)
        row = self.document(*words, "--priors", "3,1", "1,1")["policies"][2]
        self.assertEqual((row["name"], row["regret_exact"], row["largest_regret_exact"]), ("thompson", None, None))

    def test_instances_of_several_thresholds(self):
        """Alone each loses nothing; the number of correct calls is of all."""
        best = self.regret(3, "1,1 2,1", ["1,1@0.3", "2x1,1@0.7"], "--minimax")["minimax"]
        self.assertGreaterEqual(best["lower"], 0)
        self.assertLess(best["upper"] - best["lower"], 1e-11)
        self.assertEqual({group["class"] for group in best["policies"][0]["states"][0]["groups"]}, {0, 1})

    def test_more_priors_are_no_better_and_more_draws_no_worse(self):
        few = self.regret(4, "1:2,1", ["3x1,1"], "--minimax")["minimax"]
        many = self.regret(4, "1:3,1:2", ["3x1,1"], "--minimax")["minimax"]
        self.assertGreaterEqual(many["upper"], few["lower"])

    def test_extreme_parameters_keep_the_ends_in_order(self):
        for priors in ("0.000001,0.000001 1000000,1", "0.5,1000000 1,1 1000000,0.5"):
            best = self.regret(3, priors, ["2x1,1"], "--minimax")["minimax"]
            self.assertLessEqual(best["lower"], best["upper"])
            self.assertLess(best["upper"] - best["lower"], 1e-9)

    def test_the_same_for_every_number_of_threads(self):
        words = ["compare", "-T", "5", "--priors", "1:3,1:2", "--minimax", "--json", "3x1,1"]
        one, two = (run(*words, "--threads", n).stdout for n in ("1", "2"))
        self.assertEqual(one.split('"command"')[0].replace('"threads": 1', ""),
                         two.split('"command"')[0].replace('"threads": 2', ""))

    def test_limits_are_told(self):
        found = self.document("compare", "-T", "6", "--priors", "1,1 2,1", "--max-policy-states", "5", "--policies",
                              "kg,thompson", "4x1,1")
        limits = {(row["name"], row["limit"]) for row in found["policies"]}
        self.assertIn(("kg", "the policy reaches more than 5 states"), limits)
        self.assertIn(("thompson", "the policy has no exact value"), limits)
        words = ["compare", "-T", "8", "--priors", "1,1 2,1", "--minimax", "--policies", "kg", "--json", "4x1,1"]
        done = run(*words[:-2], "--max-states", "500", "--quiet", *words[-2:])
        self.assertEqual((done.returncode, done.stderr),
                         (3, "optgap: the least largest regret was not found: more than 500 states\n"))
        found = json.loads(done.stdout)
        self.assertIsNone(found["minimax"])
        self.assertEqual(found["minimax_limit"], "more than 500 states")
        done = run("compare", "-T", "20", "--priors", "1,1 2,1", "--policies", "kg", "--engine", "recursion",
                   "--max-states", "1000", "3x1,1", "1,1@0.3", "2,1@0.4", "1,1@0.45")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("the optimal value with the prior 1,1 was not found", done.stderr)

    def test_refuses(self):
        for words, expected in ((["--priors", "2", "1,1"], "A,B"), (["--priors", " ", "1,1"], "--priors must be one or more"),
                                (["--priors", "0:1,1", "1,1"], "A,B"), (["--minimax", "1,1"], "--priors"),
                                (["--priors", "1:30,1:30", "1,1"], "at most 400"),
                                (["--priors", "1,1", "1,1,1"], "several classes"),
                                (["--priors", "1,1", "--truth", "prior", "1,1"], "--priors"),
                                (["--priors", "1,1", "--reach", "0.5", "1,1"], "--priors"),
                                (["--priors", "1,1", "--arithmetic", "exact", "--minimax", "1,1"], "--minimax"),
                                (["--priors", "1,1 1,2.5", "--arithmetic", "exact", "1,1"], "in --priors, not 1,2.5"),
                                (["--priors", "1,1", "--arithmetic", "exact", "--scratch", "/tmp", "1,1"], "--scratch"),
                                (["--priors", "1,1", "--payoff", "1,0,0,2", "1,1"], "--priors does not support --payoff"),
                                (["--priors", "1,1", "--ties", "best", "1,1"], "random and first"),
                                (["--priors", "1,1", "--problem", "bandit", "--minimax", "1,1"], "--minimax does not support --problem bandit")):
            self.assert_refused(["compare", "-T", "4", *words], expected)


if __name__ == "__main__":
    main()
