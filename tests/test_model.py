"""Invariants of the program's output that need no oracle.

For random problems of every family, questions are asked in many ways whose answers must agree. Random
command lines, made from the option rows (as `optgap completion bash` prints them) and mostly wrong, must
keep the contract of statuses and streams. A failing case is shrunk and printed.

    test_model.py PROGRAM [unittest option...]

TEST_SCALE=100 takes a hundred times as many cases, TEST_SEED=N other ones.
"""

import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

sys.dont_write_bytecode = True
import test_model_file  # noqa: E402
from cli import PROGRAM, SCALE, SEED, main  # noqa: E402

SLOWEST = 250  # seconds, of a command that was given 5 at most

UNIT = 2.0**-52
STATUSES = {0, 1, 2, 3}


def run_for_bytes(words, folder=None):
    return subprocess.run(
        [PROGRAM, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=SLOWEST,
        cwd=folder,
    )


def document(*words):
    done = run_for_bytes([*words, "--json"])
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    assert done.stderr == b"", (words, done.stderr)
    return json.loads(done.stdout)


# ---- problems ----


class Problem:
    """INSTANCE words, options that select the family, and possible questions."""

    def __init__(self, words, options=(), policies=(), rational=True):
        self.words = list(words)
        self.options = list(options)
        self.policies = list(policies)
        self.rational = rational

    def line(self, *more):
        return [*more, *self.options, *self.words]

    def with_words(self, words):
        return type(self)(words, self.options, self.policies, self.rational)

    def is_coupled(self):
        return bool({"--workers-prior", "--arrival-rate", "--batch", "--deadline"} & set(self.options))

    def has_bounds(self):
        return True

    def __str__(self):
        return " ".join(self.line())


class Features(Problem):
    """The words are rows of a table; a file is made from it."""

    def line(self, *more):
        if not hasattr(self, "file"):
            count = self.words[0].count("\t") - 1
            self.file = tempfile.NamedTemporaryFile("w", suffix=".tsv")
            head = "\t".join([f"x{i}" for i in range(count)] + ["positive", "negative"])
            print(head, *self.words, sep="\n", file=self.file, flush=True)
        return [*more, *self.options, "--features", self.file.name]

    def is_coupled(self):
        return True

    def has_bounds(self):
        return False

    def __str__(self):
        return f"{self.line()} with the rows {self.words}"


def parameter(draw):
    return draw.choice(["1", "1", "1", "2", "3", "4", "0.5", "2.5", "7"])


def beta(draw, plain=False):
    word = f"{parameter(draw)},{parameter(draw)}"
    if not plain and draw.random() < 0.3:
        word += "@" + draw.choice(["0.3", "0.7", "0.25", "0.9"])
    copies = draw.choice([1, 1, 2, 3, 5])
    return word if copies == 1 else f"{copies}x{word}"


def instance(draw):
    shape = draw.random()
    if shape < 0.75:
        return beta(draw)
    if shape < 0.87:
        return ",".join(draw.choice(["1", "2", "3"]) for _ in range(draw.choice([3, 4])))
    return "0.5:%s,%s+0.5:%s,%s" % tuple(parameter(draw) for _ in range(4))


INDEPENDENT = "uniform kg opt-kg pess-kg gittins-fh gittins-inf kg-star lookahead:1 rollout:kg".split()


def independent(draw):
    words = [instance(draw) for _ in range(draw.choice([1, 2, 2, 3]))]
    options = ["-T", str(draw.randrange(0, 9))]
    bandit = draw.random() < 0.2 and not any(word.count(",") > 1 or "@" in word for word in words)
    if bandit:
        options += ["--problem", "bandit"]
    policies = draw.sample(INDEPENDENT, 3)
    if any("." in word.split("@")[0] for word in words):
        return Problem(words, options, policies, rational=False)
    return Problem(words, options, policies)


def delayed(draw):
    options = ["--arrivals", str(draw.randrange(0, 6))]
    options += ["--arrival-rate", draw.choice(["1", "2", "0.5"])]
    options += ["--service-rate", draw.choice(["1", "0.5", "3"])]
    words = [beta(draw, plain=True) for _ in range(draw.choice([1, 2]))]
    return Problem(words, options, ["uniform", "kg", "opt-kg"], rational=False)


def batch(draw):
    options = ["-T", str(draw.randrange(0, 8)), "--batch", str(draw.randrange(1, 5))]
    words = [beta(draw, plain=draw.random() < 0.7) for _ in range(draw.choice([1, 2]))]
    return Problem(words, options, ["uniform", "kg", "opt-kg"], rational=False)


def deadline(draw):
    options = ["-T", str(draw.randrange(0, 5)), "--deadline", str(draw.randrange(1, 6))]
    options += ["--slot-arrivals", draw.choice(["1", "0.5", "0.2", "0.3,0.2", "0,0.5,0.1"])]
    options += ["--slot-service", draw.choice(["1", "2", "3", "1,0.5", "2,0.4"])]
    options += draw.choice([[], [], ["--turn-away"], ["--late-labels"]])
    words = [beta(draw, plain=draw.random() < 0.7) for _ in range(draw.choice([1, 2]))]
    return Problem(words, options, ["uniform", "kg", "opt-kg"], rational=not any("." in w.split("@")[0] for w in words))


def workers(draw):
    options = ["-T", str(draw.randrange(0, 6))]
    for _ in range(draw.choice([1, 2])):
        options += ["--workers-prior", draw.choice(["4,1", "2,1", "2x3,1", "1,1", "3,1/1,2", "0.5*3,1+0.5*1,2"])]
    if draw.random() < 0.3:
        options.append("--once")
    words = [draw.choice(["1,1", "2x1,1", "2,1"]) for _ in range(draw.choice([1, 2]))]
    return Problem(words, options, ["uniform", "kg", "opt-kg"])


def features(draw):
    options = ["-T", str(draw.randrange(0, 4))]
    if draw.random() < 0.5:
        options += ["--weight-mean", draw.choice(["0", "0.5", "-1"]), "--weight-sd", draw.choice(["1", "0.5", "2"])]
    count = draw.choice([1, 2])
    rows = ["\t".join([draw.choice(["1", "0", "-1", "0.5", "2"]) for _ in range(count)] +
                      [draw.choice(["0", "0", "1", "2"]) for _ in range(2)])
            for _ in range(draw.choice([1, 2, 3]))]
    policies = draw.sample(["uniform", "kg", "opt-kg", "kg-exact", "opt-kg-exact"], 3)
    return Features(rows, options, policies, rational=False)


def any_problem(draw):
    return draw.choices([independent, delayed, batch, workers, features], [6, 2, 2, 2, 2])[0](draw)


# ---- answers that must agree ----


def near(x, y, error):
    return abs(x - y) <= error + 4 * UNIT * max(1.0, abs(x), abs(y))


def check_compare(problem):
    """Policies below the optimum, the optimum below every bound."""
    found = document("compare", *problem.line("--ties", "random,best,worst",
                                              "--policies", ",".join(problem.policies)))
    optimal = found["optimal"]
    value, error = optimal["value"], optimal["error_bound"]
    for name, bound in found["bounds"].items() if problem.has_bounds() else ():
        assert value - error <= bound["value"] + 4 * UNIT * value, (name, bound, optimal)
    for policy in found["policies"]:
        assert policy["status"] == "ok", policy
        assert policy["value"] - policy["error_bound"] <= value + error, (policy, optimal)
        # Labels never hurt a policy that decides by the exact posterior.
        if policy["called_value"] is None:
            assert near(max(policy["gain"], 0), policy["gain"], policy["error_bound"]), policy
    for best, worst in zip(found["policies"][1::3], found["policies"][2::3]):
        assert worst["value"] <= best["value"] + best["error_bound"] + worst["error_bound"]
    return found


def check_solve(problem, compared):
    """The same value for any threads and memory; within the errors, for any engine and arithmetic."""
    optimal = compared["optimal"]
    for more in (["--threads", "1"], ["--threads", "2"], ["--threads", "4"], ["--memory", "64M"]):
        again = document("solve", *problem.line(*more))["optimal"]
        assert again["value"] == optimal["value"], (more, again, optimal)
    if not problem.is_coupled():
        for engine in ("recursion", "blocks"):
            again = document("solve", *problem.line("--engine", engine))["optimal"]
            assert again["engine"] == engine, again
            error = again["error_bound"] + optimal["error_bound"]
            assert abs(again["value"] - optimal["value"]) <= error, (again, optimal)
    if problem.rational:
        exact = document("solve", *problem.line("--arithmetic", "exact"))["optimal"]
        off = abs(Fraction(exact["value_exact"]) - Fraction(optimal["value"]))
        assert off <= Fraction(optimal["error_bound"]), (exact, optimal)


def check_model(problem, compared):
    """The exported file for a model checker has the same optimum."""
    optimal = compared["optimal"]
    if optimal["gain"] == 0 or int(problem.options[1]) > 6:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/model.drn"
        document("solve", *problem.line("--export-model", path))
        value = test_model_file.value_of(test_model_file.read_drn(path, float))
    assert abs(value - optimal["value"]) <= optimal["error_bound"] + 1e-13, (value, optimal)


def check_query(problem, compared):
    """The largest Q is the optimal policy's gain."""
    if problem.options[1] == "0":
        return
    found = document("query", *problem.line())
    acts = found.get("instances") or found.get("actions")
    gain, error = compared["optimal"]["gain"], compared["optimal"]["error_bound"]
    best = max(acts, key=lambda act: act["q"])
    assert near(best["q"], gain, error + best["error_bound"]), (best, compared["optimal"])
    assert near(found["q"], best["q"], 0), found
    assert best["optimal"], found
    for act in acts:
        assert act["optimal"] or act["q"] <= best["q"], act


def check_bound(problem, compared):
    """The same bounds as those that compare prints."""
    found = document("bound", *problem.line())
    assert found["bounds"].keys() == compared["bounds"].keys(), found
    for name, bound in found["bounds"].items():
        assert bound["value"] == compared["bounds"][name]["value"], name


def estimates(policy, calls):
    """(mean, standard error) by the final posteriors and by the truth, of `calls` calls."""
    found = [(one["mean"], one["standard_error"]) for one in (policy, policy.get("paid")) if one]
    if policy.get("accuracy") is not None and calls > 0:
        found.append((policy["accuracy"] * calls, policy["accuracy_standard_error"] * calls))
    return found


def check_runs(found, compared):
    """Means within five and a half standard errors of the exact values."""
    exact = {p["name"]: p["value"] for p in compared["policies"] if p["ties"] == "random"}
    problem = found["problem"]
    calls = sum(one["count"] for one in problem["instances"]) if problem.get("objective") == "calls" else 0
    for policy in found["policies"]:
        value = exact[policy["name"]]
        # A mean of few different numbers: values that never occur in the runs are not in their spread.
        rare = 12.0 / found["runs"] * max(1, abs(value)) + found["rounding"]
        for mean, error in estimates(policy, calls):
            assert abs(mean - value) <= 5.5 * error + rare, (policy, value)


def check_simulate(problem, compared):
    check_runs(document("simulate", *problem.line("--runs", "400", "--policies", ",".join(problem.policies))), compared)


def has_runs(problem):
    return problem.has_bounds() and not {"--workers-prior", "--problem", "--batch"} & set(problem.options)


def check_problem(problem):
    compared = check_compare(problem)
    check_solve(problem, compared)
    check_model(problem, compared)
    check_query(problem, compared)
    if problem.has_bounds():
        check_bound(problem, compared)
    if has_runs(problem):
        check_simulate(problem, compared)


def fails(check, case):
    try:
        check(case)
    except (AssertionError, ValueError, KeyError, subprocess.TimeoutExpired) as reason:
        return reason
    return None


def shrunk(problem):
    """Fewer instances while it still fails."""
    at = 0
    while len(problem.words) > 1 and at < len(problem.words):
        rest = problem.words[:at] + problem.words[at + 1 :]
        smaller = problem.with_words(rest)
        if fails(check_problem, smaller):
            problem = smaller
        else:
            at += 1
    return problem


# ---- any options of a family ----

CHANCES = ["0.9", "0.8", "0.7", "0.6", "0.55", "0.3", "0.5", "0.95"]

# Legal values of every option of `compare` that changes what is asked; [None]: a switch.
VALUES = {
    "-T": ["0", "1", "2", "3", "4"], "--ties": ["random", "first", "best", "worst"], "--arithmetic": ["exact"],
    "--engine": ["recursion", "blocks"], "--joint-end": ["1", "2"], "--explain": [None], "--assume": ["1,1", "2,1"],
    "--truth": ["prior", "beta:2,1"], "--reach": ["0.6", "0.9"],
    "--tie-tolerance": ["0", "1e-9"], "--runs": ["0", "50"], "--seed": ["2"], "--threads": ["1", "2"],
    "--payoff": ["1,0,0,2", "2,-1,-1,1", "1,-2,0,1", "1,0,0,1,0.6", "1,0,0,1,0.75", "brier", "squared"], "--price": ["0.01", "0.1", "0.25"],
    "--arrival-rate": ["1", "0.5"], "--service-rate": ["1", "3"], "--arrivals": ["0", "2", "4"], "--batch": ["1", "2", "3"],
    "--deadline": ["1", "3", "5"], "--slot-arrivals": ["1", "0.5", "0.3,0.2"], "--slot-service": ["1", "2", "2,0.4"],
    "--turn-away": [None], "--late-labels": [None], "--workers-prior": ["4,1", "2x3,1", "1,1", "3,1/1,2"], "--once": [None],
    "--weight-mean": ["0.5", "-1"], "--weight-sd": ["0.5", "2"], "--source": ["a:1:0.7", "b:2:0.9:2", "c:1:3,1"],
    "--explore": ["0.3,0.3", "2,1"], "--accuracy-prior": ["orders", "beta:2,1"], "--cost": ["0.1", "1"], "--max-histories": ["16777216"], "--cost-weight": ["0.01", "0.1", "0.25"],
    "--votes": ["majority", "weighted", "weighted:0.1", "weighted:0.5", "weighted:2"],
    "--sets": ["all", "odd", "all,nobody", "odd,nobody"],
    "--accuracies": ["0.9,0.6", "0.9,0.6;0.6,0.8"],
}
ELSEWHERE = {  # policies, files, limits and shapes of the output
    "--budget", "--policy", "--policies", "--max-answer-time", "--problem", "--memory", "--time-limit", "--max-policy-states",
    "--max-states", "--max-index-time", "--checkpoint", "--checkpoint-every", "--scratch", "--features", "--weight-covariance",
    "--regret-on", "--process", "--columns", "--encoding", "--quiet", "--json", "--no-times", "--csv", "--latex", "--help", "--help-all"}
ANY = ["--ties", "--arithmetic", "--engine", "--joint-end", "--explain", "--assume", "--truth", "--reach",
       "--tie-tolerance", "--runs", "--seed", "--threads"]
# Options that select a family, those that it needs, and those that it supports.
FAMILIES = {
    "calls": ([], ["-T"], ["--payoff"]),
    "bandit": (["--problem", "bandit"], ["-T"], []),
    "priced": ([], ["-T", "--price"], ["--payoff"]),
    "delayed": ([], ["--arrivals", "--arrival-rate", "--service-rate"], ["--payoff"]),
    "batch": ([], ["-T", "--batch"], ["--payoff"]),
    "deadline": ([], ["-T", "--deadline"], ["--slot-arrivals", "--slot-service", "--turn-away", "--late-labels"]),
    "workers": ([], ["-T", "--workers-prior"], ["--once"]),
    "features": ([], ["-T"], ["--weight-mean", "--weight-sd"]),
    "sources": ([], ["-T", "--source"], ["--source"]),
    "ranking": (["--problem", "ranking"], ["-T"], ["--workers-prior"]),
    "labelers": (["--problem", "labelers"], ["-T"],
                 ["--explore", "--accuracy-prior", "--cost", "--cost-weight", "--votes", "--votes", "--sets"]),
    "assignment": (["--problem", "assignment"], ["-T", "--accuracies"], ["--max-histories"]),
}


def any_instance(draw, family):
    """Of calls, any kind of instance, some with a payoff of their own."""
    if family in ("calls", "priced") and draw.random() < 0.5:
        payoff = draw.choice(["=1,-2,0,1", "=2,-1,-1,1", "=1,0,0,1,0.75", "=brier", "=squared"])
        return draw.choice([instance(draw), beta(draw) + payoff])
    return beta(draw, plain=family in ("bandit", "workers"))


def family_problem(draw, family):
    head, needed, free = FAMILIES[family]
    names = needed + draw.sample(free, draw.randrange(0, min(3, len(free)) + 1))
    names += draw.sample(ANY, draw.choice([0, 0, 1, 1, 2]))
    options = [word for name in names for word in (name, draw.choice(VALUES[name])) if word is not None]
    if family == "features":
        rows = ["\t".join(draw.choice(["1", "0", "-1", "2"]) for _ in range(2)) + "\t0\t0" for _ in range(2)]
        return Features(rows, head + options)
    count = draw.choice([1, 2, 3])
    words = {"ranking": lambda: ["3x1"], "assignment": lambda: [f"{count}x1"],
             "labelers": lambda: [draw.choice(CHANCES) for _ in range(count + 1)],
             "sources": lambda: [beta(draw, plain=True)], "delayed": lambda: [beta(draw, plain=True)]}
    usual = lambda: [any_instance(draw, family) for _ in range(min(count, 2))]
    return Problem(words.get(family, usual)(), head + options)


def check_order(problem):
    """Policies, optimum and bounds are in order, or the command is refused. Returns the status."""
    done = run_for_bytes([*problem.line("compare"), "--time-limit", "20", "--json"])
    assert done.returncode in (0, 2, 3), (done.returncode, done.stderr)
    if done.returncode != 0:
        return done.returncode
    found = json.loads(done.stdout)
    optimal = found.get("optimal") or {}
    if optimal.get("value") is None or "policies" not in found:
        return 0
    low, high = optimal["value"] - optimal["error_bound"], optimal["value"] + optimal["error_bound"]
    for name, bound in (found.get("bounds") or {}).items():
        if bound and bound["value"] is not None:
            assert low <= bound["value"] + 4 * UNIT * abs(low), (name, bound, optimal)
            if bound["converged"]:
                assert 0 <= bound["error_bound"] <= 1e-6 * max(abs(bound["value"]), 1), (name, bound)
    for policy in found["policies"]:
        if policy.get("status") == "ok" and policy["name"] not in ("ls-ol", "ls-ol-weighted", "bayes-vote"):
            assert policy["value"] - policy["error_bound"] <= high + 4 * UNIT * abs(high), (policy, optimal)
    if not set(ANY) & set(problem.options):
        check_tree(problem, found)
        check_any_runs(problem, found)
    return 0


def check_tree(problem, compared):
    """What a policy loses in a tree, state by state, is its gap; or the tree is refused."""
    optimal = compared["optimal"]
    policy = random.Random(str(problem)).choice(compared["policies"])
    done = run_for_bytes([*problem.line("tree"), "--against", policy["name"], "--states", "100000", "--json"])
    assert done.returncode in (0, 2), (policy["name"], done)
    if done.returncode == 0:
        lost, error = json.loads(done.stdout)["lost"], optimal["error_bound"] + policy["error_bound"]
        assert near(lost, optimal["value"] - policy["value"], error + 1e-12), (policy, lost)


def check_any_runs(problem, compared):
    """The means of runs, where policies can be simulated."""
    names = [policy["name"] for policy in compared["policies"]]
    done = run_for_bytes([*problem.line("simulate"), "--runs", "200", "--policies", ",".join(names), "--json"])
    assert done.returncode in (0, 2), done
    if done.returncode == 0:
        check_runs(json.loads(done.stdout), compared)


# ---- any command line ----


def option_rows():
    """{command: {option: [example values]}}, None for a switch, from bash's completion."""
    text = run_for_bytes(["completion", "bash"]).stdout.decode()
    rows = {}
    for block in re.split(r"\n    1:", text)[1:]:
        command = block.split(")", 1)[0]
        values = {}
        for names, words in re.findall(r"\n        (--[^)]*)\)\s*(?:words='([^']*)')?", block):
            for name in names.split(" | "):
                values[name] = words.split()
        listed = re.search(r"\*\) words='([^']*)'", block)
        for name in listed.group(1).split() if listed else ():
            values.setdefault(name, None)
        rows[command] = values
    return rows


GARBAGE = ["", "0", "-1", "1", "3", "0.5", "1e999", "nan", "99999999999999999999", "1,1", "2x1,1", "x", "1,", ",",
           "1:1", "0x1,1", "1,1@2", "/", ".", "no-such-file", "--", "-", "\t", "\u00e9", "\udcff", "%s%n", "1,1,1",
           "prior", "beta:1,1", "1M", "10x1,1", "kg", "kg,kg", "lookahead:", "lookahead:99", "cvar-kg:2", "table:"]
NEVER = {"--help", "--help-all", "--version", "--max-answer-time"}


def value_for(draw, examples):
    if examples and draw.random() < 0.7:
        return draw.choice(examples)
    return draw.choice(GARBAGE)


def any_line(draw, rows):
    command = draw.choice(sorted(set(rows) - {"play", "completion", "report", "help"}))
    options = rows[command]
    words = [command]
    if "-T" in options and draw.random() < 0.8:
        words += ["-T", str(draw.randrange(0, 6))]
    if "--time-limit" in options:
        words += ["--time-limit", "5"]
    free = sorted(set(options) - NEVER - {"-T", "--time-limit"})
    for name in draw.sample(free, min(len(free), draw.randrange(0, 4))):
        words.append(name)
        if options[name] is not None:
            words.append(value_for(draw, options[name]))
    for _ in range(draw.randrange(0, 3)):
        words.append(instance(draw) if draw.random() < 0.8 else draw.choice(GARBAGE))
    return [word for word in words if "\0" not in word]


def check_line(words):
    with tempfile.TemporaryDirectory() as folder:
        done = run_for_bytes(words, folder)
        assert done.returncode in STATUSES, (done.returncode, done.stderr)
        if done.returncode == 2:
            assert done.stdout == b"", done.stdout
            assert re.fullmatch(rb"optgap: [^\n]+\n", done.stderr), done.stderr
            assert not [f for f in os.listdir(folder) if f.endswith(".part")], os.listdir(folder)
        elif "--json" in words and done.returncode == 0:
            json.loads(done.stdout)


def shrunk_line(words, check=check_line):
    """Removes options, values and instances while the command still fails; pairs of words first."""
    for count in (2, 1):
        at = 1
        while at + count <= len(words):
            rest = words[:at] + words[at + count :]
            if fails(check, rest):
                words = rest
            else:
                at += 1
    return words


# ---- the tests ----


class ModelTest(unittest.TestCase):
    def test_answers_about_a_problem_agree(self):
        print(f"\nCases: {math.ceil(12 * SCALE)}", file=sys.stderr)
        for case in range(math.ceil(12 * SCALE)):
            problem = any_problem(random.Random(f"problem {SEED} {case}"))
            if fails(check_problem, problem):
                problem = shrunk(problem)
                self.fail(f"seed {SEED}, case {case}: {problem}: {fails(check_problem, problem)}")

    def test_no_options_of_a_family_make_it_contradict_itself(self):
        self.assertEqual(set(option_rows()["compare"]), set(VALUES) | ELSEWHERE)
        answered, cases = {family: 0 for family in FAMILIES}, math.ceil(8 * SCALE)
        print(f"\nCases: {cases} of {len(FAMILIES)} families", file=sys.stderr)
        for family, case in itertools.product(FAMILIES, range(cases)):
            problem = family_problem(random.Random(f"{family} {SEED} {case}"), family)
            try:
                answered[family] += check_order(problem) == 0
            except AssertionError as what:
                self.fail(f"seed {SEED}, case {case}: {problem}: {what}")
        self.assertGreater(3 * sum(answered.values()), cases * len(FAMILIES), answered)

    def test_what_fails_is_shrunk(self):
        def check(words):
            assert "--quiet" not in words or words[-2:] != ["-T", "5"]

        line = ["solve", "1,1", "--threads", "2", "--quiet", "2,1", "-T", "5"]
        self.assertEqual(shrunk_line(line, check), ["solve", "--quiet", "-T", "5"])

    def test_any_command_line_keeps_the_contract(self):
        rows = option_rows()
        self.assertIn("--ties", rows["compare"])
        self.assertGreater(len(rows), 12)
        print(f"\nCases: {math.ceil(200 * SCALE)}", file=sys.stderr)
        for case in range(math.ceil(200 * SCALE)):
            words = any_line(random.Random(f"line {SEED} {case}"), rows)
            if fails(check_line, words):
                words = shrunk_line(words)
                self.fail(f"seed {SEED}, case {case}: {words}: {fails(check_line, words)}")


if __name__ == "__main__":
    main()
