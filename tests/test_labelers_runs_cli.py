"""Runs of labelers at the size of Liu and Liu's paper: known values, the definition, curves and recorded votes.

    test_labelers_runs_cli.py PROGRAM [unittest option...]
"""

import json
import math
import os
import pathlib
import random
import statistics
import sys
import tempfile
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import main, run  # noqa: E402

LABELERS = ["--problem", "labelers"]
THREE = ["0.9", "0.7", "0.6"]
TABLE_1 = ["0.763", "0.781", "0.625", "0.783", "0.727"]
SIGMAS = 5


def majority_right(chances):
    law = [1]
    for p in chances:
        law = [(law[k] * (1 - p) if k < len(law) else 0) + (law[k - 1] * p if k > 0 else 0) for k in range(len(law) + 1)]
    n = len(chances)
    return sum(law[k] * (1 if 2 * k > n else 0.5 if 2 * k == n else 0) for k in range(n + 1))


def best_prefix(chances):
    order = sorted(range(len(chances)), key=lambda i: -chances[i])
    values = {n: majority_right([chances[i] for i in order[:n]]) for n in range(1, len(order) + 1, 2)}
    size = max(values, key=lambda n: (round(values[n], 11), -n))
    return order[:size], values[size]


def schedule(g1, g2, tasks):
    """x, N, r: given to the best set, a new tester, labelled again; as the specification writes it."""
    testers, steps = [1], ""
    for t in range(1, tasks + 1):
        if min(testers) <= g2 * math.log(t):
            testers[testers.index(min(testers))] += 1
            steps += "r"
        elif len(testers) <= g1 * math.log(t):
            testers.append(1)
            steps += "N"
        else:
            steps += "x"
    return steps


def play(draw, chances, g1, g2, tasks):
    """LS_OL: its regret after each task."""
    def vote():
        votes = [draw.random() < p for p in chances]
        twice = 2 * sum(votes) - len(votes)
        return votes, twice > 0 or (twice == 0 and draw.random() < 0.5)

    best, everybody = best_prefix(chances)[1], majority_right(chances)
    votes, label = vote()
    testers = [[votes, [label], None]]
    regret, regrets = 0, []
    for step in schedule(g1, g2, tasks):
        if step == "r":
            least = min(len(tester[1]) for tester in testers)
            tester = draw.choice([tester for tester in testers if len(tester[1]) == least])
            tester[1].append(vote()[1])
            tester[2] = None
            regret += best - 0.5
        elif step == "N":
            votes, label = vote()
            testers.append([votes, [label], None])
            regret += best - everybody
        else:
            for tester in testers:
                if tester[2] is None:
                    twice = 2 * sum(tester[1]) - len(tester[1])
                    tester[2] = twice > 0 or (twice == 0 and draw.random() < 0.5)
            agreed = [statistics.mean(tester[0][i] == tester[2] for tester in testers) for i in range(len(chances))]
            regret += best - majority_right([chances[i] for i in best_prefix(agreed)[0]])
        regrets.append(regret)
    return regrets


def disagreements(votes):
    """Of each labeler with the plurality: 1, or the share of tied labels that differ. votes[task][labeler] or None."""
    out = [Fraction(0)] * len(votes[0])
    for row in votes:
        given = [vote for vote in row if vote is not None]
        most = max(map(given.count, given))
        tied = [vote for vote in set(given) if given.count(vote) == most]
        for i, vote in enumerate(row):
            out[i] += 0 if vote is None else Fraction(sum(other != vote for other in tied), len(tied))
    return out


class Asking(unittest.TestCase):
    def ask(self, command, *words):
        done = run(command, *LABELERS, *words, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return json.loads(done.stdout)

    def simulate(self, *words):
        return {row["name"]: row for row in self.ask("simulate", *words)["policies"]}

    def assertNear(self, found, wanted, error):
        self.assertLessEqual(abs(found - wanted), error + 1e-9)

    def refused(self, words, *parts):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", words)
        for part in parts:
            self.assertIn(part, done.stderr)


class RunsTest(Asking):
    def test_twelve_who_are_always_right(self):
        """All chance is gone but that of coins: regret is half a label for each tester that is labelled again."""
        steps = schedule(1.5, 1, 200)
        rows = self.simulate("-T", "200", "--at", "1,7,50", "--runs", "3", "--explore", "1.5,1", "--cost", "1", "12x1",
                             "--policies", "ls-ol,everybody,best-set")
        for point in rows["ls-ol"]["points"]:
            t = point["tasks"]
            again, new = steps[:t].count("r"), steps[:t].count("N")
            self.assertEqual(point["regret"], again / 2)
            self.assertNear(point["reward"], 1 - again / 2 / t, 0)
            self.assertNear(point["cost_regret"], 11 * (again + new), 0)  # the best set is one labeler
            self.assertEqual((rows["everybody"]["points"][-1]["regret"], rows["best-set"]["points"][-1]["regret"]), (0, 0))
            self.assertEqual(rows["everybody"]["points"][-1]["accuracy"], 1)

    def test_curves_are_those_of_the_exact_law(self):
        """Regrets after 1, 2, ... tasks, known as fractions (Liu and Liu's LS_OL with G 1.5, 1 and cost 1/50)."""
        known = {2: (12 / 125, 0.04), 6: (681 / 500, 0.2), 10: (2.6339732421442754, 1008962809090800463 / 3125e15),
                 20: (4.58741301362, 0.583042179677)}
        row = self.simulate("-T", "20", "--at", "2,6,10", "--explore", "1.5,1", "--cost", "0.02", "--runs", "4000",
                            "--policies", "ls-ol", *THREE)["ls-ol"]
        for point in row["points"]:
            regret, cost = known[point["tasks"]]
            self.assertNear(point["regret"], regret, SIGMAS * point["regret_standard_error"])
            self.assertNear(point["cost_regret"], cost, SIGMAS * point["cost_regret_standard_error"])
            self.assertNear(point["reward"], 0.9 - point["regret"] / point["tasks"], 0)
        self.assertNear(row["points"][-1]["reward"], row["mean"] / 20, 0)
        self.assertNear(row["points"][-1]["accuracy"], row["accuracy"], 0)

    def test_drawn_accuracies_are_those_of_the_algorithm(self):
        draw, tasks, at = random.Random(5), 60, (5, 20, 60)
        for count, low, high in (11, 0.6, 1), (4, 0, 1):
            runs = [play(draw, [draw.uniform(low, high) for _ in range(count)], 1, 1, tasks) for _ in range(250)]
            row = self.simulate("-T", str(tasks), "--at", "5,20", "--runs", "2000", "--policies", "ls-ol", f"{count}x0",
                                "--truth", f"uniform:{low},{high}")["ls-ol"]
            for t, point in zip(at, row["points"]):
                found = [regrets[t - 1] for regrets in runs]
                error = math.hypot(statistics.stdev(found) / math.sqrt(len(found)), point["regret_standard_error"])
                self.assertNear(point["regret"], statistics.mean(found), SIGMAS * error)

    def test_known_means_of_the_papers_setting(self):
        """Of another program: T = 2000, G 1, 1, accuracies drawn anew; mean reward, regret and cost regret (standard error)."""
        known = {
            (5, 0.6): {"everybody": (0.9409, 0.0021), "best-set": (0.95544, 0.0021), "ls-ol": (0.88643, 0.0037),
                       "ls-ol-weighted": (0.92081, 0.0033), "regret": (138.015, 5.88), "cost_regret": (-53.1, 3.15)},
            (20, 0.6): {"everybody": (0.99858, 0.00012), "best-set": (0.99936, 0.00008), "ls-ol": (0.89267, 0.005),
                        "ls-ol-weighted": (0.98484, 0.0002), "regret": (213.37, 9.95), "cost_regret": (-425.26, 10.3)},
            (20, 0): {"everybody": (0.50622, 0.0154), "best-set": (0.97777, 0.0024), "ls-ol": (0.5004, 0.0233),
                      "ls-ol-weighted": (0.50889, 0.0287), "regret": (954.74, 45.2), "cost_regret": (-23.2, 9.9)},
        }
        for (count, low), values in known.items():
            rows = self.simulate("-T", "2000", "--cost", "0.02", "--runs", "150", "--truth", f"uniform:{low},1", f"{count}x0",
                                 "--policies", "everybody,best-set,ls-ol,ls-ol-weighted")
            for name, (value, error) in values.items():
                point = rows[name if name in rows else "ls-ol"]["points"][-1]
                key = "reward" if name in rows else name
                self.assertNear(point[key], value, SIGMAS * math.hypot(error, point[key + "_standard_error"]))
            self.assertEqual(rows["ls-ol-weighted"]["points"][-1]["regret"] is None, count > 10)

    def test_a_truth_without_chance_is_given(self):
        rows = self.simulate("-T", "30", "--runs", "3", "--truth", "uniform:0.7,0.7", "5x0", "--policies", "everybody,best-set")
        given = self.simulate("-T", "30", "--runs", "3", "5x0.7", "--policies", "everybody,best-set")
        for name, row in rows.items():
            self.assertNear(row["points"][0]["reward"], 0.83692, 0)
            self.assertEqual(row["points"][0]["reward_standard_error"], 0)
            self.assertNear(row["mean"], given[name]["mean"], 0)
        one, two = (self.simulate("-T", "20", "--runs", "800", "--truth", truth, "3x0", "--policies", "everybody")["everybody"]
                    for truth in ("uniform:0,1", "beta:1,1"))
        self.assertEqual(one["mean"], two["mean"])
        self.assertNear(one["mean"], 10, SIGMAS * one["standard_error"])  # p and 1 - p are as likely

    def test_one_run_does_not_depend_on_the_threads_or_the_points(self):
        words = ["-T", "100", "--runs", "50", "--truth", "uniform:0.5,1", "13x0"]
        plain = self.simulate(*words, "--threads", "1")
        for more in ["--threads", "2"], ["--at", "3,50"]:
            for name, row in self.simulate(*words, *more).items():
                self.assertEqual((row["mean"], row["points"][-1]["regret"]), (plain[name]["mean"], plain[name]["points"][-1]["regret"]))

    def test_theorem_5(self):
        known = {tuple(TABLE_1): (0.0117319224272, 4.61504619269, 992345116.3067, 4.60154366906, 986546880.95238, 6.80317906533),
                 tuple(THREE): (0.405465108108, 10.50632455375, 1550051.5749210555, 9.49367544625, 1265649.0134938606, 8.96410771272),
                 ("0.8", "0.75", "0.7", "0.65"): (0.0594234204708, 5.03710249816, 29490032.74602, 4.96289750184, 28627557.1287432,
                                                  25.9645421721)}
        for words, (delta, c, g1, printed_c, printed, g2) in known.items():
            theory = self.ask("bound", "-T", "2000", "--votes", "weighted", *words)["problem"]["theory"]
            for found, wanted in zip((theory["delta"], theory["c"], theory["explore"][0], theory["printed_c"],
                                      theory["printed_explore"], theory["explore"][1]), (delta, c, g1, printed_c, printed, g2)):
                self.assertLessEqual(abs(found - wanted), 1e-9 * wanted)
            self.assertNear(theory["eps"], 0.999 * delta / 2, 1e-12)

    def test_what_runs_alone_support_is_refused_elsewhere(self):
        simulate = ["simulate", *LABELERS, "-T", "3", "--runs", "2"]
        many = [*simulate, "10x0.7"]
        for words in (["--accuracy-prior", "orders"], ["--contexts", "2"], ["--cost", "1", "--cost-weight", "1"], ["--theory"]):
            self.refused([*many, *words], words[-2] if len(words) > 1 else words[0], "at most 9 labelers")
            self.refused([*simulate, "3x0", "--truth", "uniform:0,1", *words], "does not support --truth")
        self.refused([*many, "--policies", "greedy"], "'greedy' does not support")
        self.refused([*many, "--policies", "bayes-vote"], "--accuracy-prior")
        self.refused([*simulate, "31x0.7"], "at most 30 labelers; give fewer")
        self.refused([*simulate, "3x0.7", "--at", "0,2"], "--at")
        self.refused([*simulate, "3x0.7", "--at", "4"], "--at 4 is more than the budget of 3 tasks")
        self.refused([*simulate, "3x0.7", "--at", "1", "--contexts", "2"], "--at does not support --contexts")
        for truth in "uniform:0.5", "uniform:0.6,0.5", "uniform:0,1.1", "uniform:-1,1", "uniform:a,1":
            self.refused([*simulate, "3x0", "--truth", truth], "uniform:LO,HI")
        for truth in "list:0.5,0.5,0.5", "dirichlet:1,1", "uniform:0,1 workers:1,1":
            self.refused([*simulate, "3x0", "--truth", truth], "--truth must be prior, uniform:LO,HI or beta:A,B")
        for words in (["2x1,1"], ["--workers-prior", "2x4,1", "1,1"], ["--problem", "ranking", "2x1"]):
            self.refused(["simulate", "-T", "2", "--truth", "uniform:0,1", *words], "uniform:LO,HI requires --problem labelers")
        self.refused([*simulate, "4x0.7", "--drop-exponent", "2"], "--drop")
        self.assertEqual(self.simulate("-T", "0", "--runs", "2", "12x0.7")["ls-ol"]["points"][0]["accuracy"], None)


class RecordedTest(Asking):
    def replay(self, votes, gold, *words):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            folder.joinpath("gold.tsv").write_text("task\tlabel\n" + "".join(f"t{t}\t{g}\n" for t, g in enumerate(gold)))
            folder.joinpath("labels.tsv").write_text("task\tworker\tlabel\n" + "".join(
                f"t{t}\tw{i}\t{vote}\n" for t, row in enumerate(votes) for i, vote in enumerate(row) if vote is not None))
            return self.ask("replay", "--labels", str(folder / "labels.tsv"), "--gold", str(folder / "gold.tsv"), *words)

    def test_disagreements_and_errors_are_counted(self):
        draw = random.Random(11)
        gold = [draw.randrange(4) for _ in range(30)]
        votes = [[truth if draw.random() < 0.6 else draw.randrange(4) if draw.random() < 0.8 or i == 0 else None for i in range(5)]
                 for truth in gold]
        found = self.replay(votes, gold, "--counts", "--order", "file", "-T", "25", "--at", "10,20", "--runs", "2")
        self.assertEqual((found["tasks"], found["budget"]), (30, 25))
        for k, t in enumerate((10, 20, 25)):
            for worker in found["workers"]:
                self.assertNear(worker["points"][k], float(disagreements(votes[:t])[int(worker["name"][1:])]), 1e-12)
        self.assertEqual([worker["disagreements"] for worker in found["workers"]],
                         [worker["points"][-1] for worker in found["workers"]])
        rows = [[1, 1, 3], [3, 3, 1], [2, 2, 2], [1, 1, 2]]
        policy = self.replay(rows, [1, 1, 3, 1], "--counts", "--order", "file", "--at", "2,3", "--runs", "2")["policies"][1]
        self.assertEqual((policy["error"], policy["error_at_most"]), (0.75, [0.5, 0.75, 1]))
        self.assertEqual([(point["tasks"], point["wrong"], point["votes"]) for point in policy["points"]],
                         [(2, 1, 6), (3, 2, 9), (4, 2, 12)])
        named = self.replay([["a", "a", "b"], ["b", "b", "a"]], ["a", "a"], "--counts", "--runs", "2")["policies"][1]
        self.assertEqual((named["error"], named["error_at_most"]), (0.5, [0.5, 1]))

    def test_runs_without_gold(self):
        """No task: nothing is right or wrong, and no mean is known. One task: runs whose task has no gold do not count."""
        votes = [[1, 1, 0], [0, 0, 1], [1, 0, 1]]
        for policy in self.replay(votes, [1, 0, 1], "-T", "0", "--counts", "--runs", "3")["policies"]:
            point = {"tasks": 0, "accuracy": None, "wrong": 0, "wrong_standard_error": 0, "votes": 0}
            self.assertEqual((policy["accuracy"], policy["votes_per_task"], policy["points"]), (None, None, [point]))
        curve = self.replay(votes, [1, 0, 1], "--at", "0,1", "--order", "file", "--runs", "2")["policies"][1]["points"]
        self.assertEqual([(point["tasks"], point["wrong"], point["votes"]) for point in curve], [(0, 0, 0), (1, 0, 3), (3, 0, 9)])
        for policy in self.replay(votes, [1], "-T", "1", "--counts", "--runs", "40")["policies"]:
            self.assertEqual((policy["accuracy"], policy["points"][0]["accuracy"], policy["error"]), (1, 1, 0))
        for policy in self.replay(votes[1:], ["", 1], "-T", "1", "--counts", "--order", "file", "--runs", "2")["policies"]:
            self.assertEqual((policy["accuracy"], policy["standard_error"], policy["error"]), (None, None, None))

    def test_the_exponent_says_when_the_worst_is_dropped(self):
        """Three labelers are always right and one never: e = 1, so that after n votes exp(-C n) < 0.1 decides.
        ln 1 = 0: the task at t = 1 is no tester, and the n-th vote is at t = n."""
        votes = [[t % 2] * 3 + [1 - t % 2] for t in range(20)]
        for c in 0.5, 1, 2:
            words = ["--explore", "1e6,0", "--drop", "0.1", "--drop-exponent", str(c)]
            found = self.replay(votes, [t % 2 for t in range(20)], *words, "--runs", "2")
            votes_needed = next(n for n in range(1, 20) if math.exp(-c * n) < 0.1)
            self.assertEqual(found["dropped"], [{"name": "w3", "runs": 2, "time": votes_needed}])
            row = self.simulate("-T", "10", *words[:1], "1e6,0", *words[2:], "--runs", "2", "--cost", "1", "3x1", "0", "--policies",
                                "ls-ol", "--at", "8")["ls-ol"]["points"]
            self.assertEqual(row[0]["cost_regret"], sum(2 if t > votes_needed else 3 for t in range(2, 9)))

    def test_bad_tasks_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            folder.joinpath("labels.tsv").write_text("task\tworker\tlabel\na\tw\t1\nb\tw\t0\n")
            folder.joinpath("gold.tsv").write_text("task\tlabel\na\t1\n")
            replay = ["replay", "--labels", str(folder / "labels.tsv"), "--gold", str(folder / "gold.tsv")]
            labelers = [*replay, *LABELERS]
            self.refused([*labelers, "-T", "3"], "-T", "from 0 to 2")
            self.refused([*labelers, "--at", "2,1"], "--at")
            self.refused([*labelers, "--at", "3"], "budget of 2 tasks")
            self.refused([*labelers, "--order", "backwards"], "--order")
            self.refused([*labelers, "--drop-exponent", "2"], "--drop")
            self.refused([*replay, "--order", "file"], "requires --problem labelers or ")

    def test_recorded_data(self):
        """Known values of the tables that Liu and Liu's section 6.2 asks of; ties of `web` are drawn."""
        data = pathlib.Path(os.environ.get("OPTGAP_SHARED", "/nowhere")) / "data"
        if not data.is_dir():
            self.skipTest("no data (set OPTGAP_SHARED)")

        def ask(name, *words):
            return self.ask("replay", "--labels", str(data / name / "labels.tsv"), "--gold", str(data / name / "gold.tsv"),
                            "--order", "file", "--counts", *words)

        for g1, wrong, votes in (3, [5, 14, 17, 18], 2642), (8, [8, 16, 19, 20], 3150):
            found = ask("bluebirds", "--explore", f"{g1},0", "--at", "27,54,81", "--runs", "2")
            ls_ol, everybody = found["policies"]
            self.assertEqual([point["wrong"] for point in ls_ol["points"]], wrong)
            self.assertEqual(ls_ol["points"][-1]["votes"], votes)
            self.assertEqual([point["wrong"] for point in everybody["points"]], [9, 22, 25, 26])
            self.assertEqual([sum(worker["points"][k] for worker in found["workers"]) for k in range(4)], [377, 749, 1018, 1277])
            self.assertIn(("w39", 14), [(worker["name"], worker["disagreements"]) for worker in found["workers"]])
        found = ask("web", "--runs", "50")
        self.assertNear(sum(worker["disagreements"] for worker in found["workers"]), 6336, 1e-6)
        self.assertIn(("w3", 364.75), [(worker["name"], round(worker["disagreements"], 9)) for worker in found["workers"]])
        everybody = found["policies"][1]
        self.assertNear(everybody["error"], 0.428163085815, 0.003)  # 569 ties of 2653: standard error below 0.0006
        for share, known in zip(everybody["error_at_most"], (0.730651, 0.890062, 0.962181, 0.988943, 1)):
            self.assertNear(share, known, 0.002)


if __name__ == "__main__":
    main()
