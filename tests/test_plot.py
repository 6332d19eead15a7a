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
import re
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from cli import PROGRAM, Case, main, run  # noqa: E402
from test_cli import run_with_small_files  # noqa: E402

MODULE = os.path.join(os.path.dirname(PROGRAM), "tools/python/optgap_figures")
NARROW = " ijltfr.,;:'()|I-"
SVG = "{http://www.w3.org/2000/svg}"
ONE = ["--prior", "1,1"]
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


class PlotCase(Case):
    """One study for all: exact and played cells, and one with a list of soft labels."""

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        cls.db = os.path.join(cls.place.name, "study.db")
        cls.list_db = os.path.join(cls.place.name, "list.db")
        grid = ["--prior", "1,1", "--prior", "2,1", "--instances", "2,3"]
        for words in (
            [cls.db, *grid, "--budget", "1:6", "--policies", "uniform,kg,opt-kg,gittins-fh"],
            [cls.db, *grid, "--budget", "4,8", "--policies", "kg,opt-kg", "--runs", "50"],
            [cls.list_db, "--prior", "1,1", "--instances", "5", "--budget", "10,20", "--policies",
             "opt-kg,kg", "--runs", "50", "--truth", "list:0,.25,.5,.75,1"],
        ):
            done = run("sweep", *words)
            assert done.returncode == 0, done.stderr

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
        looks = os.path.join(cls.place.name, "looks.db")
        long = os.path.join(cls.place.name, "long.db")
        table = pathlib.Path(cls.place.name, "an-index-with-a-name-that-no-key-has-ever-had-room-for-so-far.tsv")
        table.write_text(run("index", "--policy", "kg", "-T", "3", "1,1").stdout)
        cls.table = f"table:{table}"
        small = ["--prior", "1,1", "--instances", "2"]
        for words in ([looks, *small, "--budget", "1:4", "--policies", "all"],
                      [looks, *small, "--budget", "1:4", "--policies", "kg", "--ties", "random,first,best,worst"],
                      [long, *small, "--budget", "1:3", "--policies", "kg", "--policy", cls.table],
                      [cls.db + ".belief", "--prior", "2,1", "--instances", "2", "--budget", "4", "--believe", "1:3,1:3"]):
            done = run("sweep", *words)
            assert done.returncode == 0, done.stderr
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
            "map": (["regret-belief"], cls.db + ".belief"),
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
                    "the prior that labels fall by"),
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

    def test_ticks_of_what_is_counted_are_whole(self):
        for kind in ("gap-instances", "gap-budget", "value"):
            axis = next(at for at in xml.fromstring(self.pictures[kind]).iter(SVG + "g") if at.get("id") == "matplotlib.axis_1")
            ticks = ["".join(at.itertext()) for at in axis.iter(SVG + "text")]
            self.assertGreaterEqual(len(ticks), 2)
            self.assertTrue(all(tick.isdigit() for tick in ticks), ticks)

    def test_what_is_missing_or_hidden_is_said(self):
        db = os.path.join(self.place.name, "missing.db")
        for words in (["--budget", "1:9", "--policies", "kg,opt-kg,gittins-fh"],
                      ["--budget", "1:5", "--policies", "uniform"]):
            self.assertEqual(run("sweep", db, "--prior", "1,1", "--instances", "3", *words).returncode, 0)
        with sqlite3.connect(db) as database:
            database.execute("UPDATE policy SET status = 'limit', reason = 'too many states', value = NULL,"
                             " gain = NULL WHERE policy = 'kg' AND cell IN (SELECT id FROM cell WHERE budget > 7)")
            database.execute("UPDATE cell SET status = 'limit', reason = 'no time', value = NULL, gain = NULL"
                             " WHERE budget = 9")
        notes = self.numbers("gap-budget", db=db)["notes"]
        self.assertIn("No gap of gittins-fh, opt-kg at 9: the optimum: no time.", notes)
        self.assertIn("No gap of kg from 8 to 9: too many states.", notes)
        self.assertIn("In the study from 1 to 5 only: uniform.", notes)
        notes = self.numbers("value", db=db)["notes"]
        self.assertIn("No value of the optimum at 9: no time.", notes)
        self.assertIn("No value of kg from 8 to 9: too many states.", notes)
        self.assertIn("Too close to tell apart: gittins-fh; opt-kg.", " ".join(texts_of(self.pictures["gap-budget"])))

    def test_key_has_no_curve_without_a_line_and_runs_are_said(self):
        db = os.path.join(self.place.name, "played.db")
        words = ["--prior", "1,1", "--instances", "3", "--budget", "2,4", "--policies", "kg,opt-kg"]
        self.assertEqual(run("sweep", db, *words, "--runs", "20").returncode, 0)
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

    def test_gain_lost_is_that_of_the_database(self):
        words = ["gap-budget", *THREE, "--policies", "uniform", "--budget", "1:6"]
        for axis, column, label in (("gap", "gap", "gap (expected correct calls)"),
                                    ("gap-percent", "gap_percent", "gap (% of the optimum)"),
                                    ("gain-lost", "gain_lost_percent", "gain lost (% of the optimal)")):
            (panel,) = self.numbers(*words, "--axis", axis)["panels"]
            self.assertEqual(panel["y_label"], label)
            (curve,) = panel["curves"]
            for y, value in zip(curve["y"], self.stored(column), strict=True):
                self.assertTrue(math.isclose(y, value, rel_tol=1e-14), (y, value))

    def stored(self, column):
        with sqlite3.connect(self.db) as database:
            return [row[0] for row in database.execute(
                f"SELECT {column} FROM result WHERE prior = '1,1' AND instances = 3 AND runs = 0 AND"
                " policy = 'uniform' ORDER BY budget")]

    def test_curves_pass_through_the_stored_gaps(self):
        """The figure shows the stored values: the heights of uniform's marks are an affine function of its gaps."""
        (group,) = titled(self.pictures["uniform"])["uniform"]
        marks, rows = marks_of(group), self.stored("gap")
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

    def test_numbers_alone_need_no_python_and_are_what_is_drawn(self):
        out, numbers = self.out, self.out + ".json"
        done = run("plot", self.db, "value", *THREE, "--data", numbers, environment={"PATH": "/nowhere"})
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
        self.refuse([self.db, "value", "--prior", "a"], "'a'")
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
        self.assert_refused(["plot", "-o", self.out], "no STUDY.db is given")

    def test_study_that_is_not_there_is_not_made(self):
        path = os.path.join(self.place.name, "none.db")
        self.refuse([path, "value"], "none.db cannot be opened")
        self.assertFalse(os.path.exists(path))

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
        self.assertGreaterEqual(len(commands), 10)
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

    def test_tables_say_what_their_queries_say(self):
        page = self.report()
        tables = re.findall(
            r"<table>(.*?)</table>.*?<pre>sqlite3 [^\n\"]*\"(.*?)\"</pre>", page, re.S)
        self.assertGreaterEqual(len(tables), 6)
        with sqlite3.connect(self.db) as database:
            for table, sql in tables:
                cells = [re.findall(r"<td>(.*?)</td>", row) for row in table.split("<tr>")[2:]]
                rows = database.execute(html.unescape(sql)).fetchall()
                self.assertEqual(len(rows), len(cells), sql)
                for row, shown in zip(rows, cells):
                    for value, text in zip(row, shown, strict=True):
                        if value is None:
                            self.assertEqual(text, "–")
                        elif isinstance(value, float):
                            self.assertLessEqual(abs(float(text) - value), 5.1e-4 * abs(value))
                        else:
                            self.assertEqual(text, str(value))

    def test_command_that_filled_the_study_is_told(self):
        page = self.report()
        self.assertIn(f"optgap sweep {self.db} --prior 1,1 --prior 2,1 --instances 2,3 "
                      "--budget 1:6 --policies uniform,kg,opt-kg,gittins-fh --ties random", page)
        self.assertIn("--runs 50 --seed 1 --truth prior", page)

    def test_labels_spent_are_in_it(self):
        page = self.report(self.list_db)
        self.assertIn("Where the labels go", page)

    def test_played_study_is_not_called_valued(self):
        self.assertIn("2 problems played, not valued.", self.report(self.list_db))
        self.assertNotIn("valued exactly", self.report(self.list_db))
        self.assertIn("24 problems valued exactly, 24 of them with the optimum proved; 8 problems played",
                      self.report())

    def test_tables_are_not_wider_than_a_page(self):
        db = os.path.join(self.place.name, "wide.db")
        done = run("sweep", db, "--prior", "1,1", "--instances", "2", "--budget", "1:3", "--policies", "all",
                   "--ties", "random,best")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.report(db)
        tables = re.findall(r"<table>(.*?)</table>", page, re.S)
        columns = [re.findall(r"<th>(.*?)</th>", table) for table in tables]
        self.assertLessEqual(max(map(len, columns)), 8)
        with sqlite3.connect(db) as database:
            for policy, ties in database.execute("SELECT DISTINCT policy, ties FROM policy"):
                self.assertTrue(any(policy + ("" if ties == "random" else ", " + ties) in row for row in columns))

    def test_empty_study_and_bad_words_are_refused(self):
        empty = os.path.join(self.place.name, "empty.db")
        shutil.copy(self.db, empty)
        with sqlite3.connect(empty) as database:
            database.execute("DELETE FROM policy")
            database.execute("DELETE FROM cell")
        out = os.path.join(self.place.name, "no.html")
        self.assert_refused(["report", empty, "-o", out], "is empty")
        self.assert_refused(["report", self.db], "-o FILE is missing")
        self.assert_refused(["report", "-o", out], "no STUDY.db is given")
        self.assert_refused(["report", self.db, "b.db", "-o", out], "report takes one STUDY.db; omit 'b.db'")
        self.assert_refused(["report", self.db, "-o", "/nonexistent/no.html"],
                            "could not be written", 1)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    main()
