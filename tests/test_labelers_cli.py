"""The program's choice of labelers: known values, fractions next to decimals, and refusals.

    test_labelers_cli.py PROGRAM [unittest option...]
"""

import functools
import itertools
import json
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import SANITIZED, main, run  # noqa: E402

LABELERS = ["--problem", "labelers"]
THREE = ["0.9", "0.7", "0.6"]


def majority_right(chances):
    """U, with votes counted one by one."""
    right = 0
    for votes in itertools.product((0, 1), repeat=len(chances)):
        chance = math.prod(p if vote else 1 - p for p, vote in zip(chances, votes))
        right += chance * (1 if 2 * sum(votes) > len(votes) else 0.5 if 2 * sum(votes) == len(votes) else 0)
    return right


def moment(a, b, i, j):
    """The expectation of p^i (1-p)^j under Beta(a, b)."""
    return (math.prod(a + k for k in range(i)) * math.prod(b + k for k in range(j))
            / Fraction(math.prod(a + b + k for k in range(i + j))))


def mean_after(a, b, agree, differ):
    """The mean accuracy of either of two labelers, each Beta(a, b), that agreed and differed so often."""
    def total(first):  # of p^first times the probability of these votes, expanded
        return sum(math.comb(agree, i) * math.comb(differ, j)
                   * moment(a, b, first + i + j, agree - i + differ - j) * moment(a, b, i + differ - j, agree - i + j)
                   for i in range(agree + 1) for j in range(differ + 1))
    return total(1) / total(0)


def play_in_contexts(draw, ends, g1, g2, power, tasks):
    """LS_OL as the specification writes it for contexts from 0 to 1; expected right labels."""
    def chances(context):
        return [(1 - context) * p + context * q for p, q in zip(*ends)]

    def everybody(context):
        votes = [draw.random() < p for p in chances(context)]
        return votes, 2 * sum(votes) > len(votes)

    testers = []  # context, first votes, labels
    right = 0
    for t in range(tasks + 1):
        context, limits = draw.random(), [g * math.log(t) * t**power if t > 0 else 0 for g in (g1, g2)]
        lacking = [tester for tester in testers if len(tester[2]) <= limits[1]]
        if t > 0 and lacking:
            tester = draw.choice(lacking)
            tester[2].append(everybody(tester[0])[1])
            right += 0.5
        elif t == 0 or len(testers) <= limits[0]:
            votes, label = everybody(context)
            testers.append([context, votes, [label]])
            right += majority_right(chances(context)) if t > 0 else 0
        else:
            cells = math.ceil(t**power)
            here = [tester for tester in testers if int(cells * tester[0]) == int(cells * context)]
            for tester in here:  # a tie of its labels is drawn once, when they are this many
                if len(tester) < 4 or tester[3][0] != len(tester[2]):
                    twice = 2 * sum(tester[2]) - len(tester[2])
                    tester[3:] = [(len(tester[2]), twice > 0 or (twice == 0 and draw.random() < 0.5))]
            agreed = [sum(tester[1][i] == tester[3][1] for tester in here) / max(1, len(here)) for i in range(len(ends[0]))]
            order = sorted(range(len(agreed)), key=lambda i: -agreed[i])
            sets = [order[:n] for n in range(1, len(order) + 1, 2)] if here else [order]
            best = max(sets, key=lambda some: (round(majority_right([agreed[i] for i in some]), 11), -len(some)))
            right += majority_right([chances(context)[i] for i in best])
    return right


@functools.lru_cache(maxsize=None)
def weighted_set(estimates):
    """The smallest prefix in the order of absolute log odds whose weighted vote is right as often as all labelers'."""
    order = sorted(range(len(estimates)), key=lambda i: -abs(math.log(estimates[i] / (1 - estimates[i]))))

    def right(some):
        return sum(max(math.prod(estimates[i] if x else 1 - estimates[i] for i, x in zip(some, votes)),
                       math.prod(1 - estimates[i] if x else estimates[i] for i, x in zip(some, votes)))
                   for votes in itertools.product((0, 1), repeat=len(some))) / 2

    return next(order[:n] for n in range(1, len(order) + 1) if right(order[:n]) > right(order) - 1e-13)


def replay_weighted(draw, votes, gold, explore):
    """One random order of the tasks (votes[task][labeler]): accuracy, votes per task, mean size of the sets."""
    def label(row, some, weight):
        sums = [sum(weight[i] for i in some if row[i] == c) for c in range(1 + max(map(max, votes)))]
        return draw.choice([c for c, mass in enumerate(sums) if mass > max(sums) - 1e-9])

    everybody = range(len(votes[0]))
    order = draw.sample(range(len(votes)), len(votes))
    agreed, testers, right, asked, sizes = [0] * len(everybody), 0, 0, 0, []
    for t, task in enumerate(order):
        some, weight = everybody, [1] * len(everybody)
        if new := t == 0 or testers <= explore * math.log(t):
            testers += 1
        else:
            estimates = tuple((2 * a + 1) / (2 * testers + 2) for a in agreed)
            some, weight = weighted_set(estimates), [math.log(q / (1 - q)) for q in estimates]
            sizes.append(len(some))
        found = label(votes[task], some, weight)
        right += found == gold[task]
        asked += len(some)
        agreed = [a + (new and vote == found) for a, vote in zip(agreed, votes[task])]
    return right / len(votes), asked / len(votes), statistics.mean(sizes)


class LabelersTest(unittest.TestCase):
    def document(self, command, tasks, *words):
        done = run(command, "-T", str(tasks), *LABELERS, *words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def policies(self, *words):
        return {row["name"]: row for row in self.document("compare", *words)["policies"]}

    def assertNear(self, found, wanted, digits=1e-10):
        self.assertLessEqual(abs(found - wanted), digits * max(1, abs(wanted)))

    def test_known_regrets(self):
        found = self.document("compare", 60, "--explore", "1.5,1", "--cost", "0.02", *THREE)
        row = found["policies"][0]
        self.assertNear(found["optimal"]["value"], 54)
        self.assertNear(row["value"] + row["regret"], 54)
        self.assertNear(row["regret"], 11.5432608065)
        self.assertNear(row["cost_regret"], 1.30525558806)
        self.assertEqual(row["schedule"], {"exploit": 31, "new": 5, "again": 24})
        self.assertNear(sum(part["probability"] for part in row["sets"]), 1)
        self.assertEqual(found["problem"]["best_set"], [0])
        self.assertNear(found["problem"]["instances"][2]["disagreement"], 0.27)

    def test_known_fractions(self):
        rows = self.policies(10, "--explore", "1.5,1", "--cost", "0.02", "--arithmetic", "exact",
                             "--policies", "ls-ol,ls-ol-weighted,everybody,best-set", *THREE)
        known = {
            "ls-ol": ("164623327634017223079/62500000000000000000",
                      "1008962809090800463/3125000000000000000"),
            "ls-ol-weighted": ("2229307171253905557/781250000000000000",
                               "2394712793077/6250000000000"),
            "everybody": ("33/50", "2/5"),
            "best-set": ("0", "0"),
        }
        for name, (regret, cost) in known.items():
            self.assertEqual(Fraction(rows[name]["regret_exact"]), Fraction(regret))
            self.assertEqual(Fraction(rows[name]["cost_regret_exact"]), Fraction(cost))

    def test_regrets_over_orders(self):
        orders = ["--accuracy-prior", "orders", "--explore", "1.5,1", *THREE]
        for tasks, regret in (5, 1.09), (10, 2.81469336632), (20, 4.88274130172), (30, 7.58375079061):
            found = self.policies(tasks, *orders, "--policies", "ls-ol,everybody")
            self.assertNear(found["ls-ol"]["regret"], regret)
            self.assertNear(found["everybody"]["regret"], 0.066 * tasks)
        worse = self.policies(10, "--accuracy-prior", "orders", "--policies", "everybody", "0.95", "0.55", "0.55")
        self.assertNear(worse["everybody"]["regret"], 10 * 709 / 4000)

    def test_known_optimum_in_fractions(self):
        words = [12, "--accuracy-prior", "orders", *THREE, "--policies", "bayes-vote,everybody"]
        found = self.document("compare", *words, "--arithmetic", "exact")
        value = Fraction("2502005374284156023213619/250000000000000000000000")
        self.assertEqual(Fraction(found["optimal"]["value_exact"]), value)
        rows = {row["name"]: row for row in found["policies"]}
        self.assertEqual(Fraction(rows["bayes-vote"]["value_exact"]),
                         Fraction("2502006462990543762960003/250000000000000000000000"))
        self.assertLess(rows["bayes-vote"]["gap"], 0)
        self.assertEqual(Fraction(rows["everybody"]["regret_exact"]), Fraction(12 * 33, 500))
        doubles = self.policies(*words)
        for name, row in rows.items():
            error = doubles[name]["error_bound"]
            self.assertLessEqual(abs(Fraction(row["value_exact"]) - Fraction(doubles[name]["value"])),
                                 Fraction(error), name)
        told = found["bounds"]["told"]
        self.assertEqual(Fraction(told["value_exact"]), Fraction(9 * 12, 10))

    def test_greedy_in_fractions(self):
        for words in (THREE, ["0.95", "0.55", "0.55"], ["0.9", "0.4"]):
            words = [5, "--accuracy-prior", "orders", "--policies", "greedy", *words]
            exact = self.document("compare", *words, "--arithmetic", "exact")["policies"][0]
            double = self.document("compare", *words)["policies"][0]
            self.assertLessEqual(abs(Fraction(exact["value_exact"]) - Fraction(double["value"])),
                                 Fraction(double["error_bound"]))
            self.assertGreaterEqual(Fraction(exact["gap_exact"]), 0)

    def test_greedys_cost_regret(self):
        """The value is right labels less the cost of votes; no votes cost nothing."""
        for price in "0", "0.5":
            words = [6, "--accuracy-prior", "orders", "--policies", "greedy", "--cost", "0.02,0.03,0.05", "--price", price, *THREE]
            double, exact = (self.document("compare", *words, "--arithmetic", arithmetic) for arithmetic in ("double", "exact"))
            row, other = double["policies"][0], exact["policies"][0]
            best = Fraction(1, 10) / 3  # a labeler with accuracy 0.9
            cost = Fraction(other["cost_regret_exact"]) + 6 * best
            self.assertNear(row["cost_regret"], float(other["cost_regret_exact"] and Fraction(other["cost_regret_exact"])))
            self.assertNear(5.4 - row["regret"] - float(price) * float(cost), row["value"])
        everybody, greedy, known = (self.policies(4, "--cost", "0.1", "--arithmetic", "exact", "--policies",
                                                  "everybody,greedy,best-set", "--allow-nobody", "0.3", "0.2", "0.1")[name]
                                    for name in ("everybody", "greedy", "best-set"))
        self.assertEqual(Fraction(everybody["cost_regret_exact"]), Fraction(12, 10))
        for row in greedy, known:  # a coin is better than any of them
            self.assertEqual((row["cost_regret"], row["cost_regret_exact"]), (0, "0"))

    def test_bounds_hold(self):
        for words in (["--accuracy-prior", "orders", *THREE], ["--accuracy-prior", "beta:4,1", "3x0"],
                      ["--accuracy-prior", "orders", "--cost", "0.05", "--price", "1", *THREE], THREE):
            found = self.document("compare", 8, *words)
            for bound in found["bounds"].values():
                if bound["value"] is not None:
                    self.assertGreaterEqual(bound["value"], found["optimal"]["value"])

    def test_means_of_a_beta_are_exact_for_parameters_of_any_size(self):
        for a, b in ("152", "1"), ("1", "152"), ("143", "20"), ("151.5", "0.5"), ("85", "87"), ("1e-3", "1e6"), ("1e6", "1e-3"):
            mean = Fraction(a) / (Fraction(a) + Fraction(b))
            found = self.document("solve", 1, "--accuracy-prior", f"beta:{a},{b}", "0.7")["optimal"]
            self.assertLessEqual(abs(Fraction(found["value"]) - mean), found["error_bound"])
            for agree, differ in (3, 0), (0, 6), (2, 9):
                votes = ["11"] * agree + ["10"] * differ
                found = self.document("query", len(votes) + 1, "--accuracy-prior", f"beta:{a},{b}", "--history", " ".join(votes), "0.7", "0.7")
                right = max(0, mean_after(Fraction(a), Fraction(b), agree, differ) - Fraction(1, 2))
                for act in found["actions"]:
                    self.assertLessEqual(abs(Fraction(act["q"]) - right), act["error_bound"], (a, b, votes))

    def test_the_best_set_can_be_nobody(self):
        for words, best in (["0.3"], []), (["0.3", "0.7"], [1]), (["0.3", "--votes", "weighted"], [0]):
            found = self.document("solve", 3, *words, "--sets", "odd,nobody")
            self.assertEqual(found["problem"]["best_set"], best)
            self.assertNear(found["optimal"]["value"], 3 * found["problem"]["best_right"])
        done = run("solve", "-T", "3", *LABELERS, "0.3", "--sets", "odd,nobody")
        self.assertRegex(done.stdout, r"(?m)^Best set +nobody, right with probability 0\.5$")

    def test_a_file_is_a_prior(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "prior.tsv"
            six = ["0.9\t0.7\t0.6", "0.9\t0.6\t0.7", "0.7\t0.9\t0.6", "0.7\t0.6\t0.9",
                   "0.6\t0.9\t0.7", "0.6\t0.7\t0.9"]
            path.write_text("# orders\n" + "".join(f"{1/6:.17f}\t{row}\n" for row in six))
            words = [6, "--cost", "0.02", "--price", "2"]
            given = self.document("compare", *words, "--accuracy-prior", str(path), "0", "0", "0")
            orders = self.document("compare", *words, "--accuracy-prior", "orders", *THREE)
            self.assertNear(given["optimal"]["value"], orders["optimal"]["value"])
            for text, line in (("0.5\t1\t1\t1\n", ""), ("1\t1\t1\n", "line 1"),
                               ("1\t1\t1\t1.1\n", "line 1"), ("-1\t1\t1\t1\n", "line 1")):
                path.write_text(text)
                done = run("compare", "-T", "3", *LABELERS, "--accuracy-prior", str(path), *THREE)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(line, done.stderr)

    def test_a_history_is_learnt_from(self):
        words = ["--accuracy-prior", "orders", *THREE]
        found = self.document("query", 20, "--history", "110 1-0 101", *words)
        self.assertEqual((found["budget"], found["left"]), (20, 17))
        exact = self.document("query", 8, "--history", "110 101", *words, "--arithmetic", "exact")
        doubles = self.document("query", 8, "--history", "110 101", *words)
        for one, other in zip(exact["actions"], doubles["actions"]):
            self.assertEqual(one["set"], other["set"])
            self.assertLessEqual(abs(Fraction(one["q_exact"]) - Fraction(other["q"])),
                                 Fraction(other["error_bound"]))
        one_voter = self.document("query", 8, "--history", "1-- -0-", *words)  # tells nothing
        nothing = self.document("query", 6, *words)
        self.assertEqual([act["q"] for act in one_voter["actions"]],
                         [act["q"] for act in nothing["actions"]])

    def test_prices_choose_smaller_sets(self):
        words = [4, "--cost", "0.1", "0.8", "0.75", "0.7", "--policies", "best-set"]
        free = self.document("compare", *words)
        dear = self.document("compare", *words, "--price", "1", "--allow-nobody")
        self.assertNear(free["optimal"]["value"], 4 * 0.845)
        self.assertNear(dear["optimal"]["value"], 4 * 0.7)
        self.assertNear(dear["policies"][0]["value"], 4 * 0.7)

    def test_weighted_votes(self):
        found = self.document("compare", 10, "--weighted", "--allow-nobody", "0.3", "0.2", "0.1")
        self.assertNear(found["optimal"]["value"], 9.02)
        alone = self.document("compare", 10, "0.3", "0.2", "0.1")
        self.assertNear(alone["optimal"]["value"], 3)
        nobody = self.document("compare", 10, "--allow-nobody", "0.3", "0.2", "0.1")
        self.assertNear(nobody["optimal"]["value"], 5)

    def test_legal_extremes(self):
        for words in ([3, "1", "0"], [0, *THREE], [5, "--explore", "0,0", "2x0.6"], [2, "0.5"],
                      [4, "--cost", "0.5", "--explore", "0,0", "5x0.6"]):
            self.document("compare", *words)

    def test_the_constants_of_the_theory(self):
        table = ["0.763", "0.781", "0.625", "0.783", "0.727"]
        theory = self.document("bound", 2000, "--theory", *table)["problem"]["theory"]
        self.assertNear(theory["explore"][0], 25651276902.5, 1e-9)
        self.assertNear(theory["explore"][1], 6.80317906533)
        self.assertNear(theory["alpha"], 1 / 160)
        self.assertNear(theory["eps"], 0.000999)
        self.assertNear(theory["gap"], 0.0117219829673)
        self.assertNear(theory["largest_gap"], 0.258392884967)
        self.assertNear(theory["delta"], 0.002)
        self.assertGreater(theory["first_term_that_holds"], theory["first_term"])
        for words in (["0.9"], ["0.4", "0.3"], ["2x0.6"], ["--weighted", "0.5"], ["--weighted", "1", "0.7"], ["--votes", "weighted:0.1", *table], ["--accuracy-prior", "orders", *table]):
            done = run("bound", "-T", "20", *LABELERS, "--theory", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)

    def test_runs_agree_with_exact_values(self):
        runs = ["--runs", "1000", "--seed", "7"]
        for words in (["--explore", "1.5,1", *THREE], ["--explore", "1,1", "--accuracy-prior", "orders", *THREE],
                      ["--explore", "1,1", "--cost", "0.05", "--price", "0.5", *THREE],
                      ["--explore", "1,0.5", "--weighted", "0.8", "0.75", "0.7", "0.4"],
                      ["--explore", "1,0.5", "--accuracy-prior", "beta:4,1", "2x0"]):
            exact = {row["name"]: row for row in self.document("compare", 12, *words)["policies"]}
            done = run("simulate", "-T", "12", *words, *runs, "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            for row in json.loads(done.stdout)["policies"]:
                value = exact[row["name"]]["value"]
                self.assertLessEqual(abs(row["mean"] - value), 5 * row["standard_error"] + 1e-9, row)
                truth = 12 * row["accuracy"]
                self.assertLessEqual(abs(truth - value), 60 * row["accuracy_standard_error"], row)

    def test_runs_drop_the_worst(self):
        words = ["-T", "150", "--explore", "2,0", "--runs", "40", "4x0.9", "0.3", "--policies", "ls-ol",
                 "--json"]
        kept, dropped = (json.loads(run("simulate", *words, "--drop", drop).stdout)
                         for drop in ("0", "0.5"))
        self.assertNotEqual(kept["policies"][0]["mean"], dropped["policies"][0]["mean"])

    def test_votes_of_who_leaves_are_paid(self):
        """Three labelers are always right, one never: that one leaves at the second task, after voting on it."""
        words = ["-T", "2", "--runs", "2", "--drop", "0.5", "--cost", "0.1", "--price", "1", "--policies", "ls-ol"]
        row = self.simulated(*words, "--explore", "2,0", "3x1", "0")["policies"][0]
        self.assertNear(row["mean"], 2 - 0.1 - 0.4)  # one labeler, then all of them
        row = self.simulated(*words, "--explore", "0,2", "3x1", "0")["policies"][0]
        self.assertNear(row["mean"], 1.5 - 0.1 - 0.4)  # the first tester again

    def test_contexts_are_problems_beside_each_other(self):
        """The number of tasks of a context is binomial, and a context is a problem with that many tasks."""
        tasks, contexts = 12, 3
        words = ["--accuracy-prior", "orders", "--explore", "1.5,1", "0.9", "0.7", "0.6"]
        names = ["ls-ol", "everybody", "greedy", "bayes-vote"]
        known = dict.fromkeys(names, 0)
        for t in range(tasks + 1):
            chance = math.comb(tasks, t) * (contexts - 1) ** (tasks - t) / contexts**tasks
            for name, row in self.policies(t, *words, "--policies", ",".join(names)).items():
                known[name] += contexts * chance * row["value"]
        done = run("simulate", *LABELERS, "-T", str(tasks), "--contexts", str(contexts), "--runs", "4000",
                   "--policies", ",".join(names), *words, "--json")
        found = json.loads(done.stdout)
        self.assertEqual(found["problem"]["contexts"], contexts)
        for row in found["policies"]:
            error = 5 * row["standard_error"] + 1e-6
            self.assertLessEqual(abs(row["mean"] - known[row["name"]]), error, row)
            truth = tasks * row["accuracy"]
            self.assertLessEqual(abs(truth - known[row["name"]]), 5 * tasks * row["accuracy_standard_error"], row)
        for command in "compare", "solve", "query", "tree":
            for contexts in "2", "unit:0.5":
                done = run(command, *LABELERS, "-T", "2", "--contexts", contexts, "0.9", "0.7")
                self.assertEqual((done.returncode, done.stdout), (2, ""), command)
                self.assertIn("does not support --contexts; omit it, or use simulate", done.stderr)
        for words in (["0"], ["1001"], ["unit:"], ["unit:1.1"], ["unit:-1"], ["unit"],
                      ["unit:1", "--accuracy-prior", "orders", "--policies", "greedy"],
                      ["unit:1", "--accuracy-prior", "orders", "--policies", "bayes-vote"]):
            done = run("simulate", *LABELERS, "-T", "2", "0.9", "0.7", "--contexts", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", words)

    def simulated(self, *words):
        done = run("simulate", *LABELERS, *words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def test_one_cell_of_contexts_is_none(self):
        words = ["-T", "40", "--explore", "1.5,0.5", "--runs", "100", "--policies",
                 "ls-ol,ls-ol-weighted,everybody,best-set,greedy", *THREE]
        cell, alone = (self.simulated("--contexts", contexts, *words)["policies"] for contexts in ("unit:0", "1"))
        for row, other in zip(cell, alone):
            self.assertEqual((row["mean"], row["accuracy"]), (other["mean"], other["accuracy"]), row)

    def test_contexts_from_0_to_1_are_those_of_the_algorithm(self):
        draw = random.Random(7)
        orders = list(itertools.permutations((0.9, 0.7, 0.6)))
        for g1, g2, power, tasks in (0.5, 0, 0.3, 60), (0.4, 0.3, 0.2, 50), (0, 0, 0.5, 30):
            values = [play_in_contexts(draw, (draw.choice(orders), draw.choice(orders)), g1, g2, power, tasks)
                      for _ in range(200)]
            row, full = self.simulated("-T", str(tasks), "--contexts", f"unit:{power}", "--explore", f"{g1},{g2}", "--accuracy-prior",
                                       "orders", "--runs", "2000", *THREE)["policies"]
            mean, error = statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))
            self.assertLessEqual(abs(row["mean"] - mean), 5 * math.hypot(error, row["standard_error"]), (g1, g2, power))
            truth = tasks * row["accuracy"]
            self.assertLessEqual(abs(truth - row["mean"]), 5 * tasks * row["accuracy_standard_error"])
            # everybody: U is a cubic of the context, which three points integrate
            whole = sum(weight * majority_right([(1 - w) * p + w * q for p, q in zip(one, other)]) / 36
                        for one in orders for other in orders for w, weight in ((0, 1 / 6), (0.5, 2 / 3), (1, 1 / 6)))
            self.assertLessEqual(abs(full["mean"] - tasks * whole), 5 * full["standard_error"] + 1e-9)

    def test_what_is_too_large_is_simulated(self):
        row = self.policies(40, "--explore", "9,0", "--runs", "100", "9x0.6")["ls-ol"]
        self.assertEqual(row["status"], "simulated")

    def replay(self, folder, *words):
        done = run("replay", *LABELERS, "--labels", f"{folder}/labels.tsv", "--gold", f"{folder}/gold.tsv",
                   *words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def test_runs_that_agree_have_no_standard_error(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "labels.tsv").write_text(
                "task\tworker\tlabel\n" + "".join(f"{task}\t{worker}\t1\n" for task in range(12) for worker in "abc"))
            for right in range(13):
                pathlib.Path(folder, "gold.tsv").write_text(
                    "task\tlabel\n" + "".join(f"{task}\t{int(task < right)}\n" for task in range(12)))
                for row in self.replay(folder, "-T", "12", "--runs", "60")["policies"]:
                    if row["name"] == "everybody":
                        self.assertEqual((row["accuracy"], row["standard_error"]), (right / 12, 0))

    def test_recorded_votes_are_replayed(self):
        """Two labelers are always right, two never, and one voted once: the policy everybody flips coins,
        and a set of one is right or wrong to the end."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            rows = [f"{task}\t{who}\t{(task + (who in 'cd')) % 2}" for task in range(40) for who in "abcd"]
            folder.joinpath("labels.tsv").write_text("task\tworker\tlabel\n" + "\n".join(rows) + "\n0\te\t0\n")
            folder.joinpath("gold.tsv").write_text(
                "task\tlabel\n" + "".join(f"{task}\t{task % 2}\n" for task in range(40)))
            found = self.replay(folder, "--explore", "0", "--runs", "400")
            ls_ol, everybody = found["policies"]
            self.assertNear(everybody["votes_per_task"], 161 / 40)
            self.assertLess(abs(everybody["accuracy"] - 0.5), 0.05)
            self.assertLess(ls_ol["votes_per_task"], 1.2)  # e alone has no votes on other tasks
            self.assertLess(abs(ls_ol["accuracy"] - 0.5), 0.1)
            self.assertEqual(found["dropped"], [])
            for words in ["--weighted"], ["--drop", "0.1"]:
                done = run("replay", "--labels", str(folder / "labels.tsv"), "--gold", str(folder / "gold.tsv"), *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)
                self.assertIn("requires --problem labelers; give both or neither", done.stderr)
            weighted = self.replay(folder, "--explore", "0", "--runs", "400", "--weighted")["policies"][0]
            self.assertLess(abs(weighted["accuracy"] - 0.5), 0.1)  # a wrong one's votes count against him
            for words in ["--explore", "1,1"], ["--explore", "x"], ["--drop", "-"], ["--runs", "1"]:
                done = run("replay", *LABELERS, "--labels", str(folder / "labels.tsv"), "--gold",
                           str(folder / "gold.tsv"), *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), words)

    def test_weighted_replay_is_that_of_the_definition(self):
        draw = random.Random(3)
        for classes, chances in (2, (0.95, 0.8, 0.7, 0.6, 0.45, 0.3)), (3, (0.9, 0.7, 0.6, 0.5)):
            gold = [draw.randrange(classes) for _ in range(40)]
            votes = [[truth if draw.random() < p else draw.randrange(classes) for p in chances] for truth in gold]
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                folder.joinpath("gold.tsv").write_text(
                    "task\tlabel\n" + "".join(f"{task}\t{truth}\n" for task, truth in enumerate(gold)))
                folder.joinpath("labels.tsv").write_text("task\tworker\tlabel\n" + "".join(
                    f"{task}\t{who}\t{vote}\n" for task, row in enumerate(votes) for who, vote in enumerate(row)))
                row = self.replay(folder, "--explore", "1", "--weighted", "--runs", "2000")["policies"][0]
            self.assertEqual(row["name"], "ls-ol-weighted")
            runs = [replay_weighted(draw, votes, gold, 1) for _ in range(200)]
            for key, column in zip(("accuracy", "votes_per_task", "set_size"), zip(*runs)):
                error = 6 * statistics.stdev(column) / math.sqrt(len(column))
                self.assertLessEqual(abs(row[key] - statistics.mean(column)), error + 1e-9, (classes, key))

    def test_bluebirds(self):
        folder = pathlib.Path(os.environ.get("OPTGAP_SHARED", "/nowhere")) / "data" / "bluebirds"
        if not folder.is_dir():
            self.skipTest("no data/bluebirds (set OPTGAP_SHARED)")
        for explore, accuracy, votes, size in ((1, 0.740, 2.8, 1.0), (3, 0.757, 12.0, 7.7), (5, 0.767, 22.4, 17.7),
                                               (8, 0.765, 29.2, 23.9), (12, 0.761, 32.4, 25.1)):
            found = self.replay(folder, "--explore", str(explore), "--runs", "300", "--drop", "0.1")
            ls_ol, everybody = found["policies"]
            self.assertEqual(found["dropped"], [])
            self.assertLess(abs(ls_ol["set_size"] - size), 1.5)
            self.assertNear(everybody["accuracy"], 0.7593, 1e-4)
            self.assertNear(everybody["votes_per_task"], 39)
            self.assertLess(abs(ls_ol["accuracy"] - accuracy), 0.004 + 4 * ls_ol["standard_error"])
            self.assertLess(abs(ls_ol["votes_per_task"] - votes), 1)

    @unittest.skipIf(SANITIZED, "takes long")
    def test_large_problems(self):
        found = self.policies(2000, "--explore", "0.5,1", "0.763", "0.781", "0.625", "0.783", "0.727")
        self.assertNear(found["ls-ol"]["regret"], 240.944467180)

    def test_bad_input_is_refused(self):
        orders = ["--accuracy-prior", "orders"]
        cases = [
            (["1.1"], 2), (["x"], 2), (["0x0.5"], 2), (["0.5x"], 2), (["10x0.5"], 2),
            (["--explore", "1", "0.5"], 2), (["--explore", "1,x", "0.5"], 2),
            (["--explore", "1,2,3", "0.5"], 2), (["--cost", "a", "0.5"], 2),
            (["--cost", "1,2", "0.5"], 2), (["--price", "z", "0.5"], 2), (["--eps", "", "0.5"], 2),
            (["--sets", "even", "0.5"], 2), ([*orders, "--weighted", "0.5"], 2),
            (["--accuracy-prior", "beta:1", "0.5"], 2), (["--accuracy-prior", "beta:0,1", "0.5"], 2),
            (["--accuracy-prior", "beta:1,1", "9x0"], 3), (["--accuracy-prior", "no-such-file", "0.5"], 2),
            (["--policies", "kg", "0.5"], 2),
            (["--policies", "bayes-vote", "0.5"], 2), ([*orders, "--policies", "best-set", "0.5"], 2),
            (["--accuracy-prior", "beta:1,1", "--arithmetic", "exact", "2x0"], 2),
        ]
        histories = [
            ["--history", "11", "0.5"], ["--history", "2", "0.5"], ["--history", "1 1 1 1", "0.5"],
            ["--history", "10", "1", "1"], ["--history", "1", "--policies", "ls-ol", "0.5"],
            ["--left", "3", "--history", "1", "0.5"],
        ]
        for words, status in cases + [(words, 2) for words in histories]:
            command = "query" if words in histories else "compare"
            done = run(command, "-T", "3", *LABELERS, *words)
            self.assertEqual((done.returncode, done.stdout), (status, ""), words)
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", words)
        done = run("compare", "-T", "300", *LABELERS, *orders, *THREE)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        done = run("compare", "-T", "3", "--policies", "ls-ol", "1,1")
        self.assertIn("--problem labelers", done.stderr)


if __name__ == "__main__":
    main()
