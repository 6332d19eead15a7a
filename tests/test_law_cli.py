"""sweep under truths and with wrong priors: cells, figures and reports of them.

    test_law_cli.py PROGRAM [unittest option...]
"""

import contextlib
import math
import os
import shutil
import sqlite3
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import main, run  # noqa: E402
from test_plot import PlotCase, draw_all, texts_of  # noqa: E402
from test_sweep import SweepCase  # noqa: E402


def positive(a, b):
    """P(soft label >= 1/2) of Beta(a, b), whole a and b: at most a - 1 of a + b - 1 coins are heads."""
    n = a + b - 1
    return Fraction(sum(math.comb(n, k) for k in range(a)), 2 ** n)


def chance(a, b, s, f):
    """Of s positive labels of s + f, the soft label drawn from Beta(a, b)."""
    def rising(x, n):
        return math.prod(range(x, x + n))
    return Fraction(math.comb(s + f, s) * rising(a, s) * rising(b, f), rising(a + b, s + f))


def alone(true, believed, labels):
    """The value of one instance if labels follow one prior and calls another."""
    value = Fraction(0)
    for s in range(labels + 1):
        f = labels - s
        right = positive(true[0] + s, true[1] + f)
        called = positive(believed[0] + s, believed[1] + f) >= Fraction(1, 2)
        value += chance(*true, s, f) * (right if called else 1 - right)
    return value


class LawCase(SweepCase):
    def rows(self, sql, path=None):
        with contextlib.closing(sqlite3.connect(path or self.db)) as database:
            return database.execute(sql).fetchall()

    def sweep(self, *words, db=None):
        done = run("sweep", db or self.db, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


class BeliefTest(LawCase):
    def test_regret_of_one_instance_is_as_by_hand(self):
        """With one instance, every policy gives it all labels."""
        self.sweep("--prior", "2,1", "--prior", "1,3", "--instances", "1", "--budget", "0:5", "--policies", "kg",
                   "--assume", "1:3,1:3")
        rows = self.rows("SELECT prior, budget, truth, policy, value, error, correct, gap, optimal_value FROM result")
        self.assertEqual(len(rows), 2 * 6 * 9 * 2)
        for prior, budget, truth, policy, value, error, correct, gap, best in rows:
            true = tuple(map(int, prior.split(",")))
            believed = tuple(map(int, truth.removeprefix("believe:").split(",")))
            expected = alone(true, believed, budget)
            self.assertLessEqual(abs(value - expected), error, (prior, truth, policy))
            self.assertEqual(value, correct)
            self.assertAlmostEqual(best, float(alone(true, true, budget)), delta=1e-14)
            self.assertAlmostEqual(gap, float(alone(true, true, budget) - expected), delta=1e-14)

    def test_cells_are_what_compare_says(self):
        self.sweep("--prior", "2,1@0.4", "--instances", "3", "--budget", "4", "--policies", "kg,uniform", "--ties",
                   "random,first", "--assume", "1,1", "--assume", "1,2.5")
        for belief in ("1,1", "1,2.5"):
            found = self.document("compare", "-T", "4", "--policies", "kg,uniform", "--ties", "random,first",
                                  "--assume", belief, "3x2,1@0.4")
            told = {(row["name"], row["ties"]): row["believed"]["mean"] for row in found["policies"]}
            told["optimal", "random"] = found["optimal"]["believed"]["mean"]
            rows = self.rows("SELECT policy, ties, correct, gap, lagrangian_vector FROM result WHERE truth = "
                             f"'believe:{belief}'")
            self.assertEqual({(row[0], row[1]): row[2] for row in rows}, told)
            for policy, ties, correct, gap, bound in rows:
                self.assertAlmostEqual(gap, found["optimal"]["value"] - correct, delta=1e-14)
                self.assertEqual(bound, found["bounds"]["lagrangian_vector"]["value"])

    def test_the_right_belief_costs_nothing(self):
        self.sweep("--prior", "2,1", "--instances", "2,3", "--budget", "1:4", "--policies", "kg", "--assume", "2,1")
        self.sweep("--prior", "2,1", "--instances", "2,3", "--budget", "1:4", "--policies", "kg")
        for gap, in self.rows("SELECT gap FROM result WHERE policy = 'optimal'"):
            self.assertEqual(gap, 0)
        same = self.rows("SELECT x.gap, y.gap FROM result x JOIN result y USING (instances, budget, policy)"
                         " WHERE x.truth = 'prior' AND y.truth <> 'prior'")
        self.assertEqual(len(same), 8)
        for right, wrong in same:
            self.assertAlmostEqual(right, wrong, delta=1e-13)

    def test_goes_on_with_what_is_missing(self):
        words = ["--prior", "1,1", "--instances", "2", "--budget", "1:3", "--policies", "kg"]
        self.sweep(*words, "--assume", "1:2,1")
        self.assertIn("Stored before  6", self.sweep(*words, "--assume", "1:3,1"))
        self.assertEqual(self.rows("SELECT count(*) FROM cell"), [(9,)])
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            database.execute("DELETE FROM policy WHERE policy = 'optimal' AND cell = 1")
        self.assertIn("Computed now   1", self.sweep(*words, "--assume", "1:3,1"))
        self.assertEqual(self.rows("SELECT count(*) FROM policy"), [(18,)])

    def test_parts_and_merging(self):
        words = ["--prior", "1,1", "--instances", "2", "--budget", "1:3", "--policies", "kg", "--assume", "1:3,1:2"]
        self.sweep(*words)
        for part in "12":
            name = str(self.folder / f"part-{part}.db")
            self.sweep(*words, "--part", f"{part}/2", db=name)
            self.sweep("--merge", name, db=str(self.folder / "all.db"))
        sql = "SELECT prior, budget, truth, policy, value, gap FROM result ORDER BY 1, 2, 3, 4"
        self.assertEqual(self.rows(sql), self.rows(sql, self.folder / "all.db"))

    def test_a_limit_is_told(self):
        done = run("sweep", self.db, "--prior", "1,1", "--instances", "4", "--budget", "8", "--policies", "kg",
                   "--max-policy-states", "50", "--assume", "2,1")
        self.assertEqual(done.returncode, 3)
        rows = self.rows("SELECT policy, status, correct, gap, reason FROM result ORDER BY policy")
        self.assertEqual([row[:4] for row in rows], [("kg", "limit", None, None), ("optimal", "limit", None, None)])
        self.assertIn("50 states", rows[0][4])


class TruthTest(LawCase):
    def test_one_instance_is_wrong_as_by_hand(self):
        """A tie of labels, and 1/2 itself, are positive."""
        self.sweep("--prior", "1,1", "--instances", "1", "--budget", "5", "--policies", "kg", "--truth",
                   "grid:0:1:0.125")
        rows = self.rows("SELECT soft, wrong, labels FROM spent WHERE policy = 'kg' ORDER BY soft")
        self.assertEqual([row[0] for row in rows], [i / 8 for i in range(9)])
        for soft, wrong, labels in rows:
            p = Fraction(soft)
            called = sum(math.comb(5, s) * p ** s * (1 - p) ** (5 - s) for s in range(3, 6))
            self.assertAlmostEqual(wrong, float(1 - called if soft >= 0.5 else called), delta=1e-15)
            self.assertAlmostEqual(labels, 5, delta=1e-14)

    def test_cells_are_what_compare_says(self):
        self.sweep("--prior", "2,1", "--instances", "3", "--budget", "4", "--policies", "kg", "--truth",
                   "grid:0.2:0.8:0.3,0.5,0.9")
        for at in ("0.2", "0.5", "0.8"):
            truth = f"list:{at},0.5,0.9"
            found = self.document("compare", "-T", "4", "--policies", "kg", "--truth", truth, "3x2,1")
            for policy, told in (("kg", found["policies"][0]["truth"]), ("optimal", found["optimal"]["truth"])):
                [row] = self.rows("SELECT correct, value, gap, optimal_value, upper FROM result WHERE truth = "
                                  f"'{truth}' AND policy = '{policy}'")
                self.assertEqual(row, (told["mean"], None, None, None, None))
                rows = self.rows("SELECT labels, wrong FROM spent JOIN cell ON cell.id = cell WHERE truth = "
                                 f"'{truth}' AND policy = '{policy}' ORDER BY instance")
                self.assertEqual(rows, list(zip(told["labels"], told["wrong"])))

    def test_ties_go_by_the_truth(self):
        self.sweep("--prior", "1,1", "--instances", "2", "--budget", "3", "--policies", "kg", "--ties", "best,worst",
                   "--truth", "list:0.2,0.7")
        found = self.document("compare", "-T", "3", "--policies", "kg", "--ties", "best,worst", "--truth", "list:0.2,0.7",
                              "2x1,1")
        self.assertEqual(self.rows("SELECT ties, correct FROM result WHERE policy = 'kg' ORDER BY ties"),
                         [(row["ties"], row["truth"]["mean"]) for row in found["policies"]])

    def test_the_curve_over_the_prior_is_the_value(self):
        """Of one instance by Simpson's rule, exact for cubics, on either side of 1/2; below it two labels are
        wrong unless both are negative, with chance 3/4 as the soft label comes near 1/2."""
        self.sweep("--prior", "1,1", "--instances", "1", "--budget", "2", "--policies", "kg", "--truth",
                   "grid:0:1:0.25")
        wrong = dict(self.rows("SELECT soft, wrong FROM spent WHERE policy = 'kg'"))
        below = wrong[0] + 4 * wrong[0.25] + 0.75
        above = wrong[0.5] + 4 * wrong[0.75] + wrong[1]
        value = self.document("compare", "-T", "2", "--policies", "kg", "1,1")["policies"][0]["value"]
        self.assertAlmostEqual(1 - (below + above) / 12, value, delta=1e-14)

    def test_old_studies_get_the_column(self):
        words = ["--prior", "1,1", "--instances", "2", "--budget", "2", "--policies", "kg"]
        played = [*words, "--runs", "20", "--truth", "list:0.2,0.7"]
        self.sweep(*played)
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            database.execute("ALTER TABLE spent DROP COLUMN wrong")
        old = str(self.folder / "old.db")
        shutil.copy(self.db, old)
        self.sweep("--merge", old, db=str(self.folder / "new.db"))
        self.assertEqual(self.rows("SELECT count(*), count(wrong) FROM spent", self.folder / "new.db"), [(2, 0)])
        self.sweep(*words, "--truth", "list:0.2,0.7")
        self.assertEqual(self.rows("SELECT count(*), count(wrong) FROM spent"), [(6, 4)])


class FigureTest(PlotCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.laws = os.path.join(cls.place.name, "laws.db")
        words = [cls.laws, "--prior", "2,1", "--instances", "2", "--budget", "3", "--policies", "kg,uniform"]
        for law in (["--assume", "1:3,1:2"], ["--truth", "grid:0:1:0.25"], []):
            done = run("sweep", *words, *law)
            assert done.returncode == 0, done.stderr

    def test_map_has_its_numbers_and_units(self):
        words = self.numbers("regret-belief", "--policies", "kg", "--axis", "gain-lost", db=self.laws)
        texts = texts_of(draw_all([self.numbers("regret-belief", db=self.laws)])[0])
        for line in ("What a wrong prior costs the optimal policy", "A of the believed Beta(A, B) (labels)", "B (labels)",
                     "2 instances, 3 labels, labels fall by 2,1, ties random", "the prior that labels fall by",
                     "regret (expected correct calls)"):
            self.assertIn(line, texts)
        with contextlib.closing(sqlite3.connect(self.laws)) as database:
            rows = database.execute("SELECT gap FROM result WHERE policy = 'optimal' AND truth LIKE 'believe%'")
            for gap, in rows.fetchall():
                self.assertIn(f"{gap:.2g}", texts)
        self.assertEqual(words["title"], "What a wrong prior costs kg")
        self.assertEqual(words["panels"][0]["scale_label"], "gain lost (% of the optimal)")
        # Its axes count its fields; one more is the scale's.
        self.assertEqual([text for text in texts if text in ("0.5", "1.5", "2.5", "3.5")], [])
        self.assertEqual(sorted(text for text in texts if text in ("1", "2", "3")), ["1", "1", "2", "2", "3"])

    def test_narrow_fields_have_no_numbers(self):
        narrow = os.path.join(self.place.name, "narrow.db")
        done = run("sweep", narrow, "--prior", "2,1", "--instances", "2", "--budget", "3", "--policies", "kg", "--assume",
                   "0.5:10:0.5,1:4")
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = texts_of(draw_all([self.numbers("regret-belief", db=narrow)])[0])
        with contextlib.closing(sqlite3.connect(narrow)) as database:
            rows = database.execute("SELECT DISTINCT gap FROM result WHERE policy = 'optimal' AND gap > 0").fetchall()
        self.assertGreater(len(rows), 5)
        numbers = {f"{gap:.2g}" for gap, in rows} - {"0.2", "0.4", "0.6", "0.8", "1"}  # those may be the scale's
        self.assertEqual(numbers & set(texts), set())

    def test_curves_over_truths(self):
        for kind, words in (("correct-truth", "expected correct calls, of 2"),
                            ("wrong-truth", "chance that it is called wrong")):
            document = self.numbers(kind, db=self.laws)
            self.assertEqual(document["panels"][0]["y_label"], words)
            self.assertEqual(document["subtitle"], "2 instances, 3 labels, prior 2,1")
            self.assertEqual(self.names(document), ["kg", "uniform", "optimal as believed"])

    def test_other_figures_are_as_if_nothing_had_been(self):
        plain = os.path.join(self.place.name, "plain.db")
        done = run("sweep", plain, "--prior", "2,1", "--instances", "2", "--budget", "3", "--policies", "kg,uniform")
        self.assertEqual(done.returncode, 0)
        for kind in ("gap-budget", "gap-instances", "value", "index"):
            self.assertEqual(self.numbers(kind, db=self.laws), self.numbers(kind, db=plain), kind)

    def test_a_study_without_them_says_so(self):
        for kind in ("regret-belief", "correct-truth", "wrong-truth"):
            done = run("plot", self.db, kind, "-o", self.out)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"no results for the figure '{kind}'", done.stderr)

    def test_report_has_them(self):
        out = os.path.join(self.place.name, "laws.html")
        self.assertEqual(run("report", self.laws, "-o", out).returncode, 0)
        with open(out, encoding="utf-8") as file:
            page = file.read()
        self.assertIn("1 problem valued exactly, 1 of them with the optimum proved; 11 valued under another truth or "
                      "a wrong prior.", page)
        for kind in ("correct-truth", "wrong-truth", "regret-belief"):
            self.assertIn(f"{kind} --prior 2,1 --instances 2 --budget 3", page)


if __name__ == "__main__":
    main()
