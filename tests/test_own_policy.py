"""User-defined policies: commands and shared objects.

    test_own_policy.py PROGRAM [unittest option...]
"""

import json
import os
import pathlib
import shlex
import sys
import time

sys.dont_write_bytecode = True
from cli import FolderCase, main, run  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = SOURCE / "tools" / "examples"
TIES = "random,first,best,worst"

# The built-in policies once more, for thresholds of 1/2 and whole parameters, in fractions.
TWINS = """
import json, sys
from fractions import Fraction as F
from math import comb

def positive(a, b):
    return F(sum(comb(a + b - 1, k) for k in range(a)), 2 ** (a + b - 1))

def h(a, b):
    return max(positive(a, b), 1 - positive(a, b))

def gains(a, b):
    return h(a + 1, b) - h(a, b), h(a, b + 1) - h(a, b)

def kg(a, b):
    up, down = gains(a, b)
    return (a * up + b * down) / (a + b)

def opt_kg(a, b):
    return max(gains(a, b))

seen, last = set(), None
for line in sys.stdin:
    if line in seen and line != last:  # some are asked a second time at once
        sys.exit("asked again: " + line)
    seen.add(line)
    last = line
    state = json.loads(line)
    pairs = [tuple(pair) for pair in state["instances"]]
    assert pairs == sorted(set(pairs)) and len(state["counts"]) == len(pairs)
    assert set(state["thresholds"]) == {0.5} and 1 <= state["left"] <= state["budget"]
    print(json.dumps(ANSWER), flush=True)
"""
INDEX = '{"index": [float(%s(*pair)) for pair in pairs]}'


class Case(FolderCase):
    def rows(self, *words):
        done = run("compare", "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)["policies"]

    def assert_same_values(self, rows, count):
        """The first `count` rows, and those after them, are the same policy."""
        self.assertEqual(len(rows), 2 * count)
        for ours, theirs in zip(rows[:count], rows[count:]):
            self.assertEqual(ours["ties"], theirs["ties"])
            error = ours["error_bound"] + theirs["error_bound"]
            self.assertLessEqual(abs(ours["value"] - theirs["value"]), error,
                                 (ours["name"], ours["ties"]))

    def twin(self, answer):
        path = self.folder / "twin.py"
        path.write_text(TWINS.replace("ANSWER", answer))
        return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


class CommandTest(Case):
    problems = [("6", "3x1,1"), ("5", "1,1 2,1 2x1,2"), ("4", "2,1 1,1 2,1 1,1"), ("7", "2x3,2")]

    def test_a_built_in_policy_as_a_command_has_its_value_under_every_tie_rule(self):
        for budget, problem in self.problems:
            for name in ("kg", "opt-kg"):
                twin = self.twin(INDEX % name.replace("-", "_"))
                for threads in ("1", "2"):
                    rows = self.rows("-T", budget, "--policies", name, "--policy", twin, "--ties",
                                     TIES, "--threads", threads, *problem.split())
                    self.assert_same_values(rows, 4)

    def test_weights_by_copies_are_the_uniform_policy(self):
        for budget, problem in self.problems:
            twin = self.twin('{"weights": [count / 8 for count in state["counts"]]}')
            rows = self.rows("-T", budget, "--policies", "uniform", "--policy", twin,
                             *problem.split())
            self.assert_same_values(rows, 1)

    def test_an_index_in_doubles_ties_like_the_same_in_fractions(self):
        problem = ["-T", "11", "5x1,1", "2x3,2"]
        doubles = self.twin('{"index": [-abs(a / (a + b) - 0.5) for a, b in pairs]}')
        found = self.rows(*problem, "--policy", doubles, "--ties", TIES)
        exact = '{"index": [str(-abs(F(a, a + b) - F(1, 2))) for a, b in pairs]}'
        for spelt in (exact, exact.replace("str(", "str(2 ** 70 * 3 * ")):
            truth = self.rows(*problem, "--policy", self.twin(spelt), "--ties", TIES)
            self.assert_same_values(found + truth, 4)
            for ours, theirs in zip(found, truth):
                self.assertGreater(ours["tolerance_ties"], 0)
                self.assertEqual(theirs["tolerance_ties"], 0)
                self.assertLessEqual(abs(ours["gain_lost_percent"] - theirs["gain_lost_percent"]),
                                     1e-9)
        untied = self.rows(*problem, "--policy", self.twin(
            '{"index": [-abs(a / (a + b) - 0.5) for a, b in pairs]}'), "--tie-tolerance", "0")
        self.assertEqual(untied[0]["tolerance_ties"], 0)
        self.assertGreater(untied[0]["gain_lost_percent"] - found[0]["gain_lost_percent"], 0.1)
        said = run("compare", *problem, "--policy", doubles)
        self.assertRegex(said.stdout, r"depend\s+on\s+a\s+tolerance:\s+\d+\s+pairs")
        for number in ("-1", "1.5", "x", ""):
            done = run("compare", *problem, "--policy", doubles, "--tie-tolerance", number)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--tie-tolerance must be a decimal from 0 to 1", done.stderr)

    def test_fractions_of_any_size_are_compared_exactly(self):
        near = '{"index": ["%d/%d" % (10 ** 40 + a, 3 * 10 ** 40) for a, b in pairs]}'
        plain = '{"index": [a for a, b in pairs]}'
        for budget, problem in self.problems:
            rows = [self.rows("-T", budget, "--policy", self.twin(answer), "--ties", TIES,
                              *problem.split()) for answer in (near, plain)]
            self.assert_same_values(rows[0] + rows[1], 4)

    def test_choose_labels_one_group_whatever_the_tie_rule(self):
        first = '{"choose": max(range(len(pairs)), key=lambda i: (opt_kg(*pairs[i]), -i))}'
        index = '{"index": [float(opt_kg(*pair)) - 1e-6 * i for i, pair in enumerate(pairs)]}'
        for budget, problem in self.problems:
            rows = self.rows("-T", budget, "--policy", self.twin(first), "--ties", TIES,
                             *problem.split())
            values = [row["value"] for row in rows]
            self.assertLessEqual(max(values) - min(values), 2e-14, problem)
            other = self.rows("-T", budget, "--policy", self.twin(index), *problem.split())
            self.assertLessEqual(abs(other[0]["value"] - values[0]), 2e-14, problem)

    batches = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    batch = isinstance(asked, list)
    print("%d %d" % (batch, len(asked) if batch else len(asked["instances"])), file=sys.stderr)
    answers = [ANSWER for state in (asked if batch else [asked])]
    print(json.dumps(answers if batch else answers[0]), flush=True)
"""
    near = '{"index": [-abs(a - b) for a, b in state["instances"]]%s}'
    random = '{"weights": [1 + a * c for (a, b), c in zip(state["instances"], state["counts"])]%s}'

    def said(self, script, *words):
        """A comparison with this program as its policy, and what it wrote about its lines."""
        path = self.folder / "child.py"
        path.write_text(script)
        done = run("compare", "--json", *words, "--ties", TIES, "--policy",
                   f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [{key: row[key] for key in ("ties", "value", "error_bound", "states")}
                for row in json.loads(done.stdout)["policies"]]
        return rows, [tuple(map(int, line.split())) for line in done.stderr.splitlines()]

    def test_several_states_on_a_line_give_the_same_bits(self):
        for budget, problem in self.problems + [("8", "4x1,1 2x3,2")]:
            words = "-T", budget, *problem.split()
            for answer in (self.near, self.random):
                rows, one = self.said(self.batches.replace("ANSWER", answer % ""), *words)
                again, lines = self.said(
                    self.batches.replace("ANSWER", answer % ', "batch": True'), *words)
                self.assertEqual(again, rows)
                self.assertFalse(any(batch for batch, _ in one))
                self.assertLess(len(lines), len(one))
                self.assertLess(sum(not batch for batch, _ in lines), 20)

    def test_posteriors_alone_give_the_same_bits_and_are_asked_once(self):
        exact = '{"index": ["%%d/7" %% -abs(a - b) for a, b in state["instances"]]%s}'
        script = self.batches
        for budget, problem in self.problems + [("8", "4x1,1 2x3,2")]:
            words = "-T", budget, *problem.split()
            for answer in (self.near, exact):
                rows, _ = self.said(script.replace("ANSWER", answer % ""), *words)
                again, lines = self.said(script.replace("ANSWER", answer % ', "alone": True'),
                                         *words)
                self.assertEqual(again, rows)
                self.assertLessEqual(len(lines), 4 * 2 * (int(budget) + 1))  # tie rules, twice

    def test_many_states_are_announced_in_one_line(self):
        path = self.folder / "child.py"
        path.write_text(self.batches.replace("print(\"", "0 and print(\"").replace(
            "ANSWER", self.near % ', "batch": True'))
        done = run("compare", "-T", "22", "10x1,1", "--policy",
                   f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"(?s)\Aoptgap: policy 'command:.*' is asked about each "
                         r"state, about 20000 in all; table:FILE and plugin:FILE are faster\n\Z")

    def test_wrong_announcements_and_lists_are_refused(self):
        one = '{"index": [0] * len(asked["instances"]), "batch": True}'
        each = "[%s for state in asked] if isinstance(asked, list) else " + one
        cases = [
            (one.replace("True", "1"), '"batch" must be true or false'),
            ('{"choose": 0, "alone": True}', '"alone" needs "index"'),
            (one.replace("batch", "many"), "its answer must be"),
            (each % 7 + "; found = found[:1] if isinstance(asked, list) else found",
             "must be a list of 2 answers"),
            (each % 7, r'its answer must be .*; asked: {"left":4.*; answered: 7$'),
            (each % '{"choose": 9}', "must be one of the groups, 0 to 1; asked: {.*}$"),
            (each % '{"index": [turn] * len(state["instances"])}', "answers at random"),
        ]
        path = self.folder / "child.py"
        for answer, said in cases:
            path.write_text(f"""import json, sys
for turn, line in enumerate(sys.stdin):
    asked = json.loads(line)
    found = {answer}
    print(json.dumps(found), flush=True)
""")
            done = run("compare", "-T", "5", "3x1,1", "--policy",
                       f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}")
            self.assertEqual((done.returncode, done.stdout), (1, ""), said)
            self.assertRegex(done.stderr, said)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_query_asks_a_command(self):
        done = run("query", "-T", "2", "--json", "--policy", self.twin(INDEX % "kg"), "4,2", "4,4",
                   "2,1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(list(json.loads(done.stdout)["policies"].values()), [[1]])

    def test_simulate_asks_a_command(self):
        done = run("simulate", "-T", "8", "--runs", "500", "--json", "--policies", "opt-kg",
                   "--policy", self.twin(INDEX % "opt_kg"), "--ties", "first", "3x1,1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        ours, theirs = json.loads(done.stdout)["policies"]
        self.assertEqual(ours["mean"], theirs["mean"])

    def test_fractions_take_a_command(self):
        rows = self.rows("-T", "5", "--arithmetic", "exact", "--policies", "opt-kg", "--policy",
                         self.twin(INDEX % "opt_kg"), "3x1,1")
        self.assertEqual(rows[0]["value_exact"], rows[1]["value_exact"])

    def request(self, *words):
        """The first request to a command."""
        note = self.folder / "request"
        command = f"command:read -r line; printf '%s' \"$line\" >{shlex.quote(str(note))}; exit 1"
        done = run("compare", "--policies", "uniform", "--policy", command, *words)
        self.assertEqual(done.returncode, 1)
        return note.read_text()

    def test_the_request_is_as_documented(self):
        self.assertEqual(
            self.request("-T", "3", "2,1@0.3", "3x1,1", "2,1", "2,1"),
            '{"left":3,"budget":3,"instances":[[1,1],[2,1],[2,1]],"counts":[3,1,2],'
            '"thresholds":[0.5,0.3,0.5],"price":0}')
        self.assertEqual(
            self.request("-T", "12", "10x0.856335545417,0.794431771049"),
            '{"left":12,"budget":12,"instances":[[0.856335545417,0.794431771049]],"counts":[10],'
            '"thresholds":[0.5],"price":0}')
        self.assertEqual(
            self.request("-T", "2", "2x1,2,3", "1:2,1+3:1,1@0.3"),
            '{"left":2,"budget":2,"instances":[[1,2,3],[[0.25,2,1],[0.75,1,1]]],"counts":[2,1],'
            '"thresholds":[null,0.3],"price":0}')

    def test_a_mixture_shows_the_weights_of_now(self):
        note = self.folder / "note"
        script = self.folder / "noting.sh"
        script.write_text("while read -r state; do printf '%s\\n' \"$state\" >>\"$1\"\n"
                          "echo '{\"choose\":0}'; done\n")
        words = ["-T", "2", "--policy", f"command:sh {shlex.quote(str(script))} {shlex.quote(str(note))}"]
        run("compare", "--json", *words, "0.25:2,1+0.75:1,1")
        states = [json.loads(line) for line in dict.fromkeys(note.read_text().splitlines())]
        found = [state["instances"][0] for state in states if state["left"] == 1]
        self.assertEqual(len(found), 2)
        for one, other in found:
            likely = 2 / 3 if one[1:] == [3, 1] else 1 / 3  # of the label, under Beta(2,1)
            weight = likely / (likely + 3 * 0.5)
            self.assertAlmostEqual(one[0], weight, delta=1e-15)
            self.assertAlmostEqual(other[0], 1 - weight, delta=1e-15)
            self.assertEqual(other[1:], [2, 1] if one[1:] == [3, 1] else [1, 2])
        self.assertEqual(sorted(one[1:] for one, _ in found), [[2, 2], [3, 1]])


class CoupledTest(Case):
    """Problems whose state is more than posteriors, and labels that come later."""

    problems = [["-T", "3", "--workers-prior", "2x4,1", "--workers-prior", "2,1", "2x1,1"],
                ["-T", "2", "--once", "--workers-prior", "2x4,1", "2,1", "1,1"],
                ["-T", "2", "--features", str(SOURCE / "tests/data/features.tsv")],
                ["-T", "3", "--problem", "assignment", "--accuracies", "0.9,0.6", "2x1"]]

    def program(self, answer, name="coupled.py"):
        path = self.folder / name
        path.write_text("import json, sys\nfor line in sys.stdin:\n    now = json.loads(line)\n"
                        f"    print(json.dumps({answer}), flush=True)\n")
        return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    def test_weights_by_copies_are_the_uniform_policy(self):
        for problem in self.problems[:3]:
            uniform, ours = self.rows("--policies", "uniform", "--policy", self.program('{"weights": now["counts"]}'), *problem)
            # It makes its own calls; ours leaves them to the exact posterior.
            same = uniform["value"] if uniform["called_value"] is None else uniform["called_value"]
            self.assertAlmostEqual(ours["value"], same, 12)

    def test_an_index_of_labels_is_the_definition(self):
        """Fewest labels first: two instances get a label each by the better worker, then one of them a second."""
        few = self.program('{"index": [-sum(now["positive"][i] + now["negative"][i]) - w / 8'
                           ' for i, w in zip(now["instance"], now["worker"])]}')
        row, = self.rows("--policy", few, *self.problems[3])
        # Calls of labelled tasks are right with the worker's accuracy; the second worker cannot overrule the first.
        self.assertAlmostEqual(row["value"], 0.9, 12)

    told = [["-T", "3", "--problem", "ranking", "2", "2x1"], ["-T", "2", "--problem", "ranking", "--workers-prior", "2x4,1", "2", "2x1"],
            ["-T", "3", "--source", "a:1:0.7", "--source", "b:2:0.9", "2,1", "1,1"],
            ["-T", "3", "--source", "a:1:0.7", "--source", "b:2:0.9:2", "2x1,1"], ["-T", "3", "--source", "a:1:2,1", "2x2,1"],
            ["-T", "3", "--source", "a:1:0.7", "--source", "b:2:3,1", "2,1", "1,1"],
            ["-T", "3", "--problem", "labelers", "--votes", "weighted", "--sets", "all", "0.9", "0.7", "0.6"],
            ["-T", "2", "--problem", "labelers", "--accuracy-prior", "orders", "0.9", "0.7", "0.6"]]

    def test_other_problems_are_told_in_words(self):
        """All acts alike: the value of uniform. The last act, which names mirror images and equal items: its value is what its losses
        leave; both are what runs find."""
        any_act, last = self.program('{"weights": [1] * len(now["acts"])}', "any.py"), self.program('{"choose": now["acts"][-1]}')
        for problem in self.told:
            names = ["--policy", last] + ["--policy", any_act, "--policy", "uniform"] * ("labelers" not in problem)
            rows = self.document("compare", "--explain", *names, *problem)["policies"]
            for row in rows[1:2]:
                self.assertAlmostEqual(row["value"], rows[2]["value"], 12)
            self.assertAlmostEqual(rows[0]["explain"]["total"], rows[0]["gap"], 12)
            runs = self.document("simulate", "--runs", "400", "--policy", last, "--policy", any_act, *problem)["policies"]
            values = self.document("compare", "--policy", last, "--policy", any_act, *problem)["policies"]
            for mean, row in zip(runs, values, strict=True):
                self.assertLessEqual(abs(mean["mean"] - row["value"]), 4 * mean["standard_error"] + 1e-12)

    def test_a_wrong_answer_in_words_is_one_line(self):
        for answer, expected in ('{"choose": "3 and 4"}', "3 and 4"), ('{"choose": 0}', "must be the text of an act"), ('{"index": [1]}', "must be a list of 3"), ("7", "its answer is not JSON"):
            done = run("compare", "--policy", self.program(answer), *self.told[0])
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
            self.assertIn(expected, done.stderr)
        self.assert_refused(["simulate", "--policies", "akg", "--policy", self.program('{"choose": now["acts"][0]}'), *self.told[0]],
                            "akg' makes its own final calls")

    def test_a_program_that_stops_makes_its_calls_where_it_stops(self):
        stops = self.program('{"stop": True} if now["left"] < 2 else {"index": [0] * len(now["counts"])}')
        problem = ["--features", str(SOURCE / "tests/data/features.tsv"), "--runs", "50"]
        none, = self.document("simulate", "-T", "0", "--policy", "uniform", *problem)["policies"]
        for budget in "1", "2":
            ours, = self.document("simulate", "-T", budget, "--at", "0", "--policy", stops, *problem)["policies"]
            curve = [point["accuracy"] for point in ours["points"]]
            self.assertEqual((curve[0], curve[-1]), (none["accuracy"], ours["accuracy"]))
            self.assertEqual(ours["accuracy"] == none["accuracy"], budget == "1")

    def test_the_request_is_as_documented(self):
        note = self.folder / "note"
        command = f"command:read -r line; printf '%s' \"$line\" > {shlex.quote(str(note))}"
        run("compare", "--policy", command, *self.problems[0])
        state = json.loads(note.read_text())
        self.assertEqual(sorted(state), ["budget", "counts", "instance", "left", "negative", "positive", "price", "worker"])
        self.assertEqual((state["left"], state["budget"], state["price"]), (3, 3, 0))
        self.assertEqual(state["positive"], [[0, 0, 0], [0, 0, 0]])
        self.assertEqual({len(state[key]) for key in ("counts", "instance", "worker")}, {len(state["counts"])})
        self.assertEqual(set(zip(state["instance"], state["worker"])), {(i, w) for i in (0, 1) for w in (0, 1, 2)})

    def test_a_wrong_answer_is_one_line(self):
        for answer, expected in [('{"index": [1]}', "must be a list of"), ('{"choose": 99}', "0 to "), ("[1]", "its answer must be")]:
            done = run("compare", "--policy", self.program(answer), *self.problems[0])
            self.assertEqual((done.returncode, done.stdout), (1, ""), answer)
            self.assertRegex(done.stderr, r"\Aoptgap: policy 'command:[^\n]*\n\Z")
            self.assertIn(expected, done.stderr)
            self.assertIn("...; answered", done.stderr)
        for problem in self.problems[0], self.problems[3]:
            self.assert_refused(["simulate", "--policy", self.program('{"choose": 0}'), *problem], "does not support simulating" if
                                problem is self.problems[3] else "do not support simulating")

    def test_an_index_of_one_instance_works_when_labels_come_later(self):
        for problem in (["-T", "4", "--batch", "2", "2x1,1", "2,1"], ["-T", "2", "--deadline", "3", "--slot-service", "2", "2,1", "1,1"],
                        ["--arrivals", "3", "--arrival-rate", "1", "--service-rate", "1", "2x1,1"]):
            kg = self.program('{"index": [%s for a, b in now["instances"]]}' % "1 / (a + b + 1) / (1 + abs(a - b))")
            table = self.folder / "index.tsv"
            rows = ["a\tb\tindex"] + [f"{a}\t{b}\t{1 / (a + b + 1) / (1 + abs(a - b)):.17g}" for a in range(1, 9) for b in range(1, 9)]
            table.write_text("\n".join(rows) + "\n")
            self.assert_same_values(self.rows("--policy", kg, "--policy", f"table:{table}", *problem), 1)
            done = run("compare", "--policy", self.program('{"weights": now["counts"]}'), *problem)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"\Aoptgap: [^\n]*\n\Z")


class MisbehaviourTest(Case):
    """Every failure ends with status 1 and one line that shows request and answer."""

    request = '{"left":2,"budget":2,"instances":[[1,1],[2,1]],"counts":[2,1],"thresholds":[0.5,0.5],"price":0}'

    def fault(self, command, *expected, seconds=None, asked=None):
        more = [] if seconds is None else ["--policy-timeout", str(seconds)]
        begun = time.monotonic()
        done = run("compare", "-T", "2", "--policy", "command:" + command, *more, "2x1,1", "2,1")
        took = time.monotonic() - begun
        self.assertEqual((done.returncode, done.stdout), (1, ""), command)
        line = done.stderr.splitlines()[-1]
        self.assertTrue(line.startswith("optgap: policy 'command:"), line)
        for words in (asked or self.request, *expected):
            self.assertIn(words, line, command)
        return took

    def always(self, answer):
        return f"while read -r state; do printf '%s\\n' '{answer}'; done"

    def test_answers_that_are_none(self):
        for answer, reason in (
            ("hello", "not JSON"),
            ("", "not JSON"),
            ("[1,2]", 'must be {"choose":GROUP}'),
            ("{}", 'must be {"choose":GROUP}'),
            ('{"index":[1,2],"choose":0}', 'must be {"choose":GROUP}'),
            ('{"indices":[1,2]}', 'must be {"choose":GROUP}'),
            ('{"choose":2}', "one of the groups, 0 to 1"),
            ('{"choose":-1}', "one of the groups, 0 to 1"),
            ('{"choose":0.5}', "one of the groups, 0 to 1"),
            ('{"choose":"0"}', "one of the groups, 0 to 1"),
            ('{"index":[1]}', "list of 2 numbers"),
            ('{"index":[1,2,3]}', "list of 2 numbers"),
            ('{"index":1}', "list of 2 numbers"),
            ('{"weights":[0.5]}', "list of 2 numbers"),
            ('{"index":[NaN,1]}', "not JSON"),
            ('{"index":[1e999,1]}', "not JSON"),
            ('{"index":[true,1]}', "must have only numbers"),
            ('{"weights":[null,1]}', 'answered null in "weights"; give 0'),
            ('{"stop":false}', '"stop" must be true alone, or a number beside "index" or "weights"'),
            ('{"stop":true,"choose":0}', 'must be {"choose":GROUP}'),
            ('{"stop":true,"index":[1,2]}', '"stop" must be true alone'),
            ('{"stop":1}', '"stop" must be true alone'),
            ('{"stop":"1/3","weights":[1,2]}', '"stop" must be true alone'),
            ('{"stop":-1,"weights":[1,2]}', '"weights" must have only numbers of at least 0'),
            ('{"stop":1,"weights":[1,2],"x":0}', 'must be {"choose":GROUP}'),
            ('{"weights":[-0.5,1.5]}', "must have only numbers of at least 0"),
            ('{"index":[9007199254740993,0.5]}', "of 2^53 or more"),
            ('{"index":["1/3",0.5]}', "mixes fractions"),
            ('{"index":["1/3","1/0"]}', "not a whole number or a fraction"),
            ('{"index":["1/3","0x1"]}', "not a whole number or a fraction"),
            ('{"index":["1/3",""]}', "not a whole number or a fraction"),
            ('{"index":["1/3","1/-3"]}', "not a whole number or a fraction"),
            ('{"stop":0.5,"index":["1/3",1]}', "mixes fractions"),
            ('{"stop":"1/0","index":["1/3",1]}', "not a whole number or a fraction"),
            ('{"index":[1,"%s"]}' % (400 * "9"), "out of the range"),
            ('{"weights":["1/3","2/3"]}', "must have only numbers of at least 0"),
            ('{"weights":[0,0]}', "add up to 0"),
            ('{"weights":[1e308,1e-308]}', "weight of group 1, 1e-308, is too small beside 1e+308"),
        ):
            self.fault(self.always(answer), reason, answer[:90] or "nothing")

    def test_programs_that_end(self):
        self.fault("exit 3", "ended with status 3", "answered: nothing")
        self.fault("kill -9 $$", "ended by signal 9")
        self.fault("true", "ended with status 0")
        self.fault("read -r s; printf half; exit 0", "ended with status 0", "answered: half")
        self.fault("this-is-not-a-program", "status 127", "does not find it")
        self.fault(f"{sys.executable} -c 'import sys; sys.stdin.readline(); 1/0'",
                   "ended with status 1")

    def test_a_program_that_ends_after_its_first_answers(self):
        self.fault("read -r state; echo '{\"choose\":0}'", "ended with status 0")
        self.fault("for i in 1 2; do read -r state; echo '{\"choose\":0}'; done", "ended with status 0",
                   asked='{"left":1,"budget":2,"instances":')

    def test_a_program_that_answers_at_random(self):
        drawn = "import sys, random, json\nfor line in sys.stdin:\n print(json.dumps(%s), flush=True)"
        for answer in ('{"index": [random.random() for _ in json.loads(line)["counts"]]}',
                       '{"choose": random.randrange(len(json.loads(line)["counts"]))}',
                       '{"weights": [random.random() for _ in json.loads(line)["counts"]]}',
                       '{"index": [1 for _ in json.loads(line)["counts"]]} if random.random() < 0.5 else {"choose": 0}'):
            command = "command:" + shlex.join([sys.executable, "-c", drawn % answer])
            done = run("compare", "-T", "6", "--policy", command, "2x1,1", "2,1", "1,2")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
            self.assertRegex(done.stderr, r"^optgap: policy 'command:.*' answers at random: .* return weights instead")
            self.assertIn('{"weights":[...]}', done.stderr)

    def test_silence(self):
        for command in ("sleep 200", "sh -c 'sleep 200'", "trap '' TERM; sleep 200",
                        "cat >/dev/null", "exec <&-; sleep 200"):
            took = self.fault(command, "did not answer within 0.3 seconds (a program must flush", seconds=0.3)
            self.assertLess(took, 100, command)

    def test_a_closed_output(self):
        took = self.fault("exec >&-; sleep 200", "closed its output")
        self.assertLess(took, 100)

    def test_too_many_words(self):
        self.fault("yes", "more than one line")
        self.fault("read -r s; tr '\\0' x </dev/zero", "longer than", "xxx...")
        self.fault("while read -r s; do echo '{\"choose\":0}'; echo more; done",
                   asked='{"left":')

    def test_control_characters_do_not_reach_the_terminal(self):
        done = run("compare", "-T", "2", "--policy", "command:printf '\\033[2J\\n'; cat >/dev/null",
                   "1,1")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("\033", done.stderr)

    def test_the_childs_errors_are_passed_on(self):
        done = run("compare", "-T", "2", "--policy", "command:echo what is wrong >&2; exit 1", "1,1")
        self.assertIn("what is wrong\n", done.stderr)

    def test_nothing_is_left_behind(self):
        """The command leaves no process, and inherits no descriptor from us."""
        note = self.folder / "note"
        script = self.folder / "open.sh"
        script.write_text("sleep 300 & echo $! $$ >\"$1\"; ls -l /proc/$$/fd >>\"$1\"\n"
                          "while read -r s; do echo '{\"choose\":0}'; done\n")
        command = f"command:sh {shlex.quote(str(script))} {shlex.quote(str(note))}"
        with open(script) as extra:
            self.assertLess(extra.fileno(), 10)  # a shell's own begin there
            done = run("compare", "-T", "2", "--policy", command, "1,1", pass_fds=[extra.fileno()])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        first, *descriptors = note.read_text().splitlines()
        for pid in first.split():
            self.assertTrue(self.ends(pid), pid)
        numbers = [int(line.split(" -> ")[0].split()[-1]) for line in descriptors if " -> " in line]
        self.assertEqual([n for n in numbers if 3 <= n < 10], [], descriptors)

    def ends(self, pid, seconds=100):
        """A killed process exists until it is scheduled again, which may take time on a busy machine."""
        end = time.monotonic() + seconds
        while self.lives(pid) and time.monotonic() < end:
            time.sleep(0.01)
        return not self.lives(pid)

    @staticmethod
    def lives(pid):
        try:
            state = pathlib.Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False
        return state not in "ZX"

    def test_bad_words(self):
        for words, expected in (
            (["--policy", "command"], "needs a parameter: command:CMD"),
            (["--policy", "command:"], "needs the name of a command"),
            (["--policy", "command:" + 2000 * "x"], "at most 1023 characters"),
            (["--policy-timeout", "0"], "--max-answer-time must be a number of seconds"),
            (["--policy-timeout", "x"], "--max-answer-time must be a number of seconds"),
        ):
            done = run("compare", "-T", "2", *words, "1,1")
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(expected, done.stderr)
        done = run("index", "-T", "2", "--policy", "command:cat", "1,1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no index", done.stderr)


class PluginTest(Case):
    head = '#include "optgap.h"\n#include <stdio.h>\n#include <string.h>\n'
    entry = "const og_plugin *optgap_policy(void) { static const og_plugin p = {%s}; return &p; }\n"

    def build(self, body, name="plugin.so", installed=False):
        source = self.folder / (name + ".c")
        path = self.folder / name
        source.write_text(body)
        include = self.folder / "include"
        include.mkdir(exist_ok=True)
        if not (include / "optgap").exists():
            (include / "optgap").symlink_to(SOURCE)
        done = run(os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                   "-Wno-misleading-indentation", "-shared", "-fPIC", f"-I{include}", f"-I{SOURCE}",
                   str(source), "-o", str(path), "-lm", program="/usr/bin/env")
        self.assertEqual(done.returncode, 0, done.stderr)
        return f"plugin:{path}"

    def fault(self, plugin, code, expected):
        done = run("compare", "-T", "2", "--policy", plugin, "2x1,1", "2,1")
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
        self.assertIn(expected, done.stderr)

    def choosing(self, body, more=""):
        return (self.head + "static int choose(void *own, const og_plugin_state *s, double *answer, "
                "char *m, size_t n)\n{ (void)own; (void)m; (void)n; (void)s; (void)answer;\n" + body
                + "}\n" + self.entry % (".version = OG_PLUGIN_VERSION, .choose = choose" + more))

    def test_the_example_is_the_python_example(self):
        plugin = self.build((EXAMPLES / "own-plugin.c").read_text())
        command = f"command:{sys.executable} {EXAMPLES / 'own-policy.py'}"
        rows = self.rows("-T", "7", "--policy", plugin, "--policy", command, "--ties", TIES,
                         "2x1,1", "2,1@0.3", "1,1")
        self.assert_same_values(rows, 4)

    def test_weights_by_copies_are_the_uniform_policy(self):
        plugin = self.build(self.choosing(
            "for (int32_t i = 0; i < s->count; i++) answer[i] = (double)s->group[i].copies;"
            "return OG_PLUGIN_WEIGHTS;"))
        rows = self.rows("-T", "6", "--policies", "uniform", "--policy", plugin, "2x1,1", "2,1")
        self.assert_same_values(rows, 1)

    def test_plugins_stop(self):
        """agree:2 by -INFINITY; a drawn stop; and a plugin of version 1, which does not know of either."""
        done = self.build("#include <math.h>\n" + self.choosing(
            "for (int32_t i = 0; i < s->count; i++) { const double *p = s->group[i].parameter;"
            " answer[i] = fmax(p[0], p[1]) >= 3 ? -INFINITY : -p[0] - p[1]; } return OG_PLUGIN_INDEX;"), "done.so")
        for price in ([], ["--price", "0.02"]):
            rows = self.rows("-T", "8", *price, "--policy", done, "--policy", "agree:2", "3x1,1")
            self.assert_same_values(rows, 1)
            self.assertAlmostEqual(rows[0]["labels"]["least"], 188 / 27, 12)
        drawn = self.build(self.choosing(
            "answer[s->count] = 0; for (int32_t i = 0; i < s->count; i++) {"
            " answer[i] = (double)s->group[i].copies; answer[s->count] += answer[i] / 3; }"
            "return s->price == 0.25 ? OG_PLUGIN_WEIGHTS : OG_PLUGIN_FAILED;"), "drawn.so")
        row = self.rows("-T", "4", "--price", "0.25", "--policy", drawn, "2x1,1", "2,1")[0]
        self.assertAlmostEqual(row["value"], 16385 / 8192 - 525 / 1024, 12)
        first = self.build(self.choosing("for (int32_t i = 0; i < s->count; i++) answer[i] = 0; return OG_PLUGIN_INDEX;")
                           .replace("OG_PLUGIN_VERSION", "1"), "first.so")
        self.assert_same_values(self.rows("-T", "4", "--policies", "uniform", "--policy", first, "2x1,1", "2,1"), 1)

    def test_labels_are_told_to_those_who_look_at_them(self):
        # The fewest labels first, by labels counted and by parameters: 1,1 priors make them alike.
        counted = self.build(self.choosing(
            "for (int32_t i = 0; i < s->count; i++) {"
            " if (s->group[i].label_count != 2) return 0;"
            " answer[i] = -s->group[i].labels[0] - s->group[i].labels[1]; } return OG_PLUGIN_INDEX;",
            ", .looks_at_labels = 1"), "counted.so")
        summed = self.build(self.choosing(
            "for (int32_t i = 0; i < s->count; i++) {"
            " if (s->group[i].labels != NULL) return 0;"
            " answer[i] = -s->group[i].parameter[0] - s->group[i].parameter[1]; }"
            "return OG_PLUGIN_INDEX;"), "summed.so")
        rows = self.rows("-T", "6", "--policy", counted, "--policy", summed, "--ties", TIES, "3x1,1")
        self.assert_same_values(rows, 4)

    def test_kinds_of_priors_and_their_parameters_are_told(self):
        # No answer if the request is wrong; otherwise the uniform policy.
        for prior, kind, labels, parameters in (
            ("1,3", "BETA", 2, "1, 3"),
            ("0.25:5,1+0.75:1,2", "MIXTURE", 2, "0.25, 5, 1, 0.75, 1, 2"),
            ("2,1,4", "CLASSES", 3, "2, 1, 4"),
        ):
            plugin = self.build(self.choosing(
                f"static const double first[] = {{{parameters}}};"
                f"if (s->left == s->budget && (s->count != 1 || s->group[0].kind != OG_PLUGIN_{kind}"
                f" || s->group[0].label_count != {labels}"
                " || s->group[0].parameter_count != sizeof first / sizeof *first"
                " || memcmp(s->group[0].parameter, first, sizeof first) != 0)) return 0;"
                "for (int32_t i = 0; i < s->count; i++) answer[i] = (double)s->group[i].copies;"
                "return OG_PLUGIN_WEIGHTS;"), f"{kind}.so")
            rows = self.rows("-T", "4", "--policies", "uniform", "--policy", plugin, "2x" + prior)
            self.assert_same_values(rows, 1)

    def test_what_it_makes_it_destroys(self):
        note = self.folder / "note"
        body = self.choosing(
            "answer[0] = *(int *)own; for (int32_t i = 1; i < s->count; i++) answer[i] = 0;"
            "return OG_PLUGIN_INDEX;", ", .create = create, .destroy = destroy")
        make = ("static int number; static void *create(int32_t budget, char *m, size_t n)"
                "{ (void)m; (void)n; number = budget; return &number; }\n"
                "static void destroy(void *own) { FILE *f = fopen(\"%s\", \"w\");"
                "fprintf(f, \"%%d\", *(int *)own); fclose(f); }\n" % note)
        plugin = self.build(body.replace("static int choose", make + "static int choose", 1))
        self.rows("-T", "5", "--policy", plugin, "2x1,1")
        self.assertEqual(note.read_text(), "5")

    def test_plugins_that_cannot_be_used(self):
        self.fault("plugin:mine.so", 2, "must be a path with a slash, such as ./mine.so")
        self.fault("plugin:./not-there.so", 2, "cannot be opened")
        self.fault(f"plugin:{EXAMPLES / 'own-plugin.c'}", 2, "cannot be opened")
        self.fault(self.build("int other;\n", "empty.so"), 2, "no function optgap_policy")
        self.fault(self.build(self.head + self.entry % ".version = 7", "version.so"), 2,
                   "has version 7; this program supports versions 1 to 2")
        self.fault(self.build(self.head + self.entry % ".version = 1", "idle.so"), 2,
                   "no function choose")
        self.fault(self.build(self.choosing('snprintf(m, n, "what is this"); return 0;'), "no.so"), 1,
                   "has no answer: what is this")
        nan = "for (int32_t i = 0; i < s->count; i++) answer[i] = 0.0 / 0.0; return OG_PLUGIN_%s;"
        self.fault(self.build(self.choosing(nan % "INDEX"), "nan.so"), 1, "is not a number")
        zero = "for (int32_t i = 0; i < s->count; i++) answer[i] = %s; return OG_PLUGIN_WEIGHTS;"
        self.fault(self.build(self.choosing(zero % "0"), "zero.so"), 1, "add up to 0")
        self.fault(self.build(self.choosing(zero % "-1"), "minus.so"), 1, "weight of group 0 must be at least 0, not -1")
        body = self.choosing("return 0;", ", .create = create")
        refuse = ("static void *create(int32_t budget, char *m, size_t n)"
                  '{ (void)budget; snprintf(m, n, "not today"); return NULL; }\n')
        self.fault(self.build(body.replace("static int choose", refuse + "static int choose", 1),
                              "refuse.so"), 1, "cannot start: not today")


class ExamplesTest(Case):
    def by_hand(self, score):
        """The score as a separate command, in one line of Python."""
        return self.twin('{"index": [%s for a, b in pairs]}' % score)

    def test_python(self):
        example = f"command:{sys.executable} {EXAMPLES / 'own-policy.py'}"
        other = self.by_hand("-abs(a - b) / (2 * (a + b)) - 1e-3 * (a + b)")
        rows = self.rows("-T", "8", "--policy", example, "--policy", other, "3x1,1")
        self.assert_same_values(rows, 1)
        self.assertGreater(rows[0]["gap"], 0)

    def test_shell(self):
        example = f"command:sh {EXAMPLES / 'own-policy.sh'}"
        rows = self.rows("-T", "8", "--policy", example, "--policy", self.by_hand("-a - b"),
                         "--ties", TIES, "2x1,1", "3,2")
        self.assert_same_values(rows, 4)


if __name__ == "__main__":
    main()
