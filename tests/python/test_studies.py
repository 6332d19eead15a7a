#!/usr/bin/env python3
"""Studies of the Python package: grids with functions, resumed, drawn, printed; progress.

    test_studies.py PROGRAM [unittest option...]
"""

import contextlib
import pathlib
import sqlite3
import sys
import tempfile
import unittest

import optgap

try:
    import pandas
except ImportError:
    pandas = None
try:
    import matplotlib
except ImportError:
    matplotlib = None

FIRST = """
import optgap
@optgap.policy
def mine(posterior):
    return posterior[:, 0] / posterior.sum(1)
"""
OTHER = FIRST.replace("posterior[:, 0]", "posterior[:, 1]")


def policy_of(folder, source):
    """The policy of a source file, so that its source can be found."""
    file = pathlib.Path(folder, f"policy_{abs(hash(source))}.py")
    file.write_text(source)
    names = {}
    exec(compile(source, str(file), "exec"), names)
    return names["mine"]


@optgap.policy
def nearest(posterior):
    return -abs(posterior[:, 0] / posterior.sum(1) - 0.5)


@optgap.policy
def fails(posterior):
    raise LookupError("so it is")


@unittest.skipIf(pandas is None, "pandas is not installed")
class SweepTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.file = folder.name, pathlib.Path(folder.name, "study.db")

    def test_functions_have_the_values_of_compare(self):
        grid = dict(policies=["kg", nearest], K=[2, 3], T=range(1, 5), prior=["1,1", "2,1@0.3"], ties="random,worst")
        study = optgap.sweep(self.file, processes=2, **grid)
        self.assertEqual((study.cells, study.finished, study.finished_with_functions), (16, 16, 16))
        frame = study.frame()
        self.assertEqual(len(frame), 16 * 4)
        for row in frame.itertuples():
            found = optgap.compare(row.budget, f"{row.instances}x{row.prior}", policies=[nearest, "kg"], ties=row.ties)
            known, = [one for one in found.rows if one.name == row.policy]
            self.assertEqual(row.value, known.value)
            self.assertAlmostEqual(row.gap, known.gap, delta=1e-13)
            self.assertAlmostEqual(row.optimal_value, found.value, delta=1e-13)
        again = optgap.sweep(self.file, **grid)
        self.assertEqual((again.finished, again.finished_with_functions), (0, 0))
        pandas.testing.assert_frame_equal(again.frame(), frame)
        more = optgap.sweep(self.file, **{**grid, "T": range(1, 6)})
        self.assertEqual((more.finished, more.finished_with_functions), (4, 4))
        self.assertEqual(more.value, 20)

    def test_cells_have_the_version_of_the_library(self):
        optgap.sweep(self.file, policies=["kg", nearest], K=2, T=[2, 3], prior="1,1")
        made = optgap.solve(2, "2x1,1")
        with contextlib.closing(sqlite3.connect(self.file)) as db:
            for table, count in (("run", 1), ("cell", 2), ("policy", 4)):
                found = db.execute(f"SELECT program, commit_id FROM {table}").fetchall()
                self.assertEqual(found, [(made.version, made.commit or "unknown")] * count, table)

    def test_a_function_that_changed_is_evaluated_again(self):
        grid = dict(K=2, T=[2, 3], prior="1,2")
        values = []
        for source, finished in ((FIRST, 2), (FIRST, 0), (OTHER, 2)):
            mine = policy_of(self.folder, source)
            study = optgap.sweep(self.file, policies=[mine], **grid)
            self.assertEqual(study.finished_with_functions, finished)
            frame = study.frame()
            values.append(frame[frame["policy"] == "mine"].sort_values("budget")["value"].tolist())
            self.assertEqual(values[-1], [optgap.compare(T, "2x1,2", policies=[mine]).rows[0].value for T in (2, 3)])
        self.assertEqual(values[0], values[1])

    def test_it_continues_after_an_interruption(self):
        grid = dict(policies=["kg", nearest], K=[2, 3, 4], T=range(1, 6))

        def stop(progress):
            if progress.share > 0.7:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            optgap.sweep(self.file, progress=stop, processes=2, **grid)
        with sqlite3.connect(self.file) as db:
            done = db.execute("SELECT count(*) FROM policy WHERE policy = 'nearest'").fetchone()[0]
        self.assertTrue(0 < done < 15)
        self.assertEqual(optgap.sweep(self.file, **grid).finished_with_functions, 15 - done)
        other = optgap.sweep(**grid).frame()
        columns = ["prior", "instances", "budget", "policy", "ties", "value", "gap", "gap_percent"]
        order = dict(by=columns[:5], ignore_index=True)
        pandas.testing.assert_frame_equal(optgap.Study(self.file).frame()[columns].sort_values(**order),
                                          other[columns].sort_values(**order))

    def test_coupled_instances_and_what_is_wrong(self):
        crowd = optgap.policy(lambda positive, negative, instance, worker: -(positive + negative)[instance, worker], look="situation",
                              name="fresh")
        frame = optgap.sweep(policies=[crowd], K=2, T=2, prior="1,1 --workers-prior=2x4,1").frame()
        known = optgap.compare(2, "2x1,1", workers_prior="2x4,1", policies=[crowd]).rows[0]
        self.assertEqual(frame.set_index("policy").loc["fresh", "value"], known.value)
        with self.assertRaisesRegex(LookupError, "so it is"):
            optgap.sweep(policies=["kg", fails], K=2, T=2)
        with self.assertRaisesRegex(TypeError, "does not support truth; give policies by name"):
            optgap.sweep(policies=[nearest], K=2, T=2, truth="list:0.2,0.4")
        with self.assertRaisesRegex(TypeError, r"wrap it: optgap\.policy\(f\)"):
            optgap.sweep(policies=[lambda posterior: posterior], K=2, T=2)

    def test_what_it_shows(self):
        study = optgap.sweep(policies=["kg", nearest], K=[2, 3], T=range(1, 21))
        self.assertEqual(len(str(study).splitlines()), 25)
        self.assertEqual(study._repr_html_().count("<tr>"), 41)
        self.assertEqual(study.to_latex({"instances": "K", "budget": "T", "nearest": "ours"}).splitlines()[2], r"K & T & ours \\")
        self.assertRegex(repr(study), "^<Study: study of 40 problems")
        self.assertEqual(len(study.table), 80)

    @unittest.skipIf(matplotlib is None, "matplotlib is not installed")
    def test_figures_of_several_problems(self):
        matplotlib.use("agg")
        study = optgap.sweep(policies=["kg", nearest], K=[2, 3], T=range(1, 7))
        for options, lines, label in (
                ({}, ["kg, K=2", "nearest, K=2", "kg, K=3", "nearest, K=3"], "budget T (labels)"),
                (dict(x="instances", y="gap", by=["policy", "budget"]), [f"{name}, T={T}" for T in range(1, 7) for name in ("kg", "nearest")],
                 "instances K")):
            ax = study.plot(**options)
            self.assertEqual((ax.get_legend_handles_labels()[1], ax.get_xlabel()), (lines, label))
            matplotlib.pyplot.close(ax.figure)
        with self.assertRaisesRegex(ValueError, "several rows have the same budget in a line: add instances to by"):
            study.plot(by="policy")
        with self.assertRaisesRegex(ValueError, "no column 'gaps'; there are: "):
            study.plot(y="gaps")


class ProgressTest(unittest.TestCase):
    def test_a_function_sees_progress(self):
        seen = []
        optgap.solve(12, "4x1,1 3x2,1@0.3 3,1", engine="recursion", progress=seen.append)
        self.assertEqual(seen[-1].share, 1.0)
        for one in seen:
            self.assertIsInstance(one, optgap.Progress)
            self.assertTrue(0 <= one.share <= 1 and one.seconds >= 0 and (one.left is None) == (one.share == 0))
        self.assertEqual(seen[-1].left, 0)
        self.assertEqual(optgap.Progress(1, 0, 0, 0.25, 3.0).left, 9.0)

    def test_an_exception_of_the_function_ends_the_question(self):
        def fail(progress):
            raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            optgap.solve(60, [f"{i},{j}@0.{i + j}" for i in (1, 2, 3) for j in (1, 2, 3)], engine="recursion", progress=fail)

    def test_a_bar_if_tqdm_is_there(self):
        try:
            import tqdm.auto
        except ImportError:
            self.skipTest("tqdm is not installed")
        shown, real = [], tqdm.auto.tqdm

        class Kept(real):
            def refresh(self, *words, **named):
                shown.append((self.n, self.format_dict["total"], self.postfix))

        tqdm.auto.tqdm = Kept
        self.addCleanup(setattr, tqdm.auto, "tqdm", real)
        bar = optgap.work.Bar(True)
        for share, seconds in ((0.1, 1.0), (0.2, 3.0), (0.15, 4.0), (0.9, 5.0)):
            bar.show(optgap.Progress(1234, 0, 0, share, seconds))
        bar.close()
        self.assertEqual([one for one in shown if one[2]], [(0.2, 1.0, "1,234 states"), (0.2, 1.0, "1,234 states"), (0.9, 1.0, "1,234 states")])


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
