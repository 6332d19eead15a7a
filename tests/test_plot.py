"""The program's figures and reports.

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
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402
from test_cli import run_with_small_files  # noqa: E402


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
            "gap-budget": (["--instances", "3"], "What policies lose with 3 instances",
                           "against the optimum, prior 1,1, ties random, bars: 95 %",
                           "labels (T)", "gap (expected correct calls)"),
            "gap-instances": (["--budget", "4"], "What policies lose with 4 labels",
                              "instances (K)", "gap (expected correct calls)"),
            "value": (["--instances", "3"], "What policies are worth with 3 instances",
                      "prior 1,1, ties random, bars: 95 %", "labels (T)",
                      "expected correct calls, of 3"),
            "index": ([], "highest first; prior 1,1, 8 labels in all",
                      "labels left, after one positive label",
                      "index (correct calls per label)"),
        }
        for kind, (words, *lines) in expected.items():
            picture = self.plot(kind, *self.one, *words)
            texts = self.texts(picture)
            for line in lines:
                self.assertIn(line, texts, kind)
            titles = [html.unescape(title) for title in re.findall("<title>(.*?)</title>", picture.decode())]
            self.assertIn(titles[0], texts)
            self.assertFalse([title for title in titles if title not in texts], titles)
            self.assertGreater(len(titles), 3)
            for name in ("kg", "opt-kg", "gittins-fh"):
                self.assertTrue(any(text.startswith(name) for text in texts), (kind, texts))

    def test_value_has_optimum_band_and_played_values(self):
        texts = self.texts(self.plot("value", *self.one, "--instances", "3"))
        for name in ("optimum", "upper bound", "opt-kg", "opt-kg (50 runs)"):
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
            self.assertIn(f"{policy}, ties random (10 runs)", texts)

    def test_spent_has_a_curve_for_each_policy_and_budget(self):
        texts = self.texts(self.plot("spent", db=self.list_db))
        self.assertIn("kg, 10 labels", texts)
        self.assertIn("opt-kg, 20 labels", texts)
        texts = self.texts(self.plot("spent", "--policies", "kg", db=self.list_db))
        self.assertIn("Where the labels go: kg", texts)
        self.assertIn("20 labels", texts)

    def test_long_names_stand_in_the_key_whole(self):
        """gnuplot's own key omits entries if it finds no room."""
        db = os.path.join(self.place.name, "long.db")
        table = pathlib.Path(self.place.name, "an-index-with-a-name-that-no-key-has-ever-had-room-for-so-far.tsv")
        table.write_text(run("index", "--policy", "kg", "-T", "3", "1,1").stdout)
        done = run("sweep", db, "--prior", "1,1", "--instances", "2", "--budget", "1:3", "--policies", "kg",
                   "--policy", f"table:{table}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"table:{table}", "".join(self.texts(self.plot("gap-budget", db=db))))
        texts = self.texts(self.plot("gap-budget", "--name", f"table:{table}=mine", db=db))
        self.assertIn("mine", texts)
        self.assertNotIn("table:", "".join(texts))

    def looks(self, picture):
        """Colour, dashes and mark of every curve by its name, from the title's group in the SVG."""
        found = {}
        for group in xml.fromstring(picture).iter("{http://www.w3.org/2000/svg}g"):
            title = group.find("{http://www.w3.org/2000/svg}title")
            if title is None:
                continue
            look = found.setdefault(title.text, {})
            for at in group.iter():
                look.setdefault("colour", at.get("stroke") if at.tag.endswith("path") else at.get("color"))
                if at.tag.endswith("path"):
                    look.update(colour=at.get("stroke"), dashes=at.get("stroke-dasharray"))
                elif at.tag.endswith("use") and at.get("color") != "#FFFFFF":
                    look.update(mark=at.get("{http://www.w3.org/1999/xlink}href"))
        return found

    def contrast(self, colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 1.05 / (0.05 + sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)))

    def test_curves_differ_in_colour_and_style_and_are_dark_enough(self):
        db = os.path.join(self.place.name, "looks.db")
        for more in (["--policies", "all"], ["--policies", "kg", "--ties", "random,first,best,worst"]):
            done = run("sweep", db, "--prior", "1,1", "--instances", "2", "--budget", "1:4", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
        for words in (["--policies", "kg"], ["--ties", "random"], []):
            looks = self.looks(self.plot("gap-budget", *words, db=db))
            self.assertGreaterEqual(len(looks), 4)
            self.assertEqual(len({tuple(look.items()) for look in looks.values()}), len(looks), looks)
            if len(looks) <= 7:
                for part in ("colour", "dashes", "mark"):
                    self.assertEqual(len({look[part] for look in looks.values()}), len(looks), looks)
            for look in looks.values():
                self.assertGreaterEqual(self.contrast(look["colour"]), 3, look)
        looks = self.looks(self.plot("spent", db=self.list_db))
        self.assertEqual(len({tuple(look.items()) for look in looks.values()}), 4, looks)

    def test_logarithmic_axis_keeps_its_title_and_its_zeros(self):
        words = ["gap-budget", *self.one, "--instances", "3", "--policies", "kg"]
        picture = self.plot(*words, "--log")
        texts = self.texts(picture)
        self.assertIn("gap (expected correct calls)", texts)
        self.assertIn("0", texts)
        self.assertTrue(any(text.startswith("Points on the lowest line, 0:") for text in texts), texts)
        points = re.compile(r"<use xlink:href='#gpPt\d+'")
        self.assertEqual(len(points.findall(picture.decode())), len(points.findall(self.plot(*words).decode())))

    def test_every_text_is_inside_the_picture(self):
        for kind, words in (("gap-budget", ["--instances", "3"]), ("gap-budget", ["--instances", "3", "--log"]),
                            ("value", ["--instances", "3"]), ("index", [])):
            picture = self.plot(kind, *self.one, *words).decode()
            width, height = map(float, re.search(r'viewBox="0 0 (\d+) (\d+)"', picture).groups())
            for x, y, turned, size, anchor, text in re.findall(
                    r"translate\(([-\d.]+),([-\d.]+)\)( rotate\(-90\))?\"[^>]*font-size=\"([\d.]+)\"\s+"
                    r"text-anchor=\"(\w+)\">\s*<text>([^<]*)", picture):
                length = 0.55 * float(size) * len(html.unescape(text))
                before = {"start": 0, "middle": length / 2, "end": length}[anchor]
                at, room = (float(y), height) if turned else (float(x), width)
                self.assertGreaterEqual(at - before, -1, (kind, text))
                self.assertLessEqual(at - before + length, room + 1, (kind, text))
                self.assertGreaterEqual(float(size) * 340 / width, 9.5, "too small on a telephone: " + text)

    def test_ticks_of_what_is_counted_are_whole(self):
        for kind, words in (("gap-instances", ["--budget", "4"]), ("gap-budget", ["--instances", "3"]),
                            ("value", ["--instances", "3"])):
            ticks = re.findall(r'text-anchor="middle">\s*<text>([\d.]+)</text>',
                               self.plot(kind, *self.one, *words).decode())
            self.assertGreaterEqual(len(ticks), 2)
            self.assertFalse([tick for tick in ticks if "." in tick], ticks)

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
        texts = " ".join(self.texts(self.plot("gap-budget", db=db)))
        self.assertIn("No gap of gittins-fh, opt-kg at 9: the optimum: no time.", texts)
        self.assertIn("No gap of kg from 8 to 9: too many states.", texts)
        self.assertIn("In the study from 1 to 5 only: uniform.", texts)
        self.assertIn("Too close to tell apart: gittins-fh; opt-kg.", texts)
        texts = " ".join(self.texts(self.plot("value", db=db)))
        self.assertIn("No value of the optimum at 9: no time.", texts)
        self.assertIn("No value of kg from 8 to 9: too many states.", texts)

    def test_key_has_no_curve_without_a_line_and_runs_are_said(self):
        db = os.path.join(self.place.name, "played.db")
        words = ["--prior", "1,1", "--instances", "3", "--budget", "2,4", "--policies", "kg,opt-kg"]
        self.assertEqual(run("sweep", db, *words, "--runs", "20").returncode, 0)
        texts = self.texts(self.plot("value", db=db))
        self.assertIn("prior 1,1, ties random, 20 runs (bars: 95 %)", texts)
        self.assertNotIn("optimum", texts)
        self.assertIn("kg", texts)

    def test_panels_of_one_figure_have_one_range(self):
        picture = self.plot("index", *self.one).decode()
        ticks = re.findall(r'translate\([\d.]+,([\d.]+)\)[^>]*text-anchor="end">\s*<text>([\d.]+)', picture)
        places = {}
        for y, tick in ticks:
            places.setdefault(tick, []).append(float(y))
        self.assertGreater(len(places), 3)
        self.assertEqual(len({round(ys[1] - ys[0], 1) for ys in places.values()}), 1, places)
        self.assertEqual(self.texts(picture.encode()).count("opt-kg"), 1)

    def test_gain_lost_is_that_of_the_database(self):
        words = ["gap-budget", *self.one, "--instances", "3", "--policies", "uniform", "--budget", "1:6"]
        for axis, column, label in (("gap-percent", "gap_percent", "gap (% of the optimum)"),
                                    ("gain-lost", "gain_lost_percent", "gain lost (% of the optimal)")):
            picture = self.plot(*words, "--axis", axis)
            self.assertIn(label, self.texts(picture))
            marks = [float(y) for y in re.findall(
                r"<use xlink:href='#gpPt\d+' transform='translate\([\d.]+,([\d.]+)\)", picture.decode())][-6:]
            with sqlite3.connect(self.db) as database:
                rows = [row[0] for row in database.execute(
                    f"SELECT {column} FROM result WHERE prior = '1,1' AND instances = 3 AND runs = 0 AND"
                    " policy = 'uniform' ORDER BY budget")]
            scale = (marks[-1] - marks[0]) / (rows[-1] - rows[0])
            for y, value in zip(marks, rows, strict=True):
                self.assertAlmostEqual(y, marks[0] + scale * (value - rows[0]), delta=0.2)

    def test_title_names_size_and_font_are_as_asked_for(self):
        words = ["value", *self.one, "--instances", "3", "--size", "12x15cm", "--title", "<A> & 'b'",
                 "--name", "opt-kg=optimistic", "--name", "kg=gradient", "--font", "Serif,10"]
        picture = self.plot(*words)
        texts = self.texts(picture)
        self.assertIn("<A> & 'b'", texts)
        self.assertIn("optimistic (50 runs)", texts)
        self.assertIn("gradient", texts)
        self.assertNotIn("kg", " ".join(texts))
        self.assertIn(b'viewBox="0 0 454 567"', picture)
        self.assertIn(b'font-family="Serif"', picture)
        self.assertIn(b'font-size="13.33"', picture)

    def test_other_formats_are_whole_and_as_large_as_asked_for(self):
        words = ["value", *self.one, "--instances", "3", "--size", "6x6in", "--title", "100% of $a_b$"]

        def draw(suffix):
            return self.plot(*words, out=os.path.join(self.place.name, "a" + suffix))

        picture = draw(".pdf")
        self.assertEqual(picture[:5], b"%PDF-")
        self.assertEqual(picture.rstrip()[-5:], b"%%EOF")
        self.assertRegex(picture, rb"/MediaBox \[ 0 0 432 432 \]")
        picture = draw(".eps")
        self.assertEqual(picture[:10], b"%!PS-Adobe")
        self.assertIn(b"EPSF", picture.splitlines()[0])
        self.assertIn(b"%%BoundingBox: 0 0 432 432", picture)
        for suffix in (".tex", ".tikz"):
            picture = draw(suffix)
            self.assertIn(rb"{100\% of \$a\_b\$}", picture)
            self.assertIn(b"(15.240,15.240)", picture)

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
        self.assertEqual(width, 2 * 480)
        self.assertGreater(height, 850)

    def test_curves_pass_through_the_stored_gaps(self):
        """The figure shows the stored values: the heights of uniform's marks are an affine function of
        its gaps."""
        picture = self.plot("gap-budget", *self.one, "--instances", "3", "--policies", "uniform")
        marks = [(float(x), float(y)) for x, y in re.findall(
            r"<use xlink:href='#gpPt\d+' transform='translate\(([\d.]+),([\d.]+)\)",
            picture.decode())][-6:]
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
        self.refuse([self.db, "value"], "ends in .svg, .png, .pdf, .eps or .tex", out=self.out[:-4] + ".jpg")
        self.refuse([self.db, "value", "--axis", "gain-lost"], "for gap-budget, gap-instances and regret-belief")
        for word in ("10x10", "480", "480x", "x480", "480x360pt", "480x360x2", "1e3x400", "-480x360"):
            self.refuse([self.db, "value", "--size", word], "--size must be WxH in pixels (1/96 inch)")
        for word in ("Times,", "Times,3", "Times,100", "a'b", "<b>", "a\\", "x" * 64, ""):
            self.refuse([self.db, "value", "--font", word], "--font must be a font's name and a size")
        for word in ("kg", "=kg", "kg="):
            self.refuse([self.db, "value", "--name", word], "--name must be POLICY=Name")
        self.refuse([self.db, "value", *FigureTest.one, "--instances", "3", "--name", "kgg=x"], "it has no 'kgg'")
        self.refuse([self.db, "value", *FigureTest.one, "--instances", "3", "--size", "150x150"], "too small")
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

    def test_terminal_that_gnuplot_has_not_is_said_in_one_line(self):
        tool = pathlib.Path(self.place.name, "gnuplot")
        real = shutil.which("gnuplot")
        tool.write_text(f"#!/bin/sh\n/bin/sed 's/^set terminal [a-z]*/set terminal missing/' | {real} -\n")
        tool.chmod(0o755)
        for suffix, name in ((".pdf", "PDF"), (".eps", "EPS"), (".tex", "TikZ")):
            out = os.path.join(self.place.name, "none" + suffix)
            done = run("plot", self.list_db, "spent", "-o", out, environment={"PATH": self.place.name})
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, rf"\Aoptgap: this gnuplot cannot draw {name} [^\n]*\n\Z")
            self.assertFalse(os.path.exists(out))
        tool.unlink()

    def test_half_a_picture_of_any_format_is_told(self):
        tool = pathlib.Path(self.place.name, "gnuplot")
        real = shutil.which("gnuplot")
        for suffix in (".svg", ".png", ".pdf", ".eps", ".tex"):
            out = os.path.join(self.place.name, "half" + suffix)
            for cut in ("/usr/bin/head -c 4000", "/usr/bin/tail -c +300"):
                tool.write_text(f"#!/bin/sh\n{real} - | {cut}\n")
                tool.chmod(0o755)
                done = run("plot", self.list_db, "spent", "-o", out, environment={"PATH": self.place.name})
                self.assertEqual((done.returncode, done.stderr),
                                 (1, "optgap: gnuplot drew no whole picture\n"), (suffix, cut))
                self.assertFalse(os.path.exists(out))
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
        # Above the kilobyte that libomp writes, below the size of gnuplot's input.
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
        self.assert_refused(["report", self.db, "b.db", "-o", out], "'b.db' is one more")
        self.assert_refused(["report", self.db, "-o", "/nonexistent/no.html"],
                            "could not be written", 1)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    main()
