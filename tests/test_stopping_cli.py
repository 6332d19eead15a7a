"""Policies that stop: named rules, tables and programs, against known values and the definition.

    test_stopping_cli.py PROGRAM [unittest option...]

The known values (part A of tests/data/golden-own.json) come from an independent program in fractions.
"""

import json
import shlex
import sys
from fractions import Fraction
from functools import cache
from math import comb

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402
from test_cli import DATA  # noqa: E402

KNOWN = json.loads((DATA / "golden-own.json").read_text())["A"]
EACH = [one for one in KNOWN if one["budget"].endswith("each")]
GOLDEN = [one for one in KNOWN if not one["budget"].endswith("each")]

# Rules of `own` rows, by how they begin: the answer to a state of groups (a, b) with copies.
OWN = {
    "stops everything": '{"stop": True} if any(sure(a, b) >= F(7, 8) for a, b in pairs) else '
                        '{"index": [-(a + b) for a, b in pairs]}',
    "weights = copies": '{"weights": counts, "stop": F(sum(counts), 3)}',
    "index = R, stop": '{"index": [gain(a, b) for a, b in pairs], "stop": F(1, 10)}',
    "the same with a price": '{"index": [gain(a, b) for a, b in pairs], "stop": F(1, 10)}',
}
CHILD = """
import json, sys
from fractions import Fraction as F
from math import comb

def positive(a, b):
    return F(sum(comb(a + b - 1, k) for k in range(a)), 2 ** (a + b - 1))

def sure(a, b):
    return max(positive(a, b), 1 - positive(a, b))

def gain(a, b):
    return (a * sure(a + 1, b) + b * sure(a, b + 1)) / (a + b) - sure(a, b)

def answer(state):
    pairs, counts, left = [tuple(pair) for pair in state["instances"]], state["counts"], state["left"]
    assert state["price"] == PRICE
    return ANSWER

for line in sys.stdin:
    asked = json.loads(line)
    said = [answer(state) for state in asked] if isinstance(asked, list) else answer(asked)
    print(json.dumps(said, default=float if "weights" in said else str), flush=True)
"""


def positive(a, b):
    """Probability that Beta(a, b) is above 1/2."""
    return Fraction(sum(comb(a + b - 1, k) for k in range(a)), 2 ** (a + b - 1))


@cache
def play(state, left, ties, index):
    """Value and labels of an index policy whose instances of index None are done."""
    indices = [index(a, b, left) for a, b in state] if left > 0 else [None]
    top = max((i for i in indices if i is not None), default=None)
    if top is None:
        return sum(max(positive(a, b), 1 - positive(a, b)) for a, b in state), Fraction(0)
    tied = [k for k, i in enumerate(indices) if i == top]
    tied = tied[:1] if ties == "first" else tied
    value = labels = Fraction(0)
    for k in tied:
        a, b = state[k]
        for chance, after in ((Fraction(a, a + b), (a + 1, b)), (Fraction(b, a + b), (a, b + 1))):
            v, n = play(state[:k] + (after,) + state[k + 1:], left - 1, ties, index)
            value += chance * v / len(tied)
            labels += chance * (n + 1) / len(tied)
    return value, labels


class StoppingCase(FolderCase):
    def child(self, answer, price=0):
        path = self.write("child.py", CHILD.replace("ANSWER", answer).replace("PRICE", str(price)))
        return f"command:{shlex.quote(sys.executable)} {shlex.quote(path)}"

    def table(self, rows):
        lines = [f"{a}\t{b}\t{'-inf' if index is None else index}" for a, b, _, index in rows]
        return "table:" + self.write("index.tsv", "a\tb\tindex\n" + "\n".join(lines) + "\n")

    def policy(self, one):
        if one["policy"] == "table":
            return self.table(one["rows"])
        if one["policy"] == "own":
            answer = next(text for start, text in OWN.items() if one["rule"].startswith(start))
            return self.child(answer, float(Fraction(one.get("price", "0"))))
        return one["policy"]

    def row(self, *words):
        return self.document("compare", *words)["policies"][0]

    def assert_equal_labels(self, exact, near, one):
        """What the policy loses at the same labels, and the labels that are needed: if it stops early."""
        equal = one.get("equal")
        if equal is None or "equal" not in near:
            self.assertNotIn("equal", exact, one)
            uses_all = equal is not None and not one["budget"].endswith("each") and one["labels"] == one["budget"]
            self.assertTrue(equal is None or uses_all, one)
            return
        for key in ("value", "gap", "labels"):
            self.assertEqual(Fraction(exact["equal"][key + "_exact"]), Fraction(equal[key]), (one, key))
        for key, error in (("value", "error"), ("gap", "error"), ("labels", "labels_error")):
            self.assertLessEqual(near["equal"][error], 1e-6 if key == "labels" else 1e-9, (one, key))
            self.assert_near(near["equal"][key], Fraction(equal[key]), near["equal"][error] + 1e-9, one)


class GoldenTest(StoppingCase):
    def ask(self, one, arithmetic):
        price = ["--price", str(float(Fraction(one["price"])))] if "price" in one else []
        explain = ["--explain"] if arithmetic == "double" and "law" in one else []
        return self.row("-T", one["budget"], *explain, "--ties", one["ties"], "--policy", self.policy(one), *price, "--arithmetic",
                        arithmetic, *one["problem"].split())

    def test_values_and_labels_in_fractions_and_in_doubles(self):
        for one in GOLDEN:
            exact = self.ask(one, "exact")
            self.assertEqual(Fraction(exact["value_exact"]), Fraction(one["value"]), one)
            self.assertEqual(Fraction(exact["gap_exact"]), Fraction(one["gap"]), one)
            near = self.ask(one, "double")
            self.assertLess(near["error_bound"], 1e-12, one)
            self.assert_near(near["value"], Fraction(one["value"]), near["error_bound"], one)
            self.assert_equal_labels(exact, near, one)
            if "labels" not in one:
                self.assertIsNone(near["labels"])
                continue
            self.assertEqual(Fraction(exact["labels"]["exact"]), Fraction(one["labels"]), one)
            law = [Fraction(chance) for chance in one.get("law", ())]
            self.assertAlmostEqual(sum(near["labels"].get("law", [1])), 1, 12)
            first = 0 if sum(law) == 1 else len(law) - 1  # one of the texts lacks the draws that stop before
            for n in range(max(first, 0), len(law)):
                self.assertAlmostEqual(near["labels"]["law"][n], float(law[n]), 12, one)
            self.assertEqual(near["labels"]["least"], near["labels"]["most"])
            self.assert_near(near["labels"]["least"], Fraction(one["labels"]), near["labels"]["error_bound"], one)

    def test_a_budget_of_each_instance(self):
        for one in EACH:
            price = ["--price", str(float(Fraction(one["price"])))] if "price" in one else []
            words = ["-T", one["budget"], "--policy", one["policy"], *price, *one["problem"].split()]
            exact = self.row("--arithmetic", "exact", *words)
            self.assertEqual(Fraction(exact["value_exact"]), Fraction(one["value"]), one)
            self.assertEqual(Fraction(exact["gap_exact"]), Fraction(one["gap"]), one)
            near = self.row(*words)
            self.assert_near(near["labels"]["least"], Fraction(one["labels"]), near["labels"]["error_bound"] + 1e-12, one)
            if "exact" in exact["labels"]:
                self.assertEqual(Fraction(exact["labels"]["exact"]), Fraction(one["labels"]), one)

    def test_simulated_values_and_labels_agree(self):
        for one in GOLDEN[::6]:
            price = ["--price", str(float(Fraction(one["price"])))] if "price" in one else []
            if one["ties"] not in ("random", "first") or one["policy"] == "own":
                continue
            found = self.document("simulate", "-T", one["budget"], "--runs", "2000", "--ties", one["ties"], "--policy",
                                  self.policy(one), *price, *one["problem"].split())["policies"][0]
            off = abs(found["mean"] - float(Fraction(one["value"])))
            self.assertLessEqual(off, 5 * found["standard_error"] + 1e-9, one)
            self.assertLess(abs(found["labels"] - float(Fraction(one["labels"]))), 0.2, one)


class EdgeTest(StoppingCase):
    def assert_row(self, words, value, labels):
        row = self.row("--arithmetic", "exact", *words)
        self.assertEqual((row["value_exact"], row["labels"] and row["labels"]["exact"]), (value, labels), words)

    def test_no_labels_at_all(self):
        for policy in ("agree:2", "fixed:0", "beta-stop:0.9:kg"):
            self.assert_row(["-T", "0", "--policy", policy, "2x1,1"], "1", "0")

    def test_a_rule_that_is_done_at_once_uses_no_label(self):
        self.assert_row(["-T", "4", "--policy", "fixed:0", "2x1,1"], "1", "0")
        self.assert_row(["-T", "4", "--policy", "beta-stop:0.75", "2x2,1"], "3/2", "0")

    def test_a_rule_that_is_never_done_uses_the_budget(self):
        self.assert_row(["-T", "4", "--policy", "beta-stop:1", "1,1"], "13/16", "4")
        self.assert_row(["-T", "4", "--policy", "agree:5:kg", "1,1"], "13/16", "4")

    def test_a_dead_instance_that_a_rule_labels_is_paid_for(self):
        row = self.row("-T", "2", "--policy", "fixed:2", "--price", "0.125", "--arithmetic", "exact", "40,1")
        now = self.row("-T", "2", "--policy", "fixed:0", "--price", "0.125", "--arithmetic", "exact", "40,1")
        self.assertEqual(Fraction(now["value_exact"]) - Fraction(row["value_exact"]), Fraction(1, 4))
        self.assertEqual(row["labels"]["exact"], "2")

    def test_a_table_whose_largest_index_is_shared(self):
        for ties in ("random", "first"):
            self.assert_table(4, ["1,1", "1,1", "2,1"], ties, lambda a, b, left: None if a + b > 4 or b > 2 else 1)

    def test_a_policy_that_opens_an_instance_again(self):
        """Done with two labels left, and not with one, if another instance uses the second."""
        again = {(2, 1), (1, 2)}
        for ties in ("random", "first"):
            self.assert_table(3, ["1,1"], ties, lambda a, b, left: None if left == 2 and (a, b) in again else -a - b)
            self.assert_table(4, ["1,1", "1,1"], ties,
                              lambda a, b, left: None if left == 2 and (a, b) in again else -a - b)

    def assert_table(self, budget, problem, ties, index):
        """A table by labels left, against the recursion over all instances in order."""
        roots = [tuple(int(x) for x in one.split(",")) for one in problem]
        most = max(a + b for a, b in roots) + budget
        rows = [(a, b, left, index(a, b, left)) for left in range(1, budget + 1) for a in range(1, most)
                for b in range(1, most - a + 1)]
        lines = [f"{a}\t{b}\t{left}\t{'-inf' if i is None else i}" for a, b, left, i in rows]
        policy = "table:" + self.write("table.tsv", "a\tb\tleft\tindex\n" + "\n".join(lines) + "\n")
        value, labels = play(tuple(roots), budget, ties, index)
        self.assert_row(["-T", str(budget), "--ties", ties, "--policy", policy, *problem], str(value), str(labels))

    def test_real_parameters_have_doubles(self):
        """Beta(1/2, 1/2): after one label the call is right with probability 1/2 + 1/pi = 0.818."""
        row = self.row("-T", "4", "--policy", "beta-stop:0.8", "0.5,0.5")
        self.assertAlmostEqual(row["value"], 0.5 + 1 / 3.141592653589793, 12)
        self.assertEqual(row["labels"]["least"], 1)
        self.assertEqual(self.row("-T", "4", "--policy", "beta-stop:0.82", "0.5,0.5")["labels"]["least"] > 1, True)

    def test_classes_and_mixtures(self):
        row = self.row("-T", "5", "--policy", "agree:2", "1,1,1")
        self.assertAlmostEqual(row["labels"]["least"], 2 * 0.5 + 3 * 0.4 + 4 * 0.1, 12)
        # A mixture that is one Beta written twice has the labels of that Beta.
        plain = self.row("-T", "5", "--policy", "beta-stop:0.8", "--arithmetic", "exact", "2,1")
        mixed = self.row("-T", "5", "--policy", "beta-stop:0.8", "--arithmetic", "exact", "0.5:2,1+0.5:2,1")
        self.assertEqual(plain["labels"], mixed["labels"])
        self.assertEqual(self.row("-T", "4", "--policy", "beta-stop:0.75", "0.5:5,2+0.5:2,5")["tolerance_ties"], 0)

    def test_sprt_at_its_limits(self):
        """P0 = 1/4, P1 = 3/4: L = 3^(s-f); (1-B)/A = 9 and B/(1-A) = 1/9 are met exactly by a lead of 2."""
        for policy in ("sprt:0.25,0.75,0.1,0.1", "lead:2"):
            self.assert_row(["-T", "5", "--policy", policy, "1,1"], "5/6", "14/5")

    def test_bandits_stop_too(self):
        row = self.row("-T", "5", "--problem", "bandit", "--policy", "fixed:1", "--arithmetic", "exact", "2x1,1")
        self.assertEqual((row["value_exact"], row["labels"]["exact"]), ("1", "2"))

    def test_explanations_add_up_to_the_gap(self):
        for words in (["agree:2", "1,1"], ["beta-stop:0.8:kg", "2x1,1", "2,1"], ["fixed:0", "2x1,1"]):
            for price in ([], ["--price", "0.05"]):
                row = self.row("-T", "5", "--explain", "--policy", words[0], *price, *words[1:])
                self.assertAlmostEqual(row["explain"]["total"], row["gap"], 12, words)
        self.answer("tree", "-T", "2", "--against", "fixed:1", "1,1")

    def test_a_truth(self):
        """Under soft label 1 two labels agree: two labels, no wrong call."""
        for arithmetic in ("double", "exact"):
            for ties in ("random", "best", "worst"):
                truth = self.row("-T", "5", "--truth", "list:1", "--ties", ties, "--arithmetic", arithmetic, "--policy",
                                 "agree:2", "1,1")["truth"]
                self.assertAlmostEqual(truth["labels"][0], 2, 12)
                self.assertAlmostEqual(truth["mean"], 1, 12)
        truth = self.row("-T", "5", "--truth", "list:0.5,0.5", "--policy", "agree:2", "2x1,1")["truth"]
        self.assertAlmostEqual(sum(truth["law"]), 1, 12)
        self.assertAlmostEqual(truth["labels"][0], 2.375, 9)  # halves: 2 or 3 labels, the first 2; then the rest of 5

    def test_children_stop(self):
        def labels(answer, *words):
            row = self.row("-T", "4", *words, "--policy", self.child(answer), "2x1,1", "2,1")
            self.assertLessEqual(row["labels"]["most"], 4)
            return row["labels"]["least"]

        self.assertEqual(labels('{"stop": True}'), 0)
        for ties in ("random", "first"):  # each decision stops with probability 1/4
            self.assertAlmostEqual(labels('{"weights": [float(n) for n in counts], "stop": sum(counts) / 3}', "--ties", ties),
                                   525 / 256, 12)
        self.assertEqual(labels('{"index": [1.0] * len(pairs), "stop": 1.0}'), 0)  # a tie stops, also a near one:
        self.assertEqual(labels('{"index": [1 + 1e-13 if b == 1 else 1 - 1e-13 for a, b in pairs], "stop": 1.0}'), 0)
        self.assertEqual(labels('{"index": [F(1, 3)] * len(pairs), "stop": F(1, 3)}'), 0)
        self.assertEqual(labels('{"index": [F(1, 3)] * len(pairs), "stop": F(333333, 1000000)}'), 4)
        self.assertEqual(labels('{"index": [F(1, 3)] * len(pairs), "stop": F(1, 2)}'), 0)
        self.assertEqual(labels('{"index": [None if a + b > 2 else 1 for a, b in pairs]}'), 2)
        self.assertEqual(labels('{"index": ["-inf" if a + b > 2 else -a - b for a, b in pairs], "batch": True}'), 2)
        self.assertEqual(labels('{"index": [None if a + b > 2 else 1 for a, b in pairs], "alone": True}'), 2)
        found = self.document("simulate", "-T", "4", "--runs", "10", "--policy", self.child('{"stop": True}'), "2x1,1")
        self.assertEqual((found["policies"][0]["labels"], found["policies"][0]["mean"]), (0, 1))

    def test_query_lists_stop(self):
        found = self.document("query", "-T", "3", "--policy", "fixed:0", "--policy", "beta-stop:0.8", "2x1,1")
        self.assertEqual(found["policies"], {"fixed:0": ["stop"], "beta-stop:0.8": [0]})
        self.assertIn("stop", self.answer("query", "-T", "3", "--policy", "fixed:0", "2x1,1"))
        self.assertEqual(self.document("query", "-T", "3", "--price", "0.1", "--policy", "fixed:0", "2x1,1")["policies"],
                         {"fixed:0": [1]})

    def test_free_labels(self):
        """With a price of 0, kg stops when no label gains."""
        row = self.row("-T", "4", "--price", "0", "--policy", "kg", "2x1,1")
        self.assertEqual((row["value"], row["labels"]["least"]), (1.5, 2))
        found = self.document("compare", "-T", "4", "--price", "0", "--policy", "agree:2", "2x1,1")
        self.assertAlmostEqual(found["optimal"]["value"], 25 / 16, 12)
        self.assertEqual(found["optimal"]["labels"]["most"], 4)

    def test_recorded_labels(self):
        labels = self.write("labels.tsv", "task\tworker\tlabel\n" + "".join(f"t{task}\tw{label}\t{(task + label) % 3 > 0:d}\n" for task in range(6)
                                                  for label in range(5)))
        gold = self.write("gold.tsv", "task\tlabel\n" + "".join(f"t{task}\t1\n" for task in range(6)))
        found = self.document("replay", "--labels", labels, "--gold", gold, "--prior", "1,1", "-T", "30", "--runs", "20",
                              "--policy", "fixed:2", "--policy", "agree:2")
        fixed, agree = ({point["labels"]: point["accuracy"] for point in row["points"]} for row in found["policies"])
        self.assertEqual(fixed[12], fixed[30])
        self.assertGreater(agree[30], fixed[30])
        waiting = self.document("next", "--labels", labels, "--prior", "1,1", "-T", "10", "--batch", "3", "--policy", "fixed:5")
        self.assertEqual((waiting["done"], waiting["stop"], waiting["next"]), (6, True, []))
        self.assertIn("stop: all 6 tasks are done", waiting["summary"])
        some = self.document("next", "--labels", labels, "--prior", "1,1", "-T", "10", "--batch", "3", "--policy", "beta-stop:0.9")
        self.assertEqual((some["stop"], some["done"] + len(some["next"]) <= 6), (False, True))

    def test_problems_that_refuse_rules(self):
        for words in (["--deadline", "4", "--slot-service", "2"], ["--batch", "2"], ["--source", "a:1:0.7"],
                      ["--workers-prior", "4,1"]):
            self.assert_refused(["compare", "-T", "2", *words, "--policy", "agree:2", "2x1,1"], "policy 'agree:2' stops, which")
        self.assert_refused(["query", "-T", "2", "--history", "1+", "--policy", "agree:2", "2x1,1"], "does not support --history")

    def test_wrong_words(self):
        rules = {
            "beta-stop": "policy 'beta-stop' needs a number: beta-stop:C with C above 0.5 and at most 1, such as "
                         "beta-stop:0.95",
            "sprt:0.7,0.3,0.1,0.1": "policy 'sprt:0.7,0.3,0.1,0.1': P0 must be less than P1",
            "sprt:0.3,0.7,0.5,0.5": "A + B must be below 1",
            "sprt:0.3,0.7": "policy 'sprt' needs four numbers: sprt:P0,P1,A,B",
            "lead:0": "policy 'lead:0': M must be a whole number from 1 on",
            "agree:1.5": "policy 'agree:1.5': M must be a whole number from 1 on",
            "fixed:x": "policy 'fixed:x': N must be a whole number from 0 on",
            "beta-stop:0.5": "policy 'beta-stop:0.5': C must be above 0.5 and at most 1",
            "doubling:4,2,0.7": "N must be at most MAX",
            "doubling:1,2,0.x": "'0.x' is not a decimal number",
            "agree:2:": "the name of a policy is missing, such as agree:2:kg",
            "agree:2:thompson": "'thompson' is only simulated",
            "agree:2:nowhere": "unknown policy 'nowhere'",
        }
        for rule, expected in rules.items():
            self.assert_refused(["compare", "-T", "3", "--policy", rule, "1,1"], expected)
        self.assert_refused(["compare", "-T", "3", "--policy", "sprt:0.3,0.7,0.1,0.1", "1,1,1"],
                            "policy 'sprt' supports two classes only; an instance has 3")


if __name__ == "__main__":
    main()
