"""A budget of each instance: -T Neach.

    test_each_cli.py PROGRAM [unittest option...]
"""

import json
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import main, run  # noqa: E402
from test_cli import DATA  # noqa: E402
from test_stopping_cli import StoppingCase  # noqa: E402

EACH = [one for one in json.loads((DATA / "golden-own.json").read_text())["A"] if one["budget"].endswith("each")]


def ask(command, *words):
    done = run(command, "--json", *words)
    assert (done.returncode, done.stderr) == (0, ""), (words, done.stderr)
    return json.loads(done.stdout)


class EachTest(StoppingCase):
    problems = [["4x1,1"], ["2x1,1", "3x2,1", "1,1"], ["1,1@0.3", "2,2"], ["0.5,0.5", "1,2,1"],
                ["0.5:5,2+0.5:2,5"], ["2x2,1=1,-5,0,1", "3,1"]]

    def test_values_are_sums_over_the_instances(self):
        for words in self.problems:
            for more in ([], ["--price", "0.03"], ["--price", "0.02", "--ties", "first,worst"]):
                both = ask("compare", "-T", "4each", *more, "--policies", "kg,gittins-fh", *words)
                parts = []
                for word in words:
                    count, alone = word.split("x") if "x" in word else ("1", word)
                    parts.append((int(count), ask("compare", "-T", "4", *more, "--policies",
                                                  "kg,gittins-fh", alone)))
                self.assertEqual(both["bounds"], {})
                self.assertEqual(both["problem"]["each"], 4)
                self.assertEqual(both["problem"]["budget"], 4 * sum(count for count, _ in parts))
                pairs = [(both["optimal"], [(c, part["optimal"]) for c, part in parts])]
                pairs += [(row, [(c, part["policies"][i]) for c, part in parts])
                          for i, row in enumerate(both["policies"])]
                for whole, each in pairs:
                    for key in ("value", "gain"):
                        error = whole["error_bound"] + sum(c * one["error_bound"] for c, one in each)
                        self.assertLessEqual(
                            abs(whole[key] - sum(c * one[key] for c, one in each)), error)
                    self.assertLess(whole["error_bound"], 1e-12)

    def test_fractions_are_sums_of_fractions(self):
        words = ["2x1,1", "3x2,1", "1,1@0.3"]
        both = ask("solve", "-T", "5each", "--arithmetic", "exact", *words)
        parts = [ask("solve", "-T", "5", "--arithmetic", "exact", word.split("x")[-1])
                 for word in words]
        for key in ("value_exact", "gain_exact"):
            self.assertEqual(Fraction(both["optimal"][key]),
                             sum(count * Fraction(part["optimal"][key])
                                 for count, part in zip((2, 3, 1), parts)))

    def test_one_instance_has_the_bits_of_its_problem(self):
        for word in ("1,1", "2,1@0.4"):
            each, alone = (ask("compare", "-T", budget, "--policies", "kg,opt-kg", word)
                           for budget in ("9each", "9"))
            for one, other in zip([each["optimal"], *each["policies"]],
                                  [alone["optimal"], *alone["policies"]]):
                self.assertEqual((one["value"], one["gain"]), (other["value"], other["gain"]))

    def test_known_values(self):
        for case in EACH:
            price = ["--price", str(float(Fraction(case["price"])))] if "price" in case else []
            words = ["-T", case["budget"], *price, "--policy", case["policy"], *case["problem"].split()]
            exact, near = (ask("compare", "--arithmetic", how, *words) for how in ("exact", "double"))
            row = exact["policies"][0]
            for key, value in (("value", row["value_exact"]), ("gap", row["gap_exact"]),
                               ("optimal", exact["optimal"]["value_exact"])):
                self.assertEqual(Fraction(value), Fraction(case[key]), (case, key))
            self.assert_near(row["labels"]["least"], Fraction(case["labels"]), 1e-11, case)
            self.assert_near(near["policies"][0]["value"], Fraction(case["value"]),
                             near["policies"][0]["error_bound"], case)
            self.assert_equal_labels(row, near["policies"][0], case)

    def test_what_is_not_supported_is_refused_in_one_line(self):
        for command, words, said in (
                ("compare", ["-T", "8x", "1,1"],
                 "the budget (-T) must be a whole number from 0 to 1000000, or such a number and "
                 "each, as in 8each, not '8x'"),
                ("compare", ["-T", "each", "1,1"], "the budget (-T) must be"),
                ("solve", ["-T", "1000001each", "1,1"], "the budget (-T) must be"),
                ("compare", ["-T", "1000000each", "10000x1,1"], "is too much for 10000 instances"),
                ("query", ["-T", "40each", "1,1"], "-T 40each is supported by solve and compare"),
                ("bound", ["-T", "40each", "1,1"], "-T 40each is supported by solve and compare"),
                ("simulate", ["-T", "40each", "1,1"],
                 "-T 40each is supported by solve and compare"),
                ("tree", ["-T", "4each", "1,1"], "-T 4each is supported by solve and compare"),
                ("find", ["-T", "4each", "kg"], "-T 4each is supported by solve and compare"),
                ("compare", ["-T", "4each", "--reach", "0.5", "1,1"],
                 "-T 4each is supported by solve and compare"),
                ("compare", ["-T", "4each", "--workers-prior", "4,1", "1,1"],
                 "-T 4each does not support workers of unknown reliability"),
                ("compare", ["-T", "4each", "--price", "0.1,0.2", "1,1"],
                 "--price must be one price, or one for each INSTANCE word: 1, not 2"),
                *(("compare", ["-T", "4each", "--policy", name, "2x1,1"],
                   f"policy '{name}' needs all instances together")
                  for name in ("lagrangian", "lp-update", "dual", "dual:2", "midway:kg", "nlu",
                               "rollout:dual", "agree:2:lagrangian", "fixed:1:beta-stop:0.9:rollout:dual"))):
            done = run(command, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    main()
