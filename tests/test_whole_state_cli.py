"""The program's policies that depend on the whole state or are only simulated.

    test_whole_state_cli.py PROGRAM [unittest option...]
"""

import sys
from fractions import Fraction
from functools import cache
from math import comb

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402

TIES = ["random", "first", "worst", "best"]

# 3x1,1 with 8 labels, under these tie rules
KNOWN = {
    "lookahead:1": ["31147/12960", "75/32", "75/32", "175/72"],
    "lookahead:2": ["15647/6480", "75/32", "75/32", "175/72"],
    "lookahead:3": ["18857/7776", "75/32", "75/32", "175/72"],
    "lookahead:8": ["175/72", "175/72", "175/72", "175/72"],
    "nlu": ["40769/17280", "907/384", "297/128", "343/144"],
    "rollout:uniform": ["5249/2160", "583/240", "583/240", "175/72"],
    "rollout:cvar-kg:0.5": ["175/72", "175/72", "175/72", "175/72"],
}


class Priced:
    """Literal values of policies for instances Beta(a, b) and labels that cost z: {policy: probabilities of acts}, in fractions."""

    def __init__(self, z):
        self.z = z
        self.best = cache(self.best)

    def gain(self, a, b, n):
        """Of n labels for the call of one instance."""
        def beta(x, y):
            return Fraction(1, (x + y - 1) * comb(x + y - 2, x - 1))

        worth = sum(comb(n, k) * beta(a + k, b + n - k) / beta(a, b) * right(a + k, b + n - k) for k in range(n + 1))
        return worth - right(a, b)

    def after(self, state, i, value):
        a, b = state[i]
        return sum(Fraction(x, a + b) * value(tuple(sorted(state[:i] + (next_,) + state[i + 1:])))
                   for x, next_ in ((a, (a + 1, b)), (b, (a, b + 1))))

    def best(self, state, left):
        now = sum(right(*at) for at in state)
        return max([now] + [self.after(state, i, lambda s: self.best(s, left - 1)) - self.z for i in range(len(state)) if left])

    def kg_star(self, state, left):
        index = [max(self.gain(*at, n) / n for n in range(1, left + 1)) for at in state]
        return [] if max(index) <= self.z else [i for i, x in enumerate(index) if x == max(index)]

    def lookahead(self, depth, state, left):
        depth = min(depth, left)
        q = [self.after(state, i, lambda s: self.best(s, depth - 1)) - self.z for i in range(len(state))]
        return [] if max(q) < sum(right(*at) for at in state) else [i for i, x in enumerate(q) if x == max(q)]

    def value(self, choose, state, left):
        acts = choose(state, left) if left else []
        if not acts:
            return sum(right(*at) for at in state)
        return sum(self.after(state, i, lambda s: self.value(choose, s, left - 1)) - self.z for i in acts) / len(acts)


def right(a, b):
    """The probability that the call of Beta(a, b) is right: of a fair coin's tosses, of which a + b - 1 are more than a - 1 heads."""
    low = Fraction(sum(comb(a + b - 1, k) for k in range(a)), 2 ** (a + b - 1))
    return max(low, 1 - low)


class Pieces:
    """A function of z that is a polynomial between neighbouring ends, [(end, coefficients after it)]; 0 before the first."""

    def __init__(self, parts):
        self.parts = parts

    def at(self, z):
        return next((poly for end, poly in reversed(self.parts) if end <= z), [])

    def times(self, other):
        ends = sorted({end for end, _ in self.parts} | {end for end, _ in other.parts})
        return Pieces([(end, multiplied(self.at(end), other.at(end))) for end in ends])


def multiplied(x, y):
    out = [Fraction(0)] * (len(x) + len(y) - 1 if x and y else 0)
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            out[i + j] += a * b
    return out


def power(poly, n):
    return multiplied(power(poly, n - 1), poly) if n else [Fraction(1)]


def added(*polys):
    return [sum((poly[i] for poly in polys if i < len(poly)), Fraction(0)) for i in range(max(map(len, polys)))]


def numbers_of(a, b):
    """R1 and R2 of Beta(a,b) at the threshold 1/2."""
    def call(a, b):
        n = a + b - 1
        right = Fraction(sum(comb(n, j) for j in range(a)), 2 ** n)
        return max(right, 1 - right)
    return call(a + 1, b) - call(a, b), call(a, b + 1) - call(a, b)


def distribution(a, b):
    """F and f of t R1 + (1 - t) R2, t from Beta(a,b): a polynomial between R1 and R2, 1 above."""
    r1, r2 = numbers_of(a, b)
    t = [-r2 / (r1 - r2), 1 / (r1 - r2)]
    rest, n = added([Fraction(1)], [-c for c in t]), a + b - 1
    below = added(*([comb(n, j) * c for c in multiplied(power(t, j), power(rest, n - j))] for j in range(a, n + 1)))
    density = [a * comb(n, a) * abs(t[1]) * c for c in multiplied(power(t, a - 1), power(rest, b - 1))]
    if r1 < r2:
        below = added([Fraction(1)], [-c for c in below])
    low, high = min(r1, r2), max(r1, r2)
    return Pieces([(low, below), (high, [Fraction(1)])]), Pieces([(low, density), (high, [])])


def integral(pieces, start):
    total = Fraction(0)
    ends = [end for end, _ in pieces.parts]
    for (end, poly), after in zip(pieces.parts, ends[1:]):
        low, high = max(end, start), max(after, start)
        total += sum(c * (high ** (i + 1) - low ** (i + 1)) / (i + 1) for i, c in enumerate(poly))
    return total


def one_minus(pieces, start):
    return Pieces([(start, [Fraction(1)])] + [(end, added([Fraction(1)], [-c for c in poly])) for end, poly in pieces.parts])


@cache
def top_two(state):
    """Half of P(at most one other is larger), of each of several instances, from the definition; in balance R1 = R2."""
    moving = [i for i, (a, b) in enumerate(state) if numbers_of(a, b)[0] != numbers_of(a, b)[1]]
    still = {i: numbers_of(*x)[0] for i, x in enumerate(state) if i not in moving}
    law = {i: distribution(*state[i]) for i in moving}
    start = min([end for i in moving for end, _ in law[i][0].parts] + list(still.values())) - 1

    def chance(i, z, most):
        """P(at most MOST of the others are above z), instances in balance aside, as pieces or at a number z."""
        others, out = [k for k in moving if k != i], []
        for up in [()] + ([(k,) for k in others] if most else []):
            product = Pieces([(start, [Fraction(1)])])
            for k in others:
                product = product.times(one_minus(law[k][0], start) if k in up else law[k][0])
            out.append(product)
        if z is None:
            return out
        return sum(c * z ** n for part in out for n, c in enumerate(part.at(z)))

    weight = []
    for i in range(len(state)):
        total = Fraction(0)
        if i in still:
            above = sum(z > still[i] for k, z in still.items() if k != i)
            equal = sum(z == still[i] for k, z in still.items())
            for place in range(equal):  # among those that tie
                if above + place <= 1:
                    total += chance(i, still[i], 1 - above - place) / equal
        else:
            heights = sorted(still.values(), reverse=True)
            for free, (low, high) in enumerate(zip([*heights, start], [None, *heights])):  # so many above it
                if free <= 1:
                    for part in chance(i, None, 1 - free):
                        whole = part.times(law[i][1])
                        total += integral(whole, low) - (integral(whole, high) if high is not None else 0)
        weight.append(total / 2)
    return weight


@cache
def value_of_top_two(state, left):
    if left == 0:
        return Fraction(0)
    total = Fraction(0)
    for i, (chosen, (a, b)) in enumerate(zip(top_two(state), state)):
        r1, r2 = numbers_of(a, b)
        p, rest = Fraction(a, a + b), state[:i] + state[i + 1:]
        total += chosen * (p * (r1 + value_of_top_two(tuple(sorted((*rest, (a + 1, b)))), left - 1))
                           + (1 - p) * (r2 + value_of_top_two(tuple(sorted((*rest, (a, b + 1)))), left - 1)))
    return total


class TopTwoTest(Case):
    def test_weights_are_the_integrals(self):
        for budget, instances in ((4, [(1, 1)] * 3), (3, [(2, 1), (1, 1), (3, 2)]), (3, [(2, 1)] * 3), (2, [(1, 2), (2, 2), (2, 2), (4, 2)]),
                                  (4, [(3, 1), (1, 3)])):
            words = [f"{a},{b}" for a, b in instances]
            row, = self.document("compare", "-T", str(budget), "--policy", "top-two", *words)["policies"]
            call = sum(Fraction(sum(comb(a + b - 1, j) for j in range(max(a, b))), 2 ** (a + b - 1)) for a, b in instances)
            expected = call + value_of_top_two(tuple(sorted(instances)), budget)
            self.assertEqual(sum(top_two(tuple(instances))), 1)
            self.assertAlmostEqual(row["value"], float(expected), delta=1e-12, msg=words)

    def test_what_it_does_not_support(self):
        for word in "0.5,1", "1,1,1", "0.5:1,1+0.5:2,1":
            self.assert_refused(["compare", "-T", "2", "--policy", "top-two", word], "supports only priors A,B with whole A and B")
        self.assert_refused(["query", "-T", "3", "--policy", "top-two", "1000x1,1"], "priors and labels that sum to at most 1000")


class ThresholdTest(Case):
    def test_losses_are_those_of_a_table_made_apart(self):
        """In percent of the gain at 10x1,1, T = 30, to the digits of that table."""
        known = {"apt": 3.63, "lsa:0.05": 6.3, "lsa": 1.48, "lsa:1.35": 1.48, "lsa:5": 0.43, "lsa:20": 2.3, "opt-kg": 0.065}
        found = self.document("compare", "-T", "30", "--policies", ",".join(known), "10x1,1")
        for row in found["policies"]:
            digits = len(str(known[row["name"]]).split(".")[1])
            self.assertEqual(round(row["gain_lost_percent"], digits), known[row["name"]], row["name"])

    def test_with_a_price_all_labels_are_used(self):
        for policy in "entropy", "least-confidence", "apt", "lsa", "top-two":
            words = ["-T", "4", "--price", "0.03", "2,1", "1,1", "3,1"]
            same, rule = self.document("compare", *words, "--policies", f"{policy},fixed:100:{policy}")["policies"]
            self.assertAlmostEqual(same["value"], rule["value"], 12)
            played, = self.document("simulate", *words, "--policies", policy, "--runs", "2000")["policies"]
            self.assertLess(abs(played["mean"] - same["value"]), 5 * played["standard_error"])
            done = run("compare", *words, "--explain", "--ties", "best", "--policy", policy)
            self.assertIn("has no values in single states", " ".join(done.stdout.split()))

    def test_no_history(self):
        for policy in "apt", "lsa:2":
            self.assert_refused(["query", "-T", "4", "--history", "1+", "--policy", policy, "1,1"], "depends on all labels since the start")


class PricedTest(Case):
    def test_values_are_the_literal_ones(self):
        """Also at prices that equal an index: kg-star stops there, lookahead does not."""
        for price, words, state in (("0.02", ["2,1", "1,1"], ((1, 1), (2, 1))), ("0.125", ["2x1,1"], ((1, 1), (1, 1))),
                                    ("0.25", ["2x1,1"], ((1, 1), (1, 1))), ("0.03", ["3,3", "4,2", "1,2"], ((1, 2), (3, 3), (4, 2)))):
            literal = Priced(Fraction(price))
            policies = {"kg-star": literal.kg_star}
            for depth in (1, 2, 3):
                policies[f"lookahead:{depth}"] = lambda at, left, depth=depth: literal.lookahead(depth, at, left)
            rows = self.document("compare", "-T", "4", "--arithmetic", "exact", "--explain", "--price", price,
                                 "--policies", ",".join(policies), *words)["policies"]
            for row, (name, choose) in zip(rows, policies.items(), strict=True):
                self.assertEqual(row["name"], name)
                self.assertEqual(Fraction(row["value_exact"]), literal.value(choose, state, 4), (price, name))

    def test_a_long_look_ahead_is_optimal_and_hu_frazier_is_gittins_fh(self):
        rows = self.document("compare", "-T", "6", "--price", "0.015,0.03", "--payoff", "2,0,0,1",
                             "--policies", "lookahead:6,gittins-fh,hu-frazier", "2,1", "1,1")["policies"]
        self.assertEqual(rows[0]["gap"], 0)
        self.assertEqual(rows[1]["value"], rows[2]["value"])


class ValueTest(Case):
    def test_exact_values_are_the_known_ones(self):
        words = [word for name in KNOWN for word in ("--policy", name)]
        found = self.document("compare", "-T", "8", "--arithmetic", "exact", "--ties",
                              ",".join(TIES), *words, "3x1,1")
        for row in found["policies"]:
            expected = KNOWN[row["name"]][TIES.index(row["ties"])]
            self.assertEqual(row["value_exact"], expected, (row["name"], row["ties"]))
            self.assertEqual(Fraction(row["gap_exact"]), Fraction(175, 72) - Fraction(expected))

    def test_threads_do_not_change_a_bit(self):
        words = ["compare", "-T", "9", "--ties", ",".join(TIES), "--policies",
                 "lookahead:2,rollout:kg,nlu,rollout:lookahead:2", "3x1,1", "2,1@0.3"]
        one, many = (self.document(*words, "--threads", threads) for threads in ("1", "4"))
        self.assertEqual([row["value"] for row in one["policies"]],
                         [row["value"] for row in many["policies"]])

    def test_time_ends_the_solvers_inside(self):
        done = run("compare", "-T", "80", "--time-limit", "2", "--runs", "0", "--json", "--policy",
                   "lookahead:60", "30x1,1@0.3")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('"limit": "time limit"', done.stdout)

    def test_query_lists_all_that_tie(self):
        found = self.document("query", "-T", "5", "--policies",
                              "lookahead:1,lookahead:2,lookahead:3,rollout:kg,nlu", "3,1", "2,1",
                              "1,1")
        picks = found["policies"]
        self.assertEqual(picks["lookahead:1"], [2])
        # two labels ahead, the whole further gain comes from the third instance
        self.assertEqual(picks["lookahead:2"], [0, 1, 2])
        self.assertEqual(picks["lookahead:3"], [1, 2])
        self.assertEqual(picks["nlu"], [0, 1, 2])  # no labels are known of


class SimulatedTest(Case):
    def test_compare_marks_what_is_simulated(self):
        words = ["compare", "-T", "12", "--policies", "thompson,ucb1-tuned,opt-kg", "5x1,1"]
        found = self.document(*words, "--runs", "4000")
        thompson, ucb, opt_kg = found["policies"]
        self.assertFalse(opt_kg["simulated"])
        for row in (thompson, ucb):
            self.assertEqual((row["status"], row["simulated"], row["limit"]),
                             ("simulated", True, "it can only be simulated"))
            self.assertLess(row["low"], row["value"])
            self.assertLess(row["value"], row["high"])
            self.assertAlmostEqual(row["gap"], found["optimal"]["value"] - row["value"], 12)
            self.assertAlmostEqual(row["gap_error_bound"], (row["high"] - row["low"]) / 2, 9)
        self.assertLess(ucb["high"], thompson["low"])
        again = self.document(*words, "--runs", "4000", "--threads", "3")
        self.assertEqual([row["value"] for row in again["policies"]],
                         [row["value"] for row in found["policies"]])
        other = self.document(*words, "--runs", "4000", "--seed", "2")
        self.assertNotEqual(other["policies"][0]["value"], thompson["value"])
        table = run(*words).stdout
        self.assertRegex(table, r"thompson +random +~4\.0")

    def test_other_tie_rules_and_fractions_leave_it_out(self):
        found = self.document("compare", "-T", "4", "--policies", "thompson", "--ties",
                              "first,best,worst", "2x1,1")
        self.assertEqual([row["status"] for row in found["policies"]],
                         ["simulated", "limit", "limit"])
        found = self.document("compare", "-T", "4", "--policies", "thompson", "--arithmetic",
                              "exact", "2x1,1")
        self.assertEqual((found["policies"][0]["status"], found["policies"][0]["value"]),
                         ("limit", None))

    def test_commands_that_need_a_value_say_why_there_is_none(self):
        for words in (["query"], ["index"], ["compare"]):
            name = "rollout:thompson" if words == ["compare"] else "thompson"
            done = run(*words, "-T", "3", "--policy", name, "2,1")
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, "can only be simulated|is only simulated")


class RefusalTest(Case):
    def test_bad_parameters(self):
        for name, said in (("lookahead:0", "whole number from 1"), ("lookahead", "lookahead:D"),
                           ("lookahead:x", "whole number"), ("rollout", "rollout:NAME"),
                           ("rollout:kgg", "unknown policy 'kgg'"), ("nlu:2", "no parameter"),
                           ("rollout:ucb1-tuned", "only simulated")):
            self.assert_refused(["compare", "-T", "3", "--policy", name, "2,1"], said)

    def test_no_index(self):
        self.assert_refused(["index", "-T", "3", "--policy", "lookahead:2", "2,1"],
                            "looks at all instances together")

    def test_policies_are_listed(self):
        rows = {row["name"]: row for row in self.document("policies")["policies"]}
        for name, parameter, exactly in (("lookahead", "D", True), ("rollout", "NAME", True),
                                         ("nlu", "", True), ("thompson", "", False),
                                         ("ucb1-tuned", "", False)):
            self.assertEqual((rows[name]["parameter"], rows[name]["valued_exactly"]),
                             (parameter, exactly))


if __name__ == "__main__":
    main()
