#!/usr/bin/env python3
"""What the Python package takes, and what its tables hold: arguments, states, seeds, policies, columns.

    test_given.py PROGRAM [unittest option...]
"""

import functools
import inspect
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

import numpy as np
from have import needs_pandas

import optgap
import optgap._columns
import optgap._signatures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = None  # set by main


def mean(instances, power=1):
    return (instances[:, 0] / instances.sum(1)) ** power


class Scaled:
    """A policy that is an object."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, instances):
        return self.scale * instances[:, 0]

    def least(self, instances):
        return -instances[:, 0]


class ArgumentTest(unittest.TestCase):
    def test_several_states_are_refused(self):
        """A list in the list would be joined to a prior of four classes, a dict or a set loses what it holds."""
        for instances in ([["2,1", "4,2"], ["1,1", "1,1"]], [[[2, 1], [4, 2]], [[1, 1], [1, 1]]], np.ones((2, 2, 2)), [[]], [None],
                          [{"1,1": 2}], [(True, 1)], [["2,1"]]):
            with self.subTest(instances=instances), self.assertRaisesRegex(
                    ValueError, r'^instances\[0\] must be a word such as "2,1" or .* \[optgap\.query\(T, one\) for one in states\]; .*array'):
                optgap.query(3, instances)
        for instances in ({"1,1": 3}, {"1,1"}, b"1,1", 5):
            with self.subTest(instances=instances), self.assertRaisesRegex(ValueError, "^instances must be words"):
                optgap.query(3, instances)
        with self.assertRaisesRegex(ValueError, "not one of lists"):
            optgap.solve(3, "1,1", price=[[1, 2], [3]])

    def test_an_array_of_states_is_a_question_for_each(self):
        draw = np.random.default_rng(6100)
        for options in ({}, {"threshold": 0.3, "payoff": "1,-2,0,1"}, {"problem": "bandit", "threads": 1}):
            states = draw.integers(1, 6, (12, 3, 2)) + draw.choice([0, 0.5], (12, 3, 2))
            left = draw.integers(1, 6, 12)
            found = optgap.query(states, left, **options)
            word = "{:g},{:g}" + ("@0.3" if "threshold" in options else "")
            more = {name: value for name, value in options.items() if name != "threshold"}
            for state, labels, q, best in zip(states, left, found.q, found.best):
                one = optgap.query(labels, [word.format(*instance) for instance in state], **more)
                allowed = one.acts["error_bound"] * (1 + 5 / labels)  # the array's error is that of at most 5 labels
                self.assertTrue((abs(q - one.q) <= allowed).all(), (state, labels))
                self.assertEqual(np.flatnonzero(best).tolist(), one.best.tolist())
        same = optgap.query(states, left=3)
        self.assertEqual(same.q.tolist(), optgap.query(states, np.full(12, 3)).q.tolist())
        none = optgap.query(states, 0)
        self.assertTrue(np.isnan(none.q).all() and not none.best.any())
        self.assertEqual(optgap.query(np.ones((0, 2, 2)), 3).q.shape, (0, 2))

    def test_an_array_of_states_is_checked(self):
        states = np.ones((2, 2, 2))
        for given, left, options, said in (
                (np.ones((2, 2, 3)), 3, {}, r"shape \(n, k, 2\).*not \(2, 2, 3\)"), (np.ones((2, 0, 2)), 3, {}, "shape"),
                (states, [1, 2, 3], {}, "array of 2, one for each state"), (states, 1.5, {}, "whole number"), (states, -1, {}, "at least 0"),
                (states, True, {}, "whole number"), (states, 2**31, {}, "at most 2147483647"), (states, "3", {}, "whole number"),
                (-states, 3, {}, "state 0: a must be a positive number"), (states * np.nan, 3, {}, "state 0: a must be"),
                (states, 3, {"threshold": 2}, "threshold"), (states, 3, {"policies": "kg"}, "one state"), (states, 3, {"exact": True}, "one state"),
                (states, 3, {"history": "1+"}, "one state"), (states, 3, {"price": 0.1}, "a list of states")):
            with self.subTest(said=said, left=left), self.assertRaisesRegex(ValueError, said):
                optgap.query(given, left, **options)
        with self.assertRaisesRegex(ValueError, "for arrays"):
            optgap.query(3, "2,1", threshold=0.3)
        with self.assertRaisesRegex(TypeError, "engin"):
            optgap.query(states, 3, engin="blocks")

    def test_a_state_may_be_numbers(self):
        known = optgap.query(3, "2,1 4,2")
        for instances in ([(2, 1), (4, 2)], [[2, 1], [4, 2]], np.array([[2, 1], [4, 2]]), np.array([[2.0, 1.0], [4.0, 2.0]]),
                          ["2,1 4,2"], [(2, 1), "4,2"], (np.array([2, 1]), np.array([4, 2]))):
            with self.subTest(instances=instances):
                self.assertEqual(optgap.query(3, instances).q.tolist(), known.q.tolist())
        self.assertEqual(optgap.solve(2, [(0.5, 1)]).value, optgap.solve(2, "0.5,1").value)

    def test_whole_numbers(self):
        for T in (5, 5.0, np.int64(5), np.float64(5), "5"):
            self.assertEqual(optgap.solve(T, "2x1,1").problem.budget, 5)
        for name, value, ask in (
                ("T", True, lambda it: optgap.solve(it, "1,1")), ("T", 5.5, lambda it: optgap.solve(it, "1,1")),
                ("T", None, lambda it: optgap.find("kg", T=it)), ("left", True, lambda it: optgap.solve(5, "1,1", left=it)),
                ("runs", 1.5, lambda it: optgap.compare(2, "1,1", runs=it)), ("runs", float("nan"), lambda it: optgap.compare(2, "1,1", runs=it)),
                ("threads", "two", lambda it: optgap.solve(2, "1,1", threads=it)), ("states", [3], lambda it: optgap.tree(2, "1,1", states=it)),
                ("seed", True, lambda it: optgap.simulate(2, "1,1", seed=it)), ("seed", "one", lambda it: optgap.simulate(2, "1,1", seed=it)),
                ("budget", 1.5, lambda it: optgap.next(tasks=["a"], budget=it)), ("at", 0.5, lambda it: optgap.replay("a", "b", at=[it]))):
            with self.subTest(name=name, value=value), self.assertRaisesRegex(ValueError, f"^{name} must be a whole number.*, not "):
                ask(value)
        for name, value, said in (("exact", "yes", "True or False, not 'yes'"), ("exact", 1, "True or False, not 1"), ("once", "no", "True or False"),
                                  ("reach", "half", "a number, not 'half'"), ("time_limit", True, "a number, not True"),
                                  ("workers_prior", True, "have a value, .*, not True"), ("price", False, "have a value, .*, not False"),
                                  ("checkpoint", 5, "the name of a file, not 5"), ("ties", 5, "one of random"), ("engine", 5, "one of auto")):
            with self.subTest(name=name, value=value), self.assertRaisesRegex(ValueError, f"^{name} must be {said}|^{name} must {said}"):
                optgap.compare(2, "1,1", **{"workers_prior": "4,1"} if name == "once" else {}, **{name: value})
        with self.assertRaisesRegex(ValueError, "threads must be a whole number from 1 to 1024, not"):
            optgap.solve(2, "1,1", threads=2**40)

    def test_seeds(self):
        def runs(seed):
            return optgap.simulate(4, "3x1,1", policies="thompson", runs=20, seed=seed)

        first, again = runs(np.random.default_rng(5)), runs(np.random.default_rng(5))
        self.assertEqual((first.seed, first.value), (again.seed, again.value))
        self.assertEqual(runs(first.seed).value, first.value)
        draws = np.random.default_rng(5)
        self.assertEqual([runs(draws).seed == first.seed for _ in range(2)], [True, False])
        unknown = runs(None)
        self.assertNotEqual(unknown.seed, runs(None).seed)
        self.assertTrue(0 <= unknown.seed < 2**53)
        self.assertEqual(runs(unknown.seed).value, unknown.value)

    def test_signatures_name_every_keyword(self):
        known = {name.replace("-", "_") for options in optgap.families().values() for name in options} - {"budget"}
        for name in ("solve", "compare", "query", "bound", "simulate", "index", "tree", "optimal_policy", "Problem", "find", "fit", "next", "replay"):
            parameters = inspect.signature(getattr(optgap, name)).parameters
            self.assertFalse([one for one in parameters.values() if one.kind == one.VAR_KEYWORD], name)
            if name not in optgap._signatures.MORE:
                self.assertLessEqual(known, set(parameters), name)
        self.assertIn("encoding", inspect.signature(optgap.fit).parameters)


class PolicyTest(unittest.TestCase):
    def test_what_can_be_called_is_a_policy(self):
        asked = 5, "2x1,1 2,1@0.3"
        plain = optgap.compare(*asked, policies=[optgap.policy(lambda instances: instances[:, 0] / instances.sum(1))]).rows[0].value
        largest = optgap.compare(*asked, policies=[optgap.policy(lambda instances: instances[:, 0])]).rows[0].value
        self.assertNotEqual(plain, largest)
        for policy, name, value in ((mean, "mean", plain), (functools.partial(mean, power=2), "mean", plain), (Scaled(3), "Scaled", largest),
                                    (functools.partial(Scaled(1)), "Scaled", largest), (lambda instances, /: instances[:, 0], "<lambda>", largest),
                                    (optgap.policy(mean, name="ours"), "ours", plain), (lambda *, instances: instances[:, 0], "<lambda>", largest)):
            with self.subTest(policy=policy):
                row = optgap.compare(*asked, policies=policy).rows[0]
                self.assertEqual((row.name, row.value), (name, value))
        self.assertEqual(optgap.compare(*asked, policies=Scaled(3).least).rows[0].name, "least")

    def test_earlier_names_of_a_state(self):
        def earlier(posterior, copies, threshold):
            return posterior[:, 0] + copies + threshold

        def now(instances, counts, thresholds):
            return instances[:, 0] + counts + thresholds

        self.assertEqual(*(row.value for row in optgap.compare(4, "2x1,1 2,1@0.3", policies=[earlier, now]).rows))

    def test_names_are_those_of_a_request_to_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "request")
            command = f"command:head -1 | tee {file} | sed 's/.*/{{\"choose\":0}}/'"
            subprocess.run([PROGRAM, "compare", "-T1", "--runs=0", "--policy", command, "2x1,1"], capture_output=True, timeout=60, check=False)
            names = set(re.findall(r'"(\w+)":', file.read_text()))
        self.assertEqual(names, set(optgap._policies.LOOKS["posterior"]))

    def test_a_changed_partial_is_another_policy(self):
        hashes = [optgap._studies.hash_of(optgap.policy(one)) for one in (
            functools.partial(mean, power=1), functools.partial(mean, power=2), Scaled(1), Scaled(2), mean)]
        self.assertEqual(len(set(hashes)), 5)
        self.assertEqual(hashes[0], optgap._studies.hash_of(optgap.policy(functools.partial(mean, power=1))))


class TableTest(unittest.TestCase):
    def test_latex_is_the_programs(self):
        for words, ask in ((["compare", "-T4", "--policies=kg,uniform", "3x1,1"], lambda: optgap.compare(4, "3x1,1", policies="kg,uniform")),
                           (["compare", "-T3", "--arithmetic=exact", "2x1,1"], lambda: optgap.compare(3, "2x1,1", exact=True)),
                           (["simulate", "-T4", "--policies=kg", "--runs=50", "3x1,1"], lambda: optgap.simulate(4, "3x1,1", policies="kg", runs=50)),
                           (["query", "-T3", "2x1,1", "2,1"], lambda: optgap.query(3, "2x1,1 2,1")), (["bound", "-T3", "2x1,1"], lambda: optgap.bound(3, "2x1,1")),
                           (["solve", "-T3", "2x1,1"], lambda: optgap.solve(3, "2x1,1")), (["index", "-T3", "--policy=kg", "1,1"], lambda: optgap.index("kg", 3))):
            with self.subTest(words=words):
                shown = subprocess.run([PROGRAM, *words, "--latex", "--quiet"], capture_output=True, text=True, timeout=60, check=True).stdout
                self.assertEqual(ask().to_latex().splitlines()[1:], shown.splitlines()[1:])
        found = optgap.compare(4, "3x1,1", policies=["kg", optgap.policy(mean, name="ours_1")])
        chosen = found.to_latex({"policy": "Policy", "gap_percent": "Gap & more"}).splitlines()
        self.assertEqual(chosen[2:5], [r"\begin{tabular}{lr}", r"\toprule", r"Policy & Gap \& more \\"])
        self.assertEqual([line.split(" & ")[0] for line in chosen[6:-2]], ["kg", r"ours\_1"])
        with self.assertRaisesRegex(KeyError, "no column 'gaps'; there are: name, ties, .*gap"):
            found.to_latex(["gaps"])
        self.assertEqual(pickle.loads(pickle.dumps(found)).json, found.json)

    @needs_pandas
    def test_columns_have_one_kind(self):
        """Also without rows, and where all values are missing; numbers that are missing are NaN."""
        import pandas

        found = optgap._report.frame_of([{"gap": None, "states": None, "policy": None, "simulated": None, "seed": 2**63}] * 2)
        self.assertEqual([str(kind) for kind in found.dtypes], ["float64", "float64", "object", "object", "object"])
        self.assertEqual(found["seed"].tolist(), [str(2**63)] * 2)
        self.assertTrue(found["gap"].isna().all())
        self.assertEqual([str(kind) for kind in optgap._report.frame_of([], columns=("gap", "states", "policy")).dtypes], ["float64", "int64", "object"])
        self.assertEqual(optgap._report.frame_of([{"states": 3}])["states"].dtype, "int64")
        for rows in ([], [{"gap": None, "states": None, "policy": None}], [{"gap": 0.5, "states": 3, "policy": "kg"}]):
            back = optgap._arrow.frame_of_stream(Rows(rows))
            self.assertEqual(list(back), ["gap", "states", "policy"])
        forms = {tuple(column.form for column in (optgap._arrow.Column(name, values, optgap._columns.kind_of(name)) for name, values in (
            ("gap", gaps), ("states", states), ("policy", names)))) for gaps, states, names in (([], [], []), ([None], [None], [None]), ([1], [2], ["kg"]))}
        self.assertEqual(forms, {(b"g", b"l", b"U")})
        self.assertTrue(pandas.api.types.is_float_dtype(optgap.compare(4, "2x1,1", policies="kg,thompson", runs=0).policies["value"]))

    @needs_pandas
    def test_fractions_in_frames(self):
        found = optgap.compare(4, "2x1,1 2,1", policies="kg,uniform", exact=True, explain=True)
        self.assertEqual(found.policies["gap"].tolist(), [row.gap for row in found.rows])
        self.assertIsInstance(found.policies["gap"][1], Fraction)
        self.assertNotIn("gap_exact", found.policies)
        tree = optgap.tree(2, "2x1,1", exact=True)
        self.assertEqual(tree.table["action_value"].tolist(), [action.value for state in tree.states for action in state.actions])
        self.assertIsInstance(tree.table["value"][0], Fraction)

    @needs_pandas
    def test_a_policy_file_is_a_frame(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "policy")
            solved = optgap.solve(4, "2x2,1 3,3@0.4", export_policy=file)
            found = optgap.read_policy(file)
            text = file.read_text()
            file.write_text(text.replace("budget", "bugdet").replace("value", "valeu"))
            with self.assertRaisesRegex(ValueError, "is no policy"):
                optgap.read_policy(file)
        self.assertEqual((found.value, found.budget, found.json["states"]), (solved.value, 4, solved.policy.states))
        table = found.table
        self.assertEqual(table["state"].nunique(), solved.policy.states)
        for _, state in table.groupby("state"):
            left = int(state["left"].iloc[0])
            self.assertEqual(state["count"].sum(), 3)
            words = [f"{row.count}x{row.a:g},{row.b:g}" + ("@0.4" if "@" in row.prior else "") for row in state.itertuples(index=False)]
            advice = optgap.query(left, words)
            best = {tuple(advice.instances[i].posterior) for i in advice.best}
            chosen = {(row.a, row.b) for row in state.itertuples() if row.optimal}
            self.assertTrue(chosen <= best or advice.value == 0, (words, chosen, best))
        self.assertEqual(optgap.optimal_policy(4, "2x2,1 3,3@0.4").table.to_csv(), table.to_csv())
        with self.assertRaisesRegex(ValueError, "cannot be read"):
            optgap.read_policy("no-such-file")

    def test_dir_has_no_internals(self):
        found = optgap.compare(3, "2x1,1", policies="kg")
        for of in (optgap, found, found.optimal, found.rows[0]):
            self.assertFalse([name for name in dir(of) if name.startswith("_") and name != "__version__"])
        self.assertLessEqual({"value", "optimal", "to_latex", "bracket"}, set(dir(found)))
        self.assertEqual(set(dir(optgap)), {*optgap.__all__, "__version__"})


class Rows:
    """A table of rows with three columns for Arrow."""

    def __init__(self, rows):
        self.rows = rows

    def __arrow_c_stream__(self, requested_schema=None):
        return optgap._arrow.capsule_of(self.rows, columns=("gap", "states", "policy"))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
