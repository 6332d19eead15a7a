"""The scripts of bench/studies that are more than a list of commands.

    test_studies.py PROGRAM [unittest option...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
STUDIES = pathlib.Path(__file__).parent.parent / "bench/studies"
sys.path.insert(0, str(STUDIES))
import drawing  # noqa: E402
import test_cli  # noqa: E402

WORDS = ["compare", "-T", "4", "--policies", "kg", "3x1,1"]


class StudiesTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.kept = os.path.join(self.folder, "kept.json")

    def test_recorded_is_skipped_with_a_message_where_the_labels_are_absent(self):
        done = subprocess.run([STUDIES / "recorded", test_cli.PROGRAM, self.folder, self.folder],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, f"SKIPPED clz-12a: no labels.tsv and gold.tsv in '{self.folder}' "
                                      "(set OPTGAP_SHARED)\n")
        self.assertEqual(os.listdir(self.folder), [])

    def test_rankings_are_skipped_with_a_message_for_each_study_where_the_comparisons_are_absent(self):
        data = os.path.join(self.folder, "data")
        os.makedirs(os.path.join(data, "countrypop"))
        done = subprocess.run([STUDIES / "ranking-recorded", test_cli.PROGRAM, self.folder, data],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 6)
        self.assertEqual(lines[0], f"SKIPPED cjl-8a: no pairs.tsv and gold.tsv in '{data}/readlevel' (set OPTGAP_SHARED)")
        for line in lines:
            self.assertTrue(line.startswith("SKIPPED "), line)
        self.assertEqual(os.listdir(self.folder), ["data"])

    def test_tasks_that_are_not_there_are_left_out(self):
        done = subprocess.run([STUDIES / "assignment", test_cli.PROGRAM, self.folder, self.folder],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual([line.split(":")[0] for line in done.stderr.splitlines()],
                         ["SKIPPED ionosphere", "SKIPPED breast", "SKIPPED pima", "SKIPPED rte, workers",
                          "SKIPPED athlete, workers", "SKIPPED netflix, workers"] + ["SKIPPED ionosphere"] * 3 +
                         ["SKIPPED breast"] * 3 + ["SKIPPED pima"] * 3 +
                         [f"SKIPPED {name}, what decides" for name in ("ionosphere", "breast", "pima")] +
                         ["SKIPPED ionosphere, orders of tasks", "SKIPPED rte"])

    def test_scripts_tell_how_they_are_called(self):
        for name in ("recorded", "delayed", "labelers", "make", "ranking", "ranking-recorded", "assignment", "assignment-exact", "losses"):
            done = subprocess.run([STUDIES / name], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith(f"usage: bench/studies/{name} PROGRAM FOLDER"), done.stderr)

    def test_a_result_is_computed_once(self):
        first = drawing.result(self.kept, test_cli.PROGRAM, *WORDS)
        self.assertEqual(first["problem"]["budget"], 4)
        self.assertEqual(os.listdir(self.folder), ["kept.json"])
        self.assertEqual(drawing.result(self.kept, "/nothing/there", *WORDS), first)

    def test_a_failure_is_passed_on_and_nothing_kept(self):
        with self.assertRaises(SystemExit) as caught:
            drawing.result(self.kept, test_cli.PROGRAM, "compare", "-T", "4")
        self.assertEqual(caught.exception.code, 2)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_bracket_is_a_result_too(self):
        got = drawing.result(self.kept, test_cli.PROGRAM, "compare", "-T", "40", "--policy", "uniform", "10x1,1",
                             "--policy-states", "1000", "--optimum-states", "1000")
        self.assertIsNone(got["optimal"]["value"])

    def test_a_figure_names_its_curves_and_axes(self):
        path = os.path.join(self.folder, "figure.svg")
        drawing.draw(path, "A title", "what it is about", "labels (T)", "accuracy, %",
                     {"kg": [(1, 50.0), (2, 60.0)], "opt-kg": [(1, 50.0), (2, 70.0)]})
        self.assertEqual(os.listdir(self.folder), ["figure.svg"])
        texts = [" ".join("".join(at.itertext()).split())
                 for at in xml.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        for text in ("A title", "what it is about", "labels (T)", "accuracy, %", "kg", "opt-kg"):
            self.assertIn(text, texts)

    def test_a_figure_of_histograms_names_its_panels(self):
        path = os.path.join(self.folder, "figure.svg")
        bins = [(k / 20, (k + 1) / 20, k, 20 - k) for k in range(20)]
        drawing.draw_histograms(path, "A title", "what it is about", "accuracy", "workers",
                                [(f"panel {k}", bins) for k in range(4)])
        self.assertEqual(os.listdir(self.folder), ["figure.svg"])
        texts = [" ".join("".join(at.itertext()).split())
                 for at in xml.parse(path).iter("{http://www.w3.org/2000/svg}text")]
        for text, times in (("A title", 1), ("what it is about", 1), ("accuracy", 1), ("workers", 2), ("panel 3", 1)):
            self.assertEqual(texts.count(text), times, text)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: test_studies.py PROGRAM [unittest option...]")
    test_cli.PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
