"""Labels with a deadline, through the program, against the definition written out in fractions.

    test_deadline_cli.py PROGRAM [unittest option...]
"""

import functools
import math
import random
import subprocess
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import PROGRAM, SCALE, SEED, Case, main, run  # noqa: E402


@functools.cache
def call(a, b, threshold):
    """max(P, 1 - P) for Beta(a, b), whole parameters; P as a binomial's tail."""
    n = a + b - 1
    p = sum(math.comb(n, j) * threshold**j * (1 - threshold)**(n - j) for j in range(a))
    return max(p, 1 - p)


class Definition:
    """An instance is (a, b, threshold, labels under way by their remaining phases, sorted). Instances keep their order,
    states are not merged, and values are computed instead of gains, for all labels of a slot at once."""

    def __init__(self, instances, labels, deadline, arrivals, phases, advance, turn_away, late):
        """`arrivals`: chances of exactly 0, 1, 2, ... workers in a slot."""
        self.root = tuple((a, b, threshold, ()) for a, b, threshold in instances)
        self.labels, self.deadline = labels, deadline
        self.arrivals, self.phases, self.advance = arrivals, phases, advance
        self.turn_away, self.late = turn_away, late

    def answered(self, state, i):
        """[(chance, state)] after a label of instance i has arrived."""
        a, b, threshold, way = state[i]
        for chance, now in (Fraction(a, a + b), (a + 1, b)), (Fraction(b, a + b), (a, b + 1)):
            yield chance, state[:i] + ((*now, threshold, way),) + state[i + 1:]

    def end_of_slot(self, state):
        """[(chance, state)] after all labels have moved independently."""
        found = [(Fraction(1), tuple((*x[:3], ()) for x in state))]
        for i, instance in enumerate(state):
            for phase in instance[3]:
                split = []
                for chance, now in found:
                    steps = [(self.advance, phase - 1), (1 - self.advance, phase)]
                    for part, to in steps:
                        if part == 0:
                            continue
                        if to == 0:
                            split += [(chance * part * p, after) for p, after in self.answered(now, i)]
                        else:
                            way = tuple(sorted((*now[i][3], to)))
                            split.append((chance * part, now[:i] + ((*now[i][:3], way),) + now[i + 1:]))
                found = split
        return found

    def final(self, state):
        for i, (a, b, threshold, way) in enumerate(state):
            if self.late and way:
                less = state[:i] + ((a, b, threshold, way[1:]),) + state[i + 1:]
                return sum(chance * self.final(after) for chance, after in self.answered(less, i))
        return sum(call(a, b, threshold) for a, b, threshold, _ in state)

    def value(self, slot, come, left, state, index, ties):
        """Before it is known if one more worker comes in this slot, 1 .. D + 1, in which so many have."""
        known = self.memory.get((slot, come, left, state))
        if known is None:
            known = self.memory[slot, come, left, state] = self.value_of(slot, come, left, state, index, ties)
        return known

    def after(self, slot, left, state, index, ties):
        return sum(chance * self.value(slot + 1, 0, left, now, index, ties) for chance, now in self.end_of_slot(state))

    def given(self, slot, come, left, state, i, index, ties):
        a, b, threshold, way = state[i]
        now = state[:i] + ((a, b, threshold, (*way, self.phases)),) + state[i + 1:]
        return self.value(slot, come + 1, left - 1, now, index, ties)

    def value_of(self, slot, come, left, state, index, ties):
        if slot > self.deadline:
            return self.final(state)
        so_many = sum(self.arrivals[come:])
        more = sum(self.arrivals[come + 1:]) / so_many if left > 0 else 0
        alone = self.after(slot, left, state, index, ties) if more < 1 else 0
        if more == 0:
            return alone
        if index is None:
            choices = [self.given(slot, come, left, state, i, index, ties) for i in range(len(state))]
            sent_away = [self.value(slot, come + 1, left, state, index, ties)] if self.turn_away else []
            served = max([*choices, *sent_away])
        else:
            of = [index(*instance[:3]) for instance in state]
            tied = [i for i, one in enumerate(of) if one == max(of)]
            choices = [self.given(slot, come, left, state, i, index, ties) for i in tied[:1 if ties == "first" else None]]
            served = {"best": max, "worst": min}.get(ties, lambda x: sum(x) / len(x))(choices)
        return more * served + (1 - more) * alone

    def solve(self, index=None, ties="random"):
        self.memory = {}
        return self.value(1, 0, self.labels, self.root, index, ties)

    def q(self):
        self.memory = {}
        prior = sum(call(*instance[:3]) for instance in self.root)
        found = [self.given(1, 0, self.labels, self.root, i, None, None) - prior for i in range(len(self.root))]
        return [*found, self.value(1, 1, self.labels, self.root, None, None) - prior] if self.turn_away else found

    def words(self):
        service = f"{self.phases},{float(self.advance)}" if self.advance < 1 else str(self.phases)
        arrival = ",".join(str(float(chance)) for chance in self.arrivals[1:])
        return ["-T", str(self.labels), "--deadline", str(self.deadline), "--slot-arrivals", arrival,
                "--slot-service", service, *["--turn-away"] * self.turn_away, *["--late-labels"] * self.late,
                *(f"{a},{b}@{float(threshold)}" for a, b, threshold, _ in self.root)]


def gains(a, b, threshold):
    return [call(a + 1, b, threshold) - call(a, b, threshold), call(a, b + 1, threshold) - call(a, b, threshold)]


INDEX = {
    "uniform": lambda a, b, threshold: 0,
    "kg": lambda a, b, threshold: (a * gains(a, b, threshold)[0] + b * gains(a, b, threshold)[1]) / (a + b),
    "opt-kg": lambda a, b, threshold: max(gains(a, b, threshold)),
}

HALF = Fraction(1, 2)


def drawn(draw):
    priors = [(1, 1, HALF), (1, 1, HALF), (2, 1, HALF), (2, 3, HALF), (1, 1, Fraction(3, 10)), (3, 1, Fraction(7, 10))]
    instances = [draw.choice(priors) for _ in range(draw.choice([1, 2, 2, 3]))]
    advance = draw.choice([Fraction(1), Fraction(1), HALF, Fraction(3, 10)])
    deadline = draw.randrange(1, 6 if advance < 1 else 8)
    labels = draw.randrange(0, 4 if advance < 1 else 5)
    arrivals = draw.choice([(0, 1), (HALF, HALF), (Fraction(4, 5), Fraction(1, 5)), (0, 0, 1), (HALF, Fraction(1, 5), Fraction(3, 10)),
                            (Fraction(1, 10), 0, HALF, Fraction(2, 5))])
    arrivals = [Fraction(chance) for chance in arrivals]
    return Definition(instances, labels, deadline, arrivals, draw.randrange(1, 4), advance, draw.random() < 0.4,
                      draw.random() < 0.3)


# By hand.
TWO = Definition([(1, 1, HALF), (1, 1, HALF)], 2, 3, [HALF, HALF], 2, Fraction(1), False, False)
PAIR = Definition([(1, 1, HALF), (1, 1, HALF)], 2, 1, [Fraction(1, 4), Fraction(1, 4), HALF], 1, Fraction(1), False, False)


class ExactCase(Case):
    def check(self, stated, exact, error, about):
        self.assertLessEqual(abs(Fraction(stated) - exact), Fraction(error), about)
        self.assertLess(error, 1e-12)

    def value(self, *words):
        return Fraction(self.document("solve", "--arithmetic", "exact", *words)["optimal"]["value_exact"])


class ValueTest(ExactCase):
    def check_policies(self, problem, words):
        ties = ["random", "first", "best", "worst"]
        asked = [*words, "--policies", ",".join(INDEX), "--ties", ",".join(ties)]
        exact = self.document("compare", *asked, "--arithmetic", "exact")
        found = self.document("compare", *asked)
        self.assertEqual(len(found["policies"]), len(INDEX) * len(ties))
        best = Fraction(exact["optimal"]["value_exact"])
        for row, plain in zip(exact["policies"], found["policies"]):
            value = problem.solve(INDEX[row["name"]], row["ties"])
            self.assertEqual(Fraction(row["value_exact"]), value, (words, row["name"], row["ties"]))
            self.assertLessEqual(value, best)
            self.check(plain["value"], value, plain["error_bound"], words)
        for bound in found["bounds"].values():
            self.assertGreaterEqual(Fraction(bound["value"]), best, words)

    def test_the_case_of_the_manual(self):
        self.assertEqual(TWO.solve(), Fraction(5, 4))
        self.assertEqual(TWO.solve(INDEX["kg"]), Fraction(39, 32))
        self.assertEqual(PAIR.solve(), Fraction(21, 16))
        self.assertEqual(PAIR.solve(INDEX["kg"]), Fraction(5, 4))

    def test_values_and_q_are_those_of_the_definition(self):
        draw = random.Random(SEED)
        for i in range(max(1, int(30 * SCALE))):
            problem = drawn(draw)
            words = problem.words()
            value = problem.solve()
            exact = self.document("solve", *words, "--arithmetic", "exact")["optimal"]
            self.assertEqual(Fraction(exact["value_exact"]), value, words)
            found = self.document("solve", *words)["optimal"]
            self.check(found["value"], value, found["error_bound"], words)
            if i % 3 == 0:
                self.check_policies(problem, words)
            in_time = problem.deadline if problem.late else problem.deadline - problem.phases + 1
            in_time *= len(problem.arrivals) - 1
            if min(problem.labels, in_time) > 0:
                self.check_q(problem, words)

    def check_q(self, problem, words):
        exact = self.document("query", *words, "--arithmetic", "exact")["actions"]
        found = self.document("query", *words)["actions"]
        for one, plain, q in zip(exact, found, problem.q(), strict=True):
            self.assertEqual(Fraction(one["q_exact"]), q, (words, one["text"]))
            self.check(plain["q"], q, plain["error_bound"], words)


class LimitTest(ExactCase):
    def test_labels_at_once_are_the_usual_problem(self):
        for words in ["2x1,1", "3x1,1"], ["2,1", "1,1@0.3"]:
            for labels in range(8):
                usual = self.value("-T", str(labels), *words)
                for deadline, asked in (labels, labels), (labels, labels + 3), (labels + 2, labels):
                    if deadline > 0:
                        found = self.value("-T", str(asked), "--deadline", str(deadline), *words)
                        self.assertEqual(found, usual, (words, labels))

    def test_who_may_wait_long_enough_sees_every_label(self):
        usual = self.value("-T", "5", "2x1,1", "2,1")
        found = [self.value("-T", "5", "--slot-service", "3", "--turn-away", "--deadline", str(slots), "2x1,1", "2,1")
                 for slots in (6, 15, 40)]
        self.assertLess(found[0], usual)
        self.assertEqual(found[1:], [usual, usual])

    def test_labels_that_come_when_all_are_asked_for_are_a_batch(self):
        for labels in 3, 5:
            batch = self.document("solve", "-T", str(labels), "--batch", str(labels), "2x1,1", "2,1")["optimal"]
            for slots, more in (2 * labels - 1, []), (labels, ["--late-labels"]), (labels + 3, ["--late-labels"]):
                found = self.value("-T", str(labels), "--deadline", str(slots), "--slot-service", str(labels), *more,
                                   "2x1,1", "2,1")
                self.check(batch["value"], found, batch["error_bound"], slots)

    def test_workers_who_come_together_are_a_batch(self):
        for size, slots, arrival in (2, 3, "0,1"), (3, 2, "0,0,1"), (4, 1, "0,0,0,1"):
            batch = self.document("solve", "-T", str(size * slots), "--batch", str(size), "2x1,1", "2,1")["optimal"]
            found = self.value("-T", str(size * slots), "--deadline", str(slots), "--slot-arrivals", arrival, "2x1,1", "2,1")
            self.check(batch["value"], found, batch["error_bound"], size)

    def test_one_worker_may_be_told_as_a_law(self):
        words = ["-T", "3", "--deadline", "5", "--slot-service", "2,0.5", "2x1,1"]
        self.assertEqual(self.value("--slot-arrivals", "0.3,0.0000001", *words) > self.value("--slot-arrivals", "0.3", *words), True)
        one, law = (self.document("solve", "--slot-arrivals", text, *words)["problem"] for text in ("0.3", "0.3,0.1"))
        self.assertEqual((one["arrival"], one["labels_in_time"]), (0.3, 3))
        self.assertEqual((law["arrival"], law["labels_in_time"]), ([0.3, 0.1], 3))

    def test_labels_that_cannot_come_in_time_are_worth_nothing(self):
        for more in ["--slot-service", "5"], ["--slot-service", "5,0.9", "--slot-arrivals", "0.5"], ["--slot-service", "5", "--turn-away"]:
            found = self.document("compare", "-T", "6", "--deadline", "4", *more, "2x1,1")
            self.assertEqual(found["optimal"]["gain"], 0)
            self.assertEqual({row["value"] for row in found["policies"]}, {1})
            self.assertEqual(found["problem"]["labels_in_time"], 0)

    def test_a_later_deadline_and_more_labels_never_harm(self):
        words = ["--slot-service", "2,0.5", "--slot-arrivals", "0.4", "2x1,1", "2,1"]
        by_slots = [self.value("-T", "3", "--deadline", str(slots), *words) for slots in range(1, 9)]
        self.assertEqual(by_slots, sorted(by_slots))
        by_labels = [self.value("-T", str(labels), "--deadline", "6", *words) for labels in range(6)]
        self.assertEqual(by_labels, sorted(by_labels))
        self.assertGreater(self.value("-T", "3", "--deadline", "8", "--turn-away", *words), by_slots[-1])

    def test_small_slots_are_the_time_that_flows(self):
        """With slots of 1/m and a deadline that is too late to matter, the value differs by O(1/m) from that of labels
        without one, and the extrapolated value by O(1/m^2)."""
        flowing = self.document("solve", "--arrival-rate", "1", "--service-rate", "1", "--arrivals", "5",
                                "2x1,1")["optimal"]["value"]
        off, last = [], None
        for m in 4, 8, 16:
            found = self.document("solve", "-T", "5", "--deadline", str(40 * m), "--slot-arrivals", str(1 / m), "--slot-service",
                                  f"1,{1 / m}", "2x1,1")["optimal"]["value"]
            if last is not None:
                off.append((abs(found - flowing), abs(2 * found - last - flowing)))
            last = found
        self.assertLess(abs(off[1][0] / off[0][0] - 0.5), 0.05)
        self.assertLess(off[1][1] / off[0][1], 0.35)
        self.assertLess(off[1][1], off[1][0] / 10)


class SimulateTest(Case):
    PROBLEMS = [["-T", "5", "--deadline", "9", "--slot-service", "2,0.5", "--slot-arrivals", "0.5", "3x1,1"],
                ["-T", "4", "--deadline", "6", "--slot-service", "3", "--slot-arrivals", "0.8", "2x1,1", "1,2@0.3"],
                ["-T", "4", "--deadline", "5", "--slot-service", "3,0.6", "--slot-arrivals", "0.7", "--late-labels", "2x2,1", "1,1"],
                ["-T", "5", "--deadline", "4", "--slot-service", "2", "--slot-arrivals", "0.2,0.1,0.4", "3x1,1", "2,1"],
                ["-T", "4", "--deadline", "4", "--slot-service", "2,0.5", "--slot-arrivals", "0,0.6", "2x1,1", "2,1@0.4"]]

    def test_means_are_the_exact_values(self):
        for words in self.PROBLEMS:
            exact = {row["name"]: row["value"] for row in self.document("compare", *words)["policies"]}
            found = self.document("simulate", "--runs", "10000", *words)
            self.assertEqual({row["name"] for row in found["policies"]}, set(exact))
            for row in found["policies"]:
                off = abs(row["mean"] - exact[row["name"]])
                self.assertLess(off, 4 * row["standard_error"] + found["rounding"], (words, row["name"]))

    def test_labels_at_once_are_the_runs_of_the_usual_problem(self):
        words = ["--runs", "300", "--ties", "first", "--policies", "kg,opt-kg,gittins-fh", "-T", "7", "3x1,1", "2,1"]
        usual, found = (self.document("simulate", *words, *more)["policies"] for more in ([], ["--deadline", "7"]))
        self.assertEqual([row["accuracy"] for row in found], [row["accuracy"] for row in usual])

    def test_threads_do_not_change_the_runs(self):
        one, two = (self.document("simulate", "--runs", "500", "--threads", n, *self.PROBLEMS[0]) for n in "12")
        self.assertEqual([row["mean"] for row in one["policies"]], [row["mean"] for row in two["policies"]])


class ProgramTest(Case):
    WORDS = ["-T", "4", "--deadline", "6", "--slot-service", "2,0.5", "--slot-arrivals", "0.5", "3x1,1"]

    def test_threads_do_not_change_the_result(self):
        one, two = (self.document("compare", *self.WORDS, "--turn-away", "--threads", n) for n in "12")
        self.assertEqual(one["optimal"]["value"], two["optimal"]["value"])
        self.assertEqual([row["value"] for row in one["policies"]], [row["value"] for row in two["policies"]])

    def test_the_problem_is_told(self):
        problem = self.document("solve", *self.WORDS, "--turn-away")["problem"]
        self.assertEqual({key: problem[key] for key in ("budget", "deadline", "arrival", "service", "turn_away",
                                                        "late_labels", "labels_in_time")},
                         {"budget": 4, "deadline": 6, "arrival": 0.5, "service": {"phases": 2, "chance": 0.5},
                          "turn_away": True, "late_labels": False, "labels_in_time": 4})
        self.assertRegex(run("solve", *self.WORDS).stdout,
                         r"Deadline +6 slots, a worker in each with probability 0.5\n"
                         r"Service +2 phases, each of which ends in a slot with probability 0.5\n")

    def test_the_own_index_sees_what_is_under_way(self):
        found = self.document("compare", "-T", "6", "--deadline", "12", "--slot-service", "2,0.5", "--slot-arrivals", "0.5", "5x1,1")
        gap = {row["name"]: row["gap"] for row in found["policies"]}
        self.assertEqual(list(gap), ["uniform", "kg", "opt-kg", "gittins-fh", "hu-frazier"])
        self.assertLess(gap["hu-frazier"], 1e-11)
        self.assertGreater(gap["gittins-fh"], 0.15)
        bounds = found["bounds"]
        self.assertLess(bounds["lagrangian_scalar"]["value"], bounds["prevailing_charge"]["value"] - 0.05)
        self.assertLess(bounds["lagrangian_vector"]["value"], bounds["lagrangian_scalar"]["value"] - 0.2)
        self.assertEqual(bounds["lagrangian_vector"]["prices"], [])
        self.assertEqual(bounds, self.document("bound", "-T", "6", "--deadline", "12", "--slot-service", "2,0.5",
                                               "--slot-arrivals", "0.5", "5x1,1")["bounds"])

    def test_bounds_without_an_exact_form_are_named(self):
        exact = ["--arithmetic", "exact", "1,1"]
        self.assertRegex(run("bound", "-T", "2", "--deadline", "2", *exact).stdout,
                         r"lagrangian_scalar,\slagrangian_vector,\s+prevailing_charge\sand\s+priced_end\shave\sno\sexact\sform\shere")
        self.assertRegex(run("bound", "-T", "2", *exact).stdout,
                         r"prevailing_charge\sand\spriced_end\shave\sno\sexact\sform\shere")

    def test_with_labels_at_once_the_own_bound_is_the_usual_one(self):
        """The one by subgradients, the other by a linear programme within 1e-7 of the least."""
        for words in ["-T", "4", "2x1,2@0.5", "4x1,1", "1,3@0.3"], ["-T", "6", "3x1,4@0.5", "2,1@0.3", "4x2,4@0.7"]:
            usual = self.document("bound", *words)["bounds"]["lagrangian_vector"]["value"]
            found = self.document("bound", "--deadline", words[1], *words)["bounds"]["lagrangian_vector"]["value"]
            self.assertLessEqual(found, usual + 1e-12)
            self.assertAlmostEqual(found, usual, delta=1e-6 * usual)

    def test_with_labels_at_once_the_own_index_is_that_of_gittins(self):
        for words in ["-T", "7", "3x1,1"], ["-T", "6", "2,1", "1,1@0.3", "2x1,2"]:
            found = self.document("compare", "--deadline", words[1], *words, "--policies", "gittins-fh,hu-frazier",
                                  "--ties", "random,first")
            value = {(row["name"], row["ties"]): row["value"] for row in found["policies"]}
            for ties in "random", "first":
                self.assertAlmostEqual(value["gittins-fh", ties], value["hu-frazier", ties], delta=1e-13)

    def test_losses_that_are_explained_add_up(self):
        found = self.document("compare", *self.WORDS, "--policies", "kg", "--explain")
        policy = found["policies"][0]
        self.assertGreater(policy["gap"], 1e-3)
        self.assertAlmostEqual(sum(row["loss"] for row in policy["explain"]["stages"]), policy["gap"], delta=1e-12)

    def test_play_waits_for_the_first_worker(self):
        done = subprocess.run(
            [PROGRAM, "play", "-T", "1", "--deadline", "9", "--slot-arrivals", "0.4", "--turn-away", "--seed", "2",
             "2,1"], input="2\n2\n2\n2\n2\n2\n2\n2\n2\n", stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("No worker comes.\n", done.stdout)
        self.assertIn("Nobody.\n", done.stdout)

    def test_what_makes_no_sense_is_refused(self):
        for words, expected in [
                (["-T", "2", "--slot-service", "2", "1,1"], "--deadline D is missing"),
                (["--deadline", "2", "1,1"], "-T N"),
                (["-T", "2", "--deadline", "0", "1,1"], "from 1 to 10000"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "1.5", "1,1"], "at most 1"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0", "1,1"], "greater than 0"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5,", "1,1"], "or the probabilities of one worker"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5,0", "1,1"], "the last one greater than 0"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5,0.6", "1,1"], "their sum at most 1"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.5;0.2", "1,1"], "greater than 0"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0,0,0,0,0,0,0,0,1", "1,1"], "at most 8"),
                (["-T", "2", "--deadline", "2", "--slot-arrivals", "0.1,0.0000000001", "1,1"], "nine decimals"),
                (["-T", "2", "--deadline", "2", "--slot-service", "0", "1,1"], "K or K,Q"),
                (["-T", "2", "--deadline", "2", "--slot-service", "1,2", "1,1"], "K or K,Q"),
                (["-T", "2", "--deadline", "2", "--slot-service", "2,", "1,1"], "K or K,Q"),
                (["-T", "2", "--deadline", "99", "--slot-service", "33", "1,1"], "at most 32 phases"),
                (["-T", "2", "--deadline", "99", "--slot-service", "17,0.5", "1,1"], "at most 16 phases"),
                (["-T", "2", "--deadline", "2", "--arrivals", "2", "1,1"], "different problem types")]:
            self.assert_refused(["solve", *words], expected)
        self.assert_refused(["compare", "-T", "2", "--deadline", "4", "--policies", "hu-frazier:2", "1,1"],
                            "choose hu-frazier")


if __name__ == "__main__":
    main()
