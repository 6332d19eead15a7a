"""find: the smallest problem that violates a claim, compared with the definition in fractions.

    test_find_cli.py PROGRAM [unittest option...]
"""

import functools
import itertools
import json
import math
import pathlib
import random
import sys
import tempfile
from fractions import Fraction

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import SCALE, SEED, Case, main, run  # noqa: E402

HALF = Fraction(1, 2)


# ---- the definition: an instance is (a, b, threshold), a problem a tuple of them ----


FREE = 0, (1, 0, 0, 1)  # stakes: a label's price, and what calls are worth, a fifth that of none


@functools.lru_cache(maxsize=None)
def call(instance, payoff=FREE[1]):
    """The value of the better call: usually the probability that it is right."""
    a, b, d = instance
    n = a + b - 1
    positive = sum(math.comb(n, j) * d**j * (1 - d) ** (n - j) for j in range(a))
    return max(*(sum(w * p for w, p in zip(payoff[i:i + 2], (positive, 1 - positive))) for i in (0, 2)), *payoff[4:])


def after(instance):
    a, b, d = instance
    return (Fraction(a, a + b), (a + 1, b, d)), (Fraction(b, a + b), (a, b + 1, d))


def rewards(instance, payoff):
    return [call(new, payoff) - call(instance, payoff) for _, new in after(instance)]


INDEX = {
    "uniform": lambda instance, payoff: 0,
    "kg": lambda instance, payoff: sum(p * r for (p, _), r in zip(after(instance), rewards(instance, payoff))),
    "opt-kg": lambda instance, payoff: max(rewards(instance, payoff)),
    "pess-kg": lambda instance, payoff: min(rewards(instance, payoff)),
}


def calls(problem, stakes):
    return sum(call(instance, stakes[1]) for instance in problem)


def continued(problem, left, i, stakes, value):
    """The value of instance i's label and of `value` after it, less its price."""
    return sum(p * value((*problem[:i], new, *problem[i + 1:]), left - 1, stakes)
               for p, new in after(problem[i])) - stakes[0]


@functools.lru_cache(maxsize=None)
def optimal(problem, left, stakes=FREE):
    stop = calls(problem, stakes)
    if left == 0:
        return stop
    labels = max(continued(problem, left, i, stakes, optimal) for i in range(len(problem)))
    return max(labels, stop) if stakes[0] else labels


@functools.lru_cache(maxsize=None)
def value_of(policy, ties, problem, left, stakes=FREE):
    index = [INDEX[policy](instance, stakes[1]) for instance in problem]
    if left == 0 or (policy != "uniform" and stakes[0] and max(index) <= stakes[0]):
        return calls(problem, stakes)
    tied = [i for i in range(len(problem)) if index[i] == max(index)]
    tied = tied[:1] if ties == "first" else tied
    worth = [continued(problem, left, i, stakes, functools.partial(value_of, policy, ties)) for i in tied]
    return {"best": max, "worst": min}.get(ties, lambda all_of: sum(all_of) / len(all_of))(worth)


def loss_of(problem, left, policy, ties, against, claim, stakes=FREE):
    """(0, loss); or (1, loss) if a claim about a share of 0 fails."""
    own, none = value_of(policy, ties, problem, left, stakes), calls(problem, stakes)
    other = value_of(against, ties, problem, left, stakes) if against else optimal(problem, left, stakes)
    if claim is None:
        return 0, abs(other - own)
    own, other = (own, other) if claim.startswith("value") else (own - none, other - none)
    return (0, 1 - own / other) if other else (int(own < 0), -own)


def problems(instances, budget, parameter, thresholds):
    """All problems with their sizes, including mirror images and other orders of the instances."""
    every = [(a, b, d) for a in range(1, parameter + 1) for b in range(1, parameter + 1) for d in thresholds]
    for k in range(1, instances + 1):
        for problem in itertools.product(every, repeat=k):
            largest = max(max(a, b) for a, b, _ in problem)
            for left in range(1, budget + 1):
                yield (k, left, largest, sum(a + b for a, b, _ in problem)), problem, left


def search(grid, worst, allowed, **words):
    """(size, loss) of the answer, and the number of problems with it; None if there is no answer."""
    best = None
    for size, problem, left in problems(*grid):
        if best is not None and not worst and size > best[0]:
            continue
        loss = loss_of(problem, left, **words)
        if loss > (0, allowed) and (best is None or (not worst and size < best[0]) or loss > best[1]):
            best = size, loss
    return best


def words_of(policy, grid, *options):
    instances, budget, parameter, thresholds = grid
    return ["find", policy, "--instances", str(instances), "-T", str(budget), "--parameter", str(parameter),
            "--thresholds", ",".join(str(float(d)) for d in thresholds), *options]


def read(instance):
    count, word = instance.split("x") if "x" in instance else ("1", instance)
    numbers, _, d = word.partition("@")
    a, b = numbers.split(",")
    return int(count) * ((int(a), int(b), Fraction(d or "0.5")),)


def problem_of(found):
    return sum(map(read, found["text"].split()), ())


class FindCase(Case):
    def found(self, *words):
        document = self.document(*words)
        self.assertTrue(document["search"]["complete"])
        self.assertIsNone(document["search"]["limit"])
        return document

    def without_sizes(self, document):
        """The parts that do not depend on the machine."""
        kept = {key: document.get(key) for key in ("search", "found", "problem")}
        kept["policies"] = [{key: row[key] for key in ("name", "ties", "value_exact", "gap_exact", "explain")}
                            for row in document.get("policies", [])]
        return kept


class AnswerTest(FindCase):
    def test_known_answers(self):
        for policy, text, budget, loss, smaller in (
            ("gittins-fh", "2,1 3,3", 2, "1/96", 108),
            ("opt-kg", "2,1 3,3", 2, "1/96", 108),
            ("kg", "2,1 3,1", 2, "1/32", 102),
            ("uniform", "1,1 2,1", 1, "1/8", 41),
        ):
            found = self.found("find", policy)
            about = found["found"]
            self.assertEqual((about["text"], about["budget"], about["loss_exact"], about["smaller"]),
                             (text, budget, loss, smaller), policy)
            (row,) = found["policies"]
            self.assertEqual(row["gap_exact"], loss)
            again = self.document("compare", "-T", str(budget), "--arithmetic", "exact", "--policy", policy,
                                  *text.split())
            self.assertEqual(again["policies"][0]["gap_exact"], loss)
            self.assertEqual(found["problem"], again["problem"])

    def test_it_tells_the_decision_that_loses(self):
        text = self.answer("find", "gittins-fh")
        self.assertIn("2,1 3,3: labels 3,3; optimal: 2,1", text)
        (row,) = self.found("find", "gittins-fh")["policies"]
        (made,) = row["explain"]["decisions"]
        ahead, behind = made["state"]
        self.assertEqual((ahead["text"], ahead["chosen"], ahead["optimal"]), ("2,1", 0, True))
        self.assertEqual((behind["text"], behind["chosen"], behind["optimal"]), ("3,3", 1, False))

    def check(self, policy, ties, grid, against=None, claim=None, worst=False, stakes=FREE):
        allowed = 1 - Fraction(claim.split(":")[1]) if claim else 0
        options = ["--ties", ties, *(["--against", against] if against else []),
                   *(["--claim", claim] if claim else []), *(["--worst"] if worst else []),
                   *(["--price", str(float(stakes[0]))] if stakes[0] else []),
                   *(["--payoff=" + ",".join(str(float(of)) for of in stakes[1])] if stakes[1] != FREE[1] else [])]
        best = search(grid, worst, allowed, policy=policy, ties=ties, against=against, claim=claim, stakes=stakes)
        found = self.found(*words_of(policy, grid, *options))
        about = (policy, grid, options)
        if best is None:
            self.assertIsNone(found["found"], about)
            self.assertEqual(found["search"]["settled"], found["search"]["problems"], about)
            return
        problem, left = problem_of(found["found"]), found["found"]["budget"]
        whole = claim is None or not found["found"]["loss_is_share"]
        self.assertEqual((int(claim is not None and whole), Fraction(found["found"]["loss_exact"])), best[1], about)
        self.assertEqual(loss_of(problem, left, policy, ties, against, claim, stakes), best[1], about)
        if not worst:
            largest = max(max(a, b) for a, b, _ in problem)
            self.assertEqual((len(problem), left, largest, sum(a + b for a, b, _ in problem)), best[0], about)

    def test_the_answer_is_that_of_the_definition(self):
        grid = (2, 3, 3, [HALF])
        for policy in INDEX:
            for ties in "random", "first", "best", "worst":
                self.check(policy, ties, grid)
        self.check("kg", "random", (3, 2, 2, [HALF]))
        self.check("opt-kg", "random", (1, 3, 3, [HALF, Fraction("0.3")]))
        self.check("opt-kg", "random", (2, 2, 2, [Fraction("0.3"), HALF, Fraction("0.7")]))
        self.check("kg", "first", (2, 2, 2, [Fraction("0.1"), Fraction("0.9")]))

    def test_claims_and_second_policies(self):
        grid = (2, 3, 3, [HALF])
        self.check("kg", "random", grid, against="opt-kg")
        self.check("opt-kg", "random", grid, against="opt-kg")
        self.check("opt-kg", "worst", grid, against="pess-kg", claim="value:1")
        self.check("uniform", "random", grid, claim="value:0.9")
        self.check("uniform", "random", grid, claim="gain:0.3")
        self.check("pess-kg", "random", grid, claim="gain:0.2")

    def test_prices_and_payoffs(self):
        grid, wide = (2, 3, 3, [HALF]), (2, 2, 2, [HALF, Fraction("0.3")])
        prices = [(Fraction(price), FREE[1]) for price in ("0.05", "0.02", "0.3")]
        for policy in INDEX:
            for stakes in prices:
                self.check(policy, "random", grid, stakes=stakes)
        for ties in "first", "best", "worst":
            self.check("opt-kg", ties, grid, stakes=prices[1])
        for stakes in ((0, (1, -2, 0, 1)), (0, (2, 0, 0, 1)), (Fraction("0.1"), (1, -2, 0, 1)), (0, (1, -2, -2, 1))):
            for policy in "kg", "opt-kg":
                self.check(policy, "random", wide, stakes=stakes)
        self.check("kg", "random", grid, stakes=prices[0], claim="gain:0.5")
        self.check("opt-kg", "random", grid, stakes=prices[0], worst=True)
        self.check("kg", "random", grid, stakes=prices[0], against="opt-kg")
        self.check("uniform", "random", wide, stakes=(0, (1, -2, 0, 1)), claim="value:0.9")

    def test_random_searches(self):
        """Checks every claim and supremum, and that no smaller problem violates the claim."""
        source = random.Random(SEED)
        grids = (1, 3, 3, 1), (1, 2, 3, 2), (2, 2, 2, 1), (2, 1, 2, 2), (3, 2, 1, 1), (2, 3, 1, 2)
        for _ in range(int(60 * SCALE)):
            *grid, count = source.choice(grids)
            grid.append([Fraction(d) for d in source.sample(("0.5", "0.3", "0.7", "0.25"), count)])
            price = Fraction(source.choice(("0", "0.01", "0.02", "0.05", "0.25")))
            payoff = source.choice((*3 * FREE[1:], (1, 0, 0, 1, 0.75), (1, -2, 0, 1), (2, 0, 0, 1), (1, -2, -2, 1, -0.5)))
            payoff = tuple(map(Fraction, payoff))
            against = source.choice((None, None, *INDEX))
            shared = [*[f"gain:{c}" for c in ("1", "0.9", "0.5", "0.1")],
                      *([f"value:{c}" for c in ("1", "0.95", "0.5")] if min(payoff) >= 0 else [])]
            claim = source.choice((None, *([] if against and price else shared)))
            self.check(source.choice(list(INDEX)), source.choice(("random", "first", "best", "worst")), grid,
                       against=against, claim=claim, worst=source.random() < 0.4, stakes=(price, payoff))

    def test_what_pays_where_nothing_is_gained_loses_more_than_any_share(self):
        for words, text, loss in (
            ("--instances 1 -T 2 --parameter 3 --price 0.01 --claim gain:0.5", "2,1", "1/100"),
            ("--instances 2 -T 3 --parameter 1 --payoff 1,0,0,1,0.75 --price 0.25 --claim gain:0.9",
             "1,1", "1/4"),
            ("--instances 1 -T 2 --parameter 3 --price 0.01 --claim gain:0.5 --thresholds 0.5,0.3 --worst",
             "2,1@0.3", "1/50"),
        ):
            found = self.found("find", "uniform", *words.split())
            about, (row,) = found["found"], found["policies"]
            self.assertEqual((about["text"], about["loss_exact"], about["loss_is_share"]), (text, loss, False))
            self.assertEqual((row["gap_exact"], row["gain_lost_percent"]), (loss, None))

    def test_a_label_that_tells_nothing_is_bought_by_hopes(self):
        """2,1 is called positive whatever one label says; opt-kg's index is 7/8 - 3/4."""
        found = self.found("find", "opt-kg", "--price", "0.05", "--instances", "1")
        self.assertEqual((found["found"]["text"], found["found"]["loss_exact"]), ("2,1", "1/20"))
        self.assertEqual((found["search"]["stakes"], found["problem"]["price"]), ("--price 0.05", 0.05))
        again = self.document("compare", "-T", "1", "--price", "0.05", "--arithmetic", "exact", "--policy", "opt-kg",
                              "2,1")
        self.assertEqual((again["policies"][0]["gap_exact"], again["problem"]), ("1/20", found["problem"]))

    def test_gittins_fh_loses_nothing_at_a_price_that_stops_it(self):
        """If only one instance can be labelled, its index is the largest price at which a label is bought."""
        found = self.found("find", "gittins-fh", "--price", "0.02", "--instances", "1", "-T", "6", "--thresholds",
                           "0.5,0.3")
        self.assertIsNone(found["found"])

    def test_the_mirror_image_of_a_payoff_is_another_problem(self):
        words = ["find", "kg", "--worst", "--instances", "1", "-T", "1", "--parameter", "2", "--payoff"]
        count = [self.found(*words, payoff)["search"]["settled"] for payoff in ("2,-1,-1,2", "2,-1,-1,1")]
        self.assertEqual(count, [3, 4])

    def test_the_worst_of_the_grid(self):
        grid = (2, 3, 3, [HALF])
        self.check("opt-kg", "random", grid, worst=True)
        self.check("uniform", "random", grid, worst=True, claim="gain:1")
        self.check("kg", "random", grid, worst=True, against="opt-kg")

    def test_each_problem_is_looked_at_once(self):
        """As many as classes of problems that are equal up to mirror images and order."""
        for thresholds in [HALF], [HALF, Fraction("0.3")], [Fraction("0.3"), HALF, Fraction("0.7")]:
            for ties, plain in ("random", sorted), ("first", list):
                seen = set()
                for size, problem, left in problems(2, 2, 3, thresholds):
                    images = [min((instance, (b, a, 1 - d)) if 1 - d in thresholds else (instance,))
                              for instance in problem for a, b, d in [instance]]
                    seen.add((left, tuple(plain(images))))
                found = self.found(*words_of("kg", (2, 2, 3, thresholds), "--worst", "--ties", ties))
                self.assertEqual(found["search"]["settled"], len(seen))
                self.assertEqual(found["search"]["problems"], len(seen))

    def test_own_policies_may_tell_mirror_images_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "index.tsv")
            table.write_text(self.answer("index", "--policy", "opt-kg", "-T", "4", "1,1"))
            words = ["--instances", "1", "-T", "2", "--parameter", "2"]
            own = self.found("find", f"table:{table}", *words)["search"]
            self.assertEqual((own["settled"], self.found("find", "opt-kg", *words)["search"]["settled"]), (8, 6))

    def test_mirror_images_are_alike_for_whom_they_are_said_to_be(self):
        plain = [row["name"] for row in self.document("policies")["policies"]
                 if row["valued_exactly"] and row["parameter"] in ("", "[:DELTA]", "[:N]")]
        grid = ["--instances", "1", "-T", "1", "--parameter", "2"]
        alike = []
        for name in [*plain, "cvar-kg:0.3", "lookahead:2", "rollout:kg"]:
            done = run("find", name, *grid, "--json")
            if done.returncode == 0 and json.loads(done.stdout)["search"]["problems"] == 3:
                alike.append(name)
        self.assertGreater(len(alike), 10)
        self.assertFalse({"nlu", "rollout:kg"} & set(alike))
        policies = [word for name in alike for word in ("--policy", name)]
        for one, mirrored in ((["1,1@0.3", "1,2@0.7"], ["1,1@0.7", "1,2@0.7"]), (["3,1", "2,2"], ["1,3", "2,2"]),
                              (["4,1@0.3", "3,3", "2,1@0.7"], ["1,4@0.7", "3,3", "2,1@0.7"])):
            rows, others = (self.document("compare", "-T", "4", "--arithmetic", "exact", "--ties",
                                          "random,first,best,worst", *policies, *words)["policies"]
                            for words in (one, mirrored))
            self.assertEqual([(row["name"], row["value_exact"]) for row in rows],
                             [(row["name"], row["value_exact"]) for row in others])

    def test_own_policies_that_are_programs(self):
        program = test_cli.SOURCE / "tools" / "examples" / "five-lines.py"
        words = ["--instances", "2", "-T", "1", "--parameter", "2"]
        found = self.found("find", f"command:python3 {program}", *words, "--tie-tolerance", "0")
        self.assertEqual((found["found"]["text"], found["found"]["loss_exact"]), ("1,1 2,2", "1/32"))
        other = self.found("find", "uniform", "--against", f"command:python3 {program}", *words)
        self.assertEqual((other["found"]["text"], other["found"]["loss_exact"]), ("1,1 2,1", "1/8"))

    def test_threads_change_nothing(self):
        words = ["find", "opt-kg", "--worst", "--instances", "2", "-T", "3"]
        one, three = (self.found(*words, "--threads", count) for count in ("1", "3"))
        self.assertEqual(self.without_sizes(one), self.without_sizes(three))

    def test_what_does_not_fit_into_a_share_of_the_memory_is_valued_alone(self):
        words = ["find", "kg", "--memory"]
        one, four = (self.found(*words, "3M", "--threads", count) for count in ("1", "4"))
        self.assertEqual(self.without_sizes(one), self.without_sizes(four))
        self.assertEqual(run(*words, "10K", "--threads", "1").returncode, 3)


def in_order(instances, budget, parameter):
    """The problems with threshold 1/2 in the order of the search (ties in any order), and their texts."""
    pairs = [(a, b) for a in range(1, parameter + 1) for b in range(1, a + 1)]
    pairs.sort(key=lambda pair: (max(pair), sum(pair), -pair[0]))
    for k in range(1, instances + 1):
        chosen = list(itertools.combinations_with_replacement(range(len(pairs)), k))
        chosen.sort(key=lambda of: (max(max(pairs[i]) for i in of), sum(sum(pairs[i]) for i in of), of))
        for left in range(1, budget + 1):
            for of in chosen:
                words = [(f"{len(list(same))}x", pairs[i]) for i, same in itertools.groupby(of)]
                text = " ".join((count if count != "1x" else "") + f"{a},{b}" for count, (a, b) in words)
                size = (k, left, max(max(pairs[i]) for i in of), sum(sum(pairs[i]) for i in of))
                yield size, tuple((*pairs[i], HALF) for i in of), left, f"-T {left} {text}"


class FileTest(FindCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "search"

    def write(self, settled, last, best, search, tolerance=0):
        self.file.write_text(f"optgap-search\t1\nsearch\t{search}\nsettled\t{settled}\nlast\t{last}\n"
                             f"best\t{best}\ntolerance\t{tolerance}\n")

    def rows(self):
        return dict(line.split("\t") for line in self.file.read_text().splitlines())

    def test_a_search_goes_on_from_any_place(self):
        listed = list(in_order(2, 2, 3))
        for options in [], ["--worst"], ["--claim", "gain:0.6"]:
            words = ["find", "kg", "--instances", "2", "-T", "2", "--parameter", "3", *options]
            claim = options[1] if "--claim" in options else None
            allowed = 1 - Fraction(claim.split(":")[1]) if claim else 0
            losses = [loss_of(problem, left, "kg", "random", None, claim) for _, problem, left, _ in listed]
            whole = self.found(*words)
            saved = [*words, "--checkpoint", str(self.file)]
            self.file.unlink(missing_ok=True)
            self.assertEqual(self.without_sizes(self.found(*saved)), self.without_sizes(whole))
            end = self.rows()
            self.assertEqual(end["last"], listed[int(end["settled"]) - 1][3])
            for settled in sorted({*range(0, int(end["settled"]), 11), int(end["settled"])}):
                against = [(loss, -number) for number, loss in enumerate(losses[:settled], 1) if loss > (0, allowed)]
                best = -max(against)[1] if against else 0
                self.write(settled, listed[settled - 1][3] if settled else "-", best, end["search"])
                self.assertEqual(self.without_sizes(self.found(*saved)), self.without_sizes(whole), settled)
                self.assertEqual(self.rows(), end)

    def test_a_limit_tells_how_far_it_is_exhaustive(self):
        words = ["find", "opt-kg", "--worst", "--instances", "8", "-T", "12", "--parameter", "8", "--json",
                 "--time-limit", "0.5", "--checkpoint", str(self.file)]
        settled = 0
        for _ in range(2):
            done = run(*words)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, r"\Aoptgap: the time limit of 0.5 s was reached: [^\n]+ "
                                          r"the same command continues from [^\n]+\n\Z")
            search = json.loads(done.stdout)["search"]
            self.assertFalse(search["complete"])
            self.assertIn("stopped", search["limit"])
            self.assertEqual(int(self.rows()["settled"]), search["settled"])
            self.assertGreaterEqual(search["settled"], settled)
            settled = search["settled"]

    def test_refuses_files_that_are_not_of_this_search(self):
        words = ["find", "kg", "--instances", "2", "-T", "1", "--parameter", "2", "--checkpoint", str(self.file)]
        self.answer(*words)
        good, end = self.file.read_text(), self.rows()
        search, settled, last = end["search"], int(end["settled"]), end["last"]
        for text, expected in (
            ("", "ends before 'optgap-search'"),
            ("task\tlabel\n", "optgap-search"),
            (good.replace("search\t1", "search\t2"), "version"),
            (good.replace("kg --ties", "opt-kg --ties"), "another search, opt-kg --ties"),
            (good.replace(f"settled\t{settled}", "settled\tmany"), "expected a whole number"),
            (good.replace(f"settled\t{settled}", f"settled\t{settled - 1}"), "is not '-T 1"),
            (good.replace(f"settled\t{settled}", "settled\t1000000"), "is not '-T 1"),
            (good.replace(last, "-T 1 3,3"), "is not '-T 1 3,3'"),
            (good.replace("best\t0", "best\t1"), "does not contradict the claim"),
            (good.replace("best\t0", "best\t99"), "must be at most 'settled'"),
            (good.replace("tolerance\t0\n", ""), "ends before 'tolerance'"),
            (good + "more\t1\n", "no more lines"),
        ):
            self.file.write_text(text)
            self.assert_refused(words, expected)
            self.assertEqual(self.file.read_text(), text)
        for other in (["--claim", "gain:0.9"], ["--against", "uniform"], ["--ties", "worst"], ["--worst"],
                      ["--thresholds", "0.5,0.4"], ["--price", "0.1"], ["--payoff", "1,0,0,2"]):
            self.file.write_text(good)
            self.assert_refused([*words, *other], "another search")
        self.assert_refused(["solve", "-T", "3", "1,1", "--checkpoint", str(self.file)], "it holds a search")
        self.assertIn(search, good)


class RefusalTest(Case):
    def test_refuses(self):
        for words, expected in (
            ([], "no POLICY is given"),
            (["no-such"], "no-such"),
            (["kg", "opt-kg"], "find takes one POLICY; omit 'opt-kg' (--against names a second one)"),
            (["kg", "--against", "opt-kg", "--against", "uniform"], "--against is given twice"),
            (["thompson"], "can only be simulated"),
            (["kg", "--against", "ucb1-tuned"], "can only be simulated"),
            (["akg"], "ranking"),
            (["kg", "--ties", "first,best"], "one tie rule"),
            (["kg", "--claim", "gain"], "value:C or gain:C"),
            (["kg", "--claim", "gain:0"], "value:C or gain:C"),
            (["kg", "--claim", "value:1.01"], "value:C or gain:C"),
            (["kg", "--thresholds", "0.5,1"], "--thresholds"),
            (["kg", "--thresholds", "0.5,"], "--thresholds"),
            (["kg", "--thresholds", "0.5,0.50"], "twice"),
            (["kg", "--instances", "0"], "--instances"),
            (["kg", "--instances", "13"], "--instances"),
            (["kg", "--parameter", "0"], "--parameter"),
            (["kg", "-T", "0"], "-T"),
            (["kg", "--price", "0"], "--price must be a decimal greater than 0"),
            (["kg", "--price", "0.1,0.2"], "--price must be a decimal"),
            (["kg", "--payoff", "1,2"], "--payoff must be"),
            (["kg", "--payoff", "0,1,0,1"], "--payoff"),
            (["nlu", "--price", "0.1"], "'nlu' does not support --price"),
            (["kg", "--against", "opt-kg", "--claim", "gain:0.5", "--price", "0.1"], "may be negative"),
            (["kg", "--claim", "value:0.5", "--payoff=-1,-2,-2,0"], "that may be negative"),
        ):
            self.assert_refused(["find", *words], expected)


if __name__ == "__main__":
    main()
