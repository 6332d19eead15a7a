"""The policies that solve the fluid problem in every state, as a user meets them.

    test_fluid_cli.py PROGRAM [unittest option...]
"""

import sys
import tempfile
import unittest
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402

try:
    from scipy.optimize import linprog
except ImportError:
    linprog = None

NAMES = "dual,dual:2,midway:gittins-fh,midway:opt-kg,lp-update"


def fluid_programme(arms, labels):
    """The value of the programme of the specification in HiGHS. arms: (rewards, chances) of each
    instance, by (positive, negative) labels so far."""
    columns, rows, fixed, shares = {}, [], [], [{} for _ in range(labels)]
    gain = []

    def column(*key):
        if key not in columns:
            columns[key] = len(columns)
            gain.append(0.0)
        return columns[key]

    limits = []
    for i, (reward, chance) in enumerate(arms):
        nodes = [(s, n - s) for n in range(labels) for s in range(n + 1)]
        for stage in range(labels):
            for x in nodes:
                y, q = column(i, x, stage, "y"), column(i, x, stage, "q")
                gain[y] = -reward(*x)
                shares[stage][y] = 1.0
                limits.append({y: 1.0, q: -1.0})
                if stage == 0:
                    rows.append({q: 1.0})
                    fixed.append(float(x == (0, 0)))
                    continue
                flow = {q: 1.0, column(i, x, stage - 1, "q"): -1.0, column(i, x, stage - 1, "y"): 1.0}
                for w, p in (((x[0] - 1, x[1]), chance(x[0] - 1, x[1])),
                             ((x[0], x[1] - 1), 1 - chance(x[0], x[1] - 1))):
                    if min(w) >= 0:
                        flow[column(i, w, stage - 1, "y")] = -p
                rows.append(flow)
                fixed.append(0.0)

    def dense(sparse):
        table = [[0.0] * len(columns) for _ in sparse]
        for line, entries in zip(table, sparse):
            for at, value in entries.items():
                line[at] = value
        return table

    found = linprog(gain, A_ub=dense(limits + shares), b_ub=[0.0] * len(limits) + [1.0] * labels,
                    A_eq=dense(rows), b_eq=fixed, method="highs")
    return -found.fun


class ValueTest(Case):
    @unittest.skipIf(linprog is None, "scipy is not installed")
    def test_the_bound_is_the_programme(self):
        # thresholds 1/2 and whole parameters: h = max(P(p >= 1/2), 1 - that), from binomial sums
        from math import comb

        def arm(a, b):
            def call(s, f):
                n, k = a + b + s + f - 1, a + s
                below = Fraction(sum(comb(n, j) for j in range(k, n + 1)), 2 ** n)
                return max(below, 1 - below)

            def chance(s, f):
                return Fraction(a + s, a + b + s + f)

            def reward(s, f):
                p = chance(s, f)
                return float(p * call(s + 1, f) + (1 - p) * call(s, f + 1) - call(s, f))

            return reward, lambda s, f: float(chance(s, f))

        for labels, priors in ((3, [(1, 1), (2, 1)]), (4, [(2, 2), (5, 4), (5, 4)]), (3, [(4, 2), (4, 4)])):
            words = [f"{a},{b}" for a, b in priors]
            found = self.document("bound", "-T", str(labels), *words)
            value = found["bounds"]["lagrangian_vector"]["value"] - found["call_value"]
            self.assertAlmostEqual(value, fluid_programme([arm(*one) for one in priors], labels), 7)

    def test_threads_do_not_change_a_bit(self):
        words = ["compare", "-T", "9", "--ties", "random,first", "--policies", NAMES, "3x1,1", "2,1@0.3"]
        one, many = (self.document(*words, "--threads", threads) for threads in ("1", "4"))
        self.assertEqual([row["value"] for row in one["policies"]],
                         [row["value"] for row in many["policies"]])

    def test_mixtures_classes_payoffs_and_bandits(self):
        for words in (["2x1,1,1", "2,1,1"], ["0.5:1,1+0.5:4,4", "0.3:1,3+0.7:2,1"],
                      ["--payoff", "1,0,0,5", "2,1", "1,2"], ["--problem", "bandit", "2x1,1", "2,1"]):
            found = self.document("compare", "-T", "4", "--policies", NAMES, *words)
            for row in found["policies"]:
                self.assertEqual(row["status"], "ok", words)
                self.assertLessEqual(row["value"], found["optimal"]["value"] + row["gap_error_bound"])

    def test_an_exact_value_is_a_fraction(self):
        found = self.document("compare", "-T", "5", "--arithmetic", "exact", "--policies", "dual,lp-update",
                              "1,1@0.4", "1,3@0.4")
        self.assertEqual([row["value_exact"] for row in found["policies"]],
                         ["43461799/26250000", "10853821/6562500"])


class CommandTest(Case):
    def test_query_is_lagrangian_for_lp_update(self):
        words = ["query", "-T", "4", "--policies", "lagrangian,lp-update", "2,1@0.4", "3,3@0.4", "1,2"]
        picks = self.document(*words)["policies"]
        self.assertEqual(picks["lp-update"], picks["lagrangian"])

    def test_find_explain_and_simulate(self):
        found = self.document("find", "lp-update", "--instances", "2", "--budget", "3", "--parameter", "4")
        self.assertIsNotNone(found)
        explained = self.document("compare", "-T", "4", "--explain", "--policies", "dual", "2,2", "3x5,4")
        self.assertGreater(explained["policies"][0]["gap"], 0.004)
        simulated = self.document("simulate", "-T", "6", "--runs", "50", "--policies", NAMES, "3x1,1")
        self.assertEqual(len(simulated["policies"]), 5)

    def test_next_chooses_one_task(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "labels.tsv"
            table.write_text("task\tworker\tlabel\na\tw\t1\na\tw\t1\nb\tw\t1\nb\tw\t0\nc\tw\t1\n")
            for name in ("dual", "lp-update"):
                words = ["next", "--labels", str(table), "-T", "3", "--prior", "1,1", "--policy", name]
                done = run(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_refused([*words, "--batch", "2"], "does not support --batch")
                self.assert_refused([*words, "--price", "0.01"], "does not support --price")


class RefusalTest(Case):
    def test_bad_parameters(self):
        for name, said in (("dual:0", "whole number from 1"), ("dual:x", "whole number"),
                           ("midway", "midway:NAME, such as midway:gittins-fh"),
                           ("midway:", "midway:NAME, such as midway:gittins-fh"),
                           ("midway:midway:kg", "does not support another midway"),
                           ("midway:thompson", "only simulated"), ("lp-update:2", "no parameter")):
            self.assert_refused(["compare", "-T", "3", "--policy", name, "2,1"], said)

    def test_prices_and_batches(self):
        for name in NAMES.split(","):
            self.assert_refused(["compare", "-T", "3", "--policy", name, "--price", "0.01", "2,1"],
                                "does not support --price")
            for words in (["--batch", "2"], ["--deadline", "5"]):
                self.assert_refused(["compare", "-T", "3", "--policy", name, *words, "2x2,1"], "batches")

    def test_no_index(self):
        self.assert_refused(["index", "-T", "3", "--policy", "dual", "2,1"], "looks at all instances together")

    def test_they_are_listed(self):
        rows = {row["name"]: row for row in self.document("policies")["policies"]}
        for name, parameter in (("dual", "[:D]"), ("midway", "NAME"), ("lp-update", "")):
            self.assertEqual((rows[name]["parameter"], rows[name]["valued_exactly"]), (parameter, True))


if __name__ == "__main__":
    main()
