#!/usr/bin/env python3
"""Files of labels as people have them: columns, separators, missing labels, encodings, and exports.

    test_columns_cli.py PROGRAM [unittest option...]
"""

import csv
import gzip
import io
import itertools
import json
import os
import pathlib
import random
import sys
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
LABELS = ROOT / "tests" / "data" / "labels"
SHARED = pathlib.Path(os.environ.get("OPTGAP_SHARED") or ROOT.parent / "shared") / "data"


class Case(FolderCase):
    def write(self, name, text, encoding="utf-8"):
        (self.folder / name).write_bytes(text.encode(encoding) if isinstance(text, str) else text)
        return self.folder / name

    def answer(self, *words):
        done = run(*words, "--json")
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return json.loads(done.stdout)

    def rows(self, *words):
        """The labels as `labels -o` writes them, and the summary."""
        out = self.folder / "plain.csv"
        found = self.answer("labels", *words, "-o", out)
        with open(out, newline="") as file:
            head, *rows = csv.reader(file)
        self.assertEqual(head, ["task", "worker", "label"])
        self.assertEqual(sum(row[1:] == ["", ""] for row in rows), found["tasks_without_labels"])
        return [row for row in rows if row[2]], found

    def refused(self, said, *words):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (words, done.stderr))
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        self.assertIn(said, done.stderr)


class Exports(Case):
    """Two reviews, labelled by two people, and one that is skipped."""

    def check(self, name, tasks=("1", "2"), workers=("rita", "sven"), classes=("negative", "positive"), words=()):
        rows, found = self.rows(LABELS / name, *words)
        low, high = classes
        (one, other), (first, second) = tasks, workers
        self.assertEqual(sorted(rows), sorted([[one, first, high], [one, second, high], [other, first, low], [other, second, high]]), name)
        self.assertEqual((found["tasks_without_labels"], found["ties"]), (1, 1), name)
        self.assertEqual([row["class"] for row in found["classes"]], [low, high], name)
        return found

    def test_each_is_read_as_it_is(self):
        mails, numbers = ("rita@example.org", "sven@example.org"), ("4", "5")
        turkers = ("A1RITA", "A2SVEN")
        for name, told, more in (
                ("label-studio.csv", "Label Studio: task 'id', worker 'annotator', label 'mood'", {}),
                ("label-studio.json", "Label Studio (JSON)", {"workers": mails}),
                ("label-studio-min.json", "Label Studio: task 'id', worker 'annotator', label 'mood'", {"workers": numbers}),
                ("prodigy.jsonl", "Prodigy (JSON)",
                 {"workers": ("mood-rita", "mood-sven"), "classes": ("reject", "accept"), "tasks": ("-340967702", "2003036685")}),
                ("prodigy-choice.jsonl", "Prodigy (JSON)", {"workers": ("mood-rita", "mood-sven")}),
                ("mturk.csv", "Mechanical Turk: task 'HITId'", {"workers": turkers, "tasks": ("3AAA", "3BBB")}),
                ("mturk-buttons.csv", "Mechanical Turk: task 'Input.id'", {"workers": turkers}),
                ("mturk-answers.csv", "Mechanical Turk: task 'HITId'", {"workers": turkers}),
                ("toloka.tsv", "Toloka: task 'INPUT:image'", {"workers": ("w-rita", "w-sven")}),
                ("doccano.jsonl", "doccano (JSON)", {"workers": numbers, "classes": ("1", "2")}),
                ("answer.csv", "table: task 'question', worker 'worker', label 'answer'", {})):
            self.assertTrue(self.check(name, **more)["form"].startswith(told), name)
        self.check("gal.txt", words=("--format", "gal"))
        self.check("gal.txt", words=("--columns", "2,1,3"))
        self.check("gal.txt", words=("--columns", "worker=1,task=2,label=3"))
        self.check("wide.csv", words=("--wide", "--columns", "task=review"))

    def test_a_format_by_name_is_the_same(self):
        for name, format in (("label-studio.csv", "label-studio"), ("label-studio.json", "label-studio"),
                             ("label-studio-min.json", "label-studio"), ("prodigy.jsonl", "prodigy"), ("mturk.csv", "mturk"),
                             ("toloka.tsv", "toloka"), ("doccano.jsonl", "doccano"), ("answer.csv", "truth-inference")):
            self.assertEqual(self.rows(LABELS / name, "--format", format)[0], self.rows(LABELS / name)[0])
        self.refused("--columns label=NAME", "labels", LABELS / "label-studio.json", "--format", "table")

    def test_a_format_by_name_is_that_of_the_file(self):
        for format in ("label-studio", "prodigy", "mturk", "toloka", "doccano", "ground-truth", "figure-eight", "zooniverse",
                       "argilla", "potato"):
            self.refused(f"the columns are not those of --format {format}; omit it", "labels", LABELS / "answer.csv", "--format",
                         format)
        self.refused("--format mturk", "labels", LABELS / "toloka.tsv", "--format", "mturk")

    def test_one_file_for_each_person(self):
        rows, found = self.rows(LABELS / "rita.jsonl")
        self.assertEqual(rows, [["1", "rita", "positive"], ["2", "rita", "negative"]])
        self.assertEqual(found["tasks_without_labels"], 1)

    def test_other_columns(self):
        for name, words, tasks in (("label-studio.json", "task=text", {"Fast, and it works.", "Broke after a day."}),
                                   ("label-studio.json", "task=data.text,label=mood", {"Fast, and it works.", "Broke after a day."}),
                                   ("mturk.csv", "task=Input.text,label=Answer.mood.label", {"Fast, and it\nworks.", "Broke after a day."}),
                                   ("prodigy.jsonl", "task=text", {"Fast, and it works.", "Broke after a day."}),
                                   ("toloka.tsv", "task=ASSIGNMENT:task_id", {"t1", "t2"})):
            self.assertEqual({row[0] for row in self.rows(LABELS / name, "--columns", words)[0]}, tasks)
        self.refused("there are 'id', 'data', 'annotations'", "labels", LABELS / "label-studio.json", "--columns", "task=foo")

    def test_gold(self):
        for labels, gold, words in (("answer.csv", "truth.csv", ()), ("gal.txt", "gal-gold.txt", ("--format", "gal"))):
            found = self.answer("labels", LABELS / labels, "--gold", LABELS / gold, *words)["gold"]
            self.assertEqual((found["tasks"], found["majority_accuracy"]), (2, 0.75), labels)
        for name, *words in ("label-studio.json",), ("toloka.tsv",), ("wide.csv", "--wide", "--columns", "task=review"):
            found = self.answer("labels", LABELS / name, "--gold", LABELS / name, *words)["gold"]
            self.assertEqual((found["tasks"], found["majority_accuracy"]), (1, 1), name)

    def test_bad_json(self):
        for text, said in (("[{\"id\": 1,}]", "line 1: not valid JSON"), ("{\"id\": 1}\n{\"id\"", "line 2: the file ends inside a JSON object"),
                           ("[{\"task\": 1, \"worker\": 2, \"label\": 0},\n", "the file ends inside a JSON array"),
                           ("{\"task\":1,\"worker\":2,\"label\":[0,1]}", "line 1: several labels in one answer"),
                           ("{\"task\":{\"a\":1},\"worker\":2,\"label\":0}", "there are 'task.a', 'worker', 'label'"),
                           ("{\"task\":1,\"worker\":2,\"label\":0}\n{\"task\":1,\"worker\":2,\"label\":\"x\"}", "line 2: the label is 'x'")):
            self.refused(said, "labels", self.write("labels.json", text))


class Columns(Case):
    ROWS = [("a", "w", "cat"), ("a", "v w", "dog"), ("b;c", "w", "dog"), ("b;c", "v w", "dog"), ("c", "u", "cat"), ("c", "w", "cat")]

    def table(self, heads, between=",", places=(0, 1, 2), rows=None):
        out = io.StringIO()
        table = csv.writer(out, delimiter=between, lineterminator="\n")
        for row in ([heads] if heads else []) + (rows or self.ROWS):
            table.writerow([row[place] for place in places])
        return out.getvalue()

    def test_random_names_places_and_separators(self):
        """Written by Python's csv module in every way, the same labels are read."""
        draw = random.Random(5)
        tasks = ["task", "Task_ID", "QUESTION", "item", "orig_id", "object", "id"]
        workers = ["worker", "Worker ID", "performer", "ANNOTATOR", "user", "rater", "!amt_worker_ids"]
        labels = ["label", "Answer", "response", "VALUE", "choice"]
        for _ in range(40):
            heads = [draw.choice(tasks), draw.choice(workers), draw.choice(labels)]
            places = draw.sample(range(3), 3)
            text = self.table(heads, draw.choice(",;|"), places)
            self.assertEqual(self.rows(self.write("labels", text))[0], [list(row) for row in self.ROWS], text)
            heads = [f"my {name}" for name in "xyz"]
            words = ",".join(f"{role}={name}" for role, name in zip(("task", "worker", "label"), heads))
            self.write("labels.gz", gzip.compress(self.table(heads, draw.choice(",;|"), places).encode()))
            for given in words, ",".join(heads), ",".join(f"{role}={place}" for role, place in
                                                          zip(("task", "worker", "label"), heads)):
                self.assertEqual(self.rows(self.folder / "labels.gz", "--columns", given)[0], [list(row) for row in self.ROWS])
            numbers = ",".join(str(places.index(k) + 1) for k in range(3))
            for head in None, ["task", "worker", "label"]:
                text = self.table(head, draw.choice(",;|\t"), places)
                self.assertEqual(self.rows(self.write("labels", text), "--columns", numbers)[0], [list(row) for row in self.ROWS])

    def test_all_commands(self):
        """Each gives with --columns what it gives for the plain table."""
        gold = [("a", "cat"), ("b;c", "dog"), ("c", "cat")]
        plain = self.write("plain", self.table(["task", "worker", "label"]))
        other = self.write("other", self.table(["x", "y", "z"]))
        truth = self.write("truth", self.table(["task", "label"], places=(0, 1), rows=gold))
        known = self.write("known", self.table(["x", "t"], places=(0, 1), rows=gold))
        columns = ["--columns", "task=x,worker=y,label=z,gold=t"]
        for words, at in ((["fit", "--method", "paper", plain], [other]), (["next", "--final", "--prior", "1,1", "--labels", plain], [other]),
                          (["next", "-T", "3", "--prior", "1,1", "--labels", plain], [other]),
                          (["replay", "--runs", "2", "--prior", "1,1", "--policies", "uniform", "--gold", truth, "--labels", plain], [known, other]),
                          (["replay", "--problem", "labelers", "--runs", "2", "--gold", truth, "--labels", plain], [known, other])):
            changed = [at.pop(0) if word in (plain, truth) else word for word in words]
            one, two = self.answer(*words), self.answer(*changed, *columns)
            for each in one, two:
                each.pop("command")
            drop = lambda value: {k: drop(v) for k, v in value.items() if "seconds" not in k and k not in ("labels_file", "file", "name")} \
                if isinstance(value, dict) else [drop(v) for v in value] if isinstance(value, list) else value
            self.assertEqual(json.dumps(drop(one)).replace(str(plain), str(other)), json.dumps(drop(two)), words)

    def test_messages(self):
        labels = self.write("labels", "a,b,c\n1,2,3\n")
        for said, *words in (("no column 'task'; there are 'a', 'b', 'c'; name it by --columns task=NAME",),
                             ("no column 'x' (--columns); there are 'a', 'b', 'c'", "--columns", "task=x"),
                             ("--columns must name task, worker", "--columns", "tsk=a"),
                             ("a name is empty", "--columns", "task="), ("a name is empty", "--columns", ""),
                             ("is to be in column 4", "--columns", "1,2,4"), ("no number for the label", "--columns", "1"),
                             ("no column 'worker'", "--wide", "--columns", "task=a,worker=x"),
                             ("--encoding must be utf8 or latin1", "--encoding", "ebcdic")):
            if "--wide" in words:
                said = "no column of a worker"
            self.refused(said, "labels", labels, *words)

    def test_pairs_of_words_among_three_classes(self):
        """The usual order of two words is no order of three."""
        for classes in ("accept", "other", "reject"), ("no", "unclear", "yes"), ("false", "maybe", "true"):
            rows = [(f"t{k}", "w", name) for k, name in enumerate(classes)]
            found = self.answer("labels", self.write("labels", self.table(["task", "worker", "label"], rows=rows)))["classes"]
            self.assertEqual([(row["class"], row["labels"]) for row in found], [(name, 1) for name in classes])

    def test_gold_twice(self):
        labels = self.write("labels", self.table(["task", "worker", "label"]))
        one = self.write("one", "task,gold\na,cat\nc,cat\na,cat\n")
        self.assertEqual(self.answer("labels", labels, "--gold", one)["gold"]["tasks"], 2)
        two = self.write("two", "task,gold\na,cat\nc,cat\na,dog\n")
        self.refused("line 4: task 'a' has two different gold labels, 'dog' here and 'cat' in line 2", "labels", labels, "--gold", two)
        self.refused("no column 'x' (--columns); there are 'task', 'gold'", "labels", labels, "--gold", one, "--columns", "gold=x")
        both = self.write("both", "task,worker,label,gold\na,w,cat,dog\na,v,dog,dog\nb,v,cat,\n")
        self.assertEqual(self.answer("labels", both, "--gold", both)["gold"], {
            "tasks": 1, "tasks_without_gold": 1, "gold_without_labels": 0, "majority_accuracy": 0.5})

    def test_missing(self):
        rows = [*self.ROWS, ("d", "w", "unsure"), ("a", "u", ""), ("c", "", "NA"), ("d", "", "")]
        labels = self.write("labels", self.table(["task", "worker", "label"], rows=rows))
        found, said = self.rows(labels, "--missing", "unsure,NA")
        self.assertEqual(found, [list(row) for row in self.ROWS])
        self.assertEqual((said["rows_without_label"], said["tasks_without_labels"]), (4, 1))
        for words in (["fit", "--method", "paper", labels], ["next", "--final", "--prior", "1,1", "--labels", labels]):
            done = run(*words, "--missing", "unsure,NA")
            self.assertIn(f"{labels}: 4 rows without a label are left out", done.stderr)
            self.assertEqual(run(*words, "--missing", "unsure,NA", "--quiet").stderr, "")
        labels = self.write("labels", "task,worker,label\na,w,1\na,v,-1\nb,w,0\nb,v,-1.0\n")
        for missing in "-1", "7,-1":
            self.assertEqual(self.rows(labels, "--missing", missing)[0], [["a", "w", "1"], ["b", "w", "0"]])
        found, said = self.rows(labels, "--missing", "0,1,-1")
        self.assertEqual((found, said["rows_without_label"], said["tasks_without_labels"]), ([], 4, 2))

    def test_positive(self):
        labels = self.write("labels", self.table(["task", "worker", "label"]))
        plain = self.answer("next", "--final", "--prior", "2,1", "--labels", labels)["final"]
        turned = self.answer("next", "--final", "--prior", "1,2", "--labels", labels, "--positive", "cat")["final"]
        for one, two in zip(plain, turned):
            self.assertEqual((one["task"], one["positive"], one["negative"], one["call"]),
                             (two["task"], two["negative"], two["positive"], two["call"]))
            self.assertAlmostEqual(one["probability"], two["probability"], delta=1e-12)
        self.refused("--positive must be 'cat' or 'dog', not 'cow'", "labels", labels, "--positive", "cow")
        one = self.write("one", "task,worker,label\na,w,cat\nb,w,cat\n")
        self.assertEqual([row["class"] for row in self.answer("labels", one, "--positive", "dog")["classes"]], ["cat", "dog"])

    def test_encodings(self):
        text = "task,worker,label\nM\xfcller,Andr\xe9,1\nM\xf6ller,Andr\xe9,0\n"
        latin = self.write("latin", text, "latin-1")
        for command in (["labels"], ["fit"], ["next", "-T", "1", "--labels"]):
            self.refused("line 2: the byte 0xFC is not UTF-8; for a file in Latin-1 give --encoding latin1", *command, latin)
        rows, found = self.rows(latin, "--encoding", "latin1")
        self.assertEqual(rows, [["M\xfcller", "Andr\xe9", "1"], ["M\xf6ller", "Andr\xe9", "0"]])
        self.assertEqual(rows, self.rows(self.write("utf8", text))[0])

    def test_wide(self):
        rows = [("q1", "1", "0", "", "yes"), ("q2", "1", "?", "1", "no"), ("q3", "", "", "", ""), ("q4", "", "0", "", "a\nb")]
        wide = self.write("wide", self.table(["id", "rita", "sven", "ute", "note"], ";", range(5), rows))
        want = [["q1", "rita", "1"], ["q1", "sven", "0"], ["q2", "rita", "1"], ["q2", "ute", "1"], ["q4", "sven", "0"]]
        found, said = self.rows(wide, "--wide", "--missing", "?", "--columns", "worker=rita,worker=sven,worker=ute")
        self.assertEqual((found, said["tasks_without_labels"], said["workers"]), (want, 1, 3))
        self.refused("the label is 'yes'", "labels", wide, "--wide")
        bare = self.write("bare", self.table(None, ";", range(4), rows))
        self.assertEqual(self.rows(bare, "--wide", "--missing", "?", "--columns", "1")[0],
                         [[task, {"rita": "2", "sven": "3", "ute": "4"}[worker], label] for task, worker, label in want])
        self.refused("for a table with a column for each worker give --wide", "labels", self.write("x", "id,rita,sven\nq1,1,0\n"))

    def test_output(self):
        labels = self.write("labels.csv", "task,worker,label\n\"a\n\",w,1\n\"a \"\"b\"\"\tc\",\"w,v\",0\n")
        out = self.folder / "out.csv"
        self.assertEqual(run("labels", labels, "-o", out).returncode, 0)
        again = self.folder / "again.csv"
        self.assertEqual(run("labels", out, "-o", again).returncode, 0)
        self.assertEqual(out.read_bytes(), again.read_bytes())
        self.refused("has a tab or a line end; write a file that ends in .csv", "labels", labels, "-o", self.folder / "out.tsv")
        self.assertFalse((self.folder / "out.tsv").exists())


class Agreement(Case):
    def test_agreement_is_as_defined(self):
        """Against the definitions, pair by pair, in fractions."""
        draw = random.Random(11)
        for _ in range(12):
            classes = draw.choice(["01", "abc", "abcd"])
            rows = [(f"t{draw.randrange(8)}", f"w{draw.randrange(5)}", draw.choice(classes)) for _ in range(draw.randint(12, 40))]
            rows += [("t0", "w0", label) for label in classes]
            tasks = {}
            for task, _, label in rows:
                tasks.setdefault(task, []).append(label)
            pairs = [(x, y, len(own)) for own in tasks.values() for x, y in itertools.permutations(own, 2)]
            agreement = Fraction(sum(x == y for x, y, _ in pairs), len(pairs))
            values = [label for own in tasks.values() if len(own) > 1 for label in own]
            observed = sum(Fraction(x != y, n - 1) for x, y, n in pairs) / len(values)
            every = list(itertools.permutations(values, 2))
            expected = Fraction(sum(x != y for x, y in every), len(every))
            tops = [[own.count(label) for label in classes] for own in tasks.values()]
            gold = {task: draw.choice(classes) for task in tasks}
            right = sum(Fraction(tasks[task].count(label) == max(own), own.count(max(own)))
                        for (task, label), own in zip(gold.items(), tops)) / len(tasks)
            labels = self.write("labels", "task,worker,label\n" + "".join(",".join(row) + "\n" for row in rows))
            truth = self.write("gold", "task,label\n" + "".join(",".join(row) + "\n" for row in gold.items()))
            found = self.answer("labels", labels, "--gold", truth)
            self.assertAlmostEqual(found["agreement"], float(agreement), delta=1e-12)
            self.assertAlmostEqual(found["alpha"], float(1 - observed / expected), delta=1e-12)
            self.assertAlmostEqual(found["gold"]["majority_accuracy"], float(right), delta=1e-12)
            self.assertEqual(found["ties"], sum(own.count(max(own)) > 1 for own in tops))
            self.assertEqual(found["repeated_labels"], len(rows) - len({row[:2] for row in rows}))
            self.assertEqual({row["class"]: row["labels"] for row in found["classes"]},
                             {label: [row[2] for row in rows].count(label) for label in classes})


class EveryTable(Case):
    """Each command that reads a table gets it in every form that people have, and must give the same answer."""

    # kind: usual names in order, rows
    TABLES = {
        "labels": (["task", "worker", "label"], [(f"t{i}", f"w{k}", "yn"[(i * k + i) % 2]) for i in range(4) for k in range(3)]),
        "full": (["task", "worker", "label"], [(f"t{i}", f"w{k}", str((i * k + i) % 2)) for i in range(4) for k in range(3)]),
        "gold": (["task", "label"], [(f"t{i}", "yn"[i % 2]) for i in range(4)]),
        "truth": (["task", "label"], [(f"t{i}", str(i % 2)) for i in range(4)]),
        "contexts": (["task", "context"], [(f"t{i}", "xy"[i // 2]) for i in range(4)]),
        "numbers": (["task", "size", "depth"], [(f"t{i}", str(i), str(5 - i * i)) for i in range(4)]),
        "accuracies": (["context", "worker", "accuracy"], [("a", "u", "0.9"), ("a", "v", "0.6"), ("b", "u", "0.7"), ("b", "v", "0.8")]),
        "matrix": (["task", "worker", "label"], [(str(i), str(k), str((i + k) % 2)) for i in (1, 2) for k in (1, 2)]),
        "pairs": (["worker", "left", "right", "label"], [("u", "a", "b", "a"), ("v", "b", "c", "tie"), ("u", "c", "a", "c"), ("v", "a", "b", "a")]),
        "scores": (["item", "score"], [("a", "3"), ("b", "2"), ("c", "1")]),
        "tasks": (["task", "p"], [("t0", "0.3"), ("t7", "0.8"), ("t8", "")]),
        "closed": (["task"], [("t1",), ("t2",)]),
        "free": (["worker", "task", "capacity"], [("w0", "t0", "1"), ("w7", "t0", "1"), ("w7", "t3", "1"), ("w8", "t3", "2")]),
        "features": (["x", "y"], [("1", "0.5"), ("-1", "2"), ("0", "1")]),
        "votes": (None, [("0.5", "0.9", "0.6", "0.7"), ("0.5", "0.8", "0.7", "0.6")]),
    }
    # names that people use, or None: only the usual ones
    OTHER = {"task": ["Task ID", "QUESTION", "orig_id"], "worker": ["Annotator", "rater", "user id"], "label": ["answer", "Response"],
             "left": ["model_a", "Item A"], "right": ["model_b", "Item B"], "item": ["Object", "name"], "score": ["Truth"],
             "p": ["probability", "Prob"], "capacity": ["Quota", "max labels"], "accuracy": ["quality"], "context": ["Context"]}
    NEXT = ["next", "--prior", "1,1", "-T", "6", "--batch", "3", "--labels", "{labels}"]
    COMMANDS = [
        ["labels", "{labels}", "--gold", "{gold}"], ["fit", "--method", "paper", "{labels}"],
        [*NEXT, "--tasks", "{tasks}", "--model-strength", "2", "--closed", "{closed}", "--workers-free", "{free}"],
        ["next", "--prior", "1,1", "--final", "--labels", "{labels}", "--gold", "{gold}"],
        ["next", "--pairs", "{pairs}", "--batch", "2"], ["next", "--pairs", "{pairs}", "--final", "--workers-prior", "4,1"],
        ["replay", "--runs", "3", "--policies", "uniform,opt-kg", "--labels", "{labels}", "--gold", "{gold}"],
        ["replay", "--runs", "3", "--pairs", "{pairs}", "--gold", "{scores}"],
        ["replay", "--problem", "labelers", "--runs", "2", "--labels", "{full}", "--gold", "{truth}"],
        ["replay", "--problem", "assignment", "--runs", "2", "-T", "4", "--policies", "naive", "--labels", "{full}", "--gold", "{truth}",
         "--contexts", "{contexts}"],
        ["replay", "--problem", "assignment", "--runs", "2", "-T", "4", "--policies", "naive", "--labels", "{full}", "--gold", "{truth}",
         "--kmeans", "2", "--data", "{numbers}"],
        ["simulate", "--problem", "assignment", "--crowd", "one-coin:2", "--runs", "3", "-T", "4", "--gold", "{truth}", "--contexts",
         "{contexts}", "--policies", "naive"],
        ["compare", "--problem", "assignment", "--accuracies", "{accuracies}", "-T", "2", "--policies", "naive", "1x1", "1x2"],
        ["compare", "--problem", "assignment", "--workers-prior", "2x4,1", "-T", "4", "--policies", "bbta", "--regret-on", "{matrix}", "2x1"],
        ["query", "-T", "2", "--features", "{features}"],
        ["solve", "--problem", "labelers", "-T", "2", "--accuracy-prior", "{votes}", "0.9", "0.7", "0.6"],
    ]
    ITEMS = {"labels", "full", "gold"}  # of labels; "truth" is read as tasks too
    SPARE = {"features", "votes", "numbers"}  # tables without names of columns to change

    def table(self, kind, draw, between=",", heads=None, end="\n", quoted=False, mark="", tail=""):
        names, rows = self.TABLES[kind]
        lines = ([heads or names] if names and heads != [] else []) + rows
        quote = lambda field: f'"{field}"' if quoted else field
        text = mark + end.join(between.join(quote(field) for field in line) for line in lines) + end + tail
        return self.write(f"table{draw.random()}", text)

    def variants(self, kind, draw):
        """Words that describe a form, and the file in it."""
        names = self.TABLES[kind][0]
        yield "tabs", self.table(kind, draw, "\t")
        yield "a byte order mark, CRLF and empty lines", self.table(kind, draw, ",", end="\r\n", mark="\ufeff", tail="\r\n\r\n")
        if kind not in ("features", "votes"):
            yield "empty rows of a spreadsheet", self.table(kind, draw, ";", tail=";" * (len(names) - 1) + "\n")
        if len(self.TABLES[kind][1][0]) > 1:
            yield "semicolons", self.table(kind, draw, ";")
            yield "bars", self.table(kind, draw, "|")
            yield "quoted", self.table(kind, draw, ",", quoted=True)
            yield "blanks", self.table(kind, draw, " , ")
        if names:
            objects = [dict(zip(names, row)) for row in self.TABLES[kind][1]]
            yield "JSON", self.write("table.json", json.dumps(objects, indent=1))
            yield "JSON lines", self.write("table.jsonl", "\n".join(map(json.dumps, objects)))
            columns = {name: {str(3 * k): row[at] for k, row in enumerate(self.TABLES[kind][1])} for at, name in enumerate(names)}
            yield "JSON by columns", self.write("columns.json", json.dumps(columns))
            if kind in self.ITEMS:
                yield "items as keys", self.write("items.json", json.dumps(self.items(kind), indent=draw.choice([None, 1])))
            yield "gzip", self.write("table.gz", gzip.compress("\n".join(map(json.dumps, objects)).encode()))
        if kind not in self.SPARE:
            yield "other names", self.table(kind, draw, heads=[draw.choice(self.OTHER[name]) for name in names])

    def items(self, kind):
        """{task: label}, or with workers {task: {worker: label}}."""
        items = {}
        for task, *worker, label in self.TABLES[kind][1]:
            if worker:
                items.setdefault(task, {})[worker[0]] = label
            else:
                items[task] = label
        return items

    def result(self, words, files, *more):
        words = [word.format_map(files) if isinstance(word, str) else word for word in words]
        done = run(*words, "--json", *more)
        self.assertEqual(done.returncode, 0, (words, more, done.stderr))
        hidden = ("seconds", "command", "file", "name", "form", "version", "arguments", "memory", "states")
        drop = lambda value: {k: drop(v) for k, v in value.items() if not any(word in k for word in hidden)} \
            if isinstance(value, dict) else [drop(v) for v in value] if isinstance(value, list) else value
        text = json.dumps(drop(json.loads(done.stdout)))
        for kind, path in files.items():
            text = text.replace(str(path), kind)
        return text

    def test_each_form_has_the_same_answer(self):
        draw = random.Random(3)
        plain = {kind: self.table(kind, draw) for kind in self.TABLES}
        for words in self.COMMANDS:
            answer = self.result(words, plain)
            for kind in (kind for kind in self.TABLES if "{" + kind + "}" in words):
                for form, file in self.variants(kind, draw):
                    self.assertEqual(self.result(words, {**plain, kind: file}), answer, (words, kind, form))
                utf16 = self.write("wide", plain[kind].read_bytes().decode().encode("utf-16"))
                self.refused("iconv -f UTF-16 -t UTF-8", *(word.format_map({**plain, kind: utf16}) for word in words))

    def test_columns_by_name_and_number(self):
        """--columns with names of no meaning, and with numbers for tables without a header."""
        draw = random.Random(4)
        plain = {kind: self.table(kind, draw) for kind in self.TABLES}
        strange = {"task": "q", "worker": "who", "label": "it", "left": "l", "right": "r", "item": "thing", "score": "s", "p": "chance",
                   "capacity": "most", "accuracy": "good", "context": "where", "gold": "it"}
        for words in self.COMMANDS:
            kinds = [kind for kind in self.TABLES if "{" + kind + "}" in words and kind not in self.SPARE]
            if not kinds:
                continue
            answer = self.result(words, plain)
            heads = lambda kind: [strange[name] for name in self.TABLES[kind][0]]
            used = {name for kind in kinds for name in self.TABLES[kind][0]} | ({"gold"} if {"gold", "truth"} & set(kinds) else set())
            files = {kind: self.table(kind, draw, heads=heads(kind)) for kind in kinds}
            given = ",".join(f"{name}={strange[name]}" for name in sorted(used))
            self.assertEqual(self.result(words, {**plain, **files}, "--columns", given), answer, (words, given))
            bare = [kind for kind in kinds if kind not in ("tasks", "free")]  # optional columns need a header
            files = {kind: self.table(kind, draw, heads=[]) for kind in bare}
            main = "pairs" if "pairs" in kinds else "accuracies" if "accuracies" in kinds else "labels"
            numbers = ",".join(map(str, range(1, 5 if main == "pairs" else 4)))
            self.assertEqual(self.result(words, {**plain, **files}, "--columns", numbers), answer, (words, numbers))

    def test_comparisons_without_workers(self):
        one = self.write("p", "left,right,label\na,b,a\nb,c,tie\n")
        two = self.write("q", "a|b|a\nb|c|tie\n")
        answer = self.result(["next", "--pairs", str(one), "--final"], {})
        for given in "1,2,3", "left=1,right=2,label=3":
            self.assertEqual(self.result(["next", "--pairs", str(two), "--final"], {}, "--columns", given), answer)


class Draws(Case):
    SCORES = "item,score\na,3\nb,2\nc,1\n"

    def replay(self, pairs, *words):
        return run("replay", "--pairs", self.write("pairs", pairs), "--gold", self.write("scores", self.SCORES),
                   "--policies", "uniform", "--json", *words)

    def test_draws(self):
        head = "worker,left,right,label\n"
        pairs = head + "".join(f"w,a,b,{word}\n" for word in ("tie", "Draw", "=", "a")) + "w,b,c,b\n"
        done = self.replay(pairs, "--draws", "drop", "--runs", "4")
        known = self.replay(head + "w,a,b,a\nw,b,c,b\n", "--runs", "4")
        self.assertIn("3 draws left out", done.stderr)
        self.assertEqual(json.loads(done.stdout)["policies"][0]["points"][-1]["accuracy"],
                         json.loads(known.stdout)["policies"][0]["points"][-1]["accuracy"])
        done = self.replay(pairs, "--runs", "4")
        self.assertIn("3 draws counted as half a win for each item", done.stderr)

    def test_a_draw_is_a_coin(self):
        """One comparison, which is drawn: in half of the runs the pair is ranked as its scores are."""
        done = self.replay("worker,left,right,label\nw,a,b,tie\n", "--runs", "4000", "-T", "1")
        point = json.loads(done.stdout)["policies"][0]["points"][-1]
        self.assertAlmostEqual(point["accuracy"], 0.5, delta=5 * 0.5 / 4000 ** 0.5)

    def test_winners_by_side(self):
        for head, words in (("worker,left,right,label", "left right left"), ("judge,model_a,model_b,winner", "model_a model_b MODEL_A")):
            rows = [f"w,{one},{other},{word}\n" for (one, other), word in zip(("ab", "cb", "ac"), words.split())]
            found = json.loads(self.replay(head + "\n" + "".join(rows), "--runs", "2").stdout)
            known = json.loads(self.replay("worker,left,right,label\nw,a,b,a\nw,c,b,b\nw,a,c,a\n", "--runs", "2").stdout)
            self.assertEqual([point["accuracy"] for point in found["policies"][0]["points"]],
                             [point["accuracy"] for point in known["policies"][0]["points"]])

    def test_scores_twice(self):
        pairs = self.write("pairs", "worker,left,right,label\nw,a,b,a\n")
        words = ["replay", "--pairs", pairs, "--policies", "uniform", "--runs", "2", "--gold"]
        self.assertEqual(run(*words, self.write("scores", self.SCORES + "a,3.0\n")).returncode, 0)
        self.refused("item 'a' has two scores, 3 in line 2 and 4 in line 5", *words, self.write("scores", self.SCORES + "a,4\n"))


@unittest.skipUnless(SHARED.is_dir(), f"no folder {SHARED}")
class Real(Case):
    def test_every_table_is_read(self):
        """As it is, or with one option."""
        count = 0
        for file in sorted(SHARED.glob("*/labels.tsv")) + sorted((SHARED / "reports").glob("*.*sv")):
            words = {"abstain.csv": ["--missing", "-1"], "wide.csv": ["--wide"]}.get(file.name, [])
            if "worker" in file.read_text().partition("\n")[0] and "left" not in file.read_text().partition("\n")[0] or words:
                gold = file.with_name("gold.tsv") if file.name == "labels.tsv" else file.with_name(file.stem + "-gold.tsv")
                if file.name == "unanimous.tsv":
                    continue
                found = self.answer("labels", file, *words, *(["--gold", gold] if gold.exists() else []))
                self.assertGreater(found["labels"], 2, file)
                count += 1
        self.assertGreaterEqual(count, 17)

    def test_the_reports(self):
        reports = SHARED / "reports"
        for name, words, counts in (("renamed.csv", [], [[1, 1], [2, 0]]), ("semicolon.csv", [], [[1, 1], [1, 0]]),
                                    ("wide.csv", ["--wide"], [[1, 1], [3, 0], [0, 2]]),
                                    ("abstain.csv", ["--missing", "-1"], [[1, 0], [1, 1]])):
            found = self.answer("next", "--labels", reports / name, "--prior", "1,1", "--final", *words)["final"]
            self.assertEqual([[row["positive"], row["negative"]] for row in found], counts, name)
        for words in ([], ["--draws", "drop"]):
            done = run("replay", "--pairs", reports / "votes.tsv", "--gold", reports / "votes-scores.tsv", "--policies", "uniform",
                       "--runs", "2", *words)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, "1 draw (counted as half a win for each item|left out)")

    def test_agreement_of_known_sets(self):
        """The majority's accuracy as the table beside the data has it; a tie is an equal chance."""
        for name, ties, right in (("rte", 65, 0.8969), ("temp", 17, 0.9361), ("bluebirds", 0, 0.7593), ("dog", 50, 0.8222),
                                  ("web", 569, 0.7307), ("netflix", 3, 0.9750)):
            found = self.answer("labels", SHARED / name / "labels.tsv", "--gold", SHARED / name / "gold.tsv")
            self.assertEqual(found["ties"], ties, name)
            self.assertAlmostEqual(found["gold"]["majority_accuracy"], right, delta=5.1e-5, msg=name)


if __name__ == "__main__":
    main()
