"""Task assignment with labels of several classes, against BBTA written out from its definition.

    test_assignment_classes_cli.py PROGRAM [unittest option...]
"""

import json
import math
import random
import sys

sys.dont_write_bytecode = True
from cli import SCALE, SEED, FolderCase, main  # noqa: E402

ZERO = 1e-12
LABEL, TIE, GUESS = 0, 2, 5  # purposes of random numbers (bench/random.h)
WHICH, COIN = 0, 1
NAMES = ("naive", "bbta:0", "bbta:1", "bbta:0,skip", "bbta:1,fresh", "bbta:2,skip,fresh")


def draw(seed, purpose, run, instance, number):
    """64 bits by Philox4x32-10."""
    block, key = [number, instance, run, purpose << 24], [seed, 0]
    for _ in range(10):
        one, two = 0xD2511F53 * block[0], 0xCD9E8D57 * block[2]
        block = [two >> 32 ^ block[1] ^ key[0], two & 0xFFFFFFFF, one >> 32 ^ block[3] ^ key[1], one & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) % 2 ** 32, (key[1] + 0xBB67AE85) % 2 ** 32]
    return block[1] << 32 | block[0]


def unit(bits):
    return (bits >> 11) / 2 ** 53


def given_label(bits, accuracy, classes, truth):
    """The truth with this probability, else one of the other classes."""
    u = unit(bits)
    others = [c for c in range(classes) if c != truth]
    return truth if u < accuracy else others[min(int((u - accuracy) / (1 - accuracy) * len(others)), len(others) - 1)]


class Literal:
    """One run of a policy: `label` {(task, worker): class} are all labels that exist."""

    def __init__(self, name, tasks, workers, classes, context, label, seed, run):
        self.tasks, self.workers, self.classes, self.context, self.label = tasks, workers, classes, context, label
        self.seed, self.run, self.asked = seed, run, 0
        parts = name.partition(":")[2].split(",")
        self.naive = name == "naive"
        self.explored = 0 if self.naive else int(parts[0])
        self.skip, self.fresh = "skip" in parts, "fresh" in parts
        self.known, self.steps = {}, {}
        self.loss = {(s, j): 0.0 for s in set(context) for j in range(workers)}
        self.weight = dict.fromkeys(self.loss, 1.0)

    def bits(self, what):
        return draw(self.seed, TIE, self.run, what, self.asked)

    def votes(self, i):
        own = [0.0] * self.classes
        for j in range(self.workers):
            if (i, j) in self.known:
                own[self.known[i, j]] += 1 if self.naive else self.weight[self.context[i], j]
        return own, sum(self.weight[self.context[i], j] for j in range(self.workers))

    def leaders(self, i):
        own, total = self.votes(i)
        return [c for c in range(self.classes) if max(own) - own[c] <= ZERO * total]

    def confidence(self, i):
        own, total = self.votes(i)
        first, second = sorted(own)[:-3:-1]
        return (first - second) / total

    def pick(self, i):
        """The class that is called; of equally good ones a draw decides."""
        best = self.leaders(i)
        return best[self.bits(COIN) * len(best) >> 64] if len(best) > 1 else best[0]

    def ask(self, i, j):
        self.known[i, j] = self.label[i, j]

    def play(self):
        """Asks label by label; yields after each."""
        if self.naive:
            while free := [cell for cell in sorted(self.label) if cell not in self.known]:
                self.ask(*free[self.bits(WHICH) * len(free) >> 64])
                self.asked += 1
                yield
            return
        first = [i for i in range(self.tasks) if self.context[:i].count(self.context[i]) < self.explored]
        for i in first:
            there = [j for j in range(self.workers) if (i, j) in self.label]
            for j in there:
                self.ask(i, j)
                if j == there[-1]:
                    called = self.pick(i)
                    for k in there:
                        self.loss[self.context[i], k] += self.known[i, k] != called
                self.asked += 1
                yield
        while open_ := [i for i in range(self.tasks) if any((i, j) in self.label and (i, j) not in self.known
                                                            for j in range(self.workers))]:
            least = open_[0]
            for i in open_:
                if self.confidence(i) < self.confidence(least) - ZERO:
                    least = i
            self.adapt(least)
            self.asked += 1
            yield

    def adapt(self, i):
        s, workers = self.context[i], range(self.workers)
        self.steps[s] = self.steps.get(s, 0) + 1
        eta = math.sqrt(math.log(self.workers) / (self.steps[s] * self.workers))

        def weights(over):
            least = min(self.loss[s, j] for j in over)
            return {j: math.exp(-eta * (self.loss[s, j] - least)) for j in over}

        self.weight.update({(s, j): w for j, w in weights(workers).items()})
        able = weights([j for j in workers if (i, j) in self.label and not (self.skip and (i, j) in self.known)])
        rest = unit(self.bits(WHICH)) * sum(able.values())
        for j in able:
            chosen = j
            rest -= able[j]
            if rest < 0:
                break
        self.ask(i, chosen)
        if self.pick(i) != self.known[i, chosen]:
            self.loss[s, chosen] += sum(able.values()) / able[chosen]
        if self.fresh:
            self.weight.update({(s, j): w for j, w in weights(workers).items()})

    def right(self, truth):
        shares = [1 / len(best) if t in best else 0 for best, t in zip(map(self.leaders, range(self.tasks)), truth)]
        return sum(shares) / self.tasks


class ClassesTest(FolderCase):
    def write(self, name, head, rows):
        path = self.folder / name
        path.write_text("".join("\t".join(map(str, row)) + "\n" for row in [head, *rows]))
        return str(path)

    def problem(self, source, classes):
        """Files, and the same as numbers in the order of the first labels."""
        tasks, workers = 7, 4
        names = ["cat", "dog", "emu", "fox"][:classes]
        truth = [i % classes for i in range(tasks)]
        label = {(i, j): truth[i] if source.random() < 0.5 else source.randrange(classes) for i in range(tasks)
                 for j in range(workers) if j == i % workers or source.random() < 0.8}
        for c in range(classes):
            label[c, c % workers] = c  # every class occurs
        # the first task has all workers, so that they are numbered in their order
        label.update({(0, j): label.get((0, j), source.randrange(classes)) for j in range(workers)})
        context = [source.randrange(2) for _ in range(tasks)]
        context[0] = 0
        self.labels = self.write("labels.tsv", ("task", "worker", "label"),
                                 [(f"t{i}", f"w{j}", names[label[i, j]]) for i, j in sorted(label)])
        self.gold = self.write("gold.tsv", ("task", "label"), [(f"t{i}", names[truth[i]]) for i in range(tasks)])
        self.contexts = self.write("contexts.tsv", ("task", "context"), enumerate_(context))
        return tasks, workers, classes, context, label, truth

    def agree(self, document, of, labels_of, runs):
        tasks, workers, classes, context, _, truth = of
        at = [point["labels"] for point in document["policies"][0]["points"]]
        plays = []
        for row in document["policies"]:
            right = dict.fromkeys(at, 0)
            for run in range(runs):
                play = Literal(row["name"], tasks, workers, classes, context, labels_of(run), 1, run)
                going = play.play()
                for budget in at:
                    while play.asked < budget and next(going, "over") != "over":
                        pass
                    right[budget] += play.right(truth) / runs
                if run == 0:
                    plays.append(play)
            for point in row["points"]:
                self.assertAlmostEqual(point["accuracy"], right[point["labels"]], delta=1e-12, msg=row["name"])
        return plays

    def test_replays_agree_with_the_definition(self):
        for number in range(max(1, round(3 * SCALE))):
            of = self.problem(random.Random(f"{SEED} {number}"), 3 + number % 2)
            file, label = self.folder / "result.json", of[4]
            found = self.document("replay", "--problem", "assignment", "--labels", self.labels, "--gold", self.gold,
                                  "--contexts", self.contexts, "--fill", "none", "--runs", "3", "--at", "5,8,12",
                                  "-T", str(len(label)), *words(NAMES), "--result", str(file))
            self.assertEqual(found["classes"], ["cat", "dog", "emu", "fox"][:of[2]])
            plays = self.agree(found, of, lambda run: label, 3)
            for play, result in zip(plays, json.loads(file.read_text())):
                self.check_result(play, result, found["classes"], of[5])

    def check_result(self, play, result, names, truth):
        right = 0
        for i, row in enumerate(result["tasks"]):
            best = play.leaders(i)
            right += (truth[i] in best) / len(best)
            own = [play.known[cell] for cell in play.known if cell[0] == i]
            self.assertEqual(row["counts"], [own.count(c) for c in range(play.classes)])
            self.assertEqual(row["call"], names[best[0]] if len(best) == 1 else "tie")
            if not play.naive:
                self.assertAlmostEqual(row["score"], play.confidence(i), delta=1e-12)
        self.assertAlmostEqual(result["totals"]["right"], right, delta=1e-12)
        for row in result["workers"]:
            for s in range(2) if not play.naive and 1 in play.context else ():
                at = s, int(row["worker"][1:])
                self.assertAlmostEqual(row["loss"][s], play.loss[at], delta=1e-12 * (1 + play.loss[at]))
                self.assertAlmostEqual(row["weight"][s], play.weight[at], delta=1e-12)

    def test_missing_labels_err_to_any_other_class(self):
        of = self.problem(random.Random(SEED), 4)
        tasks, workers, classes, context, label, truth = of
        whole = {}
        for i in range(tasks):
            for j in range(workers):
                own = [label[k, j] == truth[k] for k in range(tasks) if context[k] == context[i] and (k, j) in label]
                whole[i, j] = label.get((i, j), given_label(draw(1, GUESS, 0, i, j), (sum(own) + 1) / (len(own) + 2),
                                                            classes, truth[i]))
        found = self.document("replay", "--problem", "assignment", "--labels", self.labels, "--gold", self.gold,
                              "--contexts", self.contexts, "--runs", "2", "-T", "20")
        self.assertEqual([row["name"] for row in found["policies"]], ["naive", "bbta:0", "bbta:1"])
        self.agree(found, of, lambda run: whole, 2)

    def test_crowds_label_classes(self):
        of = self.problem(random.Random(SEED), 3)
        tasks, workers, classes, context, _, truth = of
        of = tasks, workers, classes, [0] * tasks, None, truth  # one context: all are right with 0.9
        found = self.document("simulate", "--problem", "assignment", "--gold", self.gold, "--crowd", f"one-coin:{workers}",
                              "--runs", "3", "-T", "20", *words(NAMES[:3]))

        def labels_of(run):
            return {(i, j): given_label(draw(1, LABEL, run, i, j), 0.9, classes, truth[i]) for i in range(tasks)
                    for j in range(workers)}

        self.agree(found, of, labels_of, 3)
        for row in found["policies"]:  # equal accuracies: the posterior calls as the plurality does
            for point in row["points"]:
                self.assertEqual(point["called"]["mean"], point["majority"]["mean"])

    def test_other_policies_and_fills_require_two_classes(self):
        self.problem(random.Random(SEED), 3)
        recorded = ("replay", "--problem", "assignment", "--labels", self.labels, "--gold", self.gold)
        self.assert_refused((*recorded, "--fill", "grouse"), "--fill grouse requires labels of two classes, got 3")
        found = self.document(*recorded, "--runs", "2", *words(("naive", "opt-kg", "bbta:0,plus")))
        self.assertEqual([row["status"] for row in found["policies"]], ["ok", "not replayed", "not replayed"])
        for row, says in zip(found["policies"][1:], ("opt-kg' requires labels of two classes, got 3; choose naive or bbta",
                                                     "plus requires labels of two classes, got 3; omit it")):
            self.assertIn(says, row["message"])

    def test_gold_of_a_crowd_has_at_most_ten_classes(self):
        def gold(*labels):
            path = self.write("odd.tsv", ("task", "label"), enumerate_(labels))
            return "simulate", "--problem", "assignment", "--gold", path, "--crowd", "one-coin:3", "-T", "3"

        self.assert_refused(gold(*range(11)), "11 classes, and at most 10 are supported")
        self.assert_refused(gold("fox", "1", "emu"), "those before it are words")
        for labels in ("no", "yes"), ("fox", "fox"):
            self.assertNotIn("classes", self.document(*gold(*labels), "--runs", "2"))
        self.assertEqual(self.document(*gold("fox", "x" * 40, "emu"), "--runs", "2")["classes"], ["emu", "fox", "x" * 40])


def enumerate_(words_):
    return [(f"t{i}", word) for i, word in enumerate(words_)]


def words(names):
    return [word for name in names for word in ("--policy", name)]


if __name__ == "__main__":
    main()
