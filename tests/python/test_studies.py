#!/usr/bin/env python3
"""Studies of the Python package: grids with functions, resumed, drawn, printed; progress.

    test_studies.py PROGRAM [unittest option...]
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import optgap
from optgap._library import ffi, lib

PROGRAM = sys.argv[1]

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


class AnswersTest(unittest.TestCase):
    def test_the_name_of_the_file_is_kept(self):
        """The file is created by the first answer, when the caller's text may be gone."""
        with tempfile.TemporaryDirectory() as folder:
            name = f"{folder}/study.jsonl".encode()
            path, message, out = ffi.new("char[]", name), ffi.new("og_message *"), ffi.new("answers **")
            self.assertEqual(lib.answers_open(path, False, out, message), lib.OG_OK)
            ffi.memmove(path, name.replace(b"study", b"other"), len(name))
            self.assertEqual(lib.answers_add(out[0], b'{"asked": ["solve"]}', ffi.NULL, b"{}", message), lib.OG_OK)
            self.assertEqual(lib.answers_close(out[0], message), lib.OG_OK)
            self.assertEqual([found.name for found in pathlib.Path(folder).iterdir()], ["study.jsonl"])


@unittest.skipIf(pandas is None, "pandas is not installed")
class SweepTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.file = folder.name, pathlib.Path(folder.name, "study.jsonl")

    def test_the_program_and_functions_have_the_values_of_compare(self):
        words, grid = "compare -T %T --ties random,worst %Kx%P", dict(K=[2, 3], T=range(1, 5), P=["1,1", "2,1@0.3"])
        study = optgap.sweep(self.file, words, policies=["kg", nearest], processes=2, **grid)
        self.assertEqual((study.cells, study.finished), (16, 16))
        frame = study.frame()
        self.assertEqual(len(frame), 16 * 4)
        for row in frame.itertuples():
            found = optgap.compare(row.budget, f"{row.instances}x{row.prior}", policies=[nearest, "kg"], ties=row.ties)
            known, = [one for one in found.rows if one.name == row.policy]
            self.assertEqual((row.value, row.gap, row.optimal_value), (known.value, known.gap, found.value))
            self.assertEqual((row.version, row.commit), (found.version, found.commit))
        again = optgap.sweep(self.file, words, policies=["kg", nearest], **grid)
        self.assertEqual((again.cells, again.finished), (16, 0))
        pandas.testing.assert_frame_equal(again.frame(), frame)
        more = optgap.sweep(self.file, words, policies=["kg", nearest], **{**grid, "T": range(1, 6)})
        self.assertEqual((more.finished, more.value), (4, 20))
        named = optgap.sweep(self.folder + "/named.jsonl", words, policies="kg,uniform", **grid)
        self.assertEqual((named.cells, named.finished), (16, 16))
        kg = [one[one["policy"] == "kg"].reset_index(drop=True)[["prior", "instances", "budget", "ties", "value", "gap"]]
              for one in (named.frame(), frame)]
        pandas.testing.assert_frame_equal(*kg)

    def test_any_question_can_be_asked_and_its_answers_are_read(self):
        study = optgap.sweep(self.file, ["bound", "-T", "%T", "30x1,1"], T="10:30:10")
        answers = sorted(study.answers(), key=lambda answer: answer.problem.budget)
        self.assertEqual([answer.bounds.lagrangian_scalar.value for answer in answers],
                         [optgap.bound(T, "30x1,1").bounds.lagrangian_scalar.value for T in (10, 20, 30)])
        self.assertEqual(answers[0].asked, ["bound", "-T", "10", "30x1,1"])
        self.assertEqual(optgap.sweep(self.file, "-T %T --workers-prior 4,1 2x1,1", policies="kg", T=2).finished, 1)
        played = optgap.sweep(self.file, "simulate --runs 20 --counts -T %T 3x1,1", policies=[nearest], T=[3])
        row = played.frame().set_index("policy").loc["nearest"]
        self.assertEqual(row["value"], optgap.simulate(3, "3x1,1", policies=[nearest], runs=20).rows[0].mean)

    def test_it_is_the_file_of_the_program(self):
        grid = dict(K=[2, 3], T=range(1, 4))
        optgap.sweep(self.file, "compare -T %T %Kx1,1", policies=["kg", nearest], **grid)
        done = subprocess.run([PROGRAM, "sweep", str(self.file), "--quiet", "--for", "T=1:3", "solve", "-T", "%T", "2x1,1"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(optgap.sweep(self.file, "solve -T %T 2x1,1", T="1:3").finished, 0)
        out = str(self.file) + ".json"
        done = subprocess.run([PROGRAM, "plot", str(self.file), "gap-budget", "--instances", "3", "--data", out], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        curves = json.loads(pathlib.Path(out).read_text())["panels"][0]["curves"]
        self.assertEqual([curve["name"] for curve in curves], ["kg", "nearest"])

    def test_a_function_that_changed_is_evaluated_again(self):
        values = []
        for source, finished in ((FIRST, 2), (FIRST, 0), (OTHER, 2)):
            mine = policy_of(self.folder, source)
            study = optgap.sweep(self.file, "compare -T %T 2x1,2", policies=[mine], T=[2, 3])
            self.assertEqual(study.finished, finished)
            values.append(study.frame()["value"].tolist())
            self.assertEqual(values[-1], [optgap.compare(T, "2x1,2", policies=[mine]).rows[0].value for T in (2, 3)])
        self.assertEqual(values[0], values[1])

    def test_it_continues_after_an_interruption(self):
        for policies in (["kg", nearest], ["kg"]):
            file = f"{self.folder}/{len(policies)}.jsonl"
            grid = dict(K=[2, 3, 4], T=range(1, 13))

            def stop(progress):
                if progress.share > 0.1:
                    raise KeyboardInterrupt

            with self.assertRaises(KeyboardInterrupt):
                optgap.sweep(file, "compare -T %T %Kx1,1", policies=policies, progress=stop, processes=2, threads=1, **grid)
                raise KeyboardInterrupt  # it was done before it was seen
            done = len(pathlib.Path(file).read_text().splitlines())
            self.assertTrue(0 < done <= 36)
            self.assertEqual(optgap.sweep(file, "compare -T %T %Kx1,1", policies=policies, **grid).finished, 36 - done)
            other = optgap.sweep(None, "compare -T %T %Kx1,1", policies=policies, **grid).frame()
            columns = ["prior", "instances", "budget", "policy", "ties", "value", "gap", "gap_percent"]
            pandas.testing.assert_frame_equal(optgap.Study(file).frame()[columns], other[columns])

    def test_ctrl_c_for_all_processes_ends_them_before_it_is_seen(self):
        script = f"""
import optgap, os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
def stop():
    while not os.path.exists({str(self.file)!r}) or os.path.getsize({str(self.file)!r}) == 0:
        time.sleep(0.001)
    os.killpg(0, signal.SIGINT)
threading.Thread(target=stop).start()
for policy in ("command:sleep 600", "kg"):
    try:
        optgap.sweep({str(self.file)!r}, ["compare", "-T", "%T", "--policies", "%P", "2x1,1"], P=["kg", policy.replace(" ", "\t")], T=2)
    except KeyboardInterrupt:
        print("interrupted", os.listdir({self.folder!r}))
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, start_new_session=True, timeout=300)
        self.assertEqual((done.returncode, done.stdout), (0, "interrupted ['study.jsonl']\n"), done.stderr)

    def test_threads_sweep_at_the_same_time(self):
        grids = {"kg": range(1, 8), "nearest": range(3, 10), "far": range(2, 5)}
        policies = {"kg": ["kg", nearest], "nearest": [nearest], "far": [optgap.policy(lambda posterior: posterior[:, 0], name="far")]}
        found = {name: [] for name in grids}

        def ask(name, number):
            study = optgap.sweep(f"{self.folder}/{name}{number}.jsonl", "compare -T %T 2,1 1,2", policies=policies[name], T=grids[name])
            found[name].append(study.frame()[["policy", "budget", "value"]].values.tolist())

        for number in range(3):
            threads = [threading.Thread(target=ask, args=(name, number)) for name in grids]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for name, grid in grids.items():
            ask(name, "alone")
            self.assertEqual([one == found[name][-1] for one in found[name]], [True] * 4)

    def test_a_limit_leaves_the_bracket_until_it_is_asked_again(self):
        words = "compare -T %T 10x1,1"
        study = optgap.sweep(self.file, words, policies=[nearest], T=[80], cell_seconds=0.3)
        self.assertIn("a limit ended 1 of the cells", study.reason)
        answer, = study.answers()
        self.assertIsNone(answer.value)
        self.assertTrue(answer.bracket.lower < answer.bracket.upper)
        self.assertEqual(optgap.sweep(self.file, words, policies=[nearest], T=[80], cell_seconds=0.3).finished, 0)
        self.assertEqual(optgap.sweep(self.file, words, policies=[nearest], T=[80], cell_seconds=0.3, retry=True).finished, 1)

    def test_coupled_instances_and_what_is_wrong(self):
        crowd = optgap.policy(lambda positive, negative, instance, worker: -(positive + negative)[instance, worker], look="situation",
                              name="fresh")
        frame = optgap.sweep(None, "compare -T 2 --workers-prior 2x4,1 2x1,1", policies=[crowd]).frame()
        known = optgap.compare(2, "2x1,1", workers_prior="2x4,1", policies=[crowd]).rows[0]
        self.assertEqual(frame.set_index("policy").loc["fresh", "value"], known.value)
        with self.assertRaisesRegex(LookupError, "so it is"):
            optgap.sweep(None, "compare -T %T 2x1,1", policies=["kg", fails], T=2)
        with self.assertRaisesRegex(ValueError, "supports compare and simulate, not bound; give policies by name"):
            optgap.sweep(None, "bound -T 2 2x1,1", policies=[nearest])
        with self.assertRaisesRegex(ValueError, r"takes all policies as policies=\[...\]"):
            optgap.sweep(None, "compare -T 2 --policy kg 2x1,1", policies=[nearest])
        with self.assertRaisesRegex(ValueError, "policies must be names and functions, not 5"):
            optgap.sweep(None, "compare -T 2 2x1,1", policies=[5])
        for words, grid, told in (("-T %T 2x1,1", {}, "no --for gives"), ("-T %T", {"T": "1:"}, "a range must be FROM:TO"),
                                  ("-T 2 --polices kg 2x1,1", {}, "did you mean '--policies'"),
                                  ("-T 2 2x1,1", {"T": ["a b"]}, "a value of T has a blank")):
            with self.assertRaisesRegex(ValueError, told):
                optgap.sweep(self.file, words, **grid)
        self.assertFalse(self.file.exists())
        with self.assertRaises(FileNotFoundError):
            optgap.Study(self.file)
        self.file.write_text("task,label\n")
        with self.assertRaisesRegex(ValueError, "is no study"):
            optgap.Study(self.file).frame()

    @unittest.skipIf(matplotlib is None, "matplotlib is not installed")
    def test_a_figure_is_that_of_the_program(self):
        study = optgap.sweep(self.file, "compare -T %T %Kx1,1", policies="kg,opt-kg", K=[2, 3], T=range(1, 5))
        mine, other = self.folder + "/mine.svg", self.folder + "/other.svg"
        study.figure("gap-budget", mine, instances=3, log=True, title="Gaps")
        subprocess.run([PROGRAM, "plot", str(self.file), "gap-budget", "--instances", "3", "--log", "--title", "Gaps", "-o", other],
                       check=True)
        self.assertEqual(*(pathlib.Path(file).read_text() for file in (mine, other)))
        with self.assertRaisesRegex(ValueError, "choose with --instances among 2 3"):
            study.figure("gap-budget", mine)
        with self.assertRaisesRegex(ValueError, "there is no figure 'gaps'"):
            study.figure("gaps", mine)
        for options in ({"font": "9"}, {"font": 9}, {"budget": range(1, 3), "policies": None}):  # as the program reads them
            study.figure("gap-budget", mine, instances=3, **options)
        for options in ({"axis": "gaps"}, {"size": (3, 4)}, {"names": {"kx": "K"}}, {"instances": 2.5}, {"font": ""}):
            with self.assertRaisesRegex(ValueError, f"--{'name' if 'names' in options else next(iter(options))} "):
                study.figure("gap-budget", mine, **{"instances": 3, **options})
        with self.assertRaisesRegex(TypeError, "no option 'kind_of'"):
            study.figure("gap-budget", mine, kind_of=3)
        with self.assertRaisesRegex(ValueError, "ends in .svg, .png or .pdf"):
            study.figure("gap-budget", mine + ".txt", instances=3)

    def test_what_it_shows(self):
        study = optgap.sweep(None, "compare -T %T %Kx1,1", policies=["kg", nearest], K=[2, 3], T=range(1, 21))
        self.assertEqual(len(str(study).splitlines()), 25)
        self.assertEqual(study._repr_html_().count("<tr>"), 41)
        self.assertEqual(study.to_latex({"instances": "K", "budget": "T", "nearest": "ours"}).splitlines()[2], r"K & T & ours \\")
        self.assertRegex(repr(study), "^<Study: study of 40 cells")
        self.assertEqual(len(study.table), 80)

    @unittest.skipIf(matplotlib is None, "matplotlib is not installed")
    def test_figures_of_several_problems(self):
        matplotlib.use("agg")
        study = optgap.sweep(None, "compare -T %T %Kx1,1", policies=["kg", nearest], K=[2, 3], T=range(1, 7))
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
        bar = optgap._work.Bar(True)
        for share, seconds in ((0.1, 1.0), (0.2, 3.0), (0.15, 4.0), (0.9, 5.0)):
            bar.show(optgap.Progress(1234, 0, 0, share, seconds))
        bar.close()
        self.assertEqual([one for one in shown if one[2]], [(0.2, 1.0, "1,234 states"), (0.2, 1.0, "1,234 states"), (0.9, 1.0, "1,234 states")])


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
