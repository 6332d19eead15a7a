#!/usr/bin/env python3
"""The Python package, and its answers compared with the program's, bit for bit.

    test_package.py PROGRAM [unittest option...]
"""

import contextlib
import doctest
import io
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest
import warnings
from fractions import Fraction

import numpy as np
from have import has, needs_matplotlib, needs_pandas

import optgap
import optgap._policies
import optgap._work

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data"
LABELS = DATA / "sample-labels.tsv"
SCALE = float(os.environ.get("TEST_SCALE", "1"))
SEED = int(os.environ.get("TEST_SEED", "0"))
PROGRAM = None  # set by main
NOT_THE_SAME = {"seconds", "table_seconds", "memory_bytes", "command", "status"}  # status: of a limit, the package's own


def program(*words):
    done = subprocess.run([PROGRAM, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=250)
    return done.returncode, done.stdout, done.stderr


def same(value):
    """Without times, and keys that only one of them has."""
    if isinstance(value, dict):
        return {k: same(v) for k, v in value.items() if k not in NOT_THE_SAME or isinstance(v, dict)}
    return [same(item) for item in value] if isinstance(value, list) else value


@optgap.policy
def mean(posterior):
    return posterior[:, 0] / posterior.sum(1)


@optgap.policy
def fails(posterior):
    raise LookupError("so it is")


# ---- the program's answers ----


def beta(draw):
    return f"{draw.randint(1, 4)},{draw.randint(1, 4)}"


def independent(draw):
    words = [beta(draw) + draw.choice(["", "", "@0.3"]) for _ in range(draw.randint(1, 3))]
    return draw.randint(0, 6), words, {}


def bandit(draw):
    return draw.randint(0, 6), [beta(draw) for _ in range(draw.randint(1, 3))], {"objective": "bandit"}


def classes(draw):
    return draw.randint(0, 3), ["1,1,1", f"{draw.randint(1, 3)},1,2"][:draw.randint(1, 2)], {}


def delayed(draw):
    return None, [f"{draw.randint(1, 2)}x{beta(draw)}"], {
        "workers": draw.randint(0, 3), "arrival_rate": draw.choice([1, 2.5]), "service_rate": 1}


def batch(draw):
    return draw.randint(0, 4), [f"2x{beta(draw)}"], {"batch": draw.randint(1, 3)}


def deadline(draw):
    return draw.randint(0, 3), [f"2x{beta(draw)}"], {
        "deadline": draw.randint(1, 4), "arrival": draw.choice([1, 0.5, "0.2,0.3"]), "service": draw.choice(["2", "1,0.5"]),
        "turn_away": draw.random() < 0.5}


def workers(draw):
    return draw.randint(0, 3), ["2x1,1"], {"workers_prior": draw.choice(["4,1", "2x4,1"]),
                                           "once": draw.random() < 0.5}


def features(draw):
    return draw.randint(0, 2), [], {"features": DATA / "features.tsv", "weight_sd": draw.choice([1, 0.5])}


def sources(draw):
    return draw.randint(0, 5), [f"2x{beta(draw)}"], {"source": ["crowd:1:0.7", f"expert:{draw.randint(2, 3)}:0.9"]}


def ranking(draw):
    return draw.randint(0, 3), ["3x1"], {"objective": "ranking"}


def labelers(draw):
    return draw.randint(1, 6), ["0.9", "0.7", f"0.{draw.randint(51, 69)}"], {"objective": "labelers"}


def assignment(draw):
    return draw.randint(0, 4), [f"{draw.randint(1, 3)}x1"], {"objective": "assignment", "workers_prior": "3x4,1"}


KINDS = [independent, bandit, classes, delayed, batch, deadline, workers, features, sources, ranking, labelers, assignment]


class SameTest(unittest.TestCase):
    """A question asked here and of the program: the same JSON, and every double to the bit."""

    def ask(self, question, T, words, options):
        given = []
        for name, value in options.items():
            for one in value if isinstance(value, list) else [value]:
                option = "--" + name.replace("_", "-")
                given += [] if one is False else [option] if one is True else [f"{option}={one}"]
        line = [question, "--json", "--quiet", "--threads=1", *([] if T is None else [f"-T{T}"]), *given, *words]
        status, out, said = program(*line)
        try:
            found = getattr(optgap, question)(T, words, threads=1, **options)
        except ValueError as error:
            self.assertEqual(status, 2, f"{line}: {error}; the program: {said}")
            return False
        self.assertEqual(status, 0, f"{line}: {said}")
        self.assertEqual(same(found.json), same(json.loads(out)), line)
        return True

    def test_problems_of_every_family_are_answered_as_by_the_program(self):
        answered = 0
        for kind in KINDS:
            draw = random.Random(f"{kind.__name__} {SEED}")
            for _ in range(max(2, round(6 * SCALE))):
                question = draw.choice(["solve", "compare", "query", "bound", "tree"])
                with self.subTest(kind=kind.__name__, question=question):
                    answered += self.ask(question, *kind(draw))
        self.assertGreater(answered, len(KINDS))


# ---- questions ----


class QuestionTest(unittest.TestCase):
    def test_the_names_say_what_they_are(self):
        self.assertEqual([repr(optgap.solve(12, "10x1,1").optimal.value), optgap.__version__],
                         ["7.5625", program("--version")[1].split()[1]])
        found = optgap.compare(T=5, instances=["2x1,1", "2,1@0.3"], policies="kg,opt-kg", ties=["random", "worst"],
                               exact=True)
        self.assertEqual((found.optimal.value, found.rows[0].gap), (Fraction(3017, 1200), Fraction(17, 432)))
        self.assertEqual(found.bounds.lagrangian_scalar.value, Fraction(21419, 8400))
        self.assertEqual([(row.name, row.ties) for row in found.rows],
                         [(name, ties) for name in ("kg", "opt-kg") for ties in ("random", "worst")])
        self.assertIn("0.0393518519", str(found))
        self.assertIn("<td>kg</td>", found._repr_html_())
        self.assertEqual(found.status, "ok")
        with self.assertRaisesRegex(AttributeError, "there is no 'worth'; there are: value, "):
            found.optimal.worth

    def test_an_index_is_the_programs(self):
        draw = random.Random(f"index {SEED}")
        for _ in range(max(3, round(10 * SCALE))):
            policy, T, word = draw.choice(["kg", "opt-kg", "gittins-fh"]), draw.randint(0, 5), beta(draw)
            found = optgap.index(policy, T, word)
            status, out, said = program("index", "--json", f"-T{T}", "--policy", policy, word)
            self.assertEqual((status, same(json.loads(out))), (0, same(found.json)), said)
        self.assertEqual(optgap.index("kg", 3, "2,1").at(2, 1, left=3), 0.0)
        with self.assertRaisesRegex(ValueError, "has no index"):
            optgap.index("uniform", 3)
        with self.assertRaisesRegex(ValueError, "supports one policy"):
            optgap.index("kg,opt-kg", 3)
        with self.assertRaisesRegex(ValueError, "index does not support"):
            optgap.index("kg", 3, "2x1,1", workers_prior="4,1")

    def test_find_is_what_the_program_says(self):
        for arguments, given in (
                (["gittins-fh"], dict(policy="gittins-fh")),
                (["kg", "--against", "opt-kg", "--instances", "2"], dict(policy="kg", against="opt-kg", instances=2)),
                (["kg", "--worst", "--instances", "2", "-T", "2", "--thresholds", "0.5,0.3"],
                 dict(policy="kg", worst=True, instances=2, T=2, thresholds=[0.5, 0.3])),
                (["opt-kg", "--claim", "gain:0.5", "--ties", "worst", "--parameter", "3"],
                 dict(policy="opt-kg", claim="gain:0.5", ties="worst", parameter=3))):
            status, out, said = program("find", "--json", *arguments)
            self.assertEqual((status, same(json.loads(out))), (0, same(optgap.find(**given).json)), said)
        self.assertEqual(optgap.find("kg", instances=2).found.loss_exact, "1/32")
        mine = optgap.policy(look="posterior")(lambda posterior, copies, left: posterior[:, 0] * 0)
        self.assertEqual(optgap.find(mine, instances=1, T=2).found, None)
        for wrong, words in ((dict(policy="kg", claim="gain:2"), "gain:2"), (dict(policy="kg", T=-1), "budget \\(T\\) must be a whole number from 1"),
                             (dict(policy="kg,opt-kg,uniform"), "one policy"), (dict(policy="kg", ties="best,worst"), "tie rule"),
                             (dict(policy="kg", thresholds="1.5"), "between 0 and 1")):
            with self.assertRaisesRegex(ValueError, words):
                optgap.find(**wrong)

    def test_a_tree_leads_to_its_value(self):
        tree = optgap.tree(4, "2x2,1 1,1", exact=True, all_actions=True)
        for state in tree.states:
            values = [action.value for action in state.actions]
            self.assertEqual(max(values, default=state.value), state.value)
            for action in state.actions:
                self.assertEqual(sum(o.probability * tree.states[o.to].value for o in action.outcomes), action.value)
                self.assertEqual(action.optimal, action.value == state.value)
        self.assertEqual(tree.states[0].value, optgap.solve(4, "2x2,1 1,1", exact=True).optimal.value)
        with self.assertRaisesRegex(ValueError, "more than 5 states"):
            optgap.tree(4, "3x1,1", states=5)

    def test_a_limit_leaves_a_bracket(self):
        with self.assertWarnsRegex(UserWarning, "optimum was not begun|stopped|limit"):
            found = optgap.compare(400, "30x1,2 30x2,1", time_limit=0.3, policies="kg")
        self.assertIn("limit", found.status)
        self.assertLess(found.bracket.lower, found.bracket.upper)
        with self.assertRaises(TimeoutError):
            optgap.solve(400, "30x1,2 30x2,1", time_limit=0.1)

    def test_a_history_is_labels_so_far(self):
        after = optgap.query(5, "1,1 2,1 1,2", left=3, policies="kg").acts
        for history in ("1+ 2-", ["1+", "2-"]):
            asked = optgap.query(5, "3x1,1", history=history, policies="kg")
            self.assertTrue(asked.acts.equals(after))
            self.assertEqual(asked.problem.history, "1+ 2-")
        self.assertEqual(optgap.query(5, "3x1,1", history=[]).q.tolist(), optgap.query(5, "3x1,1").q.tolist())
        won = optgap.query(2, "3x1", problem="ranking", history="1>2")
        self.assertEqual(won.best.tolist(), [2])
        for history, said in (("1+ 4-", "'4-'"), (["1+"] * 6, "6 words"), ("", "empty")):
            with self.subTest(history=history), self.assertRaisesRegex(ValueError, "history.*" + said):
                optgap.query(5, "3x1,1", history=history)

    def test_a_tie_is_called_one_in_every_question(self):
        for T, instances, best in ((4, "2,4@0.3 2,1 30,1", [0, 1]), (6, "2,1 4,2 4,4", [0, 2])):
            asked = optgap.query(T, instances)
            exact = optgap.query(T, instances, exact=True)
            self.assertEqual((asked.best.tolist(), exact.best.tolist()), (best, best))
            self.assertFalse(asked.acts.near_tie.any())
            tree = optgap.tree(T, instances, levels=1, all_actions=True)
            self.assertEqual([i for i, action in enumerate(tree.states[0].actions) if action.optimal], best)
            explained = optgap.compare(T, instances, policies="uniform", explain=True).rows[0].explain
            first = next(decision for decision in explained.decisions if decision.left == T)
            self.assertEqual([i for i, act in enumerate(first.state) if act.optimal], best)

    def test_counts_are_instances(self):
        problem = optgap.Problem.from_counts(np.array([1, 0, 3]), [0, 0, 2], T=5)
        self.assertEqual(repr(problem), "<independent: T=5, 2,1 1,1 4,3>")
        asked = optgap.query(problem)
        np.testing.assert_array_equal(asked.q, optgap.query(5, "2,1 1,1 4,3").q)
        self.assertEqual(asked.best.tolist(), [0, 1])
        for counts, said in (([1], "shapes"), ([1, -1, 0], r"at least 0 and at most 2147483647, not .*-1\D.*number 1"),
                             ([1, 0.5, 0], "not .*0.5"), ([0, 0, 2**31], "at most 2147483647, not .*2147483648"),
                             ([0, math.inf, 0], "not .*inf"), ([math.nan, 0, 0], "not .*nan"), ([1j, 0, 0], "not .*1j"),
                             (["1", "2", "3"], "not .*'1'"), ([2**70, 0, 0], "not 1180591620717411303424")):
            with self.subTest(counts=counts), self.assertRaisesRegex(ValueError, said):
                optgap.Problem.from_counts(counts, [0, 0, 0], T=1)

    def test_a_nul_is_not_the_end_of_a_text(self):
        """Every text that goes to C, under any name."""
        for ask in (lambda of: optgap.solve(2, "1,1" + of), lambda of: optgap.solve("2" + of, "1,1"),
                    lambda of: optgap.solve(2, "1,1", objective="calls" + of), lambda of: optgap.solve(2, "1,1", price="0.1" + of),
                    lambda of: optgap.compare(2, "1,1", policies="kg" + of), lambda of: optgap.compare(2, "1,1", truth="prior" + of),
                    lambda of: optgap.compare(2, "1,1", believe="2,1" + of),
                    lambda of: optgap.solve(2, "1,1", export_policy="file" + of), lambda of: optgap.solve(2, "1,1", scratch="." + of),
                    lambda of: optgap.compare(2, "1,1", policies=optgap.policy(lambda copies: copies, name="mine" + of)),
                    lambda of: optgap.find("kg", claim="gain:0.5" + of), lambda of: optgap.fit(str(LABELS) + of),
                    lambda of: optgap.next(str(LABELS) + of), lambda of: optgap.next(LABELS, prior="1,1" + of),
                    lambda of: optgap.replay(str(LABELS) + of, LABELS), lambda of: optgap.verify("file" + of),
                    lambda of: optgap.sweep("study.jsonl" + of, "-T 2 1,1"), lambda of: optgap.sweep("no/study.jsonl", "-T 2 1,1" + of)):
            with self.assertRaisesRegex(ValueError, "has a NUL"):
                ask("\0")

    def test_what_is_asked_for_is_shown(self):
        """Numbers of the JSON, by their paths, in printed text, in a notebook and in the table."""
        policies = "kg,thompson"
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        gold = pathlib.Path(scratch.name, "gold.tsv")
        tasks = sorted({line.split("\t")[0] for line in LABELS.read_text().splitlines()[1:]})
        gold.write_text("task\tlabel\n" + "".join(f"{task}\t{i % 2}\n" for i, task in enumerate(tasks)))
        parts = [f"policies.{i}.{name}" for i in (0, 1) for name in ("mean", "standard_error", "accuracy_standard_error")]
        mean = ["optimal.value", "policies.0.value", "policies.1.value", "policies.1.standard_error"]
        for found, places in (
                (optgap.compare(4, "2x1,1", policies=policies, runs=40), mean),
                (optgap.compare(4, "2x1,1", policies=policies, runs=40, believe="2,1"),
                 [*mean, "optimal.believed.price", "optimal.believed.mean", "policies.0.believed.price"]),
                (optgap.compare(4, "2x1,1", policies=policies, runs=40, truth="list:0.3,0.6"),
                 [*mean, "optimal.truth.mean", "policies.0.truth.mean", "policies.0.truth.regret"]),
                (optgap.simulate(4, "2x1,1", policies=policies, runs=40), parts),
                (optgap.simulate(4, "2x1,1", policies=policies, runs=40, truth="list:0.3,0.6"), parts),
                (optgap.replay(LABELS, gold, policies="kg,uniform", runs=2, at=[5, 9]),
                 [f"policies.{i}.points.{k}.{name}" for i in (0, 1) for k in (0, 1) for name in ("accuracy", "standard_error")]),
                (optgap.find("kg", instances=2), ["optimal.value", "found.text", "policies.0.gap"]),
                (optgap.bound(4, "2x1,1"), ["bounds.lagrangian_scalar.value", "bounds.priced_end.value"]),
                (optgap.query(4, "2x1,1 2,1", policies="kg"), ["instances.0.q", "instances.1.q"])):
            for place in places:
                value = found.json
                for name in place.split("."):
                    value = value[int(name)] if name.isdigit() else value[name]
                for view in (str(found), found._repr_html_()):
                    self.assertIn(value if isinstance(value, str) else f"{value:.9g}", view, place)
            if not any(place.startswith("policies") for place in places) or not has("pandas"):
                continue
            frame = found.policies
            for place in places:
                where, _, *name = place.split(".")
                if where == "policies":
                    self.assertIn("_".join(name[2:] if name[0] == "points" else name), frame.columns)
            self.assertEqual(frame.duplicated([name for name in ("policy", "ties", "labels") if name in frame]).sum(), 0)
            if places in (parts, mean):
                self.assertEqual(frame["simulated"].tolist(), [places is parts, True])
        found = optgap.compare(4, "2x1,1", policies=policies, runs=40, believe="2,1")
        self.assertIn(f"~{found.rows[1].value:.9g}", str(found))
        self.assertNotIn(f"~{found.rows[0].value:.9g}", str(found))
        self.assertIn("thompson, belief: the policy is not valued exactly", str(found))

    def test_what_is_wrong_is_said(self):
        for error, said, ask in (
                (ValueError, "did you mean 'kg'", lambda: optgap.compare(4, "2x1,1", policies=["kgg"])),
                (ValueError, "the parameter B is missing", lambda: optgap.solve(4, "2x1,")),
                (ValueError, "^T must be a whole number from 0", lambda: optgap.solve(-1, "2x1,1")),
                (ValueError, "^T is missing: the number of labels, such as T=12$", lambda: optgap.solve(instances="2x1,1")),
                (ValueError, "no instances", lambda: optgap.solve(4)),
                (ValueError, r'^instances must be words such as "5x1,1" \(5 instances .*\), not 5$', lambda: optgap.compare(5, 5)),
                (TypeError, "no option 'policy'; did you mean 'policies'", lambda: optgap.compare(4, "2x1,1", policy="kg")),
                (TypeError, "no option 'budget'", lambda: optgap.replay("labels", "gold", budget=4)),
                (TypeError, "no option 'sed'; did you mean 'seed'", lambda: optgap.replay("labels", "gold", sed=4)),
                (TypeError, "no option 'landings'", lambda: optgap.solve(4, "2x1,1", landings=1)),
                (ValueError, "different problem types", lambda: optgap.solve(4, "2x1,1", workers_prior="4,1", batch=2)),
                (ValueError, "ties must be one of random",
                 lambda: optgap.compare(4, "2x1,1", ties="worse")),
                (ValueError, "memory='lots' is not a size", lambda: optgap.solve(4, "2x1,1", memory="lots")),
                (MemoryError, "the limit is 1.0 KB", lambda: optgap.solve(4, "2x1,1", memory="1K")),
                (ValueError, "has its instances", lambda: optgap.solve(optgap.Problem(4, "1,1"), "2x1,1")),
                (ValueError, "no-such-file", lambda: optgap.verify("no-such-file")),
                (FileNotFoundError, "no study", lambda: optgap.Study("no-such-file"))):
            with self.subTest(said=said), self.assertRaisesRegex(error, said):
                ask()

    def test_messages_name_arguments(self):
        for said, mine in (("--time-limit, --memory or --max-states N", "time_limit, memory or max_states N"),
                           ("-T N (--budget N) is missing, such as -T 12; -T and --workers", "T is missing, such as T=12; T and workers"),
                           ("the budget (-T) must be", "the budget (T) must be"), ("--workers-prior and --assume", "workers_prior and assume"),
                           ("omit --arithmetic exact; the prior's --once", "omit exact=True; the prior's once"),
                           ("--claim: not '--claim x', such as '1,1 --workers-prior=4,1'",
                            "claim: not '--claim x', such as '1,1 --workers-prior=4,1'"),
                           ("a prior 1,1 --workers-prior=4,1", "a prior 1,1 --workers-prior=4,1"), ("a -- b --- c-T", "a -- b --- c-T")):
            self.assertEqual(optgap._work.reason_of(said), mine)

    def test_no_message_names_an_option_of_the_program(self):
        """Errors of every option of every problem type, with an invalid value."""
        for family, options in optgap.families().items():
            for option in (name for name, argument in options.items() if argument):
                with self.subTest(family=family, option=option):
                    try:
                        optgap.solve(optgap.Problem(2, "2x1,1", family=family, **{option: "no such, value"}))
                        self.fail("it was taken")
                    except (ValueError, RuntimeError) as error:
                        self.assertNotRegex(re.sub("'[^']*'", "", str(error)), r"(^|[\s(])--?[A-Za-z]")

    def test_an_exported_policy_is_verified(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "policy")
            optgap.solve(4, "2x1,1", export_policy=file)
            checked, solved = optgap.verify(file), optgap.solve(4, "2x1,1").optimal
            self.assertAlmostEqual(checked.value, solved.value, delta=checked.error_bound + solved.error_bound)

    def test_examples_in_the_docstrings(self):
        for module in (optgap, optgap._policies, optgap._policy_file):
            self.assertEqual(doctest.testmod(module).failed, 0)

    @needs_pandas
    @needs_matplotlib
    def test_examples_in_the_manual(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "tests", pathlib.Path(folder, "tests"))
            os.chdir(folder)
            try:
                found = doctest.testfile(str(ROOT / "tools/manual/python.md"), module_relative=False)
                self.assertTrue(pathlib.Path("gap.pdf").read_bytes().startswith(b"%PDF"))
            finally:
                os.chdir(before)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 10)


class PolicyTest(unittest.TestCase):
    def test_a_function_is_worth_what_the_same_index_is(self):
        @optgap.policy(name="gain", look="labels")
        def gain(posterior, labels, left, budget, copies, threshold):
            self.assertEqual((labels.sum(1) * copies).sum() + left, budget)
            self.assertEqual((posterior.shape, threshold.tolist()), ((len(copies), 2), [0.5] * len(copies)))
            a, b = posterior.T
            p = a / (a + b)
            up = [beta_above(x + 1, y) for x, y in posterior]
            down = [beta_above(x, y + 1) for x, y in posterior]
            return p * up + (1 - p) * down - [beta_above(x, y) for x, y in posterior]

        found = optgap.compare(4, "2x1,1 2,1", policies=[gain, "kg"], threads=1)
        self.assertAlmostEqual(found.rows[0].value, found.rows[1].value, delta=1e-12)

    def test_weights_are_probabilities(self):
        @optgap.policy
        def any_of_them(copies):
            return optgap.weights(copies)

        found = optgap.compare(4, "2x1,1 2,1", policies=[any_of_them, "uniform"])
        self.assertAlmostEqual(found.rows[0].value, found.rows[1].value, delta=1e-13)

    def test_policies_stop(self):
        def until(posterior, price):
            if (posterior.max(1) >= 3).all():
                return optgap.stop
            return np.where(posterior.max(1) >= 3, -np.inf, -posterior.sum(1) - 100 * price)

        found = optgap.compare(8, "3x1,1", policies=[optgap.policy(until), "agree:2"])
        self.assertAlmostEqual(found.rows[0].value, found.rows[1].value, delta=1e-12)
        labels = [row["labels"]["least"] for row in found.json["policies"]]
        self.assertAlmostEqual(labels[0], 188 / 27, delta=1e-12)
        self.assertEqual(*labels)

        def quarter(copies):
            return optgap.weights(copies, stop=copies.sum() / 3)

        row = optgap.compare(4, "2x1,1 2,1", policies=[optgap.policy(quarter)]).json["policies"][0]
        self.assertAlmostEqual(row["value"], 16385 / 8192, delta=1e-12)
        self.assertAlmostEqual(row["labels"]["least"], 525 / 256, delta=1e-12)
        for wrong in (-1, math.inf, math.nan):
            with self.subTest(wrong), self.assertRaisesRegex(ValueError, "for stopping; weights must be finite"):
                optgap.compare(2, "1,1", policies=[optgap.policy(lambda copies: optgap.weights(copies, stop=wrong))])

    def test_a_policy_that_is_told_words(self):
        asked = []

        @optgap.policy(look="words")
        def last(state, acts):
            asked.append((state, acts))
            return acts[-1]

        alike = optgap.policy(lambda acts: dict.fromkeys(acts, 1), look="words", name="alike")
        report = optgap.compare(3, "2 2x1", problem="ranking", policies=[last, alike, "uniform"], explain=True)
        ours, any_act, uniform = report.rows
        self.assertIn(("wins 0 0 0", ["1 and 2", "1 and 3", "2 and 3"]), asked)
        self.assertAlmostEqual(any_act.value, uniform.value, delta=1e-12)
        self.assertAlmostEqual(ours.gap, ours.explain.total, delta=1e-12)
        runs = optgap.simulate(3, "2 2x1", problem="ranking", policies=[last], runs=400).rows[0]
        self.assertLess(abs(runs.mean - ours.value), 4 * runs.standard_error)
        wrong = optgap.policy(lambda state: "3 and 4", look="words", name="wrong")
        with self.assertRaisesRegex(ValueError, "policy 'wrong': state 'wins 0 0 0' has no act '3 and 4'"):
            optgap.compare(3, "2 2x1", problem="ranking", policies=[wrong])
        with self.assertRaisesRegex(ValueError, r"write @optgap\.policy\(look='words'\)$"):
            optgap.compare(3, "2 2x1", problem="ranking", policies=[optgap.policy(lambda copies: copies, name="state")])

    def test_coupled_instances(self):
        @optgap.policy(look="situation")
        def fresh(positive, negative, instance, worker, copies, left, budget):
            self.assertEqual(positive.shape, (2, 2))
            return -(positive + negative)[instance, worker]

        found = optgap.compare(2, "2x1,1", workers_prior="2x4,1", policies=[fresh])
        self.assertLessEqual(found.rows[0].gap, 0.1)
        found = optgap.compare(2, "2x1", objective="assignment", workers_prior="2x4,1", policies=[fresh])
        self.assertAlmostEqual(found.optimal.value, 0.8, delta=1e-12)
        self.assertAlmostEqual(found.rows[0].value, 0.75, delta=1e-12)

        @optgap.policy(look="situation")
        def fewest(positive, negative, instance, left):
            labels = (positive + negative).reshape(-1)
            self.assertEqual(labels.sum() + left, 300)
            return -labels[instance]

        found = optgap.simulate(300, features=DATA / "features.tsv", policies=[fewest], runs=8, threads=4)
        self.assertEqual(found.rows[0].status, "ok")

    def test_what_a_function_raises_comes_out(self):
        try:
            optgap.compare(4, "2x1,1", policies=["kg", fails])
        except LookupError as error:
            self.assertEqual(str(error), "so it is")
            self.assertEqual(traceback.extract_tb(error.__traceback__)[-1].name, "fails")
        else:
            self.fail("nothing was raised")

    def test_answers_are_checked(self):
        for answer, said in (([1.0], r"shape \(2,\), .*, not \(1,\)"), (0.0, r"not \(\)"), ("x", "real numbers"),
                             ([math.nan, 1], r"policy 'odd' answered NaN for instance 1,1 \(group 0\)$"),
                             ([1, math.nan], "NaN for instance 2,1"), (optgap.weights([0, 0]), "weights that are all 0"),
                             (optgap.weights([1, -2]), "answered the weight -2 for instance 2,1"),
                             ([1, 1j], "real numbers, not complex128"), (["1", "2"], "real numbers"),
                             (np.array([1, 2j], dtype=object), "real numbers"), (np.array([1, "2"], dtype=object), "real numbers"), ([None, None], "NaN"),
                             ([1.0] * 3, "counts.i. identical instances are one group")):
            def odd(posterior):
                return answer

            with self.subTest(answer=answer), self.assertRaisesRegex((ValueError, RuntimeError), said):
                optgap.compare(2, "1,1 2,1", policies=[optgap.policy(odd)])
        self.assertEqual(optgap.compare(2, "1,1 2,1", policies=[optgap.policy(lambda copies: [Fraction(1)] * len(copies))]).rows[0].value,
                         optgap.compare(2, "1,1 2,1", policies="uniform").rows[0].value)
        with self.assertRaisesRegex(ValueError, "takes 'mean'; with look='posterior' there are: instances"):
            optgap.policy(lambda mean: mean)
        with self.assertRaisesRegex(ValueError, "takes 'worker'; .*; write look='situation'$"):
            optgap.policy(lambda worker: worker)

    def test_a_wrong_policy_says_what_to_write(self):
        crowd = dict(workers_prior="2x4,1")
        state, situation = mean, optgap.policy(lambda copies: copies, look="situation", name="crowd")
        nan = optgap.policy(lambda worker: np.where(worker == 1, math.nan, 0), look="situation", name="nan")
        for error, said, policies, options in (
                (ValueError, "'beta_above' takes 'a'; with look='posterior' there are: instances", beta_above, {}),
                (ValueError, "policies must be names and functions, not 5", 5, {}), (ValueError, "not 5", ["kg", 5], {}),
                (ValueError, "not <class 'dict'>", [dict], {}), (ValueError, "two policies have the name 'mean'", [mean, mean], {}),
                (ValueError, r"write @optgap\.policy\(look='situation'\)$", [state], crowd),
                (ValueError, r"write @optgap\.policy\(look='posterior' or look='labels'\)$", [situation], {}),
                (ValueError, "policy 'nan' answered NaN for instance 0 and worker 1$", [nan], dict(workers_prior=["4,1", "3,1"]))):
            with self.subTest(said=said), self.assertRaisesRegex(error, said):
                optgap.compare(3, "2x1,1", policies=policies, **options)

    def test_a_policy_that_draws_is_refused(self):
        draw = np.random.default_rng(SEED)
        for drawn, look, options in (
                (lambda copies: draw.random(len(copies)), "posterior", {}),
                (lambda copies: optgap.weights(draw.random(len(copies))), "labels", {}),
                (lambda copies: draw.random(len(copies)), "situation", {"workers_prior": "2x4,1"}),
                (lambda copies: draw.random(len(copies)), "posterior", {"workers": 3, "arrival_rate": 2, "service_rate": 1})):
            policy = optgap.policy(drawn, look=look, name="dice")
            with self.subTest(look=look, options=options), self.assertRaisesRegex(
                    RuntimeError, r"policy 'dice' answers at random: asked twice .* return weights.*optgap\.weights"):
                optgap.compare(None if "workers" in options else 3, "1,1 2,1", policies=[policy], **options)

    def test_it_is_simulated_and_asked(self):
        found = optgap.simulate(6, "3x1,1", policies=[mean], runs=100, threads=1)
        self.assertEqual(found.rows[0].name, "mean")
        self.assertEqual(optgap.query(2, "1,1 3,1", policies=[mean]).policies.mean, [1])


def beta_above(a, b):
    """max(Pr(X >= 1/2), Pr(X < 1/2)) for whole a and b, by the binomial sum."""
    n = int(a + b) - 1
    above = sum(math.comb(n, k) for k in range(int(a))) / 2**n
    return max(above, 1 - above)


class WorkTest(unittest.TestCase):
    """Ctrl-C and processes."""

    def interrupted(self, ask):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            ask()
        return time.monotonic() - start

    def test_ctrl_c_ends_the_work_and_leaves_the_process_fine(self):
        @optgap.policy
        def endless(posterior):
            while True:
                pass

        self.interrupted(lambda: optgap.solve(60, "12x1,1@0.3 8x2,1@0.3"))
        self.interrupted(lambda: optgap.compare(6, "2x1,1", policies=[endless]))
        self.assertEqual(optgap.solve(4, "2x1,1").optimal.value, optgap.solve(4, "2x1,1").optimal.value)

    def test_a_limit_ends_a_slow_function(self):
        """Each call is longer than the limit and than the time between two looks at the clock, so the calls are counted.
        On a machine with much to do the limit may pass before the first, so a longer one is tried then."""
        def slow(copies):
            calls.append(len(copies))
            if len(calls) > 8:
                raise RecursionError("it is asked on and on")
            time.sleep(1.5 * limit)
            return copies

        plain, coupled = optgap.policy(slow), optgap.policy(slow, look="situation")
        for ask in (lambda **limit: optgap.compare(8, "4x1,1", policies=[plain], **limit),
                    lambda **limit: optgap.simulate(8, "4x1,1", policies=[plain], runs=10**6, **limit),
                    lambda **limit: optgap.tree(8, "4x1,1", against=plain, **limit),
                    lambda **limit: optgap.compare(6, "3x1,1", workers_prior="2x4,1", policies=[coupled], **limit),
                    lambda **limit: optgap.simulate(60, features=DATA / "features.tsv", policies=[coupled], runs=10**6, **limit)):
            calls = []
            with self.subTest(ask=ask), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for limit in (0.1, 0.5, 2.5):
                    try:
                        ask(time_limit=limit, threads=1)
                    except TimeoutError:
                        pass
                    if calls:
                        break
                self.assertIn(len(calls), range(1, 6))

    def test_a_child_of_a_process_that_used_threads_works(self):
        expected = optgap.solve(30, "10x1,1", threads=2).optimal.value
        child = os.fork()
        if child == 0:
            os._exit(0 if optgap.solve(30, "10x1,1", threads=2).optimal.value == expected else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_processes_that_are_spawned_work(self):
        code = ("import multiprocessing, optgap\n"
                "def value(T): return optgap.solve(T, '4x1,1').optimal.value\n"
                "if __name__ == '__main__':\n"
                "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
                "        print(pool.map(value, [3, 4]))\n")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "pool.py")
            file.write_text(code)
            done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.stdout.split(), str([optgap.solve(T, "4x1,1").optimal.value for T in (3, 4)]).split(),
                         done.stderr)

    def test_the_package_runs_the_program_and_names_are_its_own(self):
        """Of a name that the extension exports, Python's process may have another function already: warn() is the C library's."""
        words = ["solve", "-T", "3", "2x1,1", "--json"]
        done = subprocess.run([sys.executable, "-m", "optgap", *words], capture_output=True, text=True, timeout=250)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(same(json.loads(done.stdout)), same(json.loads(program(*words)[1])))
        exported = subprocess.run(["nm", "-D", "--defined-only", pathlib.Path(optgap.__file__).parent / "_library.abi3.so"],
                                  capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r" [A-Z] (?!PyInit__library|og_)(\w+)", exported), [])

    def test_import_needs_none_of_the_large_libraries(self):
        code = "import sys, optgap; print([m for m in ('numpy', 'pandas', 'matplotlib', 'tqdm') if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)


@needs_pandas
class FrameTest(unittest.TestCase):
    def test_policies_and_explanations(self):
        found = optgap.compare(4, "3x1,1@0.3 2,1", policies=["kg", "uniform"], explain=True)
        frame = found.policies
        self.assertEqual(frame.loc[:, ["policy", "ties"]].values.tolist(), [["kg", "random"], ["uniform", "random"]])
        stages = found.explain.stages
        lost = stages.groupby("policy")["loss"].sum()
        for row in frame.itertuples():
            self.assertAlmostEqual(lost[row.policy], row.gap, delta=1e-12)
        self.assertEqual(set(found.explain.decisions.columns) >= {"policy", "loss", "state"}, True)
        self.assertEqual(optgap.query(3, "2x2,1 3,3").acts["q"].tolist(), optgap.query(3, "2x2,1 3,3").q.tolist())

    def check_results(self, labels, gold):
        """Results have the caller's names, and the labels' numbers."""
        found = optgap.replay(labels, gold, policies=["kg", "uniform"], runs=2, result=True)
        tasks, workers = found.results.tasks, found.results.workers
        ones = labels.groupby("task")["label"].sum()
        for policy in ("kg", "uniform"):
            mine = tasks[tasks.policy == policy].set_index("task")
            self.assertEqual(mine.positive.to_dict(), ones.to_dict())
            self.assertEqual(mine.posterior.map(lambda of: of[0]).to_dict(), (ones + 1).to_dict())
            self.assertEqual(workers[workers.policy == policy].set_index("worker")["labels"].to_dict(),
                             labels["worker"].value_counts().to_dict())
        self.assertEqual(found.results.totals["labels"].tolist(), [len(labels)] * 2)
        self.assertTrue(found.results.items.empty)
        with self.assertRaisesRegex(ValueError, "result=True"):
            optgap.replay(labels, gold, policies=["kg"], runs=2).results

    @staticmethod
    def sample():
        import pandas as pd

        labels = pd.read_csv(LABELS, sep="\t")
        return labels, labels.groupby("task")["label"].mean().ge(0.5).astype(int)

    def test_results_of_labelers(self):
        labels, gold = self.sample()
        found = optgap.replay(labels, gold, problem="labelers", explore=2, runs=2, result=True)
        voted = labels.drop_duplicates(["task", "worker"]).set_index(["task", "worker"])["label"]
        of = [part[part.policy == "ls-ol"] for part in (found.results.tasks, found.results.workers)]
        testers = of[0][of[0].tester == 1]
        called = {row.task: int(row.call) for row in testers.itertuples()}
        self.assertGreater(len(called), 2 * math.log(len(gold)))  # more than G1 ln t
        used = {}
        for row in of[1].itertuples():
            votes = {task: voted[task, row.worker] for task in called if (task, row.worker) in voted.index}
            agreed = sum(called[task] == vote for task, vote in votes.items())
            self.assertEqual((row.testers, row.agreements), (len(votes), agreed))
            self.assertEqual(row.reliability, agreed / len(votes) if votes else 0.5)
            used.setdefault(bool(row.used), []).append(row.reliability)
        self.assertEqual(len(used[True]) % 2, 1)
        self.assertGreaterEqual(min(used[True]), max(used.get(False, [0])))
        self.assertEqual(set(found.results.workers.policy), {"ls-ol", "everybody"})
        weighted = optgap.replay(labels, gold, problem="labelers", votes="weighted", runs=2, result=True).results.workers
        for row in weighted[weighted.policy == "ls-ol"].itertuples():
            self.assertAlmostEqual(row.weight, math.log((row.agreements + 0.5) / (row.testers - row.agreements + 0.5)), delta=1e-12)

    def test_results_of_assignment(self):
        """Weights from losses and labels, by context: eta of a context falls with its labels."""
        labels, gold = self.sample()
        contexts = {task: "even" if i % 2 == 0 else "odd" for i, task in enumerate(gold.index)}
        labels["label"] += labels["label"].index % 7 == 0  # three classes
        found = optgap.replay(labels, gold, problem="assignment", policies=["naive", "bbta:0,skip,fresh"],
                              contexts=contexts, fill="none", T=100, runs=2, result=True)
        tasks, workers = (part[part.policy == "bbta:0,skip,fresh"] for part in (found.results.tasks, found.results.workers))
        self.assertEqual(sum(map(sum, tasks.counts)), 100)
        first = contexts[labels["task"].iloc[0]]  # contexts are numbered by the first labels
        for s, context in enumerate(sorted(("even", "odd"), key=lambda name: name != first)):
            steps = sum(sum(row.counts) for row in tasks.itertuples() if contexts[row.task] == context)
            eta = math.sqrt(math.log(len(workers)) / (steps * len(workers)))
            least = min(loss[s] for loss in workers.loss)
            for row in workers.itertuples():
                self.assertAlmostEqual(row.weight[s], math.exp(-eta * (row.loss[s] - least)), delta=1e-12)
        self.assertTrue(any(max(loss) > 0 for loss in workers.loss))
        self.assertNotIn("loss", found.results.workers[found.results.workers.policy == "naive"].dropna(axis=1))

    def test_other_problems_of_recorded_labels_are_refused(self):
        labels, gold = self.sample()
        for says, words in (("problem assignment does not support prior", {"problem": "assignment", "prior": "1,1"}),
                            ("problem labelers does not support fill", {"problem": "labelers", "fill": "none"}),
                            ("must be labels, labelers or assignment, not 'sources'", {"problem": "sources"}),
                            ("contexts have no value for task", {"problem": "assignment", "contexts": {"a": 1}})):
            with self.assertRaisesRegex(ValueError, says):
                optgap.replay(labels, gold, **words)
        names = [row.name for row in optgap.replay(labels, gold, problem="assignment", fill="none", runs=2).rows]
        self.assertEqual(names, ["naive", "opt-kg", "bbta:0", "bbta:1"])

    def test_labels_of_a_frame_are_those_of_a_file(self):
        import pandas as pd

        labels = pd.read_csv(LABELS, sep="\t")
        self.assertEqual(optgap.fit(labels), optgap.fit(LABELS))
        self.assertEqual(optgap.fit(labels, method="ml"), optgap.fit(LABELS, method="ml"))
        gold = labels.groupby("task")["label"].mean().ge(0.5).astype(int)
        found = optgap.replay(labels, gold, policies=["kg"], runs=3)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "gold.tsv")
            gold.to_csv(file, sep="\t")
            again = optgap.replay(LABELS, file, policies=["kg"], runs=3)
        self.assertEqual(same(found.rows[0].json), same(again.rows[0].json))
        self.check_results(labels, gold)
        for words in ({"budget": 40, "batch": 5}, {"final": True, "prior": "2,1"}):
            self.assertEqual(same(optgap.next(labels, **words).json), same(optgap.next(LABELS, **words).json))
        self.assertEqual(len(optgap.next(labels, budget=3, batch=5).json["next"]), 3)
        for column in ("task", "label"):
            with self.assertRaisesRegex(ValueError, f"no column '{column}'"):
                optgap.fit(labels.drop(columns=column))
        with self.assertRaisesRegex(ValueError, "gold has no label for task"):
            optgap.replay(labels, gold.iloc[1:], runs=2)

    def test_columns_of_frames_and_files(self):
        """Other names, missing labels and a column for each worker give what the plain table gives."""
        import pandas as pd

        rows = [("a", "u", "cat"), ("a", "v", "dog"), ("b", "u", "dog"), ("c", "v", "cat"), ("c", "u", "cat")]
        plain = pd.DataFrame(rows, columns=["task", "worker", "label"])
        known = optgap.next(plain, prior="1,1", final=True).table
        names = dict(task="q", worker="who", label="a")
        other = plain.rename(columns=names)
        unsure = pd.concat([other, pd.DataFrame([("c", "w", "unsure"), ("b", "w", None)], columns=list(other.columns))])
        usual = plain.rename(columns=dict(task="Item ID", worker="Rater", label="answer"))
        wide = plain.pivot(index="task", columns="worker", values="label").reset_index().rename(columns={"task": "q"})
        with tempfile.TemporaryDirectory() as folder:
            def file(table):
                path = pathlib.Path(folder, f"{len(os.listdir(folder))}.csv")
                table.to_csv(path, index=False, sep=";")
                return path

            for table, reading in ((other, {"columns": names}), (other, {"columns": "task=q,worker=who,label=a"}),
                                   (other, {"columns": "q,who,a"}), (usual, {}), (wide, {"wide": True, "columns": {"task": "q"}}),
                                   (unsure, {"columns": names, "missing": ["unsure"]})):
                for labels in table, file(table):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = optgap.next(labels, prior="1,1", final=True, **reading).table
                        self.assertEqual(sorted(found.values.tolist()), sorted(known.values.tolist()), reading)
                        self.assertEqual(optgap.fit(labels, "paper", **reading), optgap.fit(plain, "paper"))
        turned = optgap.next(plain, prior="1,1", final=True, positive="cat").table
        self.assertEqual(turned["positive"].tolist(), known["negative"].tolist())
        with self.assertRaisesRegex(TypeError, "unexpected argument 'colums'"):
            optgap.fit(plain, colums="a")
        with self.assertRaisesRegex(ValueError, "task 'a' has two different gold labels"):
            optgap.replay(plain, pd.DataFrame(dict(task=["a", "a"], truth=["cat", "dog"])), runs=2)

    def test_a_warning_names_what_was_given(self):
        """The argument, and not the file that is made of it."""
        import pandas as pd

        twice = pd.DataFrame([("a", "u", 1), ("a", "u", 0), ("b", "v", 1), ("b", "w", 0)], columns=["task", "worker", "label"])
        questions = {"next": lambda: optgap.next(twice, prior="1,1", final=True),
                     "replay": lambda: optgap.replay(twice, {"a": 1, "b": 0}, policies=["uniform"], runs=2)}
        for name, ask in questions.items():
            with self.subTest(name), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                ask()
            text = " ".join(str(one.message) for one in said)
            self.assertRegex(text, r"labels: 1 label is of a worker who had labelled the task before")
            self.assertNotIn("optgap-", text)

    def test_what_is_missing_in_a_frame_is_an_empty_cell(self):
        """None, NaN and "" as labels and workers, lists and counts: as in a file of the same table."""
        import pandas as pd

        for rows in ([("a", "u", 1), ("b", "u", None), ("c", "v", 0), ("a", None, 0)],
                     [("a", "u", "no"), ("b", "v", ""), ("c", None, math.nan), ("c", "", "yes")]):
            frame = pd.DataFrame(rows, columns=["task", "annotator", "label"])
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                file = pathlib.Path(folder, "labels.csv")
                frame.to_csv(file, index=False)
                for words in ({"budget": 3, "batch": 3}, {"final": True}):
                    one, two = (optgap.next(labels, prior="1,1", **words).table for labels in (frame, file))
                    self.assertEqual(one.values.tolist(), two.values.tolist())
        votes = {"a": ["no", "yes"], "b": ["yes", "yes"], "c": ["no"]}
        lists = pd.DataFrame({"task": list(votes), "label": list(votes.values())})
        counts = pd.DataFrame([(task, own.count("yes"), own.count("no")) for task, own in votes.items()], columns=["task", "yes", "no"])
        long = pd.DataFrame([(task, label) for task, own in votes.items() for label in own], columns=["task", "label"])
        known = optgap.next(long, prior="1,1", final=True).table
        for frame, reading in (lists, {}), (counts, {"classes": ["no", "yes"]}):
            self.assertEqual(optgap.next(frame, prior="1,1", final=True, **reading).table.values.tolist(), known.values.tolist())
        with self.assertRaisesRegex(ValueError, "requires the worker of each label"):
            optgap.next(long, prior="1,1", final=True, workers_prior="4,1")

    def classes(self, names):
        """Labels of these classes, each task's mostly of one, as a DataFrame with odd names."""
        import pandas as pd

        draw = random.Random(f"classes {names} {SEED}")
        rows = [(10 + i // 7, f"w\n{draw.randrange(5)}", names[i // 7 % len(names) if draw.random() < 0.7 else
                                                              draw.randrange(len(names))]) for i in range(12 * 7)]
        return pd.DataFrame(rows, columns=["task", "worker", "label"], index=[f"row {i}" for i in range(len(rows))])

    def test_classes_of_any_names_are_those_of_a_file(self):
        import pandas as pd

        for names in ([0, 1], [0.0, 1.0], [True, False], ["no", "yes"], ["cat", "dog"], [3, 1, 2], ["a b", 'say "c"', "d,e"],
                      list(range(10))):
            labels = self.classes(names)
            gold = labels.groupby("task")["label"].first()
            with self.subTest(names=names), tempfile.TemporaryDirectory() as folder:
                files = [pathlib.Path(folder, name) for name in ("labels.tsv", "gold.tsv")]
                text = {True: "1", False: "0"} if names[0] is True else {}
                lines = [f"{t}\t{w!r}\t{text.get(c, c)}\n" for t, w, c in labels.itertuples(index=False)]
                files[0].write_text("task\tworker\tlabel\n" + "".join(lines))
                files[1].write_text("task\tlabel\n" + "".join(f"{t}\t{text.get(c, c)}\n" for t, c in gold.items()))
                status, out, said = program("fit", "--json", str(files[0]))
                self.assertEqual(status, 0, said)
                self.assertEqual(list(optgap.fit(files[0])), json.loads(out)["prior"])
                self.assertEqual(optgap.fit(labels), optgap.fit(files[0]))
                self.assertEqual(optgap.fit(labels.drop(columns="worker")), optgap.fit(files[0]))
                prior = ",".join(["1"] * len(names))
                self.assertEqual(optgap.fit(labels.astype(object)), optgap.fit(files[0]))
                for words in ({"budget": 40, "batch": 5}, {"final": True}):
                    frame, file = (optgap.next(one, prior=prior, **words) for one in (labels, files[0]))
                    self.assertEqual(same(frame.json), same(file.json))
                    self.assertEqual(frame.table["task"].dtype, np.dtype("int64"))
                for true in (gold, gold.reset_index(), gold.to_dict()):
                    found, again = optgap.replay(labels, true, runs=2, policies="uniform"), optgap.replay(*files, runs=2, policies="uniform")
                    self.assertEqual(same(found.rows[0].json), same(again.rows[0].json))
        self.assertEqual(optgap.fit(LABELS), optgap.fit(LABELS, method="ml"))

    def test_tables_keep_the_callers_tasks(self):
        import pandas as pd

        labels = self.classes(["no", "yes"])
        for names in (labels["task"], labels["task"].astype("int8"), labels["task"].astype(object), labels["task"].map("task\n{}\t".format),
                      labels["task"].astype("category"), labels["task"] + 0.5, labels["task"].astype("Int64"),
                      pd.to_datetime(labels["task"], unit="D"), labels["task"].map(lambda x: (x, "of two"))):
            table = labels.assign(task=names)
            for words in ({"budget": 4, "batch": 4}, {"final": True}):
                found = optgap.next(table, prior="1,1", **words).table
                self.assertEqual(found["task"].dtype, pd.Index(table["task"], dtype=table["task"].dtype).dtype)
                self.assertEqual(len(table.merge(found, on="task")), 7 * len(found))

    def test_lists_of_next_are_those_of_files(self):
        """Numbers in place of names, and names again in the answer."""
        import pandas as pd

        labels = self.classes(["no", "yes"])
        more = pd.DataFrame({"task": [10, 900, 901], "p": [0.9, 0.5, None]})
        words = dict(prior="1,1", budget=40, batch=40, max_per_task=8, per_batch=2)
        found = optgap.next(labels, tasks=more, model_strength=2, closed=[11, 77], workers_free=["w\n1", "new"], **words)
        self.assertEqual(found.table["task"].dtype, np.dtype("int64"))
        self.assertNotIn(11, set(found.table["task"]))
        self.assertEqual(set(found.table["worker"]) - {"w\n1", "new"}, set())
        had = set(zip(labels["task"], labels["worker"]))
        self.assertFalse(had & set(zip(found.table["task"], found.table["worker"])))
        with tempfile.TemporaryDirectory() as folder:
            paths = {name: pathlib.Path(folder, name) for name in ("labels", "tasks", "closed", "free", "gold")}
            clean = labels.assign(worker=labels["worker"].map(repr))
            clean.to_csv(paths["labels"], sep="\t", index=False)
            more.to_csv(paths["tasks"], sep="\t", index=False)
            paths["closed"].write_text("task\n11\n77\n")
            paths["free"].write_text("worker\n" + repr("w\n1") + "\nnew\n")
            again = optgap.next(paths["labels"], tasks=paths["tasks"], model_strength=2, closed=paths["closed"],
                                workers_free=paths["free"], **words)
            self.assertEqual([int(row["task"]) for row in again.json["next"]], list(found.table["task"]))
            gold = labels.groupby("task")["label"].first().iloc[:6]
            gold.to_csv(paths["gold"], sep="\t")
            calls = [optgap.next(one, final=True, prior="1,1", gold=true, workers_prior="4,1").json
                     for one, true in ((labels, gold), (paths["labels"], paths["gold"]))]
            self.assertEqual(calls[0]["reliability"], calls[1]["reliability"])
            with self.assertRaisesRegex(ValueError, "as files, or all of them in memory"):
                optgap.next(paths["labels"], tasks=[1])
        free = pd.DataFrame({"Annotator": ["u", "w\n1"], "capacity": [3, None]})
        few = optgap.next(labels, workers_free=free, prior="1,1", budget=9, batch=9).table
        self.assertLessEqual(sum(few["worker"] == "u"), 3)
        free["capacity"] = [1, 2]
        self.assertEqual(len(optgap.next(labels, workers_free=free, prior="1,1", budget=9, batch=9).table), 3)
        bought = optgap.next(tasks=["x", "y"], budget=30, batch=2, sources=["person:20:0.97", "judge:1:0.8:1"])
        self.assertEqual(sorted(bought.table["source"]), ["judge", "person"])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "pairs.csv")
            file.write_text("left,right,label\na,b,a\nb,c,b\n")
            self.assertEqual(set(optgap.next(pairs=file).json["next"][0]) & {"left", "right"}, {"left", "right"})
            self.assertEqual([row["item"] for row in optgap.next(pairs=file, final=True).json["final"]], ["a", "b", "c"])
        first = optgap.next(tasks=["x", "y"], budget=5, batch=5)
        self.assertEqual(sorted(first.table["task"]), ["x", "y"])

    def test_errors_are_of_the_callers_table(self):
        labels = self.classes(["no", "yes"])
        gold = labels.groupby("task")["label"].first()
        for row, column, value, said in (
                ("row 9", "task", math.nan, "column 'task' in row 'row 9' is missing"),
                ("row 5", "label", "a\nb", "'a\\\\nb', the value of column 'label' in row 'row 5', must be a class name"),
                ("row 6", "label", "a\0b", "column 'label' in row 'row 6'"),
                ("row 8", "task", "", "column 'task' in row 'row 8' is missing"),
                ("row 11", "label", 5, "^labels, row 'row 11': ")):
            table = labels.astype(object)
            table.loc[row, column] = value
            for ask in (optgap.fit, lambda of: optgap.next(of, prior="1,1", budget=4),
                        lambda of: optgap.replay(of, gold, runs=2)):
                with self.subTest(row=row), self.assertRaises(ValueError) as raised:
                    ask(table)
                self.assertRegex(str(raised.exception), said)
                self.assertNotIn(tempfile.gettempdir(), str(raised.exception))
        with self.assertRaisesRegex(ValueError, "^gold, row 10: "):
            optgap.replay(labels, gold.replace("no", "perhaps").replace("yes", "perhaps"), runs=2)
        for words in ((labels, "gold.tsv"), ("labels.tsv", gold)):
            with self.assertRaisesRegex(ValueError, "gold in memory"):
                optgap.replay(*words)

    def test_a_study(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "study.jsonl")
            for finished in (6, 0):
                study = optgap.sweep(file, "compare -T %T 2x%P", policies="kg,uniform", P=["1,1", "2,1"], T="1:3")
                self.assertEqual(study.finished, finished)
            frame = optgap.Study(file).frame()
            self.assertEqual(len(frame), 12)
            row = frame[(frame["prior"] == "2,1") & (frame["budget"] == 3) & (frame["policy"] == "uniform")].iloc[0]
            self.assertEqual(row["value"], optgap.compare(3, "2x2,1", policies="uniform").rows[0].value)


@needs_pandas
@needs_matplotlib
class FigureTest(unittest.TestCase):
    def setUp(self):
        import matplotlib

        matplotlib.use("agg")

    def test_gaps(self):
        found = optgap.compare(4, "3x1,1@0.3 2,1", policies=["kg", "uniform"])
        ax = found.plot()
        self.assertEqual([label.get_text() for label in ax.get_yticklabels()], ["kg", "uniform"])
        self.assertIn("correct calls", ax.get_xlabel())

    def test_the_notebook(self):
        notebook = json.loads((ROOT / "tools/examples/tour.ipynb").read_text(encoding="utf-8"))
        names = {"__name__": "tour"}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    exec("".join(cell["source"]), names)
        self.assertIn("optimal: [0 1] nearest: ", printed.getvalue())
        self.assertEqual(names["ax"].get_legend_handles_labels()[1], ["kg", "opt-kg", "nearest", "widest"])

    def test_a_study(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "study.jsonl")
            optgap.sweep(file, "compare -T %T 2x1,1", policies="kg,uniform", T="1:4")
            ax = optgap.Study(file).plot()
            self.assertEqual(ax.get_legend_handles_labels()[1], ["kg", "uniform"])
            ax.figure.savefig(pathlib.Path(folder, "figure.pdf"))
            self.assertTrue(pathlib.Path(folder, "figure.pdf").read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
