"""next, compared with solve and query. Usage: test_next_cli.py OPTGAP"""

import collections
import json
import math
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
from cli import PROGRAM as OPTGAP, FolderCase, main  # noqa: E402


class Next(FolderCase):
    def run_program(self, *words):
        return subprocess.run([OPTGAP, *words], capture_output=True, text=True, timeout=240)

    def next(self, labels, *words):
        done = self.run_program("next", "--labels", labels, "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def assert_refused(self, words, part):
        done = self.run_program("next", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        self.assertIn(part, done.stderr)

    def draw(self, source, tasks):
        """A table of a few labels for each task, and the posteriors from 1,1."""
        rows, counts = [], collections.OrderedDict()
        for task in range(tasks):
            for worker in range(source.randint(1, 4)):
                label = source.randint(0, 1)
                rows.append(f"task {task},w{worker},{label}\n")
                counts.setdefault(f"task {task}", [1, 1])[1 - label] += 1
        return self.write("labels.csv", "task,worker,label\n" + "".join(rows)), counts

    def test_bounds_hold_the_optimum(self):
        source = random.Random(5)
        for _ in range(6):
            labels, counts = self.draw(source, source.randint(2, 5))
            budget = source.randint(1, 6)
            batch = source.randint(1, min(budget, len(counts)))
            words = [f"{a},{b}" for a, b in counts.values()]
            solved = json.loads(self.run_program("solve", "--json", "-T", str(budget), *words).stdout)
            gain = solved["optimal"]["gain"]
            found = self.next(labels, "-T", str(budget), "--batch", str(batch), "--prior", "1,1")
            self.assertEqual(len({row["task"] for row in found["next"]}), batch)
            self.assertGreaterEqual(found["gain_at_most"], gain)
            self.assertLessEqual(found["gain_at_least"], gain)
            self.assertEqual(found["loss_at_most"], found["gain_at_most"] - found["gain_at_least"])
            # one label now, as query evaluates it
            first = self.next(labels, "-T", str(budget), "--prior", "1,1")
            asked = json.loads(self.run_program("query", "--json", "-T", str(budget), "--policies",
                                                "opt-kg", *words).stdout)
            place = list(counts).index(first["next"][0]["task"])
            where = [row["posterior"] for row in asked["instances"]]
            chosen = where.index([float(x) for x in list(counts.values())[place]])
            self.assertIn(chosen, asked["policies"]["opt-kg"])
            q = asked["instances"][chosen]["q"]
            self.assertGreaterEqual(q, first["gain_at_least"])
            self.assertLessEqual(gain - q, first["loss_at_most"])

    def gain(self, budget, words, *options):
        done = self.run_program("solve", "--json", "-T", str(budget), *options, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["optimal"]["gain"]

    def test_prices(self):
        """The bounds contain the optimal value with stopping; a task is worth a label if it is alone."""
        source, stopped = random.Random(6), 0
        for round in range(40):
            labels, counts = self.draw(source, source.randint(2, 5))
            budget = source.randint(1, 6)
            batch = source.randint(1, min(budget, len(counts)))
            price = source.choice(["0.25", "0.1875", "0.125", "0.1", "0.05", "0.02"])
            payoff = source.choice(["", "", "=1,-2,0,1", "=1,0,-1,1,0.75"])
            words = [f"{a},{b}{payoff}" for a, b in counts.values()]
            given = ("-T", str(budget), "--batch", str(batch), "--prior", "1,1" + payoff, "--price", price)
            found = self.next(labels, *given)
            gain = self.gain(budget, words, "--price", price)
            about = (round, words, given)
            self.assertGreaterEqual(found["gain_at_most"], gain, about)
            self.assertLessEqual(found["gain_at_least"], gain, about)
            alone = [self.gain(budget, [word], "--price", price) > 1e-10 for word in words]
            self.assertEqual((found["price"], found["worth_a_label"]), (float(price), sum(alone)), about)
            self.assertEqual(found["stop"], gain <= 1e-10, about)
            self.assertEqual(found["stop"], found["next"] == [], about)
            self.assertEqual(found["stop"], found["summary"].startswith("stop: "), about)
            stopped += found["stop"]
            after = budget - len(found["next"]) + 1
            for row in found["next"]:
                word = words[list(counts).index(row["task"])]
                self.assertGreater(self.gain(after, [word], "--price", price), 1e-10, about)
            if len(found["next"]) == 1:
                asked = json.loads(self.run_program("query", "--json", "-T", str(budget), "--price", price, *words).stdout)
                q = next(one["q"] for one in asked["instances"] if one["text"] in (word, f"{words.count(word)}x{word}"))
                self.assertGreaterEqual(q + 1e-12, found["gain_at_least"], about)
                self.assertLessEqual(gain - q, found["loss_at_most"] + 1e-12, about)
        self.assertTrue(8 < stopped < 32)

    def test_prices_by_hand(self):
        """Beta(2,1) needs two labels: the first moves no call, and after a negative one, one time in three,
        Beta(2,2) gains 3/16. So 1/16 for 4/3 labels: a price of 3/64."""
        fresh = self.write("f", "task\tworker\tlabel\na\tx\t1\n")
        two = self.write("t", "task\tworker\tlabel\na\tx\t1\nb\tx\t0\n")
        for price, stop in ("0.046874", False), ("0.046875", True), ("0.046876", True):
            found = self.next(fresh, "-T", "2", "--prior", "1,1", "--price", price)
            self.assertEqual(found["stop"], stop, price)
            self.assertTrue(self.next(fresh, "-T", "1", "--prior", "1,1", "--price", price)["stop"])
        # each of the two tasks is worth a label, but a batch of both leaves no budget for second labels
        found = self.next(two, "-T", "2", "--batch", "2", "--prior", "1,1", "--price", "0.04")
        self.assertEqual((found["worth_a_label"], len(found["next"])), (2, 1))
        self.assertAlmostEqual(found["gain_at_least"], 1 / 16 - 0.04 * 4 / 3, 9)
        shown = self.run_program("next", "--labels", fresh, "-T", "2", "--prior", "1,1", "--price", "0.07")
        self.assertEqual((shown.returncode, shown.stdout), (0, "task\trank\tpositive\tnegative\tindex\n"))
        self.assertRegex(shown.stderr, r"\Aoptgap: stop: no task is worth a label at 0.07; [^\n]+\n\Z")

    def test_stop_is_said_where_it_is_proved(self):
        """For ten classes only some labels ahead are examined, and more could be worth their price."""
        rows = "".join(f"a,w{i},{label}\n" for i, label in enumerate([0] * 30 + list(range(1, 10))))
        labels = self.write("ten.csv", "task,worker,label\n" + rows)
        prior = ",".join(["1"] * 10)
        word = "31,2,2,2,2,2,2,2,2,2"
        found = self.next(labels, "-T", "30", "--prior", prior, "--price", "0.0001")
        self.assertEqual(found["next"], [])
        self.assertFalse(found["stop"])
        self.assertRegex(found["summary"], r"\Ano task is worth a label at 0.0001 if \d labels of each are considered, and 30 are left; ")
        self.assertGreater(found["gain_at_most"], 0.01)
        few = int(found["summary"].split(" if ")[1].split()[0])
        self.assertLess(self.gain(few, [word], "--price", "0.0001"), 1e-10)
        self.assertTrue(self.next(labels, "-T", str(few), "--prior", prior, "--price", "0.0001")["stop"])
        # beyond the examined labels nothing can be worth as much
        self.assertTrue(self.next(labels, "-T", "30", "--prior", prior, "--price", "0.95")["stop"])

    def test_free_labels_are_those_of_a_price_that_hardly_counts(self):
        labels, _ = self.draw(random.Random(8), 5)
        words = ("-T", "6", "--batch", "3", "--prior", "1,1")
        free, paid = self.next(labels, *words), self.next(labels, *words, "--price", "0.000001")
        self.assertNotIn("price", free)
        self.assertEqual(free["next"], paid["next"])
        for key in "gain_at_most", "gain_at_least":
            self.assertAlmostEqual(free[key], paid[key], 4)
            self.assertLess(paid[key], free[key])

    def test_a_payoff_beside_the_prior(self):
        labels, _ = self.draw(random.Random(9), 4)
        behind = self.next(labels, "-T", "3", "--prior", "1,1=1,-2,0,1")
        beside = self.next(labels, "-T", "3", "--prior", "1,1", "--payoff", "1,-2,0,1")
        for document in behind, beside:
            document.pop("command")
        self.assertEqual(behind, beside)
        fitted = self.next(os.path.join(os.path.dirname(__file__), "data", "sample-labels.tsv"), "--final", "--payoff", "1,-2,0,1")
        self.assertEqual(fitted["prior_from"], "labels")
        self.assertIn("payoff", fitted["final"][0])

    def test_one_label_is_the_best_one(self):
        """With one label left the gains are those of kg, and the bounds meet."""
        labels = self.write("l", "task\tworker\tlabel\na\tx\t1\nb\tx\t1\nb\ty\t0\n")
        found = self.next(labels, "-T", "1", "--policy", "kg", "--prior", "1,1")
        self.assertEqual([found["next"][0][key] for key in ("task", "rank", "positive", "negative")],
                         ["b", 1, 1, 1])
        self.assertAlmostEqual(found["next"][0]["index"], 3 / 16, 12)
        self.assertAlmostEqual(found["gain_at_most"], 3 / 16, 9)
        self.assertAlmostEqual(found["gain_at_least"], 3 / 16, 9)

    def test_final_calls(self):
        labels = self.write("l", "task\tworker\tlabel\na\tx\tyes\na\ty\tyes\nb\tx\tno\na\tz\tno\n")
        found = self.next(labels, "--final", "--prior", "1,1")
        chance = [sum(math.comb(4, k) for k in (0, 1, 2)) / 2 ** 4, 0.75]  # of Beta(3,2), Beta(1,2)
        for row, task, call, right in zip(found["final"], "ab", ("yes", "no"), chance):
            self.assertEqual((row["task"], row["call"]), (task, call))
            self.assertAlmostEqual(row["probability"], right, 13)

    def test_payoffs(self):
        """Beta(3,2), Beta(1,2) and Beta(2,1): P is 11/16, 1/4 and 3/4."""
        labels = self.write("l", "task\tworker\tlabel\na\tx\tyes\na\ty\tyes\nb\tx\tno\na\tz\tno\n"
                                 "c\tx\tyes\n")
        prior = "1,1=1,-2,0,1,0.5"
        found = self.next(labels, "--final", "--prior", prior)
        for row, call, worth in zip(found["final"], ("undecided", "no", "undecided"), (0.5, 0.75, 0.5)):
            self.assertEqual(row["call"], call)
            self.assertAlmostEqual(row["payoff"], worth, 13)
            self.assertNotIn("probability", row)
        shown = self.run_program("next", "--labels", labels, "--final", "--prior", prior)
        self.assertEqual(shown.stdout.splitlines()[:2],
                         ["task\tyes\tno\tcall\tpayoff", "a\t2\t1\tundecided\t0.5"])
        self.assertIn("a payoff of 1.75 is expected of 3 calls", shown.stderr)
        for prior in ("1,1=1,-2,0,1,0.5", "1,1=100,-500,0,250", "1,1=0.01,0,0,0.01"):
            for budget, batch in ((1, 1), (4, 2), (6, 3)):
                payoff = prior[3:]
                words = [f"{place}{payoff}" for place in ("3,2", "1,2", "2,1")]
                solved = json.loads(self.run_program("solve", "--json", "-T", str(budget), *words).stdout)
                gain = solved["optimal"]["gain"]
                found = self.next(labels, "-T", str(budget), "--batch", str(batch), "--prior", prior)
                self.assertGreaterEqual(found["gain_at_most"], gain)
                self.assertLessEqual(found["gain_at_least"], gain)
        bounds = [[self.next(labels, "-T", "4", "--batch", "2", "--prior", prior)[key]
                   for key in ("gain_at_most", "gain_at_least")] for prior in ("1,1", "1,1=0.01,0,0,0.01")]
        for usual, small in zip(*bounds):
            self.assertAlmostEqual(usual / 100, small, 12)

    def test_classes(self):
        text = "task\tworker\tlabel\na\tx\tcat\na\ty\tdog\nb\tx\towl\nb\ty\towl\nc\tx\tdog\n"
        labels = self.write("l", text)
        found = self.next(labels, "-T", "2", "--batch", "2", "--prior", "1,1,1")
        self.assertEqual({tuple(row["counts"]) for row in found["next"]}, {(1, 1, 0), (0, 1, 0)})
        solved = json.loads(self.run_program("solve", "--json", "-T", "2", "2,2,1", "1,1,3", "1,2,1").stdout)
        self.assertGreaterEqual(found["gain_at_most"], solved["optimal"]["gain"])
        self.assertLessEqual(found["gain_at_least"], solved["optimal"]["gain"])
        self.assertEqual(self.next(labels, "--final", "--prior", "1,1,1")["final"][1]["call"], "owl")

    def test_only_posteriors_that_occur_are_tabled(self):
        """Up to 60 labels of five classes: all posteriors up to there would be 900 MB, and the integrals hours."""
        source, counts = random.Random(12), []
        for task in range(12):
            mean = [source.random() ** 3 for _ in range(5)]
            counts.append(collections.Counter(source.choices(range(5), mean, k=source.randint(1, 60))))
        counts[3] = counts[7]  # two tasks at one place
        rows = [f"t{task},w{k},{label}\n" for task, had in enumerate(counts) for k, label in enumerate(had.elements())]
        labels = self.write("five.csv", "task,worker,label\n" + "".join(rows))
        few = ("--prior", "1,1,1,1,1", "--memory", "100M")
        for row, had in zip(self.next(labels, "--final", *few)["final"], counts):
            self.assertEqual(row["counts"], [had[k] for k in range(5)])
            self.assertAlmostEqual(row["probability"], max(self.largest([1 + had[k] for k in range(5)])), 9)
        found = self.next(labels, "-T", "2", "--batch", "1", *few)
        words = [",".join(str(1 + had[k]) for k in range(5)) for had in counts]
        gain = self.gain(2, words)
        self.assertLessEqual(found["gain_at_least"], gain)
        self.assertGreaterEqual(found["gain_at_most"], gain)
        # with other tasks, and so in another arm, its index is the same
        for row in found["next"]:
            one = self.write("one.csv", "task,worker,label\n" + "".join(line for line in rows if line.startswith(row["task"] + ",")) + "".join(f"z,v{k},{k}\n" for k in range(5)))
            alone = {other["task"]: other for other in self.next(one, "-T", "2", "--batch", "2", *few)["next"]}
            self.assertEqual(alone[row["task"]]["index"], row["index"])

    @staticmethod
    def largest(parameters):
        """The chances of being the largest, of Gamma variables with whole parameters: the integral by sums."""
        step, chance = 0.02, [0.0] * len(parameters)
        for i in range(1, int((max(parameters) + 200) / step)):
            x, below, density = i * step, [], []
            for a in parameters:
                term, total = math.exp(-x), 0.0
                for k in range(a):
                    total += term
                    last, term = term, term * x / (k + 1)
                below.append(1 - total)
                density.append(last)
            for c in range(len(parameters)):
                chance[c] += step * density[c] * math.prod(below[:c] + below[c + 1:])
        return chance

    def test_table_and_file(self):
        labels, _ = self.draw(random.Random(7), 5)
        words = ["next", "--labels", labels, "-T", "4", "--batch", "3", "--prior", "1,1"]
        shown = self.run_program(*words)
        self.assertEqual(shown.stderr.count("\n"), 1)
        lines = [line.split("\t") for line in shown.stdout.splitlines()]
        self.assertEqual(lines[0], ["task", "rank", "positive", "negative", "index"])
        self.assertEqual([line[1] for line in lines[1:]], ["1", "2", "3"])
        path = os.path.join(self.folder, "next.tsv")
        done = self.run_program(*words, "-o", path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", shown.stderr))
        self.assertIn("proved", done.stderr)
        with open(path) as file:
            self.assertEqual(file.read(), shown.stdout)
        done = self.run_program(*words, "--quiet", "-o", path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_ties_are_drawn_by_the_seed(self):
        rows = "".join(f"t{i}\tw\t{i % 2}\n" for i in range(40))
        labels = self.write("l", "task\tworker\tlabel\n" + rows)
        picks = [[row["task"] for row in self.next(labels, "-T", "9", "--batch", "5", "--prior", "1,1",
                                                   "--policy", "uniform", "--seed", seed)["next"]]
                 for seed in "112"]
        self.assertEqual(picks[0], picks[1])
        self.assertNotEqual(picks[0], picks[2])

    def test_bad_input_is_refused(self):
        labels, _ = self.draw(random.Random(9), 3)
        self.assert_refused(["-T", "3"], "--labels")
        self.assert_refused(["--labels", labels], "-T N")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "1,1,1"], "2 classes")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "3x1,1"], "every task")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "1,1", "--policy", "lagrangian"],
                            "all tasks together")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "1,1", "--policy", "nlu"], "nlu")
        self.assert_refused(["--labels", labels, "-T", "2", "--price", "0"], "--price must be a decimal")
        self.assert_refused(["--labels", labels, "-T", "2", "--price", "0.1,0.2"], "--price must be a decimal")
        self.assert_refused(["--labels", labels, "--final", "--price", "0.1"], "--final does not support --price; omit it")
        self.assert_refused(["--labels", labels, "-T", "2", "--payoff", "1,2"], "--payoff must be")
        self.assert_refused(["--labels", labels, "-T", "2", "--prior", "1,1=1,0,0,2", "--payoff", "1,0,0,1"],
                            "cannot be combined")
        many = self.write("m", "task\tworker\tlabel\na\tw\tx\nb\tw\ty\nc\tw\tz\n")
        self.assert_refused(["--labels", many, "-T", "2", "--prior", "1,1,1", "--payoff", "1,0,0,2"], "two classes")


if __name__ == "__main__":
    main()
