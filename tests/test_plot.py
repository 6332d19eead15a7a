"""The program's figures and reports.

    test_plot.py PROGRAM [unittest option...]

A Python with matplotlib takes a second to start: what a figure holds is read from its numbers (--data), and what it looks
like from pictures that one Python draws for all tests.
"""

import glob
import html
import html.parser
import json
import math
import os
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from cli import PROGRAM, SCALE, SEED, Case, main, run  # noqa: E402
from test_cli import run_with_small_files  # noqa: E402

MODULE = os.path.join(os.path.dirname(PROGRAM), "tools/python/optgap/_figures")
NARROW = " ijltfr.,;:'()|I-"
SVG = "{http://www.w3.org/2000/svg}"
ONE = ["--prior", "1,1"]
GRID = ["--for", "P=1,1 2,1", "--for", "K=2,3"]
THREE = [*ONE, "--instances", "3"]


def run_module(*words, given=b""):
    """By a Python that has matplotlib."""
    for python in ("python3", "/usr/bin/python3"):
        done = subprocess.run([python, "-B", MODULE, *words], input=given, capture_output=True)
        if done.returncode != 3:
            break
    return done


def draw_all(documents):
    """An SVG of each."""
    done = run_module("svg", given=json.dumps({"figures": documents}).encode())
    assert done.returncode == 0, done.stderr
    pictures = [b"<?xml" + part for part in done.stdout.split(b"<?xml")[1:]]
    assert len(pictures) == len(documents)
    return pictures


def texts_of(picture):
    return [" ".join("".join(at.itertext()).split()) for at in xml.fromstring(picture).iter(SVG + "text")]


def titled(picture):
    """Name -> the groups of the SVG that have it as their title."""
    found = {}
    for group in xml.fromstring(picture).iter(SVG + "g"):
        title = group.find(SVG + "title")
        if title is not None:
            found.setdefault(title.text, []).append(group)
    return found


def marks_of(group):
    return [(float(at.get("x")), float(at.get("y"))) for at in group.iter(SVG + "use")]


def sweep(path, *words):
    done = run("sweep", path, *words)
    assert done.returncode == 0, done.stderr


def lines_of(path):
    """The lines of a study: {"asked": ..., "answer": ...}."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def stored(path, column, *, policy, instances=3, prior="1,1"):
    """What compare answered for a policy, by budget."""
    rows = [(line["answer"]["problem"]["budget"], row[column]) for line in lines_of(path) if line["asked"][0] == "compare"
            and line["asked"][-1] == f"{instances}x{prior}" for row in line["answer"]["policies"] if row["name"] == policy]
    return [value for _, value in sorted(rows)]


class PlotCase(Case):
    """One study for all: exact and played cells, and one with a list of soft labels."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        cls.db = os.path.join(cls.place.name, "study.jsonl")
        cls.list_db = os.path.join(cls.place.name, "list.jsonl")
        sweep(cls.db, *GRID, "--for", "T=1:6", "compare", "-T", "%T", "--policies", "uniform,kg,opt-kg,gittins-fh", "%Kx%P")
        sweep(cls.db, *GRID, "--for", "T=4,8", "simulate", "-T", "%T", "--policies", "kg,opt-kg", "--runs", "50", "%Kx%P")
        sweep(cls.db, "--for", "T=8", "bound", "-T", "%T", "3x1,1")
        sweep(cls.db, "--for", "p=kg,opt-kg,gittins-fh", "index", "-T", "8", "--policy", "%p", "1,1")
        sweep(cls.list_db, "--for", "T=10,20", "simulate", "-T", "%T", "--policies", "opt-kg,kg", "--runs", "50", "--counts",
              "--truth", "list:0,.25,.5,.75,1", "5x1,1")

    def setUp(self):
        self.out = os.path.join(self.place.name, self.id() + ".svg")

    def plot(self, *words, db=None, out=None):
        out = out or self.out
        done = run("plot", db or self.db, *words, "-o", out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(glob.glob(out + ".*"), [])
        return pathlib.Path(out).read_bytes()

    @classmethod
    def numbers(cls, *words, db=None):
        """The document of a figure."""
        out = os.path.join(cls.place.name, "numbers.json")
        done = run("plot", db or cls.db, *words, "--data", out)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), (words, done)
        return json.loads(pathlib.Path(out).read_bytes())

    def names(self, document):
        return [curve["name"] for panel in document["panels"] for curve in panel["curves"]]


class FigureTest(PlotCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        looks = os.path.join(cls.place.name, "looks.jsonl")
        long = os.path.join(cls.place.name, "long.jsonl")
        table = pathlib.Path(cls.place.name, "an-index-with-a-name-that-no-key-has-ever-had-room-for-so-far.tsv")
        table.write_text(run("index", "--policy", "kg", "-T", "3", "1,1").stdout)
        cls.table = f"table:{table}"
        cls.belief = os.path.join(cls.place.name, "belief.jsonl")
        exact = ["uniform", "kg", "opt-kg", "pess-kg", "kg-star", "lagrangian", "gittins-fh", "gittins-inf"]
        sweep(looks, "--for", "T=1:4", "compare", "-T", "%T", "--policies", ",".join(exact), "2x1,1")
        sweep(looks, "--for", "T=1:4", "compare", "-T", "%T", "--policies", "kg", "--ties", "random,first,best,worst", "2x1,1")
        sweep(long, "--for", "T=1:3", "compare", "-T", "%T", "--policies", "kg", "--policy", cls.table, "2x1,1")
        sweep(cls.belief, "--for", "A=1:3", "--for", "B=1:3", "compare", "-T", "4", "--assume", "%A,%B", "2x2,1")
        wanted = {
            "gap-budget": (["gap-budget", *THREE], None),
            "gap-instances": (["gap-instances", *ONE, "--budget", "4"], None),
            "value": (["value", *THREE], None),
            "index": (["index", *ONE], None),
            "log": (["gap-budget", *THREE, "--policies", "kg", "--log"], None),
            "linear": (["gap-budget", *THREE, "--policies", "kg"], None),
            "uniform": (["gap-budget", *THREE, "--policies", "uniform"], None),
            "kg": (["gap-budget", "--policies", "kg"], looks),
            "random": (["gap-budget", "--ties", "random"], looks),
            "all": (["gap-budget"], looks),
            "spent": (["spent"], cls.list_db),
            "long": (["gap-budget"], long),
            "map": (["regret-belief"], cls.belief),
            "asked": (["value", *THREE, "--size", "12x15cm", "--title", "<A> & '$b$'", "--name", "opt-kg=optimistic",
                       "--name", "kg=gradient_$", "--font", "Serif,10"], None),
        }
        cls.long = long
        cls.documents = {name: cls.numbers(*words, db=db) for name, (words, db) in wanted.items()}
        cls.pictures = dict(zip(wanted, draw_all(list(cls.documents.values())), strict=True))

    def test_every_kind_says_what_it_is_about_and_has_units(self):
        expected = {
            "gap-budget": ("What policies lose with 3 instances",
                           "against the optimum, prior 1,1, ties random, bars: 95 %",
                           "labels (T)", "gap (expected correct calls)"),
            "gap-instances": ("What policies lose with 4 labels", "instances (K)", "gap (expected correct calls)"),
            "value": ("What policies are worth with 3 instances", "prior 1,1, ties random, bars: 95 %", "labels (T)",
                      "expected correct calls, of 3"),
            "index": ("highest first; prior 1,1, 8 labels in all", "labels left, after one positive label",
                      "index (correct calls per label)"),
            "map": ("What a wrong prior costs the optimal policy", "B (labels)", "regret (expected correct calls)",
                    "the prior that labels follow"),
        }
        for kind, lines in expected.items():
            picture = self.pictures[kind]
            texts = texts_of(picture)
            for line in lines:
                self.assertIn(line, texts, kind)
            self.assertIn(xml.fromstring(picture).find(SVG + "title").text, texts)
            self.assertFalse([title for title in titled(picture) if title not in texts], kind)
            for name in self.names(self.documents[kind]):
                self.assertTrue(name in texts or kind == "map", (kind, name))
        self.assertGreater(len(titled(self.pictures["value"])), 6)

    def test_value_has_optimum_band_and_played_values(self):
        document = self.documents["value"]
        kinds = {curve["name"]: curve["kind"] for curve in document["panels"][0]["curves"]}
        self.assertEqual((kinds["optimum"], kinds["upper bound"], kinds["opt-kg"], kinds["opt-kg (50 runs)"]),
                         ("heavy", "band", "line", "marks"))
        for curve in document["panels"][0]["curves"]:
            for low, y, high in zip(curve.get("low", []), curve["y"], curve.get("high", [])):
                self.assertTrue(curve["kind"] == "band" or low <= y <= high, curve["name"])

    def test_key_has_every_curve_however_long_its_name(self):
        self.assertEqual(len(self.names(self.documents["all"])), len(set(self.names(self.documents["all"]))))
        texts = texts_of(self.pictures["all"])
        for name in self.names(self.documents["all"]):
            self.assertIn(name, texts)
        self.assertIn("kg, ties worst", texts)
        self.assertIn(self.table, "".join(texts_of(self.pictures["long"])))
        document = self.numbers("gap-budget", "--name", f"{self.table}=mine", db=self.long)
        self.assertEqual(sorted(self.names(document)), ["kg", "mine"])

    def test_spent_has_a_curve_for_each_policy_and_budget(self):
        self.assertEqual(self.names(self.documents["spent"]),
                         ["kg, 10 labels", "opt-kg, 10 labels", "kg, 20 labels", "opt-kg, 20 labels"])
        document = self.numbers("spent", "--policies", "kg", db=self.list_db)
        self.assertEqual(document["title"], "Where the labels go: kg")
        self.assertEqual(self.names(document), ["10 labels", "20 labels"])

    def looks(self, picture):
        """Colour, dashes and mark of every curve, by its name."""
        found = {}
        for name, groups in titled(picture).items():
            style = groups[0].find(SVG + "path").get("style")
            marks = {at.get("d") for at in groups[0].iter(SVG + "path") if at.get("id")}
            found[name] = {"colour": re.search("stroke: (#[0-9a-f]+)", style)[1],
                           "dashes": re.search("stroke-dasharray: ([^;]*)|$", style)[1], "mark": tuple(marks)}
        return found

    def contrast(self, colour):
        parts = [int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 1.05 / (0.05 + sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)))

    def test_curves_differ_in_colour_and_style_and_are_dark_enough(self):
        for name in ("kg", "random", "all", "spent"):
            looks = self.looks(self.pictures[name])
            self.assertEqual(len(looks), len(self.names(self.documents[name])))
            self.assertGreaterEqual(len(looks), 4)
            self.assertEqual(len({tuple(look.items()) for look in looks.values()}), len(looks), looks)
            if len(looks) <= 7:
                for part in ("colour", "dashes", "mark"):
                    self.assertEqual(len({look[part] for look in looks.values()}), len(looks), looks)
            for look in looks.values():
                self.assertGreaterEqual(self.contrast(look["colour"]), 3, look)

    def test_each_policy_has_a_look_of_its_own(self):
        """Among the policies that a problem type supports; the table's colours are those that its head promises."""
        with open(os.path.join(MODULE, "looks.json"), encoding="utf-8") as file:
            table = json.load(file)
        for topic in ("instances", "bandit", "prices", "features", "workers", "sources", "assignment", "labelers", "ranking", "deadline",
                      "process"):
            names = [row["name"] for row in json.loads(run("policies", topic, "--json").stdout)["policies"]]
            looks = {name: table["policies"][name] for name in names}
            self.assertEqual(len(set(looks.values())), len(names), looks)
            self.assertLess(max(looks.values()), len(table["looks"]) ** 2)
        for look in table["looks"]:
            self.assertGreaterEqual(self.contrast(look["colour"]), 3)
            self.assertGreaterEqual(self.contrast("#16181C") / self.contrast(look["dark"]), 3)

    def test_logarithmic_axis_keeps_its_title_and_its_zeros(self):
        texts = texts_of(self.pictures["log"])
        self.assertIn("gap (expected correct calls)", texts)
        self.assertIn("0", texts)
        self.assertTrue(any(text.startswith("Points on the lowest line, 0:") for text in texts), texts)
        (log,), (linear,) = (titled(self.pictures[name])["kg"] for name in ("log", "linear"))
        self.assertEqual(len(marks_of(log)), len(marks_of(linear)))

    def test_every_text_is_inside_the_picture(self):
        for kind, picture in self.pictures.items():
            width, height = map(float, re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture).groups())
            for at in xml.fromstring(picture).iter(SVG + "text"):
                size = float(re.search(r"font: ([\d.]+)px", at.get("style"))[1])
                length = size * sum(0.34 if letter in NARROW else 0.6 for letter in "".join(at.itertext()))
                anchor = re.search(r"text-anchor: (\w+)", at.get("style"))
                before = {"start": 0, "middle": length / 2, "end": length}[anchor[1] if anchor else "start"]
                turned = re.search(r"translate\(([-\d.]+),? ([-\d.]+)\) rotate\(-90\)", at.get("transform"))
                turned = turned or re.search(r"rotate\(-90 ([-\d.]+) ([-\d.]+)\)", at.get("transform"))
                x, room = (height - float(turned[2]), height) if turned else (float(at.get("x")), width)
                self.assertGreaterEqual(x - before, -1, (kind, at.text))
                self.assertLessEqual(x - before + length, room + 1, (kind, at.text))
                if kind != "asked":
                    self.assertGreaterEqual(size * 255 / width, 7, ("too small on a telephone", at.text))

    def test_figures_of_one_panel_are_wider_than_high_and_labels_near_their_ticks(self):
        for kind in ("gap-budget", "gap-instances", "log", "linear", "uniform", "kg", "spent", "map"):
            width, height = map(float, re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', self.pictures[kind]).groups())
            self.assertGreater(width, height, kind)
        map_of, beside = xml.fromstring(self.pictures["map"]), "regret (expected correct calls)"
        ticks = [float(at.get("x")) + 8 * len(at.text) for axis in map_of.iter(SVG + "g") if axis.get("id") == "axes_2" for at in axis.iter(SVG + "text")]
        label = next(at for at in map_of.iter(SVG + "text") if at.text == beside)
        place = float(re.search(r"(?:translate\(|rotate\(-90 )([-\d.]+)", label.get("transform"))[1])
        self.assertLess(max(ticks), place)
        self.assertLess(place - max(ticks), 24)

    def test_ticks_of_what_is_counted_are_whole(self):
        for kind in ("gap-instances", "gap-budget", "value"):
            axis = next(at for at in xml.fromstring(self.pictures[kind]).iter(SVG + "g") if at.get("id") == "matplotlib.axis_1")
            ticks = ["".join(at.itertext()) for at in axis.iter(SVG + "text")]
            self.assertGreaterEqual(len(ticks), 2)
            self.assertTrue(all(tick.isdigit() for tick in ticks), ticks)

    def test_what_is_missing_or_hidden_is_said(self):
        db = os.path.join(self.place.name, "missing.jsonl")
        for budgets, policies in (("1:9", "kg,opt-kg,gittins-fh"), ("1:5", "uniform")):
            sweep(db, "--for", f"T={budgets}", "compare", "-T", "%T", "--policies", policies, "3x1,1")
        found = lines_of(db)
        for line in found:
            answer, budget = line["answer"], line["answer"]["problem"]["budget"]
            if budget == 9:
                answer["optimal"].update(value=None, gain=None, limit="no time")
            for row in answer["policies"]:
                if row["name"] == "kg" and budget > 7:
                    row.update(status="limit", limit="too many states", value=None, gain=None)
        pathlib.Path(db).write_text("".join(json.dumps(line) + "\n" for line in found))
        notes = self.numbers("gap-budget", db=db)["notes"]
        self.assertIn("No gap of gittins-fh, opt-kg at 9: the optimum: no time.", notes)
        self.assertIn("No gap of kg from 8 to 9: too many states.", notes)
        self.assertIn("In the study from 1 to 5 only: uniform.", notes)
        notes = self.numbers("value", db=db)["notes"]
        self.assertIn("No value of the optimum at 9: no time.", notes)
        self.assertIn("No value of kg from 8 to 9: too many states.", notes)
        self.assertIn("Too close to tell apart: gittins-fh; opt-kg.", " ".join(texts_of(self.pictures["gap-budget"])))

    def test_key_has_no_curve_without_a_line_and_runs_are_said(self):
        db = os.path.join(self.place.name, "played.jsonl")
        sweep(db, "--for", "T=2,4", "simulate", "-T", "%T", "--policies", "kg,opt-kg", "--runs", "20", "3x1,1")
        sweep(db, "--for", "T=2,4", "bound", "-T", "%T", "3x1,1")
        document = self.numbers("value", db=db)
        self.assertEqual(document["subtitle"], "prior 1,1, ties random, 20 runs (bars: 95 %)")
        self.assertEqual(self.names(document), ["upper bound", "kg", "opt-kg"])
        self.assertEqual([curve["kind"] for curve in document["panels"][0]["curves"]], ["band", "trace", "trace"])

    def test_panels_of_one_figure_have_one_range(self):
        places = {}
        picture = self.pictures["index"]
        for at in xml.fromstring(picture).iter(SVG + "text"):
            if "text-anchor: end" in at.get("style"):
                places.setdefault("".join(at.itertext()), []).append(float(at.get("y")))
        self.assertGreater(len(places), 3)
        steps = [ys[1] - ys[0] for ys in places.values()]
        self.assertLess(max(steps) - min(steps), 0.01, places)
        self.assertEqual(texts_of(picture).count("opt-kg"), 1)

    def test_gain_lost_is_that_of_the_answers(self):
        words = ["gap-budget", *THREE, "--policies", "uniform", "--budget", "1:6"]
        for axis, column, label in (("gap", "gap", "gap (expected correct calls)"),
                                    ("gap-percent", "gap_percent", "gap (% of the optimum)"),
                                    ("gain-lost", "gain_lost_percent", "gain lost (% of the optimal)")):
            (panel,) = self.numbers(*words, "--axis", axis)["panels"]
            self.assertEqual(panel["y_label"], label)
            (curve,) = panel["curves"]
            for y, value in zip(curve["y"], stored(self.db, column, policy="uniform"), strict=True):
                self.assertTrue(math.isclose(y, value, rel_tol=1e-14), (y, value))

    def test_no_share_of_an_optimum_that_is_0(self):
        study = os.path.join(self.place.name, "bandit.jsonl")
        self.answer("sweep", study, "--quiet", "--for", "T=0:2", "compare", "--problem", "bandit", "-T", "%T", "--policies", "uniform",
                    "2x1,1")
        for axis, least in (("gap", 3), ("gap-percent", 2)):
            ((curve,),) = (panel["curves"] for panel in self.numbers("gap-budget", "--axis", axis, db=study)["panels"])
            self.assertEqual(sum(y is not None for y in curve["y"]), least)

    def test_curves_pass_through_the_stored_gaps(self):
        """The figure shows the stored values: the heights of uniform's marks are an affine function of its gaps."""
        (group,) = titled(self.pictures["uniform"])["uniform"]
        marks, rows = marks_of(group), stored(self.db, "gap", policy="uniform")
        scale = (marks[-1][1] - marks[0][1]) / (rows[-1] - rows[0])
        for (_, y), gap in zip(marks, rows, strict=True):
            self.assertAlmostEqual(y, marks[0][1] + scale * (gap - rows[0]), delta=0.01)

    def test_a_map_has_a_field_and_a_number_for_each_belief(self):
        (panel,) = self.documents["map"]["panels"]
        fields = panel["curves"][0]
        self.assertEqual((fields["kind"], len(fields["x"]), panel["field_width"], panel["field_height"]), ("map", 9, 1, 1))
        texts = texts_of(self.pictures["map"])
        for value in fields["low"]:
            self.assertIn(f"{value:.2g}", texts)
        self.assertEqual(min(fields["low"]), 0)
        self.assertEqual([(curve["x"], curve["y"]) for curve in panel["curves"][1:]], [([2], [1])])

    def test_a_map_of_an_index_has_the_printed_values(self):
        place = pathlib.Path(self.place.name)
        (place / "index.json").write_text(run("index", "--policy", "gittins-fh", "-T", "5", "--json", "1,1").stdout)
        printed = [line.split("\t") for line in run("index", "--policy", "gittins-fh", "-T", "5", "1,1").stdout.splitlines()[1:]]
        for more, left in (([], 1), (["-T", "3"], 3)):
            done = run("plot", str(place / "index.json"), "index-map", *more, "--data", str(place / "map.json"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            figure = json.loads((place / "map.json").read_text())
            panel, = figure["panels"]
            self.assertIn(f"{left} label", figure["subtitle"])
            self.assertEqual(panel["scale_label"], "index (correct calls per label)")
            curve = panel["curves"][0]
            self.assertEqual(sorted(zip(curve["x"], curve["y"], curve["low"])),
                             sorted((float(a), float(b), float(index)) for a, b, r, index in printed if int(r) == left))
            fields = {(x, y): index for x, y, index in zip(curve["x"], curve["y"], curve["low"])}
            self.assertEqual((fields[1, 1], fields[2, 2]), (1 / 4, 3 / 16))  # of one label, if the next is the last
        for words, said in ((["index.json", "index-map", "-T", "6"], "-T must be a number of labels left"),
                            (["index.json", "index-map", "-T", "1,2"], "give -T with one"),
                            (["index.json", "pairs"], "no counts of pairs"), (["map.json", "index-map"], "no index over a and b")):
            done = run("plot", str(place / words[0]), *words[1:], "--data", str(place / "no.json"))
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(said, done.stderr)

    def test_a_map_of_losses_has_those_of_explain(self):
        path = os.path.join(self.place.name, "losses.jsonl")
        sweep(path, "--for", "T=3,5", "compare", "--explain", "-T", "%T", "--policies", "uniform,kg", "--ties", "random,worst", "3x1,1")
        self.assert_refused(["plot", path, "losses", "-o", self.out], "choose with --budget among 3 5")
        self.assert_refused(["plot", self.db, "losses", "-o", self.out], "has no losses by labels left")
        document = self.numbers("losses", "-T", "5", "--ties", "worst", db=path)
        (panel,) = document["panels"]
        (fields,) = panel["curves"]
        (answer,) = [line["answer"] for line in lines_of(path) if line["answer"]["problem"]["budget"] == 5]
        stages = {row["name"]: row["explain"]["stages"] for row in answer["policies"] if row["ties"] == "worst"}
        self.assertEqual(panel["y_names"], ["kg", "uniform"])  # from below
        self.assertEqual({(panel["y_names"][y], x): loss for x, y, loss in zip(fields["x"], fields["y"], fields["low"])},
                         {(name, stage["left"]): stage["loss"] for name in stages for stage in stages[name]})
        self.assertGreater(max(fields["low"]), 0)
        place = {"".join(at.itertext()): (float(at.get("x")), float(at.get("y"))) for at in xml.fromstring(draw_all([document])[0]).iter(SVG + "text")}
        self.assertEqual(sorted("12345", key=lambda left: place[left][0]), list("54321"))
        self.assertLess(place["uniform"][1], place["kg"][1])
        both = self.numbers("losses", "-T", "5", "--name", "kg=gradient", db=path)["panels"][0]["y_names"]
        self.assertEqual(both, ["gradient, ties worst", "gradient, ties random", "uniform, ties worst", "uniform, ties random"])

    def test_narrow_fields_of_a_map_have_no_numbers(self):
        narrow = os.path.join(self.place.name, "narrow.jsonl")
        sweep(narrow, "--for", "A=0.5:10:0.5", "--for", "B=1:4", "compare", "-T", "3", "--policies", "kg", "--assume", "%A,%B", "2x2,1")
        document = self.numbers("regret-belief", db=narrow)
        found = {f"{gap:.2g}" for gap in document["panels"][0]["curves"][0]["low"] if gap > 0}
        self.assertGreater(len(found), 5)
        # those may be the scale's
        self.assertEqual((found - {"0.2", "0.4", "0.6", "0.8", "1"}) & set(texts_of(draw_all([document])[0])), set())

    def test_curves_over_truths(self):
        """From answers for a list each, and for a grid: the same."""
        single, grid = (os.path.join(self.place.name, name) for name in ("single.jsonl", "grid.jsonl"))
        sweep(single, "--for", "X=0:1:0.25", "compare", "-T", "3", "--policies", "kg,uniform", "--truth", "list:%X,%X", "2x2,1")
        sweep(grid, "--for", "T=3", "compare", "-T", "%T", "--policies", "kg,uniform", "--truth", "grid:0:1:0.25", "2x2,1")
        for kind, words in (("correct-truth", "expected correct calls, of 2"), ("wrong-truth", "chance that it is called wrong")):
            document = self.numbers(kind, db=single)
            panel, = document["panels"]
            self.assertEqual((panel["y_label"], document["subtitle"]), (words, "2 instances, 3 labels, prior 2,1"))
            self.assertEqual(self.names(document), ["kg", "uniform", "optimal as believed"])
            self.assertEqual(panel["curves"][0]["x"], [0, 0.25, 0.5, 0.5, 0.75, 1])  # broken at the threshold
            self.assertIsNone(panel["curves"][0]["y"][2])
        one, other = (self.numbers("correct-truth", db=db)["panels"][0]["curves"] for db in (single, grid))
        for curve, same in zip(one, other, strict=True):
            for y, known in zip(curve["y"], same["y"], strict=True):
                self.assertTrue(y is known is None or math.isclose(y, known, rel_tol=1e-13), (y, known))

    def test_a_study_without_them_says_so(self):
        for kind in ("regret-belief", "correct-truth", "wrong-truth"):
            self.assert_refused(["plot", self.list_db, kind, "-o", self.out], f"no results for the figure '{kind}'")

    def test_title_names_size_and_font_are_as_asked_for(self):
        picture = self.pictures["asked"]
        texts = texts_of(picture)
        for text in ("<A> & '$b$'", "optimistic (50 runs)", "gradient_$"):
            self.assertIn(text, texts)
        self.assertNotIn("kg", " ".join(texts))
        width, height = map(float, re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture).groups())
        self.assertAlmostEqual(width * 2.54 / 72, 12, places=3)
        self.assertAlmostEqual(height * 2.54 / 72, 15, places=3)
        self.assertRegex(picture, rb"font: 10px 'Serif'")

    def test_labels_are_counted_in_every_family(self):
        """simulate --counts: of each instance, unless a family has counts of its own."""
        for words in (["2x1,1"], ["1,1,1", "2,1"], ["--price", "0.001", "2x1,1"], ["--problem", "bandit", "2x1,1"],
                      ["--source", "a:1:.8", "2x1,1"]):
            found = self.document("simulate", "-T", "6", "--runs", "20", "--policies", "kg", "--counts", *words)
            counts = found["policies"][0]["by_instance"]
            self.assertEqual(len(counts), 2)
            if "--price" in words:  # labelling may stop early
                self.assertLess(sum(counts), 6)
            else:
                self.assertAlmostEqual(sum(counts), 6, delta=1e-12)
            self.assertGreater(min(counts), 0)

    def test_policies_can_be_chosen(self):
        self.assertEqual(self.names(self.documents["linear"]), ["kg", "kg (50 runs)"])


class FileTest(PlotCase):
    """The program, and the Python that it starts."""

    def test_formats_are_whole_as_large_as_asked_for_and_the_same_again(self):
        words = ["value", *THREE, "--size", "6x8in", "--title", "100% of $a_b$"]
        begins = {".pdf": b"%PDF-", ".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml"}
        for suffix, begin in begins.items():
            out = os.path.join(self.place.name, "a" + suffix)
            picture = self.plot(*words, out=out)
            self.assertEqual(picture[:len(begin)], begin)
            if suffix == ".pdf":  # an SVG is drawn twice below
                self.assertEqual(self.plot(*words, out=out), picture)
            for mark in (b"matplotlib.org", b"Date", b"Software"):
                self.assertNotIn(mark, picture, suffix)
            if suffix == ".pdf":
                self.assertRegex(picture, rb"/MediaBox \[ 0 0 432 576 \]")
                self.assertEqual(picture.rstrip()[-5:], b"%%EOF")
            elif suffix == ".png":
                self.assertEqual(struct.unpack(">II", picture[16:24]), (2 * 6 * 96, 2 * 8 * 96))
                self.assertEqual(picture[-8:-4], b"IEND")
            else:
                self.assertIn("100% of $a_b$", texts_of(picture))

    def test_numbers_alone_are_what_is_drawn(self):
        out, numbers = self.out, self.out + ".json"
        done = run("plot", self.db, "value", *THREE, "--data", numbers)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        document = pathlib.Path(numbers).read_bytes()
        drawn = run_module(out, given=document)
        self.assertEqual((drawn.returncode, drawn.stdout, drawn.stderr), (0, b"", b""))
        picture = pathlib.Path(out).read_bytes()
        os.remove(numbers)
        self.assertEqual(self.plot("value", *THREE, "--data", out + "-too"), picture)
        self.assertEqual(pathlib.Path(out + "-too").read_bytes(), document)

    def test_numbers_that_are_no_figure_are_refused_in_one_line(self):
        for words, given, expected in (((self.out,), b"{", b"not those of a figure"),
                                       (("a.jpg",), b"{}", b"ends in .svg, .pdf or .png"),
                                       (("svg",), b'{"figure": "pie"}', b"not 'pie'")):
            done = run_module(*words, given=given)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1), done.stderr)
            self.assertIn(expected, done.stderr)
        self.assertFalse(os.path.exists(self.out))


class RefusalTest(PlotCase):
    def refuse(self, words, expected, code=2, out=None):
        out = out or self.out
        self.assert_refused(["plot", *words, "-o", out], expected, code)
        self.assertFalse(os.path.exists(out))
        self.assertEqual(glob.glob(out + ".*"), [])

    def test_bad_words_are_refused(self):
        self.refuse([self.db, "gap-budgets"], "did you mean 'gap-budget'?")
        self.refuse([self.db], "the kind of figure is missing")
        self.refuse([self.db, "value", "index"], "omit 'index'")
        self.refuse([self.db, "value"], "choose with --prior among 1,1 2,1")
        self.refuse([self.db, "value", "--prior", "1,1"], "choose with --instances among 2 3")
        self.refuse([self.db, "value", "--prior", "3,1"], "the study has no results for")
        self.refuse([self.db, "spent"], "the study has no results for")
        self.refuse([self.db, "value", "--budget", "1:a"], "--budget must be numbers such as 12, 2,3,5 or 1:40, not '1:a'")
        self.refuse([self.db, "value"], "ends in .svg, .png or .pdf", out=self.out[:-4] + ".jpg")
        self.refuse([self.db, "value", "--axis", "gain-lost"], "only gap-budget, gap-instances and regret-belief")
        for word in ("10x10", "480", "480x", "x480", "480x360pt", "480x360x2", "1e3x400", "-480x360"):
            self.refuse([self.db, "value", "--size", word], "--size must be WxH in pixels (1/96 inch)")
        for word in ("Times,", "Times,3", "Times,100", "a'b", "<b>", "a\\", "x" * 64, ""):
            self.refuse([self.db, "value", "--font", word], "--font must be a font's name and a size")
        for word in ("kg", "=kg", "kg="):
            self.refuse([self.db, "value", "--name", word], "--name must be POLICY=Name")
        self.refuse([self.db, "value", *THREE, "--name", "kgg=x"], "not 'kgg'")
        self.refuse([self.db, "value", *THREE, "--size", "150x150"], "too small")
        self.assert_refused(["plot", self.db, "value"], "-o FILE is missing")
        self.assert_refused(["plot", "-o", self.out], "no STUDY.jsonl is given")

    def test_study_that_is_not_there_is_not_made(self):
        path = os.path.join(self.place.name, "none.jsonl")
        self.refuse([path, "value"], "none.jsonl' cannot be read: No such file or directory")
        self.assertFalse(os.path.exists(path))

    def test_what_is_no_study_is_refused_with_what_to_do(self):
        good = pathlib.Path(self.db).read_text().splitlines(keepends=True)[0]
        for text, expected in (("", "is no study: 'optgap sweep"), ("task,label\n", "is no study"), ("[]", "is no study"),
                               ("SQLite format 3\0", "'bench/studies/convert"), (good + "{}\n", "line 2: this is no answer"),
                               (good + '{"asked": []}\n', "line 2: this is no answer"),
                               (good + '{"asked": ["x"], "answer": 3}\n', "line 2: this is no answer")):
            path = os.path.join(self.place.name, "other.jsonl")
            pathlib.Path(path).write_text(text)
            self.refuse([path, "value"], expected)
        pathlib.Path(path).write_text(good + '{"asked": ["comp')  # a line that was cut off
        self.assertEqual(len(self.numbers("value", db=path)["panels"]), 1)

    def ask_kinds(self, path):
        """What is said of each kind that cannot be drawn; always one line."""
        for kind in ("gap-budget", "gap-instances", "value", "spent", "correct-truth", "wrong-truth", "regret-belief", "losses",
                     "index", "index-map", "pairs"):
            done = run("plot", path, kind, "--data", os.path.join(self.place.name, "kind.json"))
            self.assertIn(done.returncode, (0, 2), (kind, done.stderr))
            if done.returncode == 2:
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
                self.assertNotIn("failed", done.stderr)
            yield done.stderr

    def test_answers_of_all_questions_can_be_in_one_study(self):
        path = os.path.join(self.place.name, "questions.jsonl")
        for question in ("solve", "bound", "query", "tree", "compare --explain", "simulate --runs 9 --counts", "compare --truth list:0.2,0.7",
                         "compare --truth grid:0:1:0.5", "compare --assume 2,1", "compare --reach 0.6", "compare --price 0.1"):
            run("sweep", path, "--for", "T=1:2", *question.split(), "-T", "%T", "2x1,1")
        run("sweep", path, "index", "-T", "3", "--policy", "kg", "1,1")
        for words in ("ranking 3x1", "labelers 0.7 0.6", "assignment --workers-prior 4,1 2x1"):
            for question in ("compare", "query", "simulate --runs 9 --counts"):
                run("sweep", path, "--for", "T=1:2", *question.split(), "-T", "%T", "--problem", *words.split())
        self.assertGreater(pathlib.Path(path).read_text().count("\n"), 35)
        for said in self.ask_kinds(path):
            self.assertNotIn("not as optgap writes it", said)

    def test_any_change_of_an_answer_is_drawn_or_refused_in_one_line(self):
        draw, path = random.Random(SEED), os.path.join(self.place.name, "changed.jsonl")
        good = [json.loads(line) for db in (self.db, self.list_db) for line in pathlib.Path(db).read_text().splitlines()]

        def change(value):
            if draw.random() < 0.1 or not value or not isinstance(value, (dict, list)):
                return draw.choice([None, True, -1, math.nan, 10**400, "", "1,1", [], {}, [None], {"name": 1}, "list:x"])
            key = draw.choice(list(value) if isinstance(value, dict) else range(len(value)))
            other = value.copy()
            other[key] = change(value[key])
            return other

        for _ in range(math.ceil(4 * SCALE)):
            lines = [{**one, "answer": change(one["answer"])} for one in draw.sample(good, 4)]
            pathlib.Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines))
            list(self.ask_kinds(path))
        pathlib.Path(path).write_text('{"asked": ["solve"], "answer": {"a": ' + "[" * 100000 + "}\n")
        self.refuse([path, "value"], "not as optgap writes it")

    def fake(self, script):
        """A python3 that is found first."""
        tool = pathlib.Path(self.place.name, "python3")
        tool.write_text(f"#!/bin/sh\n{script}\n")
        tool.chmod(0o755)
        self.addCleanup(tool.unlink, missing_ok=True)
        return {"PATH": self.place.name}

    def test_without_matplotlib_it_says_what_to_install_and_writes_the_numbers(self):
        none = pathlib.Path(self.place.name, "none")
        none.mkdir()
        (none / "matplotlib.py").write_text("raise ModuleNotFoundError('none', name='matplotlib')\n")
        numbers = self.out + ".json"
        done = run("plot", self.list_db, "spent", "-o", self.out, "--data", numbers, environment={"PYTHONPATH": str(none)})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]*matplotlib, which is not installed[^\n]*python3-matplotlib\)\n\Z")
        self.assertFalse(os.path.exists(self.out))
        self.assertEqual(json.loads(pathlib.Path(numbers).read_text())["title"], "Where the labels go")

    def test_python_without_matplotlib_is_not_the_last_word(self):
        """Debian's has Debian's packages."""
        done = run("plot", self.list_db, "spent", "-o", self.out, environment=self.fake("exit 3"))
        self.assertIn((done.returncode, done.stderr.count("\n")), ((0, 0), (1, 1)))
        self.assertEqual(done.returncode == 0, os.path.exists(self.out))

    def test_python_that_fails_is_quoted_in_one_line(self):
        done = run("plot", self.list_db, "spent", "-o", self.out,
                   environment=self.fake("echo first >&2; echo 'KeyError: 7' >&2; exit 1"))
        self.assertEqual((done.returncode, done.stderr), (1, "optgap: python3 failed: KeyError: 7\n"))

    def test_no_picture_or_half_of_one_is_told(self):
        for suffix in (".svg", ".png", ".pdf"):
            out = os.path.join(self.place.name, "half" + suffix)
            for drawn in ("", "echo text", "echo '<?xml and a full disk'", "echo '%PDF-1.4'; echo 'endobj'",
                          "echo '</svg>'; echo '%%EOF'"):
                done = run("plot", self.list_db, "spent", "-o", out, environment=self.fake(drawn))
                self.assertEqual((done.returncode, done.stderr), (1, "optgap: python3 drew no complete picture\n"))
                self.assertFalse(os.path.exists(out))

    def test_file_that_cannot_be_written_keeps_the_old_one(self):
        pathlib.Path(self.out).write_text("old")
        # Above the kilobyte that libomp writes, below the size of Python's input.
        done = run_with_small_files(2000, "plot", self.list_db, "spent", "-o", self.out)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        self.assertEqual(pathlib.Path(self.out).read_text(), "old")


class ReportTest(PlotCase):
    pages = {}  # by database: each is made once

    def report(self, db=None):
        db = db or self.db
        if db not in self.pages:
            out = os.path.join(self.place.name, self.id() + ".html")
            done = run("report", db, "-o", out)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(glob.glob(out + ".*"), [])
            self.pages[db] = pathlib.Path(out).read_text()
        return self.pages[db]

    def test_page_needs_nothing_else(self):
        page = self.report()
        links = re.findall(r"""(?:href|src|url)\s*[=(]\s*['"]?([^'")\s>]*)""", page)
        self.assertTrue(links)
        for link in links:
            self.assertTrue(link.startswith("#figure"), link)
        self.assertNotIn("<script", page)
        self.assertNotIn("@import", page)
        self.assertIn('name="viewport"', page)

    def test_every_figure_keeps_to_its_own_names(self):
        page = self.report()
        names = re.findall(r"""\bid=['"]([^'"]*)['"]""", page)
        self.assertEqual(len(names), len(set(names)))
        for link in re.findall(r"""href=['"]#([^'"]*)['"]""", page):
            self.assertIn(link, names)

    def test_tags_are_balanced(self):
        class Reader(html.parser.HTMLParser):
            open_tags = []

            def handle_starttag(self, tag, attributes):
                if tag != "meta":
                    self.open_tags.append(tag)

            def handle_endtag(self, tag):
                assert self.open_tags.pop() == tag, (tag, self.getpos())

        reader = Reader()
        reader.feed(self.report())
        self.assertEqual(reader.open_tags, [])

    def test_commands_of_figures_draw_them(self):
        page = self.report()
        commands = re.findall(r"<code>(optgap plot [^<]*)</code>", page)
        self.assertEqual(len(commands), 9)
        self.assertEqual(len(commands), page.count("<svg"))
        documents = []
        chosen = commands[::3]
        for command in chosen:
            words = shlex.split(html.unescape(command))
            self.assertEqual(words[-2], "-o")
            documents.append(self.numbers(*words[3:-2], db=words[2]))
        for picture, command in zip(draw_all(documents), chosen, strict=True):
            paths = re.findall(r' d="(M[^"]*)"', picture.decode())
            self.assertGreater(len(paths), 10)
            self.assertTrue(all(path in page for path in paths), command)

    def test_tables_say_what_the_answers_say(self):
        tables = [([re.findall(r"<th>(.*?)</th>", row) for row in table.split("<tr>")[1:2]][0],
                   [re.findall(r"<td>(.*?)</td>", row) for row in table.split("<tr>")[2:]])
                  for table in re.findall(r"<table>(.*?)</table>", self.report(), re.S)]
        (head, rows), = [table for table in tables if table[0][:3] == ["labels", "optimum", "best bound"]][1:2]
        for k, policy in enumerate(head[3:], 3):
            known = [f"{gap:.10g}" for gap in stored(self.db, "gap", policy=policy)]
            self.assertEqual([row[k] for row in rows], known, policy)
        largest = next(rows for head, rows in tables if head[0] == "instances")
        self.assertEqual(largest[1][1 + sorted(head[3:]).index("uniform")],
                         f"{max(stored(self.db, 'gap_percent', policy='uniform')):.10g}")

    def test_the_page_opens_with_results(self):
        page = self.report()
        opening = page[page.index("<h2>Results"):page.index("</ul>")]
        self.assertLess(page.index("<h2>Results"), page.index("problems valued exactly"))
        for policy in ("uniform", "kg", "opt-kg", "gittins-fh"):
            rows = [row for line in lines_of(self.db) if line["asked"][0] == "compare" for row in line["answer"]["policies"]
                    if row["name"] == policy]
            gaps, percent = ([row[column] for row in rows] for column in ("gap", "gap_percent"))
            zero = sum(row["gap"] <= row["gap_error_bound"] for row in rows)
            said = (f"<li>{policy} is optimal in all of {len(gaps)} problems." if zero == len(gaps) else
                    f"<li>{policy} is optimal in {zero or 'none'} of {len(gaps)} problems. It loses at most {max(percent):.3g} % of the")
            self.assertIn(said, opening)
        self.assertNotIn("Results", self.report(self.list_db))

    def test_what_was_asked_is_told(self):
        page = self.report()
        self.assertIn("optgap compare -T 1 --policies=uniform,kg,opt-kg,gittins-fh 2x1,1\n# and 23 more of compare", page)
        self.assertIn("optgap simulate -T 4 --policies=kg,opt-kg --runs=50 2x1,1\n# and 7 more of simulate", page)

    def test_labels_spent_are_in_it(self):
        page = self.report(self.list_db)
        self.assertIn("Where the labels go", page)

    def test_played_study_is_not_called_valued(self):
        self.assertIn("2 problems played, not valued.", self.report(self.list_db))
        self.assertNotIn("valued exactly", self.report(self.list_db))
        self.assertIn("24 problems valued exactly, 24 of them with the optimum proved; 8 problems played",
                      self.report())

    def test_tables_are_not_wider_than_a_page(self):
        db = os.path.join(self.place.name, "wide.jsonl")
        names = ["uniform", "kg", "opt-kg", "pess-kg", "gittins-fh", "gittins-inf:0.9", "lagrangian", "kg-star"]
        sweep(db, "--for", "T=1:3", "compare", "-T", "%T", "--policies", ",".join(names), "--ties", "random,best", "2x1,1")
        page = self.report(db)
        tables = re.findall(r"<table>(.*?)</table>", page, re.S)
        columns = [re.findall(r"<th>(.*?)</th>", table) for table in tables]
        self.assertLessEqual(max(map(len, columns)), 8)
        for policy in names:
            for ties in ("", ", best"):
                self.assertTrue(any(policy + ties in row for row in columns), policy)

    def test_empty_study_and_bad_words_are_refused(self):
        empty = os.path.join(self.place.name, "empty.jsonl")
        sweep(empty, "--for", "T=1", "solve", "-T", "%T", "1,1")
        out = os.path.join(self.place.name, "no.html")
        self.assert_refused(["report", empty, "-o", out], "has no policies to report on")
        self.assert_refused(["report", self.db], "-o FILE is missing")
        self.assert_refused(["report", "-o", out], "no STUDY.jsonl is given")
        self.assert_refused(["report", self.db, "b.jsonl", "-o", out], "report takes one STUDY.jsonl; omit 'b.jsonl'")
        self.assert_refused(["report", self.db, "-o", "/nonexistent/no.html"],
                            "could not be written", 1)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    main()
