"""solve --export-model: the decision process, read from the file and solved again.

    test_model_file.py PROGRAM [unittest option...]
"""

import importlib.util
import math
import pathlib
import re
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import FolderCase, main  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent

PROBLEMS = [  # of every family whose states are known
    ["-T", "5", "3x1,1", "2,1@0.3"],
    ["-T", "4", "1,1,2", "2x1,1,1"],
    ["-T", "4", "0.5:2,1+0.5:1,3", "1.5,2"],
    ["-T", "4", "--objective", "bandit", "1,1", "2,1"],
    ["-T", "5", "--price", "0.02", "2x1,1", "2,1@0.3"],
    ["-T", "4", "--price", "0.05,0.01", "--payoff", "1,-3,-2,1,-0.1", "1,1", "2x2,1"],
    ["-T", "4", "--workers-prior", "4,1", "--workers-prior", "2,1", "2x1,1"],
    ["-T", "5", "--batch", "2", "2x1,1"],
    ["-T", "4", "--source", "a:2:0.9", "--source", "b:1:3,1", "1,1", "2,1"],
    ["-T", "3", "--deadline", "4", "--service", "2,0.5", "--arrival", "0.5", "2x1,1", "2,1@0.3"],
    ["-T", "4", "--deadline", "3", "--service", "2", "--arrival", "0.5,0.2", "2x1,1", "2,1@0.3"],
    ["--workers", "3", "--arrival-rate", "1", "--service-rate", "2", "1,1", "2,1"],
    ["-T", "4", "--objective", "ranking", "3x1"],
    ["-T", "3", "--objective", "assignment", "--workers-prior", "2x4,1", "2x1"],
    ["-T", "3", "--objective", "labelers", "--unknown", "orders", "0.9", "0.7"],
]
LARGE = ["-T", "60", *(f"{a},{b}" for a in range(1, 7) for b in range(1, 7))]


# ---- readers: {"reward": [...], "choices": [[[(to, probability)]]], "labels": {...}} ----


def read_drn(path, number):
    lines = [line for line in pathlib.Path(path).read_text().splitlines() if not line.startswith("//")]
    begin = lines.index("@model")
    head = lines[:begin]
    assert head[:5] == ["@type: MDP", "@parameters", "", "@reward_models", "counted"], head
    reward, choices, labels = [], [], {}
    for line in lines[begin + 1:]:
        if line.startswith("state "):
            found = re.fullmatch(r"state (\d+)(?: \[([^\]]+)\])?(?: (\w+))?", line)
            assert int(found[1]) == len(reward), line
            reward.append(number(found[2] or "0"))
            choices.append([])
            if found[3]:
                labels[found[3]] = int(found[1])
        elif line.startswith("\taction "):
            assert " " not in line.removeprefix("\taction "), line
            choices[-1].append([])
        else:
            to, probability = re.fullmatch(r"\t\t(\d+) : (\S+)", line).groups()
            choices[-1][-1].append((int(to), number(probability)))
    assert int(head[head.index("@nr_states") + 1]) == len(reward)
    assert int(head[head.index("@nr_choices") + 1]) == sum(map(len, choices))
    return {"reward": reward, "choices": choices, "labels": labels}


def read_prism(path, number):
    rows = [line.split() for line in pathlib.Path(path).read_text().splitlines()]
    states, all_choices, transitions = map(int, rows[0])
    assert len(rows) == transitions + 1
    choices = [[] for _ in range(states)]
    for row in rows[1:]:
        state, choice, to = map(int, row[:3])
        assert re.fullmatch(r"[A-Za-z_]\w*", row[4]), row
        if choice == len(choices[state]):
            choices[state].append([])
        choices[state][choice].append((to, number(row[3])))
    assert sum(map(len, choices)) == all_choices
    rows = [line.split() for line in path.with_suffix(".srew").read_text().splitlines()]
    assert list(map(int, rows[0])) == [states, len(rows) - 1]
    reward = [number("0")] * states
    for state, value in rows[1:]:
        reward[int(state)] = number(value)
    head, *rows = path.with_suffix(".lab").read_text().splitlines()
    names = dict(re.findall(r'(\d+)="(\w+)"', head))
    labels = {names[row.split(": ")[1]]: int(row.split(": ")[0]) for row in rows}
    return {"reward": reward, "choices": choices, "labels": labels}


def value_of(model):
    """Rmax=? [F "done"] of a process whose transitions lead only to later states."""
    done = model["labels"]["done"]
    assert model["labels"] == {"init": 0, "done": len(model["reward"]) - 1}
    assert model["choices"][done] == [[(done, 1)]] and model["reward"][done] == 0
    value = [0] * (done + 1)
    for state in range(done - 1, -1, -1):
        best = None
        for choice in model["choices"][state]:
            to = [target for target, _ in choice]
            assert to == sorted(set(to)) and to[0] > state, (state, choice)
            assert abs(sum(p for _, p in choice) - 1) <= 1e-14, (state, choice)
            sum_of = sum(p * value[target] for target, p in choice)
            best = sum_of if best is None or sum_of > best else best
        value[state] = model["reward"][state] + best
    return value[0]


class ModelFileTest(FolderCase):
    def export(self, name, *words):
        """The optimum, and the model that the file holds."""
        path = self.folder / name
        found = self.document("solve", "--export-model", str(path), *words)
        written = found["model"]
        suffixes = [".drn"] if name.endswith(".drn") else [".lab", ".srew", ".states", ".tra"]
        paths = [path.with_suffix(suffix) for suffix in suffixes]
        self.assertEqual(sorted(self.folder.iterdir()), paths)
        self.assertEqual(written["bytes"], sum(one.stat().st_size for one in paths))
        number = Fraction if "exact" in words else float
        model = (read_drn if name.endswith(".drn") else read_prism)(path, number)
        for one in paths:
            one.unlink()
        self.assertEqual(written["states"], len(model["reward"]))
        self.assertEqual(written["choices"], sum(map(len, model["choices"])))
        self.assertEqual(written["transitions"],
                         sum(len(to) for all_of in model["choices"] for to in all_of))
        last = "x=%d" % (written["states"] - 1) if "exact" in words and name.endswith(".tra") else '"done"'
        self.assertEqual(written["property"], f"Rmax=? [F {last}]")
        self.assertTrue(written["command"].endswith(f" '{written['property']}'"), written)
        if name.endswith(".tra"):
            self.assertGreaterEqual(min(model["reward"]), 0)
        model["constant"] = number(written["constant"])
        return found["optimal"], model

    def test_the_optimum_of_the_file_is_ours_in_every_family(self):
        for words in PROBLEMS:
            for name in ("model.drn", "model.tra"):
                optimal, model = self.export(name, *words)
                off = abs(value_of(model) - model["constant"] - optimal["value"])
                # Each state adds the rounding of at most a few sums to that of later states.
                self.assertLessEqual(off, optimal["error_bound"] + 1e-13, words)

    def test_fractions_are_the_exact_optimum(self):
        of_models = [["-T", "4", "--batch", "2", "2,1", "1,1"], ["-T", "2", "--deadline", "3", "--slot-service", "2", "2,1", "1,1"],
                     ["-T", "4", "--source", "a:2:0.9", "--source", "b:1:0.7", "1,1", "2,1"]]
        for words in [*PROBLEMS[:2], *PROBLEMS[3:6], *of_models]:
            for name in ("model.drn", "model.tra"):
                optimal, model = self.export(name, "--arithmetic", "exact", *words)
                self.assertEqual(value_of(model) - model["constant"], Fraction(optimal["value_exact"]), words)

    def test_the_example_for_mdpsolver_has_our_optimum(self):
        """Its arguments, valued as MDPSolver does: discounted, all states alike. MDPSolver itself is not needed."""
        spec = importlib.util.spec_from_file_location("example", ROOT / "tools/examples/to-mdpsolver.py")
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        for words in (["-T", "4", "3x1,1"], ["-T", "3", "2x1,1", "2,1@0.3"], ["-T", "3", "--problem", "bandit", "1,1", "2,1"]):
            path = self.folder / "model.tra"
            found = self.document("solve", "--export-model", str(path), *words)
            given = example.read_model(path)
            value = len(given["rewards"]) * [0.0]
            for _ in range(12):  # more than the steps of a way
                before = value
                value = [max(reward + given["discount"] * sum(p * before[to] for p, to in zip(chances, columns, strict=True))
                             for reward, chances, columns in zip(*choices, strict=True))
                         for choices in zip(given["rewards"], given["tranMatProbs"], given["tranMatColumns"], strict=True)]
                if value == before:
                    break
            else:
                self.fail("the values do not settle")
            self.assertAlmostEqual(value[0] - float(found["model"]["constant"]), found["optimal"]["value"],
                                   delta=found["optimal"]["error_bound"] + 1e-13)

    def test_prism_gets_no_negative_reward(self):
        for words, some in ((["-T", "4", "--arithmetic", "exact", "--price", "0.05,0.01", "1,1", "2x2,1"], True), (["-T", "2", "--price", "0.5", "1,1"], True),
                            (["-T", "3", "--payoff", "1,-3,-2,1", "2x1,1"], True), (["-T", "3", "2x1,1"], False)):
            _, model = self.export("model.tra", *words)
            self.assertEqual(model["constant"] > 0, some, words)
            self.assertEqual(self.export("model.drn", *words)[1]["constant"], 0)

    def test_states_have_their_words(self):
        self.document("solve", "-T", "2", "2x1,1", "--export-model", str(self.folder / "m.tra"))
        rows = (self.folder / "m.states").read_text().splitlines()
        self.assertEqual(rows[0], "0: 2x1,1")
        self.assertEqual([int(row.split(": ")[0]) for row in rows], sorted({int(row.split(": ")[0]) for row in rows}))

    def test_a_label_costs_its_price_and_to_stop_ends_it(self):
        for price in Fraction(1, 10), Fraction(3, 10):
            _, model = self.export("model.drn", "--arithmetic", "exact", "-T", "1", "--price", str(float(price)), "1,1")
            reward, (label, stop) = model["reward"], model["choices"][0]
            self.assertEqual([reward[state] for ((state, _),) in (label, stop)], [-price, Fraction(1, 2)])
            self.assertEqual(value_of(model), max(Fraction(1, 2), Fraction(3, 4) - price))

    def test_all_states_and_all_that_can_be_done_in_them_are_there(self):
        layer, sizes, choices = {((0, 0, 0), (0, 0, 0), (1, 0, 0))}, 0, 0
        for left in range(4, -1, -1):
            sizes += len(layer)
            choices += sum(len(set(state)) if left > 0 else 1 for state in layer)
            layer = {tuple(sorted((*state[:i], (arm, a + new, b + 1 - new), *state[i + 1:])))
                     for state in layer for i, (arm, a, b) in enumerate(state) for new in (0, 1)}
        _, model = self.export("model.drn", "-T", "4", "2x1,1", "2,1")
        self.assertEqual(len(model["reward"]), sizes + 1)
        self.assertEqual(sum(map(len, model["choices"])), choices + 1)

    def test_what_cannot_be_written_is_refused(self):
        there = self.folder / "there.drn"
        there.write_text("mine")
        for words, expected, code in [
            (["--export-model", "model.txt", "-T", "2", "1,1"], "NAME.drn (Storm) or NAME.tra (PRISM)", 2),
            (["--export-model", ".drn", "-T", "2", "1,1"], "NAME.drn", 2),
            (["--export-model", "no-such-folder/m.drn", "-T", "2", "1,1"], "no-such-folder", 1),
            (["--export-model", str(there), "--dry-run", "-T", "2", "1,1"], "--dry-run does not support --export-model", 2),
            (["--export-model", str(there), "--arithmetic", "exact", "-T", "2", "--workers-prior", "4,1", "1,1"],
             "does not support", 2),
            (["--export-model", str(there), "-T", "0", "--workers-prior", "4,1", "1,1"], "without choices", 2),
        ]:
            self.assert_refused(["solve", *words], expected, code)
        self.assertEqual(there.read_text(), "mine")
        self.assertEqual(list(self.folder.iterdir()), [there])

    def test_limits_leave_nothing_behind(self):
        path = self.folder / "large.drn"
        for limit in (["--memory", "16M"], ["--time-limit", "1"]):
            self.assert_refused(["solve", "--engine", "blocks", *limit, "--export-model", str(path), *LARGE],
                                "memory" if limit[0] == "--memory" else "time limit", 3)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    main()
