"""Answers are functions of the labels: not of the order of rows, nor of names, nor of which class is positive.

    test_same_labels_cli.py PROGRAM [unittest option...]
"""

import json
import math
import random
import sys

sys.dont_write_bytecode = True
from cli import SCALE, SEED, FolderCase, main, run  # noqa: E402

# Every command that reads labels. With all labels bought, the order in which a replay buys them does not count.
LABELS = ["--labels", "{labels}", "--prior", "{prior}"]
COMMANDS = [
    ["next", *LABELS[:2], "--final", "--gold", "{gold}"],
    ["next", *LABELS, "--final", "--workers-prior", "4,1", "--gold", "{gold}"],
    ["next", *LABELS, "--final", "--workers-prior", "{coins}"],
    ["next", *LABELS, "-T", "9", "--batch", "4"],
    ["next", *LABELS, "-T", "9", "--batch", "6", "--per-batch", "2"],
    ["fit", "{labels}"],
    ["fit", "{labels}", "--method", "moments"],
    ["labels", "{labels}", "--gold", "{gold}"],
    ["replay", *LABELS, "--gold", "{gold}", "-T", "{all}", "--at", "{all}", "--runs", "2", "--policies", "kg"],
]
# Shuffled rows change no printed byte, nor a choice: also of the other tables and of several classes.
SOURCES = ["--source", "judge:1:0.7", "--source", "person:3:0.9"]
ROWS = {
    "sourced": [["next", *LABELS[:2], *SOURCES, "-T", "9", "--batch", "5"], ["next", *LABELS[:2], *SOURCES, "--final"]],
    "pairs": [["next", "--pairs", "{labels}", *words] for crowd in ([], ["--workers-prior", "4,1"])
              for words in (["--final", *crowd], ["--batch", "5", *crowd], ["--batch", "5", "--policy", "distance", *crowd])],
    "classes": [["next", *LABELS[:2], "--final"], ["next", *LABELS[:2], "--final", "--workers-prior", "4,1"],
                ["next", *LABELS[:2], "--final", "--workers-prior", "4,1/3,2"],
                ["next", *LABELS[:2], "-T", "9", "--batch", "4"], ["fit", "{labels}"], ["labels", "{labels}"]],
}
# What is measured or repeats the command.
OTHER = {"version", "commit", "command", "seconds", "table_seconds"}


class Table:
    """Labels, a list of (task, worker, label), and the true label of each task."""

    def __init__(self, rows, gold, mirrored=False):
        self.rows, self.gold, self.mirrored = rows, gold, mirrored

    def shuffled(self, source):
        return Table(source.sample(self.rows, len(self.rows)), dict(source.sample(list(self.gold.items()), len(self.gold))))

    def renamed(self, names):
        return Table([(names[task], names[worker], label) for task, worker, label in self.rows],
                     {names[task]: label for task, label in self.gold.items()})

    def exchanged(self):
        """Both classes, and with them the priors."""
        return Table([(task, worker, 1 - label) for task, worker, label in self.rows],
                     {task: 1 - label for task, label in self.gold.items()}, True)


def random_table(source):
    tasks, workers = source.randint(4, 12), source.randint(2, 7)
    good = [source.betavariate(4, 1) for _ in range(workers)]
    rows, gold = [], {}
    for task in range(tasks):
        soft = source.random()
        gold[f"t{task}"] = int(soft > 0.5)
        for worker in source.sample(range(workers), source.randint(1, workers)):
            reliable = source.random() < soft
            rows.append((f"t{task}", f"w{worker}", int(reliable == (source.random() < good[worker]))))
    return Table(rows, gold)


def exchange_names(source, table):
    names = {}
    for column in 0, 1:
        old = sorted({row[column] for row in table.rows})
        names.update(zip(old, source.sample(old, len(old))))
    return names


def restored(value, key, names, mirrored):
    """An answer about the original labels: names and classes as they were, and lists by name."""
    if isinstance(value, dict):
        swapped = {"positive": "negative", "negative": "positive"} if mirrored else {}
        found = {swapped.get(k, k): restored(v, k, names, mirrored) for k, v in value.items() if k not in OTHER}
        return {**found, "mean": 1 - found["mean"]} if mirrored and "log_likelihood" in found else found  # of fit
    if isinstance(value, list):
        if mirrored and key in ("prior", "standard_error"):
            value = value[::-1]
        if mirrored and key == "posterior" and len(value) == 4:
            value = value[2:] + value[:2]
        rows = [restored(v, None, names, mirrored) for v in value]
        by = {"final": "task", "workers": "worker", "classes": "class"}.get(key)
        return sorted(rows, key=lambda row: row[by]) if by and rows and isinstance(rows[0], dict) else rows
    if mirrored and key in ("call", "class"):
        return {"0": "1", "1": "0"}[value]
    return names.get(value, value) if isinstance(value, str) else value


def without_choice(answer):
    """Equally good tasks are chosen by a random number for each name."""
    for row in answer.get("next", ()):
        for key in "task", "positive", "negative":
            del row[key]
    answer.pop("summary", None)
    return answer


class SameLabels(FolderCase):
    def assert_close(self, x, y, about):
        """Up to rounding: printed numbers have ten digits at most."""
        if isinstance(x, dict):
            self.assertEqual(x.keys(), y.keys(), about)
            for key in x:
                self.assert_close(x[key], y[key], (*about, key))
        elif isinstance(x, list):
            self.assertEqual(len(x), len(y), about)
            for k, (one, other) in enumerate(zip(x, y)):
                self.assert_close(one, other, (*about, k))
        elif isinstance(x, float) and isinstance(y, float):
            self.assertTrue(math.isclose(x, y, rel_tol=1e-10, abs_tol=1e-12), (about, x, y))
        else:
            self.assertEqual(x, y, about)

    def ask(self, words, table):
        files = {
            "labels": self.write("labels.csv", "task,worker,label\n" + "".join(f"{t},{w},{z}\n" for t, w, z in table.rows)),
            "gold": self.write("gold.csv", "task,label\n" + "".join(f"{t},{z}\n" for t, z in table.gold.items())),
            "prior": "1,2" if table.mirrored else "2,1",
            "coins": "3,2/4,1" if table.mirrored else "4,1/3,2",
            "all": len(table.rows),
        }
        done = run(*(word.format(**files) for word in words), "--json", "--quiet")
        self.assertIn(done.returncode, (0, 2), (words, table.rows, done.stderr))  # some tables have no fit
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def test_rows_names_and_classes_change_nothing(self):
        source, answered = random.Random(90 + SEED), 0
        for _ in range(max(1, int(2 * SCALE))):
            table = random_table(source)
            names = exchange_names(source, table)
            back = {new: old for old, new in names.items()}
            for words in COMMANDS:
                about = (words, table.rows)
                first = restored(self.ask(words, table), None, {}, False)
                answered += first != {}
                other = self.ask(words, table.shuffled(source))
                self.assert_close(restored(other, None, {}, False), first, about)
                first = without_choice(first)
                other = self.ask(words, table.shuffled(source).renamed(names))
                self.assert_close(without_choice(restored(other, None, back, False)), first, about)
                if any(row["probability"] == 0.5 for row in first.get("final", ())):
                    continue  # the call of a tie is that of the first class
                other = self.ask(words, table.shuffled(source).exchanged())
                self.assert_close(without_choice(restored(other, None, {}, True)), first, about)
        self.assertGreater(2 * answered, len(COMMANDS))

    def test_rows_change_no_byte(self):
        source = random.Random(91 + SEED)
        for kind, commands in ROWS.items():
            for _ in range(max(1, int(4 * SCALE))):
                tasks, workers = [f"t{i}" for i in range(source.randint(6, 20))], ["judge", "person:a", "person:b", "judge:2"]
                rows = [[task, worker, source.choice("xyz" if kind == "classes" else "01")] for task in tasks
                        for worker in source.sample(workers, source.randint(1, 4))]
                head = "task,worker,label\n"
                if kind == "pairs":
                    head = "left,right,label,worker\n"
                    rows = [[*pair, source.choice(pair), source.choice(workers)] for pair in
                            (source.sample(tasks[:8], 2) for _ in range(20))]
                for words in commands:
                    said = set()
                    for _ in range(3):
                        source.shuffle(rows)
                        path = self.write("rows.csv", head + "".join(",".join(row) + "\n" for row in rows))
                        done = run(*(word.format(labels=path) for word in words))
                        self.assertIn(done.returncode, (0, 2), done.stderr)  # fit, of some tables
                        said.add(("".join(sorted(done.stdout.splitlines(True))) if "--final" in words or words[0] == "labels"
                                  else done.stdout, done.stderr))
                    self.assertEqual(len(said), 1, (words, rows, said))


if __name__ == "__main__":
    main()
