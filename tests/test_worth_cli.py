"""The worth of an instance (--payoff brier, squared, log, table:FILE) on the command line.

    test_worth_cli.py PROGRAM [unittest option...]

Known values are in tests/data/golden-own.json, made by another program; its entry `how` explains them. Others are computed here
from the definition: final values only, no gains.
"""

import functools
import json
import math
import os
import pathlib
import random
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402
from test_payoff_cli import INDICES, above  # noqa: E402

GOLDEN = json.loads((pathlib.Path(__file__).parent / "data" / "golden-own.json").read_text())
LOWERS = "can lower this payoff"


def window(a, b):
    return Fraction(2, 5) <= Fraction(a, a + b) <= Fraction(3, 5)


def steps(a, b):
    mean = Fraction(a, a + b)
    return Fraction(1) if mean >= Fraction(3, 4) else Fraction(1, 4) if mean < Fraction(1, 4) else Fraction(1, 2)


FUNCTIONS = {"window": window, "steps": steps}


def squared(alpha):
    """Minus the sum of the variances of the shares; of two classes, of one of them."""
    n = sum(alpha)
    return -sum(Fraction(a * (n - a), n * n * (n + 1)) for a in (alpha if len(alpha) > 2 else alpha[:1]))


def brier(alpha, d=Fraction(1, 2)):
    p = above(*alpha, d)
    return -p * (1 - p)


def entropy(alpha, d=Fraction(1, 2)):
    p = above(*alpha, d)
    return float(p) * math.log(p) + float(1 - p) * math.log(1 - p)


def play(state, budget, worth, price=0, index=None):
    """The value of the best policy, or of the one that labels an instance with the largest index, alike where several have it, if
    all labels are used, or with a price where one may stop. State: parameters; worth(i, parameters) of the i-th instance."""

    @functools.cache
    def value(state, left):
        now = sum(worth(i, alpha) for i, alpha in enumerate(state))
        if left == 0:
            return now
        acts, scores = [now] if price else [], []
        for i, alpha in enumerate(state):
            after = [state[:i] + (tuple(a + (c == k) for c, a in enumerate(alpha)),) + state[i + 1:] for k in range(len(alpha))]
            shares = [Fraction(a) / sum(alpha) for a in alpha]
            acts.append(sum(share * value(to, left - 1) for share, to in zip(shares, after)) - price)
            if index:
                gains = [worth(i, to[i]) - worth(i, alpha) for to in after]
                scores.append(index(shares[0], gains))
        if index is None:
            return max(acts)
        best = [act for act, score in zip(acts, scores) if score == max(scores)]
        return sum(best) / len(best)

    return value(tuple(state), budget)


class WorthCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def table(self, name, function, priors, labels):
        rows = {(a + s, b + n - s) for a, b in priors for n in range(labels + 1) for s in range(n + 1)}
        self.write(name, "a\tb\tvalue\n" + "".join(f"{a}\t{b}\t{Fraction(function(a, b))}\n" for a, b in sorted(rows)))
        return f"table:{name}"

    def ask(self, *words, warned=False):
        done = run(*words, "--json")
        self.assertEqual((done.returncode, LOWERS in done.stderr), (0, warned), (words, done.stderr))
        return json.loads(done.stdout)


class GoldenTest(WorthCase):
    def compare(self, entry, *more):
        payoff = entry["payoff"]
        if payoff in FUNCTIONS:
            payoff = self.table(payoff + ".tsv", FUNCTIONS[payoff], [(1, 1), (2, 1)], entry["budget"])
        price = ["--price", f"{float(Fraction(entry['price'])):g}"] if "price" in entry else []
        done = run("compare", "-T", str(entry["budget"]), "--payoff", payoff, "--policies", ",".join(entry.get("policies", ["kg"])),
                   *price, *more, *entry["problem"].split(), "--json")
        self.assertEqual(done.returncode, 0, (entry, done.stderr))
        return json.loads(done.stdout)

    def test_values_of_all_entries(self):
        for entry in GOLDEN["B"]:
            about = entry["problem"], entry["budget"], entry["payoff"]
            near = self.compare(entry)
            names = ("optimal", *entry.get("policies", ()))
            known = [Fraction(entry["optimal"]), *map(Fraction, entry.get("policies", {}).values())]
            for name, value, found in zip(names, known, [near["optimal"], *near["policies"]]):
                self.assert_near(found["value"], value, found["error_bound"] + 1e-18, (about, name))
                self.assertLess(found["error_bound"], 1e-12)
            if "value_now" in entry:
                self.assert_near(near["optimal"]["value"] - near["optimal"]["gain"], Fraction(entry["value_now"]), 1e-15, about)
            if "labels" in entry:
                self.assertEqual([round(near["optimal"]["labels"][end], 9) for end in ("least", "most")],
                                 [int(number) for number in entry["labels"]], about)
            if entry["payoff"] == "log":
                continue
            exact = self.compare(entry, "--arithmetic", "exact")
            for value, found in zip(known, [exact["optimal"], *exact["policies"]]):
                self.assertEqual(Fraction(found["value_exact"]), value, about)
            if "lagrangian_scalar" in entry:
                # The best price has a fraction with small terms in all problems but one.
                bound = Fraction(exact["bounds"]["lagrangian_scalar"]["value_exact"]) - Fraction(entry["lagrangian_scalar"])
                self.assertTrue(0 <= bound < 1e-15 if "@" in entry["problem"] else bound == 0, (about, float(bound)))


class DefinitionTest(WorthCase):
    def test_values_of_random_problems(self):
        source = random.Random(58)
        for _ in range(24):
            d = source.choice(["0.5", "0.3", "0.8"])
            priors = [source.choice([(1, 1), (2, 1), (1, 2), (3, 1), (2, 2)]) for _ in range(source.randint(1, 3))]
            tasks = [(prior, source.choice([("brier", functools.partial(brier, d=Fraction(d))), ("squared", squared),
                                            ("log", functools.partial(entropy, d=Fraction(d)))])) for prior in priors]
            words = [f"{a},{b}@{d}={name}" for (a, b), (name, _) in tasks]
            price = source.choice([None, "0.01", "0.05"])
            paid = ["--price", price] if price else []
            more = [] if price else ["--policies", ",".join(INDICES)]
            found = self.ask("compare", "-T", "4", *paid, *more, *words)

            def worth(i, alpha):
                return tasks[i][1][1](alpha)

            truth = play(priors, 4, worth, Fraction(price or 0))
            self.assert_near(found["optimal"]["value"], Fraction(truth), found["optimal"]["error_bound"] + 1e-15, words)
            for row in [] if price else found["policies"]:
                if all(name != "log" for _, (name, _) in tasks):  # whose ties floats do not see
                    value = play(priors, 4, worth, index=INDICES[row["name"]])
                    self.assert_near(row["value"], value, row["error_bound"], (words, row["name"]))

    def test_classes_and_mixtures(self):
        found = self.ask("compare", "-T", "3", "--payoff", "squared", "--policies", "kg", "--arithmetic", "exact", "1,1,1", "2,1,1")
        self.assertEqual(Fraction(found["optimal"]["value_exact"]),
                         play([(1, 1, 1), (2, 1, 1)], 3, lambda i, alpha: squared(alpha)))
        # A mixture that is no mixture, and classes that are two by their parameters' sums.
        for payoff in "brier", "squared", "log":
            one = self.ask("compare", "-T", "4", "--payoff", payoff, "2x1,2@0.4")
            two = self.ask("compare", "-T", "4", "--payoff", payoff, "2x0.25:1,2+0.75:1,2@0.4")
            self.assertEqual(one["optimal"]["value"], two["optimal"]["value"])
        # 1,2 and 2,1 alike: the posteriors of Beta(1,1) after a label that is not seen.
        after = self.ask("solve", "-T", "1", "--arithmetic", "exact", "--payoff", "brier", "0.5:1,2+0.5:2,1")
        self.assertEqual(after["optimal"]["value_exact"], self.ask("solve", "-T", "1", "--arithmetic", "exact", "--payoff", "brier", "1,1")["optimal"]["value_exact"])
        for payoff, value in (("brier", -2 / 3), ("log", -math.log(3)), ("squared", -1 / 6)):
            self.assertAlmostEqual(self.ask("compare", "-T", "0", "--payoff", payoff, "1,1,1")["optimal"]["value"], value, delta=1e-15)

    def test_squared_with_decimals_is_exact(self):
        found = self.ask("solve", "-T", "3", "--payoff", "squared", "--arithmetic", "exact", "2x0.5,1.5")
        half = [(Fraction(1, 2), Fraction(3, 2))] * 2
        self.assertEqual(Fraction(found["optimal"]["value_exact"]), play(half, 3, lambda i, alpha: squared(alpha)))


class RouteTest(WorthCase):
    def test_a_table_with_the_values_of_calls_has_their_bits(self):
        table = self.table("calls.tsv", lambda a, b: max(above(a, b, Fraction(1, 2)), 1 - above(a, b, Fraction(1, 2))), [(1, 1)], 11)
        policies = "uniform,kg,opt-kg,pess-kg,cvar-kg:0.5,gittins-fh,lagrangian,lookahead:2,kg-star,dual"
        for engine in "recursion", "blocks":
            question = ["compare", "-T", "9", "--engine", engine, "--policies", policies, "3x1,1", "2,1"]
            usual, generic = self.ask(*question), self.ask(*question, "--payoff", table)
            for found in usual, generic:  # whose error bounds depend on the order of nodes
                del found["bounds"]["prevailing_charge"], found["bounds"]["priced_end"]
            self.assertEqual(usual["optimal"]["value"], generic["optimal"]["value"])
            self.assertEqual([(row["name"], row["value"]) for row in usual["policies"]],
                             [(row["name"], row["value"]) for row in generic["policies"]])
            self.assertEqual({name: bound["value"] for name, bound in usual["bounds"].items()},
                             {name: bound["value"] for name, bound in generic["bounds"].items()})

    def test_brier_as_a_table_has_its_bits(self):
        table = self.table("brier.tsv", lambda a, b: brier((a, b)), [(1, 1)], 8)
        words = ["-T", "7", "--policies", "uniform,kg,opt-kg,gittins-fh", "3x1,1", "1,2"]
        name, generic = self.ask("compare", *words, "--payoff", "brier"), self.ask("compare", *words, "--payoff", table)
        self.assertEqual(name["optimal"]["value"], generic["optimal"]["value"])
        self.assertEqual([row["value"] for row in name["policies"]], [row["value"] for row in generic["policies"]])

    def test_numbers_as_a_table_have_their_values(self):
        def h(a, b):
            p = above(a, b, Fraction(1, 2))
            return max(p - 5 * (1 - p), 1 - p)

        table = self.table("paid.tsv", h, [(1, 1)], 6)
        words = ["compare", "-T", "6", "--arithmetic", "exact", "--policies", "kg,opt-kg,gittins-fh", "3x1,1", "--payoff"]
        numbers, generic = self.ask(*words, "1,-5,0,1"), self.ask(*words, table)
        self.assertEqual(numbers["optimal"]["value_exact"], generic["optimal"]["value_exact"])
        self.assertEqual([row["value_exact"] for row in numbers["policies"]], [row["value_exact"] for row in generic["policies"]])

    def test_accuracy_is_the_usual_payoff(self):
        usual, named = self.ask("compare", "-T", "5", "2x1,1"), self.ask("compare", "-T", "5", "--payoff", "accuracy", "2x1,1")
        self.assertEqual(usual["optimal"]["value"], named["optimal"]["value"])
        self.assertNotIn("payoff", named["problem"]["instances"][0])

    def test_the_least_labels_go_to_the_variance(self):
        """The variance falls alike for all instances of one prior: fewest labels first is optimal, so kg is, and uniform is not."""
        found = self.ask("compare", "-T", "30", "--payoff", "squared", "--policies", "kg,uniform", "10x1,1")
        self.assertLess(abs(found["policies"][0]["gap"]), 1e-12)
        self.assertLess(0.01, found["policies"][1]["gap"])


class RecordedTest(WorthCase):
    LABELS = "task,worker,label\na,u,1\na,v,1\nb,u,0\nb,v,1\nc,u,0\nd,v,1\nd,w,1\nd,u,0\n"

    def questions(self):
        labels, gold = self.folder / "labels.csv", self.folder / "gold.csv"
        labels.write_text(self.LABELS)
        gold.write_text("task,label\na,1\nb,0\nc,1\nd,1\n")
        words = ["--labels", str(labels), "--prior", "1,1"]
        return ["next", *words, "-T", "5", "--batch", "2"], ["next", *words, "--final"], ["replay", *words, "--gold", str(gold), "--runs", "5", "--policies", "uniform,kg,gittins-fh"]

    def test_brier_as_a_table_has_its_rows(self):
        table = self.table("brier.tsv", lambda a, b: brier((a, b)), [(1, 1)], 8)
        for question in self.questions():
            documents = []
            for payoff in "brier", table:
                done = run(*question, "--payoff", payoff, *(["--json", "--no-times"] if question[0] == "replay" else ["--json"]))
                self.assertEqual(done.returncode, 0, done.stderr)
                documents.append(json.loads(done.stdout.replace(table, "brier"), parse_float=lambda word: round(float(word), 12)))
                documents[-1].pop("command")
            self.assertEqual(*documents, question)

    def test_what_a_label_lowers_and_what_has_no_row(self):
        lowers, short = self.table("steps.tsv", steps, [(1, 1)], 8), self.table("short.tsv", lambda a, b: brier((a, b)), [(1, 1)], 2)
        for question in self.questions():
            if question[0] == "replay" or "-T" in question:
                self.assert_refused([*question, "--payoff", lowers], LOWERS)
            self.assert_refused([*question, "--payoff", short], "no value for")


class QuestionsTest(WorthCase):
    WORTHS = ("brier", "squared", "log", "window")

    def payoffs(self, labels=6):
        table = self.table("window.tsv", window, [(1, 1), (2, 1)], labels)
        return [(payoff if payoff != "window" else table, payoff == "window") for payoff in self.WORTHS]

    def test_losses_of_policies_and_engines_agree(self):
        for payoff, warned in self.payoffs():
            found = self.ask("compare", "-T", "4", "--payoff", payoff, "--explain", "--policies", "uniform,opt-kg", "2x1,1", "2,1", warned=warned)
            for row in found["policies"]:
                self.assertLess(abs(row["explain"]["total"] - row["gap"]), 1e-12, payoff)
            for bound in found["bounds"].values():
                if bound.get("value") is not None:
                    self.assertLess(found["optimal"]["value"], bound["value"] + 1e-12)
            for engine in "recursion", "blocks":
                other = self.ask("solve", "-T", "4", "--payoff", payoff, "--engine", engine, "2x1,1", "2,1", warned=warned)
                self.assertAlmostEqual(other["optimal"]["value"], found["optimal"]["value"], delta=1e-12)

    def test_runs_are_near_and_paid_is_the_worth(self):
        for payoff, warned in self.payoffs():
            question = ["-T", "4", "--payoff", payoff, "--policies", "kg,uniform", "2x1,1", "2,1"]
            known = self.ask("compare", *question, warned=warned)["policies"]
            for row, truth in zip(self.ask("simulate", "--runs", "20000", *question, warned=warned)["policies"], known):
                self.assertLess(abs(row["mean"] - truth["value"]), 5 * row["standard_error"] + 1e-12, (payoff, row["name"]))
                self.assertAlmostEqual(row["paid"]["mean"], row["mean"], delta=1e-9)

    def test_trees_and_queries(self):
        for payoff, warned in self.payoffs():
            tree = self.ask("tree", "-T", "3", "--payoff", payoff, "2x1,1", warned=warned)
            value = self.ask("solve", "-T", "3", "--payoff", payoff, "2x1,1", warned=warned)["optimal"]["value"]
            self.assertAlmostEqual(tree["states"][0]["value"], value, delta=1e-12)
            query = self.ask("query", "-T", "3", "--payoff", payoff, "1,1", "2,1", warned=warned)
            self.assertTrue(any(row["optimal"] for row in query["instances"]))
            played = run("play", "-T", "2", "--payoff", payoff, "2x1,1", given="1\n1\n")
            self.assertEqual(played.returncode, 0, played.stderr)
            self.assertIn("Your choices cost", played.stdout)

    def test_policies_of_the_product(self):
        policies = ("uniform,kg,opt-kg,pess-kg,cvar-kg:0.5,gittins-fh,gittins-fh:2,kg-star,lagrangian,lp-update,dual,lookahead:2,"
                    "rollout:kg,midway:kg,nlu,agree:2,beta-stop:0.8,fixed:2,lead:2,sprt:0.3,0.7,0.1,0.1,doubling:1,2,0.8")
        for payoff, warned in self.payoffs(8):
            asked = [word for name in policies.replace("sprt:0.3,0.7,0.1,0.1,doubling:1,2,0.8", "").strip(",").split(",")
                     for word in ("--policy", name)]
            found = self.ask("compare", "-T", "4", "--payoff", payoff, *asked, "--policy", "sprt:0.3,0.7,0.1,0.1", "2x1,1", "2,1",
                             warned=warned)
            for row in found["policies"]:
                self.assertEqual(row["status"], "ok", (payoff, row["name"]))
                if not warned:
                    self.assertGreater(row["gap"], -1e-12, (payoff, row["name"]))
        for payoff in "brier", "squared", "log":
            row = self.ask("compare", "-T", "4", "--payoff", payoff, "--policy", "gittins-inf", "2x1,1", "2,1")["policies"][0]
            self.assertGreater(row["gap"], -1e-12)

    def test_each_and_prices(self):
        for payoff, warned in self.payoffs():
            one = self.ask("solve", "-T", "3", "--payoff", payoff, "1,1", warned=warned)["optimal"]["value"]
            all_of = self.ask("solve", "-T", "3each", "--payoff", payoff, "100x1,1", warned=warned)["optimal"]["value"]
            self.assertAlmostEqual(all_of, 100 * one, delta=1e-9)
            free = self.ask("solve", "-T", "3", "--price", "0", "--payoff", payoff, "1,1")["optimal"]["value"]
            self.assertLess(one, free + 1e-12)
        # Two labels can leave the window, and the second only if the first did not.
        window_now = self.ask("solve", "-T", "3", "--price", "0", "--payoff", "table:window.tsv", "1,1")
        self.assertEqual(window_now["optimal"]["value"], 1)

    def test_stopping_rules_see_the_class_whatever_the_worth(self):
        words = ["compare", "-T", "6", "--policies", "beta-stop:0.9", "2x1,1"]
        usual, named = self.ask(*words), self.ask(*words, "--payoff", "squared")
        self.assertEqual(usual["policies"][0]["labels"]["least"], named["policies"][0]["labels"]["least"])

    def test_history_and_words(self):
        words = ["--payoff", "brier", "-T", "4", "--history", "1+ 2-"]
        after = self.ask("query", *words, "2x1,1")
        self.assertEqual([row["payoff"] for row in after["problem"]["instances"]], ["brier", "brier"])
        here = self.ask("query", "-T", "2", "2,1=brier", "1,2=brier")
        self.assertEqual([row["q"] for row in after["instances"]], [row["q"] for row in here["instances"]])
        table = self.table("window.tsv", window, [(1, 1), (2, 1)], 4)
        one = self.ask("solve", "-T", "4", f"2x1,1={table}", "2,1=1,-5,0,1", warned=True)
        self.assertEqual([row["text"] for row in one["problem"]["instances"]], [f"2x1,1={table}", "2,1=1,-5,0,1"])
        common = self.ask("solve", "-T", "4", "--payoff", table, "2x1,1", "2,1=1,-5,0,1", warned=True)
        self.assertEqual(one["optimal"]["value"], common["optimal"]["value"])

    def test_recorded_labels(self):
        labels = self.write("labels.tsv", "task\tlabel\n" + "".join(f"t{i}\t{j % 2 if i % 2 else 1}\n" for i in range(4) for j in range(4)))
        gold = self.write("gold.tsv", "task\tlabel\n" + "".join(f"t{i}\t1\n" for i in range(4)))
        final = self.ask("next", "--labels", str(labels), "--final", "--prior", "1,1", "--payoff", "brier")
        for row in final["final"]:
            worth = brier((1 + row["positive"], 1 + row["negative"]))
            self.assertAlmostEqual(row["payoff"], float(worth), delta=1e-12)
        replay = self.ask("replay", "--labels", str(labels), "--gold", str(gold), "-T", "6", "--runs", "5", "--policies", "kg", "--payoff", "brier")
        self.assertEqual(replay["payoff"], "brier")


class EdgeTest(WorthCase):
    def test_no_label_is_worth_what_there_is(self):
        table = self.table("steps.tsv", steps, [(1, 1)], 0)
        for payoff, value in (("brier", -0.5), ("squared", -1 / 6), ("log", -2 * math.log(2)), (table, 1)):
            found = self.ask("compare", "-T", "0", "--payoff", payoff, "2x1,1")["optimal"]
            self.assertEqual((found["value"], found["gain"]), (value, 0))

    def test_a_constant_worth_has_no_gain(self):
        table = self.table("one.tsv", lambda a, b: Fraction(1, 3), [(1, 1)], 6)
        found = self.ask("compare", "-T", "6", "--payoff", table, "--arithmetic", "exact", "3x1,1")
        self.assertEqual((found["optimal"]["value_exact"], found["optimal"]["gain"]), ("1", 0))
        self.assertEqual({row["value"] for row in found["policies"]}, {1})

    def test_rows_that_nothing_reaches_are_fine(self):
        table = self.table("steps.tsv", steps, [(1, 1), (9, 4), (40, 2)], 5)
        with open("steps.tsv", "a") as file:
            file.write("0.5\t0.25\t-1e-3\n1\t1\t1/2\n")
        self.assertEqual(self.ask("solve", "-T", "5", "--payoff", table, "--arithmetic", "exact", "3x1,1", warned=True)["optimal"]["value_exact"],
                         "47/24")

    def test_many_labels_of_squared(self):
        found = self.ask("compare", "-T", "300", "--payoff", "squared", "--policies", "kg", "1,1")
        self.assertAlmostEqual(found["optimal"]["value"], -1 / (6 * 302), delta=1e-12)

    def test_hundreds_of_labels_of_the_others(self):
        """Rewards below the smallest normal double do not end it."""
        for payoff in "brier", "log":
            found = self.ask("solve", "-T", "560", "--payoff", payoff, "1,1")["optimal"]
            self.assertLess(-0.05, found["value"])
            self.assertLess(found["error_bound"], 1e-9)

    def test_wrong_input(self):
        self.table("worth.tsv", steps, [(1, 1)], 2)
        odd = {"two.tsv": "a\tb\tvalue\n3\t2\t1\n1\t1\t0\n3\t2\t1/2\n", "inf.tsv": "a\tb\tvalue\n" + "1\t1\t0\n" * 5 + "2\t1\tinf\n",
               "large.tsv": "a\tb\tvalue\n1\t1\t1e300\n", "column.tsv": "a\tb\tworth\n1\t1\t0\n", "none.tsv": "a\tb\tvalue\n",
               "key.tsv": "a\tb\tvalue\n1\t-1\t0\n"}
        for name, text in odd.items():
            self.write(name, text)
        for words, message in [
            (["--payoff", "brie", "1,1"],
             "--payoff must be TP,FP,FN,TN[,U], accuracy, brier, squared, log or table:FILE, not 'brie'"),
            (["1,1=brie"], "the payoff after the '=' of an instance must be TP,FP,FN,TN[,U], accuracy, brier"),
            (["--payoff", "table:worth.tsv", "2x1,1"], "worth.tsv: no value for 1,4, which 2x1,1 reaches with 3 labels"),
            (["2x1,1=table:worth.tsv"], "worth.tsv: no value for 1,4, which 2x1,1 reaches with 3 labels"),
            (["--payoff", "table:inf.tsv", "1,1"], "inf.tsv, line 7: 'inf' is not a finite number"),
            (["--payoff", "table:two.tsv", "1,1"], "two.tsv: 3,2 has two values"),
            (["--payoff", "table:large.tsv", "1,1"], "large.tsv, line 2: value '1e300' must lie between -1000000 and 1000000"),
            (["--payoff", "table:column.tsv", "1,1"], "the column 'value' is missing"),
            (["--payoff", "table:none.tsv", "1,1"], "none.tsv: the table has no row"),
            (["--payoff", "table:key.tsv", "1,1"], "key.tsv, line 2: b '-1' is not a decimal above 0"),
            (["--payoff", "table:there.tsv", "1,1"], "'there.tsv' cannot be opened"),
            (["--payoff", "table:worth.tsv", "1,1,1"], "--payoff table:FILE supports only instances with one Beta prior"),
            (["--payoff", "table:worth.tsv", "0.5:1,1+0.5:2,1"], "--payoff table:FILE supports only instances with one Beta prior"),
            (["--payoff", "brier", "--problem", "bandit", "1,1"], "--problem bandit makes none"),
            (["--payoff", "brier", "--truth", "list:0.5", "1,1"], "--truth or --assume does not support --payoff"),
            (["--payoff", "brier", "--assume", "2,1", "1,1"], "does not support --payoff"),
            (["--payoff", "brier", "--reach", "0.9", "1,1"], "--reach is a share"),
            (["--payoff", "log", "--arithmetic", "exact", "1,1"], "payoff log is not rational"),
            (["--payoff", "brier", "--arithmetic", "exact", "0.5,0.5"], "0.5,0.5=brier has no exact values"),
        ]:
            self.assert_refused(["compare", "-T", "3", *words], message)
        self.assert_refused(["compare", "-T", "2", "--payoff", "table:worth.tsv", "--policy", "gittins-inf", "1,1"],
                            "policy 'gittins-inf' looks beyond the budget")
        self.assert_refused(["index", "-T", "2", "--policy", "gittins-inf", "1,1=table:worth.tsv"],
                            "policy 'gittins-inf' looks beyond the budget")
        labels = self.write("labels.tsv", "task\tlabel\na\t1\n")
        self.assert_refused(["find", "kg", "--payoff", "table:worth.tsv"], "does not support table:FILE here")
        self.assert_refused(["next", "--labels", str(labels), "--final", "--payoff", "table:"], "--payoff must be ")

    def test_the_warning_names_where(self):
        table = self.table("window.tsv", window, [(1, 1)], 2)
        done = run("solve", "-T", "1", "--payoff", table, "1,1")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "optgap: a label can lower this payoff (at 1,1 by 1); all labels are used; --price 0 lets a policy stop\n"))
        self.assertEqual(run("solve", "-T", "1", "--payoff", table, "--price", "0", "1,1").stderr, "")


if __name__ == "__main__":
    main()
