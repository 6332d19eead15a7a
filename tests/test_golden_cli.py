"""The program's answers against known values.

    test_golden_cli.py PROGRAM [unittest option...]

Known values come from tests/data; a value passes if it is within the error bound that the program
states for it.
"""

import sys
from fractions import Fraction

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import SANITIZED, main  # noqa: E402
from test_cli import DATA, TIES  # noqa: E402


def table_rows(name):
    lines = (DATA / name).read_text().splitlines()
    head = lines[0].split("\t")
    return [dict(zip(head, line.split("\t"))) for line in lines[1:]]


def golden_by_problem():
    problems = {}
    for row in table_rows("golden.tsv"):
        entry = (Fraction(row["value"]), Fraction(row["tolerance"]))
        key = (row["problem"], row["budget"])
        problems.setdefault(key, {})[row["quantity"]] = entry
    return problems


class GoldenTest(test_cli.Case):
    """Known values; each must be within its stated error."""

    heavy = {("50x1,1", "100")}  # 20 million states: the bounds only
    if SANITIZED:
        heavy.add(("10x1,1", "40"))  # a million

    def test_compare_values_policies_and_optimum(self):
        for (problem, budget), known in golden_by_problem().items():
            rows = [quantity.split("/") for quantity in known if "/" in quantity]
            names = list(dict.fromkeys(name for name, _ in rows if name != "q"))
            if not names or (problem, budget) in self.heavy:
                continue
            ties = ",".join(TIES) if any(t != "random" for _, t in rows) else "random"
            found = self.document(
                "compare", "-T", budget, "--policies", ",".join(names), "--ties", ties,
                *problem.split()
            )
            values = {(row["name"], row["ties"]): row for row in found["policies"]}
            for name, rule in rows:
                if name != "q":
                    row = values[name, rule]
                    self.assertEqual(row["status"], "ok")
                    self.assert_near(
                        row["value"], known[f"{name}/{rule}"], row["error_bound"],
                        (problem, budget, name, rule),
                    )
            optimal = found["optimal"]
            self.assert_near(
                optimal["value"], known["optimal"], optimal["error_bound"], (problem, budget)
            )

    def test_solve_proves_the_optimum(self):
        for (problem, budget), known in golden_by_problem().items():
            if (problem, budget) in self.heavy:
                continue
            if "optimal" in known or "gain" in known:
                found = self.document("solve", "-T", budget, *problem.split())["optimal"]
                for key, quantity in (("value", "optimal"), ("gain", "gain")):
                    if quantity in known:
                        self.assert_near(
                            found[key], known[quantity], found["error_bound"], (problem, budget)
                        )

    def test_bounds_hold_and_are_as_tight_as_known(self):
        reach = {"lagrangian_scalar": Fraction(1, 10**12), "lagrangian_vector": Fraction(1, 10**6)}
        for (problem, budget), known in golden_by_problem().items():
            if "lagrangian_vector" not in known:
                continue
            found = self.document("bound", "-T", budget, *problem.split())["bounds"]
            for name in reach:
                if name not in known:
                    continue
                truth, tolerance = known[name]
                value = Fraction(found[name]["value"])
                slack = truth * reach[name] + tolerance + Fraction(found[name]["error_bound"])
                self.assertGreaterEqual(value, truth - tolerance, (problem, name))
                self.assertLessEqual(value, truth + slack, (problem, name))
            self.assertGreaterEqual(
                Fraction(found["lagrangian_vector"]["value"]),
                known["optimal"][0] - known["optimal"][1],
            )

    def test_bounds_have_a_price_or_one_for_each_label(self):
        for budget in (0, 1, 5):
            found = self.document("bound", "-T", str(budget), "3x1,1")["bounds"]
            self.assertGreaterEqual(found["lagrangian_scalar"]["price"], 0)
            self.assertEqual(len(found["lagrangian_vector"]["prices"]), budget)
            for bound in found.values():
                self.assertIs(bound["converged"], True)
                self.assertGreaterEqual(bound["error_bound"], 0)

    def test_query_gives_every_instance_its_q(self):
        for (problem, budget), known in golden_by_problem().items():
            wanted = {name: truth for name, truth in known.items() if name.startswith("q/")}
            if wanted:
                found = self.document("query", "-T", budget, *problem.split())
                for name, truth in wanted.items():
                    row = found["instances"][int(name[2:])]
                    self.assert_near(row["q"], truth, row["error_bound"], (problem, name))

    def test_gittins_fh_of_n_labels_looks_no_further_than_the_instance_can(self):
        def index(budget, name, words, a, b, left):
            rows = self.document("index", "-T", str(budget), "--policy", name, words)["rows"]
            return next(row[-1] for row in rows if row[:3] == [a, b, left])

        self.assertEqual(index(3, "gittins-fh:3", "2,3@0.3", 3, 4, 1), 0)
        for budget, ahead in (4, 2), (5, 3), (6, 3):
            self.assertEqual(index(budget, "gittins-fh:3", "2,3@0.3", 3, 4, 1),
                             index(ahead, "gittins-fh", "3,4@0.3", 3, 4, ahead))
        self.assertAlmostEqual(index(6, "gittins-fh:3", "2,3@0.3", 3, 4, 1), 0.0092, delta=5e-5)
        self.assertIn("T less the instance's labels", " ".join(self.answer("policies").split()))

    def test_index_lists_known_indices(self):
        for row in table_rows("index.tsv"):
            left = max(1, int(row["left"]))
            budget = int(row["a"]) + int(row["b"]) - 2 + left
            found = self.document("index", "--policy", row["policy"], "-T", str(budget), "1,1")
            self.assertEqual(found["columns"], ["a", "b", "left", "index"])
            at = {tuple(entry[:3]): entry[3] for entry in found["rows"]}
            value = at[float(row["a"]), float(row["b"]), left]
            truth = Fraction(row["value"])
            error = abs(truth) * Fraction(found["relative_error"])
            error += Fraction(found["absolute_error"])
            self.assert_near(value, (truth, Fraction(row["tolerance"])), error, row)


if __name__ == "__main__":
    main()
