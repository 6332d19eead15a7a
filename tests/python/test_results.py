#!/usr/bin/env python3
"""What a result of the Python package shows: main number, text, HTML, LaTeX, tables, figures, and limits.

    test_results.py PROGRAM [unittest option...]
"""

import pathlib
import re
import sys
import tempfile
import unittest
import warnings
from fractions import Fraction

from have import needs_matplotlib, needs_pandas

import optgap

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LABELS = ROOT / "tests" / "data" / "sample-labels.tsv"
LARGE = 400, "30x1,2 30x2,1"  # takes hours


def gold_in(folder):
    file = pathlib.Path(folder, "gold.tsv")
    tasks = sorted({line.split("\t")[0] for line in LABELS.read_text().splitlines()[1:]})
    file.write_text("task\tlabel\n" + "".join(f"{task}\t{i % 2}\n" for i, task in enumerate(tasks)))
    return file


class EveryKind:
    """A result of every kind of question, by name."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        gold = gold_in(cls.folder.name)
        exported = pathlib.Path(cls.folder.name, "policy")
        two = dict(policies="kg,uniform", ties="random,worst")
        cls.results = {
            "solve": optgap.solve(4, "3x1,1", exact=True), "dry run": optgap.solve(4, "3x1,1", dry_run=True),
            "export": optgap.solve(4, "2x1,1", export_policy=exported), "verify": optgap.verify(exported),
            "compare": optgap.compare(4, "3x1,1 2,1@0.3", explain=True, **two),
            "truth": optgap.compare(4, "3x1,1", truth="grid:0.1:0.9:0.1", **two),
            "one truth": optgap.compare(4, "3x1,1", truth="list:0.1,0.2,0.3", policies="kg"),
            "believe": optgap.compare(4, "2x1,1", assume=(2, 1), **two),
            "reach": optgap.compare(8, "3x1,1", policies="kg,uniform", reach=0.7),
            "workers": optgap.compare(2, "2x1,1", workers_prior="2x4,1"),
            "simulate": optgap.simulate(4, "3x1,1", policies="kg,uniform", runs=50),
            "query": optgap.query(3, "2x1,1 2,1", policies="kg", exact=True),
            "query of pairs": optgap.query(3, "3x1", problem="ranking"),
            "query of workers": optgap.query(2, "1,1 2,1", workers_prior=["4,1", "3,2"]),
            "bound": optgap.bound(4, "2x1,1", exact=True), "tree": optgap.tree(4, "3x1,1", exact=True),
            "index": optgap.index("kg", 9), "find": optgap.find("kg", instances=2),
            "find nothing": optgap.find("opt-kg", instances=1, T=1),
            "next": optgap.next(LABELS, budget=40, batch=30), "final": optgap.next(LABELS, final=True, gold=gold),
            "replay": optgap.replay(LABELS, gold, policies="kg,uniform", ties="random,first", runs=3),
            "sweep": optgap.sweep(pathlib.Path(cls.folder.name, "study.jsonl"), "compare -T %T 2x1,1", T="1:3",
                                  policies="kg"),
        }


class ShownTest(EveryKind, unittest.TestCase):
    def test_value_is_the_main_number(self):
        of = self.results
        optimal = optgap.solve(2, "1,1 2,1").optimal.value
        for name, value in (
                ("solve", Fraction(9, 4)), ("export", of["export"].optimal.value), ("verify", of["verify"].json["value"]),
                ("dry run", None), ("compare", of["compare"].optimal.value), ("tree", of["tree"].states[0].value),
                ("simulate", of["simulate"].rows[0].mean), ("query", Fraction(1, 2)), ("bound", Fraction(51, 32)),
                ("index", of["index"].at(1, 1, left=9)), ("find", Fraction(1, 32)), ("find nothing", None),
                ("next", of["next"].json["loss_at_most"]), ("sweep", 3), ("reach", 3),
                ("replay", of["replay"].rows[0].points[-1].accuracy),
                ("final", sum(row["probability"] for row in of["final"].json["final"]))):
            with self.subTest(name=name):
                self.assertEqual(of[name].value, value)
        few = optgap.replay(LABELS, gold_in(self.folder.name), T=40, policies="kg,uniform", runs=7)
        first, second = (row.points[-1].accuracy for row in few.rows)
        self.assertNotEqual(first, second)
        self.assertEqual(few.value, first)
        self.assertIsInstance(of["solve"].value, Fraction)
        self.assertEqual(optgap.query(2, "1,1 2,1").value + optgap.bound(2, "1,1 2,1").call_value, optimal)
        self.assertEqual(of["solve"].optimal.value, of["solve"].value)

    def test_text_is_short_and_html_is_complete(self):
        for name, result in self.results.items():
            with self.subTest(name=name):
                text, html = str(result), result._repr_html_()
                self.assertLessEqual(len(text.splitlines()), 25)
                self.assertEqual(len(repr(result).splitlines()), 1)
                self.assertLessEqual(len(repr(result)), 200)
                table = result._table()
                self.assertEqual(html.count("<tr>"), len(table))
                self.assertEqual(html.count("<td>"), len(table[0]) * (len(table) - 1))
                hidden = re.search(r"\.\.\. and (\d+) more rows", text)
                rows = len(text.splitlines()) - len(list(result._shown())) - len(dict.fromkeys(result._notes()))
                self.assertEqual(rows - bool(hidden) + int(hidden[1] if hidden else 0), len(table))
        for name in ("index", "tree"):
            self.assertIn("more rows; .table has all", str(self.results[name]))
        part = repr(optgap.compare(4, "2x1,1", policies="kg").optimal)
        self.assertRegex(part, r"^Part\(value=1\.5625, gain=0\.5625, ")
        self.assertEqual(repr(self.results["solve"]), "<Report: optimal value 2.25 = 9/4>")

    def test_many_instances_and_notes_stay_short(self):
        problem = optgap.Problem.from_counts(range(60), [1] * 60, T=1)
        self.assertEqual(len(str(optgap.query(problem)).splitlines()), 25)
        self.assertEqual(optgap.query(problem)._repr_html_().count("<tr>"), 61)
        found = optgap.index("kg", 40)
        self.assertIn("the first 2000 of", found._repr_html_())

    def test_latex_is_a_table(self):
        """With as many cells in each row as columns. test_given.py compares it with the program's."""
        for name, result in self.results.items():
            with self.subTest(name=name):
                lines = [line for line in result.to_latex().splitlines() if not line.startswith("%")]
                self.assertEqual(lines[1:4:2], [r"\toprule", r"\midrule"])
                self.assertEqual(lines[-2:], [r"\bottomrule", r"\end{tabular}"])
                columns = len(re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[0])[1])
                rows = [line for line in [lines[2], *lines[4:-2]] if line != r"\midrule"]
                self.assertGreater(len(rows), 1)
                for line in rows:
                    self.assertEqual(len(re.findall(r"(?<!\\)&", line)), columns - 1)
                    self.assertNotRegex(line, r"(?<!\\)[_#%]|~")

    @needs_pandas
    def test_rows_of_a_table_differ(self):
        """In their texts, booleans and whole numbers: each row is told from the others."""
        for name, result in self.results.items():
            for what in ("table", "curve"):
                frame = getattr(result, what)
                with self.subTest(name=name, what=what):
                    names = [column for column in frame if column in (
                        "policy", "ties", "labels", "truth", "prior", "name", "text", "bound", "instance", "worker",
                        "task", "rank", "state", "action", "a", "b", "left", "source", "instances", "budget")]
                    self.assertEqual(frame[names].astype(str).duplicated().sum(), 0, names)
                    self.assertGreater(len(frame), 0 if what == "table" else -1)
        pairs = self.results["query of pairs"].table
        self.assertEqual(pairs["pair"].tolist(), [[0, 1], [0, 2], [1, 2]])
        self.assertEqual(pairs["uniform"].tolist(), [True] * 3)
        self.assertEqual(self.results["bound"].table["value"].min(), Fraction(51, 32))
        curve = self.results["truth"].curve
        self.assertEqual(curve["policy"].value_counts()["optimal"], 9)
        self.assertEqual(len(curve), 9 * 5)

    @needs_pandas
    def test_tables_have_the_callers_names(self):
        import pandas as pd

        counts = pd.Series([1, 0, 3], index=["cat", "dog", "ox"])
        found = optgap.query(optgap.Problem.from_counts(counts, [0, 0, 2], T=5))
        self.assertEqual(found.acts["name"].tolist(), ["cat", "dog", "ox"])
        self.assertIn("dog", str(found))
        labels = pd.DataFrame({"task": [7, 7, 8], "worker": [1, 2, 1], "label": [0, 1, 1]})
        batch = optgap.next(labels, prior="1,1", budget=2, batch=2, workers_free=[3, 4])
        self.assertEqual({type(one) for one in batch.table["worker"].tolist()}, {int})

    @needs_pandas
    @needs_matplotlib
    def test_what_has_a_curve_is_drawn(self):
        import matplotlib

        matplotlib.use("agg")
        from matplotlib import pyplot

        curves = {}
        for name, result in self.results.items():
            try:
                ax = result.plot()
            except ValueError as error:
                self.assertRegex(str(error), "^there is nothing to draw: plot needs")
                continue
            curves[name] = ax.get_legend_handles_labels()[1]
            self.assertTrue(ax.get_xlabel() or name == "tree")
            pyplot.close(ax.figure)
        self.assertEqual(curves["truth"], ["kg (random)", "kg (worst)", "uniform (random)", "uniform (worst)", "optimal"])
        self.assertEqual(curves["replay"], ["kg (random)", "kg (first)", "uniform (random)", "uniform (first)"])
        self.assertEqual(curves["index"], ["1, 1", "1, 2", "2, 1", "1, 3", "2, 2", "3, 1"])
        self.assertEqual(set(curves), {"compare", "truth", "one truth", "believe", "workers", "simulate", "query",
                                       "query of pairs", "query of workers", "index", "find", "replay", "sweep", "tree"})
        losses = self.results["compare"].explain.plot()
        self.assertEqual(losses.get_xlabel(), "labels left")
        self.assertEqual(losses.get_title(), "3x1,1 2,1@0.3, T = 4")
        self.assertEqual(self.results["simulate"].plot().get_title(), "3x1,1, T = 4")
        self.assertEqual(self.results["query of pairs"].plot().get_title(), "ranking: 3 instances, T = 3")
        places = self.results["compare"].explain.plot_map()
        stages = self.results["compare"].explain.stages
        shown = [[text.get_text() for text in places.texts[4 * row:4 * row + 4]] for row in range(4)]
        for (name, ties), row in zip(dict.fromkeys(zip(stages["policy"], stages["ties"])), shown):
            loss = stages[(stages["policy"] == name) & (stages["ties"] == ties)].set_index("left")["loss"]
            self.assertEqual(row, ["0" if loss[left] < 1e-12 else f"{loss[left]:.2g}" for left in (4, 3, 2, 1)], name)
        self.assertEqual([tick.get_text() for tick in places.get_yticklabels()], ["uniform (worst)", "uniform (random)", "kg (worst)", "kg (random)"])
        pyplot.close("all")

    @needs_matplotlib
    def test_a_tree_is_drawn_with_its_values(self):
        import matplotlib

        matplotlib.use("agg")
        from matplotlib import pyplot

        tree = optgap.tree(2, "2x2,1 3,3", against="opt-kg", exact=True)
        self.assertEqual(tree.lost, Fraction(1, 96))  # 1/6 - 5/32
        self.assertIn("opt-kg loses 1/96", str(tree))
        fonts = matplotlib.rcParams["font.family"]
        axes = pyplot.subplots(1, 2, dpi=150)[1]
        for ax in (tree.plot(), tree.plot(axes[1])):
            words = [text.get_text() for text in ax.texts]
            for state in tree.states:
                self.assertIn(f"value {state.value}", words)
            self.assertEqual(words.count("loses 1/96"), 1)
            ax.figure.canvas.draw()
            places = [text.get_window_extent() for text in ax.texts]
            whole = ax.get_window_extent()
            self.assertTrue(all(whole.x0 <= at.x0 and at.x1 <= whole.x1 for at in places))
            self.assertFalse([(one, two) for i, one in enumerate(places) for two in places[:i] if one.shrunk(0.9, 0.8).overlaps(two)])
        self.assertEqual(matplotlib.rcParams["font.family"], fonts)
        own = optgap.tree(1, "2,1 4,4", against=optgap.policy(lambda posterior: posterior[:, 0] * 0))
        self.assertEqual([action.chosen for action in own.states[0].actions], [0.5, 0.5])
        pyplot.close("all")


class LimitTest(unittest.TestCase):
    def test_a_report_names_its_limit(self):
        self.assertEqual((optgap.solve(2, "1,1").status, optgap.solve(2, "1,1").reason), (optgap.Status.OK, ""))
        for options, status, reason in (
                (dict(time_limit=0.3), "time limit", r"^time limit of 0\.3 s reached"),
                (dict(max_states=1, max_policy_states=1000, engine="recursion"), "state limit", "limit on states .* after [1-9]")):
            T, words = LARGE if "time_limit" in options else (60, "10x1,2 30x2,1 12x3,1")
            with self.subTest(status=status), self.assertWarnsRegex(UserWarning, reason):
                found = optgap.compare(T, words, policies="kg", runs=0, **options)
            self.assertEqual(found.status, status)
            self.assertIsInstance(found.status, optgap.Status)
            self.assertRegex(found.reason, reason)
            self.assertIsNone(found.value)
            self.assertLess(found.bracket.lower, found.bracket.upper)
            self.assertIn(found.reason, str(found))

    def test_an_error_names_its_limit_and_has_the_bracket(self):
        with self.assertRaises(optgap.TimeLimit) as raised:
            optgap.solve(16, [f"{i},{j}@0.{i + j}" for i in (1, 2, 3) for j in (1, 2, 3)], time_limit=0.3, engine="recursion", threads=1)
        error = raised.exception
        self.assertIsInstance(error, TimeoutError)
        self.assertRegex(str(error), r"^time limit of 0.3 s reached after [1-9]\d* states$")
        self.assertEqual(error.status, optgap.Status.TIME_LIMIT)
        self.assertGreater(error.seconds, 0.27)
        self.assertLess(0, error.bracket.lower)
        self.assertLess(error.bracket.lower, error.bracket.upper)
        with self.assertRaises(optgap.MemoryLimit) as raised:
            optgap.solve(4, "2x1,1", memory="1K")
        self.assertIsInstance(raised.exception, MemoryError)
        self.assertRegex(str(raised.exception), "limit is 1.0 KB")
        bracket, value = raised.exception.bracket, optgap.solve(4, "2x1,1").value
        self.assertTrue(bracket.lower <= value <= bracket.upper)

    def test_a_search_that_ends_early_says_so(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = optgap.find("kg", instances=4, T=6, claim="gain:0.01", time_limit=0.2)
        self.assertEqual((found.status, found.value), ("time limit", None))


if __name__ == "__main__":
    sys.argv.pop(1)
    unittest.main()
