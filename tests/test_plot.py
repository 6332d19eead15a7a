"""Figures and reports as their users meet them.

    test_plot.py PROGRAM [unittest option...]
"""

import glob
import html
import html.parser
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
import unittest
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from test_cli import Case, run, run_with_small_files  # noqa: E402


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

    def texts(self, picture):
        return [" ".join("".join(at.itertext()).split())
                for at in xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


class FigureTest(PlotCase):
    one = ["--prior", "1,1"]

    def test_every_kind_says_what_it_is_about_and_has_units(self):
        expected = {
            "gap-budget": (["--instances", "3"], "3 instances, prior 1,1, ties random",
                           "labels (T)", "gap (expected correct calls)"),
            "gap-instances": (["--budget", "4"], "4 labels, prior 1,1, ties random",
                              "instances (K)", "gap (expected correct calls)"),
            "value": (["--instances", "3"], "3 instances, prior 1,1, ties random", "labels (T)",
                      "expected correct calls, of 3"),
            "index": ([], "prior 1,1, 8 labels in all",
                      "labels left (after one label, positive)",
                      "index (correct calls per label)"),
        }
        for kind, (words, *lines) in expected.items():
            texts = self.texts(self.plot(kind, *self.one, *words))
            for line in lines:
                self.assertIn(line, texts, kind)
            for name in ("kg", "opt-kg", "gittins-fh"):
                self.assertTrue(any(text.startswith(name) for text in texts), (kind, texts))

    def test_value_has_optimum_band_and_played_values(self):
        texts = self.texts(self.plot("value", *self.one, "--instances", "3"))
        for name in ("optimum", "upper bound", "opt-kg", "opt-kg (played)"):
            self.assertIn(name, texts)

    def test_key_has_every_curve_however_long_its_name(self):
        db = os.path.join(self.place.name, "names.db")
        words = ["--prior", "1,1", "--instances", "2", "--policies",
                 "uniform,kg,opt-kg,pess-kg,gittins-fh,cvar-kg:0.123456789"]
        for more in (["--budget", "1:3", "--ties", "random,first,best,worst"],
                     ["--budget", "2", "--runs", "10"]):
            self.assertEqual(run("sweep", db, *words, *more).returncode, 0)
        texts = self.texts(self.plot("value", db=db))
        for policy in words[-1].split(","):
            for rule in ("random", "first", "best", "worst"):
                self.assertIn(f"{policy}, ties {rule}", texts)
            self.assertIn(f"{policy}, ties random (played)", texts)

    def test_spent_has_a_curve_for_each_policy_and_budget(self):
        texts = self.texts(self.plot("spent", db=self.list_db))
        self.assertIn("kg, 10 labels", texts)
        self.assertIn("opt-kg, 20 labels", texts)
        texts = self.texts(self.plot("spent", "--policies", "kg", db=self.list_db))
        self.assertIn("Where the labels go: kg", texts)
        self.assertIn("20 labels", texts)

    def test_policies_can_be_chosen(self):
        texts = self.texts(self.plot("gap-budget", *self.one, "--instances", "3", "--policies", "kg"))
        self.assertIn("kg", texts)
        self.assertNotIn("uniform", texts)

    def test_same_study_same_picture(self):
        words = ["value", *self.one, "--instances", "2"]
        self.assertEqual(self.plot(*words), self.plot(*words))

    def test_png_is_a_picture_of_twice_the_pixels(self):
        path = os.path.join(self.place.name, "a.png")
        picture = self.plot("value", *self.one, "--instances", "2", out=path)
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(picture[-8:-4], b"IEND")
        width, height = struct.unpack(">II", picture[16:24])
        self.assertEqual(width, 2 * 580)
        self.assertGreater(height, 900)

    def test_curves_pass_through_the_stored_gaps(self):
        """What is drawn is what is stored: the heights of uniform's marks are an affine picture of
        its gaps."""
        picture = self.plot("gap-budget", *self.one, "--instances", "3", "--policies", "uniform")
        marks = [(float(x), float(y)) for x, y in re.findall(
            r"<use xlink:href='#gpPt\d+' transform='translate\(([\d.]+),([\d.]+)\)",
            picture.decode())][-7:-1]
        rows = [float(line.split(",")[-1]) for line in self.gaps()]
        self.assertEqual(len(marks), len(rows))
        scale = (marks[-1][1] - marks[0][1]) / (rows[-1] - rows[0])
        for (_, y), gap in zip(marks, rows):
            self.assertAlmostEqual(y, marks[0][1] + scale * (gap - rows[0]), delta=0.2)

    def gaps(self):
        with sqlite3.connect(self.db) as database:
            return [str(row[0]) for row in database.execute(
                "SELECT gap FROM result WHERE prior = '1,1' AND instances = 3 AND runs = 0 AND"
                " policy = 'uniform' ORDER BY budget")]


class RefusalTest(PlotCase):
    def refuse(self, words, expected, code=2, out=None):
        out = out or self.out
        self.assert_refused(["plot", *words, "-o", out], expected, code)
        self.assertFalse(os.path.exists(out))
        self.assertEqual(glob.glob(out + ".*"), [])

    def test_bad_words_are_refused(self):
        self.refuse([self.db, "gap-budgets"], "did you mean 'gap-budget'?")
        self.refuse([self.db], "the kind of figure is missing")
        self.refuse([self.db, "value", "index"], "'index' is one word more")
        self.refuse([self.db, "value"], "choose by --prior among 1,1 2,1")
        self.refuse([self.db, "value", "--prior", "1,1"], "choose by --instances among 2 3")
        self.refuse([self.db, "value", "--prior", "3,1"], "the study has nothing of that kind")
        self.refuse([self.db, "spent"], "the study has nothing of that kind")
        self.refuse([self.db, "value", "--prior", "a"], "'a'")
        self.refuse([self.db, "value"], "ends in .svg or .png", out=self.out[:-4] + ".pdf")
        self.assert_refused(["plot", self.db, "value"], "-o FILE is missing")
        self.assert_refused(["plot", "-o", self.out], "no STUDY.db is given")

    def test_study_that_is_not_there_is_not_made(self):
        path = os.path.join(self.place.name, "none.db")
        self.refuse([path, "value"], "none.db cannot be opened")
        self.assertFalse(os.path.exists(path))

    def test_without_gnuplot_it_says_what_is_missing(self):
        done = run("plot", self.list_db, "spent", "-o", self.out, environment={"PATH": "/nowhere"})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: gnuplot is not installed[^\n]*\n\Z")
        self.assertFalse(os.path.exists(self.out))

    def test_gnuplot_that_fails_is_quoted_in_one_line(self):
        tool = pathlib.Path(self.place.name, "gnuplot")
        tool.write_text("#!/bin/sh\necho first >&2\necho 'no such terminal' >&2\nexit 3\n")
        tool.chmod(0o755)
        done = run("plot", self.list_db, "spent", "-o", self.out,
                   environment={"PATH": self.place.name})
        self.assertEqual((done.returncode, done.stderr),
                         (1, "optgap: gnuplot failed: no such terminal\n"))
        tool.unlink()

    def test_gnuplot_that_draws_nothing_or_half_is_told(self):
        tool = pathlib.Path(self.place.name, "gnuplot")
        for drawn in ("", "echo text", "echo '<svg> and a full disk, which gnuplot does not tell'"):
            tool.write_text(f"#!/bin/sh\n{drawn}\n")
            tool.chmod(0o755)
            done = run("plot", self.list_db, "spent", "-o", self.out,
                       environment={"PATH": self.place.name})
            self.assertEqual((done.returncode, done.stderr),
                             (1, "optgap: gnuplot drew no whole picture\n"))
            self.assertFalse(os.path.exists(self.out))
        tool.unlink()

    def test_file_that_cannot_be_written_keeps_the_old_one(self):
        pathlib.Path(self.out).write_text("old")
        # Above the kilobyte that libomp writes, below what gnuplot is to be told.
        done = run_with_small_files(2000, "plot", self.list_db, "spent", "-o", self.out)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        self.assertEqual(pathlib.Path(self.out).read_text(), "old")


class ReportTest(PlotCase):
    def report(self, db=None):
        out = os.path.join(self.place.name, self.id() + ".html")
        done = run("report", db or self.db, "-o", out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(glob.glob(out + ".*"), [])
        return pathlib.Path(out).read_text()

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
        for number, command in enumerate(commands):
            words = shlex.split(html.unescape(command))
            out = os.path.join(self.place.name, f"again-{number}.svg")
            done = run(*words[1:-1], out)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)
            paths = re.findall(r" d='(M[^']*)'", pathlib.Path(out).read_text())
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
        self.assert_refused(["report", self.db, "b.db", "-o", out], "'b.db' is one more")
        self.assert_refused(["report", self.db, "-o", "/nonexistent/no.html"],
                            "could not be written", 1)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: test_plot.py PROGRAM [unittest option...]")
    test_cli.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
