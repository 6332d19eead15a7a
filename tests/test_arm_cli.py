"""Own arms (arm:FILE) on the command line.

    test_arm_cli.py PROGRAM [unittest option...]

Known values are in tests/data/golden-own.json, made by another program; its entry `how` explains them.
"""

import json
import os
import pathlib
import subprocess
import sys
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import PROGRAM, FolderCase, main, run  # noqa: E402

GOLDEN = json.loads((pathlib.Path(__file__).parent / "data" / "golden-own.json").read_text())
HEAD = "node\toutcome\tprobability\tnext\tvalue\treward\n"
SLOT = HEAD + "hot\twin\t2/3\thot\t0\t1\nhot\tlose\t1/3\tcold\t0\t0\ncold\twin\t1/4\thot\t0\t1\ncold\tlose\t3/4\tcold\t0\t0\n"
LOOP = HEAD + "new\thit\t1/3\twon\t0\t\nnew\tmiss\t2/3\tnew\t0\t\nwon\t\t\t\t1\t\n"
FADE = HEAD + "a\tup\t1/2\tb\t1/2\t\na\tdown\t1/2\tc\t\t\nb\tup\t1/4\td\t3/4\t\nb\tdown\t3/4\tc\t\t\nc\t\t\t\t1/4\t\nd\t\t\t\t2\t\n"


class ArmCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        for name, text in {"slot.tsv": SLOT, "loop.tsv": LOOP, "fade.tsv": FADE}.items():
            self.write(name, text)

    def ask(self, *words, warned=False):
        """The document of a question; a problem whose labels may lower the payoff is warned of."""
        done = run(*words, "--json")
        self.assertEqual((done.returncode, "can lower this payoff" in done.stderr), (0, warned), done.stderr)
        return json.loads(done.stdout)


class GoldenTest(ArmCase):
    def compare(self, entry, *more):
        for name, text in entry["files"].items():
            self.write(name, text)
        policies = ",".join(entry.get("policies", {"uniform": None}))
        price = ["--price", f"{float(Fraction(entry['price'])):g}"] if "price" in entry else []
        done = run("compare", "-T", str(entry["budget"]), "--policies", policies, *price, *more,
                   *entry["problem"].split(), "--json")
        self.assertEqual(done.returncode, 0, (entry["problem"], done.stderr))
        return json.loads(done.stdout)

    def test_values_of_all_entries(self):
        for entry in GOLDEN["C"]:
            about = entry["problem"], entry["budget"]
            exact, near = self.compare(entry, "--arithmetic", "exact"), self.compare(entry)
            self.assertEqual(exact["optimal"]["value_exact"], entry["optimal"], about)
            self.assert_near(near["optimal"]["value"], Fraction(entry["optimal"]), near["optimal"]["error_bound"], about)
            for row, rounded in zip(exact["policies"], near["policies"]):
                known = entry.get("policies", {}).get(row["name"])
                if known is not None:
                    self.assertEqual(row["value_exact"], known, (about, row["name"]))
                    self.assert_near(rounded["value"], Fraction(known), rounded["error_bound"], (about, row["name"]))
            if "lagrangian_scalar" in entry and "price" not in entry:
                self.assertEqual(exact["bounds"]["lagrangian_scalar"]["value_exact"], entry["lagrangian_scalar"], about)
            if "labels" in entry:
                self.assert_near(near["optimal"]["labels"]["least"], Fraction(entry["labels"][0]), 1e-9, about)
                self.assert_near(near["optimal"]["labels"]["most"], Fraction(entry["labels"][1]), 1e-9, about)


class ValueTest(ArmCase):
    def test_beta_as_a_table_has_the_bits_of_the_prior(self):
        rows = ["node\toutcome\tprobability\tnext\tvalue"]
        deep = 12
        for n in range(deep + 1):
            for s in range(n + 1):
                a, b = Fraction(s + 2), Fraction(n - s + 1)
                # P(soft label >= 1/2) of Beta(a, b): at least b of a + b - 1 coins.
                total = int(a + b - 1)
                p = Fraction(sum(_choose(total, k) for k in range(int(b), total + 1)), 2**total)
                h = max(p, 1 - p)
                here = f"{s},{n - s}"
                if n == deep:
                    rows.append(f"{here}\t\t\t\t{h}")
                else:
                    rows.append(f"{here}\t1\t{a / (a + b)}\t{s + 1},{n - s}\t{h}")
                    rows.append(f"{here}\t0\t{b / (a + b)}\t{s},{n - s + 1}\t{h}")
        self.write("beta.tsv", "\n".join(rows) + "\n")
        policies = "uniform,kg,opt-kg,gittins-fh,lagrangian,dual"
        for engine in ("recursion", "blocks"):
            question = ["compare", "-T", str(deep), "--policies", policies, "--engine", engine]
            table, prior = self.ask(*question, "4xarm:beta.tsv"), self.ask(*question, "4x2,1")
            for found in (table, prior):  # whose error bounds depend on the order of nodes
                del found["bounds"]["prevailing_charge"], found["bounds"]["priced_end"]
            for part in ("optimal", "bounds", "policies"):
                self.assertEqual(_numbers(table[part]), _numbers(prior[part]), (engine, part))

    def test_policies_of_the_product_and_their_refusals(self):
        words = ["arm:slot.tsv", "2xarm:loop.tsv"]
        policies = ("uniform,kg,opt-kg,pess-kg,cvar-kg:0.5,gittins-fh,gittins-fh:2,gittins-inf,kg-star,lagrangian,lp-update,"
                    "dual,lookahead:2,rollout:kg,midway:kg")
        for problem, warned in ((words, False), (["2xarm:fade.tsv"], True)):
            for row in self.ask("compare", "-T", "3", "--policies", policies, *problem, warned=warned)["policies"]:
                self.assertEqual(row["status"], "ok", row["name"])
                self.assertGreaterEqual(row["gap"], 0)
        for policy in ("nlu", "thompson", "ucb1-tuned", "rollout:nlu", "agree:2", "beta-stop:0.8"):
            for command in ("compare", "simulate"):
                done = run(command, "-T", "3", "--policy", policy, *words)
                self.assertEqual(done.returncode, 2, (command, policy))
                self.assertIn("needs instances with a prior; arm:slot.tsv has none", done.stderr)

    def test_ties_of_all_kinds_agree_with_each_other(self):
        found = self.ask("compare", "-T", "4", "--policy", "opt-kg", "--ties", "random,first,best,worst", "3xarm:slot.tsv")
        value = {row["ties"]: row["value"] for row in found["policies"]}
        self.assertLessEqual(value["worst"], min(value["random"], value["first"]))
        self.assertLessEqual(max(value["random"], value["first"]), value["best"])

    def test_simulated_values_are_near(self):
        for problem, warned in ((["arm:slot.tsv", "2xarm:loop.tsv"], False), (["2xarm:fade.tsv"], True)):
            question = ["-T", "4", "--policies", "uniform,kg", *problem]
            known = self.ask("compare", *question, warned=warned)["policies"]
            found = self.ask("simulate", "--runs", "20000", *question, warned=warned)["policies"]
            for row, truth in zip(found, known):
                self.assertLess(abs(row["mean"] - truth["value"]), 5 * row["standard_error"], row["name"])

    def test_no_label_is_worth_the_values_of_the_roots(self):
        found = self.ask("compare", "-T", "0", "3xarm:fade.tsv", "arm:loop.tsv")
        self.assertEqual((found["optimal"]["value"], found["optimal"]["gain"]), (1.5, 0))

    def test_other_priors_stand_beside_arms(self):
        both = self.ask("compare", "-T", "3", "--arithmetic", "exact", "arm:slot.tsv", "1,1")
        # By hand: three labels of slot earn 2/3 + 2/3 43/36 + 1/3 29/48, and 1,1 is worth 1/2 without one.
        self.assertEqual(both["optimal"]["value_exact"], "935/432")
        self.assertEqual(self.ask("solve", "-T", "3", "--arithmetic", "exact", "arm:slot.tsv")["optimal"]["value_exact"], "719/432")

    def test_a_rule_that_stops_may_be_worth_more_than_the_optimum_that_uses_all_labels(self):
        found = self.ask("compare", "-T", "4", "--policies", "fixed:1,kg", "2xarm:fade.tsv", warned=True)
        self.assertEqual([round(row["value"], 9) for row in found["policies"]], [1, 0.984375])
        self.assertEqual(round(found["policies"][0]["gap"], 9), -0.015625)
        fee = self.ask("compare", "-T", "4", "--price", "0.125", "--policy", "fixed:1", "2xarm:fade.tsv")
        self.assertEqual(fee["policies"][0]["value"], 0.75)

    def test_money_in_rewards_and_prices(self):
        """A fee in each reward, with leave to stop, is a price."""
        self.write("fee.tsv", SLOT.replace("\t1\n", "\t7/8\n").replace("\t0\n", "\t-1/8\n"))
        for budget, count in (("4", "2x"), ("5each", "")):
            price, fee = (self.ask("compare", "-T", budget, "--arithmetic", "exact", "--price", *words, "--policies", "kg,opt-kg")
                          for words in (["0.125", f"{count}arm:slot.tsv"], ["0", f"{count}arm:fee.tsv"]))
            self.assertEqual(fee["optimal"]["value_exact"], price["optimal"]["value_exact"])
            self.assertEqual([row["value_exact"] for row in fee["policies"]], [row["value_exact"] for row in price["policies"]])
            self.assertGreater(Fraction(price["optimal"]["value_exact"]), 1)

    def test_a_rounding_error_is_no_loss(self):
        """Probabilities and values of doubles with 17 digits, whose exact gains are 0 up to them."""
        self.write("near.tsv", HEAD + "a\tx\t0.33333333333333331\tb\t0.70000000000000007\t\na\ty\t0.66666666666666663\tc\t\t\n"
                   "b\t\t\t\t0.90000000000000002\t\nc\t\t\t\t0.59999999999999998\t\n")
        found = self.ask("compare", "-T", "3", "--arithmetic", "exact", "2xarm:near.tsv")
        self.assertLess(Fraction(found["optimal"]["value_exact"]), Fraction("1.40000000000000014"))
        self.write("loss.tsv", (self.folder / "near.tsv").read_text().replace("0.59999999999999998", "0.5999999999"))
        self.ask("compare", "-T", "3", "2xarm:loss.tsv", warned=True)


def _best(instances, left):
    """The upper edge of (labels, gain) of all policies that may stop: its corners, from (0, 0) on to the largest gain."""
    corners = [(Fraction(0), Fraction(0))]
    for i, (table, node) in enumerate(instances if left > 0 else ()):
        outcomes = table[node][1] or [(Fraction(1), node, Fraction(0))]
        gain = sum(p * (table[next][0] + reward - table[node][0]) for p, next, reward in outcomes)
        steps = []
        for p, next, _ in outcomes:
            after = _best(instances[:i] + ((table, next),) + instances[i + 1:], left - 1)
            steps += [(p * (x - w), p * (y - v)) for (w, v), (x, y) in zip(after, after[1:])]
        corner = Fraction(1), gain
        corners.append(corner)
        for labels, more in sorted(steps, key=lambda step: -step[1] / step[0]):
            corner = corner[0] + labels, corner[1] + more
            corners.append(corner)
    edge = []
    for x, y in sorted(set(corners)):
        while len(edge) > 1 and (edge[-1][1] - edge[-2][1]) * (x - edge[-2][0]) <= (y - edge[-2][1]) * (edge[-1][0] - edge[-2][0]):
            edge.pop()
        edge.append((x, y))
    return edge[:1 + max(range(len(edge)), key=lambda at: edge[at][1])]


def _gain_with(edge, labels):
    for (w, v), (x, y) in zip(edge, edge[1:]):
        if labels <= x:
            return v + (y - v) * (labels - w) / (x - w)
    return edge[-1][1]


def _labels_for(edge, gain):
    for (w, v), (x, y) in zip(edge, edge[1:]):
        if gain <= y:
            return max(Fraction(0), w + (x - w) * (gain - v) / (y - v))
    return Fraction(0)


class FrontierTest(ArmCase):
    """What a policy loses to the best with as many labels, where a label can lower the payoff."""

    FADE = {"a": ("1/2", [("1/2", "b", 0), ("1/2", "c", 0)]), "b": ("3/4", [("1/4", "d", 0), ("3/4", "c", 0)]),
            "c": ("1/4", []), "d": ("2", [])}
    DEEP = {"x": ("0", [("1/2", "y", "-1/4"), ("1/2", "z", 0)]), "y": ("0", [("1/3", "z", 3), ("2/3", "y", "-1/8")]), "z": ("1/5", [])}

    def assert_rows(self, exact, near, edge, call, copies=1):
        for sure, row in zip(exact["policies"], near["policies"]):
            labels, gain = Fraction(sure["labels"]["exact"]), Fraction(sure["value_exact"]) - call
            equal, about = sure["equal"], row["name"]
            best = copies * _gain_with(edge, labels / copies)
            self.assertEqual(Fraction(equal["gap_exact"]), best - gain, about)
            self.assertEqual(Fraction(equal["labels_exact"]), copies * _labels_for(edge, gain / copies), about)
            self.assert_near(row["equal"]["gap"], best - gain, row["equal"]["error"] + 1e-12, about)
            self.assert_near(row["equal"]["labels"], Fraction(equal["labels_exact"]), row["equal"]["labels_error"] + 1e-9, about)

    def test_equal_labels(self):
        tables = []
        for name, rows in (("fade", self.FADE), ("deep", self.DEEP)):
            lines = [f"{node}\t{k}\t{p}\t{next}\t{value}\t{reward}\n" for node, (value, outcomes) in rows.items()
                     for k, (p, next, reward) in enumerate(outcomes)]
            lines += [f"{node}\t\t\t\t{value}\t\n" for node, (value, outcomes) in rows.items() if not outcomes]
            self.write(f"{name}.tsv", HEAD + "".join(lines))
            tables.append({node: (Fraction(value), [(Fraction(p), next, Fraction(reward)) for p, next, reward in outcomes])
                           for node, (value, outcomes) in rows.items()})
        fade, deep = (tables[0], "a"), (tables[1], "x")
        for budget, words, instances, copies in (("4", ["2xarm:fade.tsv"], (fade, fade), 1), ("3", ["arm:deep.tsv", "arm:fade.tsv"], (deep, fade), 1),
                                                 ("4each", ["5xarm:fade.tsv"], (fade,), 5), ("5each", ["3xarm:deep.tsv"], (deep,), 3)):
            question = ["compare", "-T", budget, "--policies", "fixed:0,fixed:1,fixed:2:kg", *words]
            exact, near = self.ask(*question, "--arithmetic", "exact", warned=True), self.ask(*question, warned=True)
            edge = _best(instances, int(budget.removesuffix("each")))
            self.assert_rows(exact, near, edge, copies * sum(table[node][0] for table, node in instances), copies)


class WordsTest(ArmCase):
    def test_states_are_names_of_nodes(self):
        tree = self.answer("tree", "-T", "2", "arm:slot.tsv", "arm:loop.tsv")
        for words in ("hot  new\\n2 left", "label hot", " win  0.66667 ", " miss  0.66667 ", "cold  won\\nvalue 1"):
            self.assertIn(words, tree)
        self.assertNotIn("mirrored", tree)
        self.assertNotIn(" 0 \"", tree)
        query = self.ask("query", "-T", "3", "arm:slot.tsv", "2xarm:loop.tsv")
        self.assertEqual([row["posterior"] for row in query["instances"]], ["hot", "new"])
        self.assertEqual([row["text"] for row in query["problem"]["instances"]], ["arm:slot.tsv", "2xarm:loop.tsv"])

    def test_a_label_that_can_only_lose_is_in_the_tree(self):
        done = run("tree", "-T", "2", "arm:fade.tsv")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "optgap: a label can lower this payoff (at b by 0.0625); all labels are used; --price 0 lets a policy stop\n"))
        self.assertIn("a\\n2 left\\nvalue 0.46875", done.stdout)

    def test_earlier_labels_lead_to_another_node(self):
        """As a file that begins there, with fewer labels."""
        self.write("cold.tsv", HEAD + "".join(SLOT.splitlines(True)[3:] + SLOT.splitlines(True)[1:3]))
        self.write("won.tsv", HEAD + "won\t\t\t\t1\t\n")
        self.write("late.tsv", HEAD + "".join(FADE.splitlines(True)[3:] + FADE.splitlines(True)[1:3]))
        for history, before, after, warned in (
                ("1:lose", ["2xarm:slot.tsv", "1,1"], ["arm:slot.tsv", "arm:cold.tsv", "1,1"], False),
                ("1:2 2:hit 2:1 3+", ["arm:slot.tsv", "arm:loop.tsv", "1,1"], ["arm:cold.tsv", "arm:won.tsv", "2,1"], False),
                ("1:up", ["2xarm:fade.tsv"], ["arm:fade.tsv", "arm:late.tsv"], True)):
            had = len(history.split())
            found = self.ask("query", "-T", str(3 + had), "--history", history, "--policies", "kg,gittins-fh", *before, warned=warned)
            known = self.ask("query", "-T", "3", "--policies", "kg,gittins-fh", *after, warned=warned)
            self.assertEqual([(row["posterior"], row["q"]) for row in found["instances"]],
                             [(row["posterior"], row["q"]) for row in known["instances"]], history)
            self.assertEqual(found["policies"], known["policies"])
        query = self.ask("query", "-T", "4", "--history", "1:lose", "2xarm:slot.tsv")
        self.assertEqual([row["text"] for row in query["problem"]["instances"]], ["arm:slot.tsv", "arm:slot.tsv at cold"])
        for history, message in (("1+", "--history: '1+' must be an outcome of node 'hot', such as 1:win"),
                                 ("1:3", "--history: '1:3' must be an outcome of node 'hot', such as 1:win"),
                                 ("1:", "--history: '1:' must be an outcome of node 'hot', such as 1:win"),
                                 ("1:wim", "--history: '1:wim' must be an outcome of node 'hot', such as 1:win"),
                                 ("2:hit 2:2", "--history: '2:2' must be an outcome of node 'won', such as 2:1"),
                                 ("3:1", "--history: '3:1' must be a label of two classes, such as 3+"),
                                 ("4:x", "must be a label of an instance, 1 to 3")):
            self.assert_refused(["query", "-T", "4", "--history", history, "arm:slot.tsv", "arm:loop.tsv", "1,1"], message)

    def test_a_file_is_read_once(self):
        """A pipe can be read once only."""
        for command in (["compare", "-T", "3"], ["compare", "-T", "3each", "--price", "0.1"], ["simulate", "-T", "3", "--runs", "10"]):
            words = [PROGRAM, *command, "--policies", "kg,uniform", "--json"]
            done = subprocess.run([*words, "arm:/dev/stdin", "2xarm:/dev/stdin"], input=SLOT, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_losses_of_a_policy_add_up(self):
        for problem, warned in ((["2xarm:slot.tsv"], False), (["2xarm:fade.tsv"], True)):
            found = self.ask("compare", "-T", "3", "--explain", "--policies", "uniform,opt-kg", *problem, warned=warned)
            for row in found["policies"]:
                self.assertLess(abs(row["explain"]["total"] - row["gap"]), 1e-12)

    def test_table_of_an_index_names_nodes(self):
        table = self.answer("index", "-T", "3", "--policy", "gittins-fh", "arm:slot.tsv")
        self.assertEqual(table.splitlines()[0], "node\tleft\tindex")
        path = self.write("index.tsv", table)
        found = self.ask("compare", "-T", "3", "--policies", "gittins-fh", "--policy", f"table:{path}", "2xarm:slot.tsv")
        self.assertEqual(found["policies"][0]["value"], found["policies"][1]["value"])
        fade = run("index", "-T", "2", "--policy", "kg", "arm:fade.tsv").stdout
        self.assertIn("b\t1\t-0.0625\n", fade)

    def test_command_gets_the_names(self):
        self.write("mine.py", "import json, sys\nfor line in sys.stdin:\n  q = json.loads(line)\n"
                   "  print(json.dumps({'index': [{'hot': 5, 'cold': 1, 'new': 3, 'won': 0}[x] for x in q['instances']]}),"
                   " flush=True)\n")
        self.write("mine.tsv", "node\tindex\nhot\t5\ncold\t1\nnew\t3\nwon\t0\n")
        found = self.ask("compare", "-T", "4", "--policy", "command:python3 mine.py", "--policy", "table:mine.tsv",
                         "arm:slot.tsv", "2xarm:loop.tsv")
        self.assertEqual(found["policies"][0]["value"], found["policies"][1]["value"])
        self.assertGreater(found["policies"][0]["gap"], 0.02)


class RefusalTest(ArmCase):
    def test_wrong_tables(self):
        for text, message in [
            (HEAD + "hot\twin\t0.5\thot\t1\t\nhot\tlose\t0.4\thot\t1\t\n", "bad.tsv: probabilities of node 'hot' add up to 0.9"),
            (HEAD + "hot\twin\t1\twarm\t1\t\n", "bad.tsv, line 2: node 'warm' is not defined"),
            (HEAD + "hot\twin\t1/2\thot\t0\t\nhot\tlose\t1/2\thot\t1\t\n", "bad.tsv, line 3: node 'hot' has two values, 0 and 1"),
            (HEAD + "a\tx\t1\ta\t0\t\na\t\t\t\t0\t\n", "bad.tsv: node 'a' has an outcome and a row without one"),
            (HEAD + "a\tx\t0\ta\t0\t\n", "bad.tsv, line 2: probability '0' must be above 0"),
        ]:
            self.write("bad.tsv", text)
            self.assert_refused(["compare", "-T", "3", "2xarm:bad.tsv"], message)
        self.assert_refused(["compare", "-T", "3", "arm:none.tsv"], "'none.tsv' cannot be opened")
        self.assert_refused(["compare", "-T", "3", "0xarm:loop.tsv"], "the count must be at least 1")
        self.assert_refused(["compare", "-T", "3", "3arm:loop.tsv"], "instance '3arm:loop.tsv': write an x after the count: 3xarm:loop.tsv")
        self.assert_refused(["solve", "-T", "2000", "--memory", "16M", "arm:ring.tsv"] if self.ring() else [],
                            "ring.tsv: too large: 4096 nodes times 2000 levels; memory limit 16.0 MB", 3)

    def ring(self):
        rows = [f"{i}\tx\t1/2\t{(i + 1) % 4096}\t0\t\n{i}\ty\t1/2\t{(i + 2) % 4096}\t0\t\n" for i in range(4096)]
        return self.write("ring.tsv", HEAD + "".join(rows))

    def test_what_needs_a_prior(self):
        for words, message in [
            (["compare", "-T", "3", "--problem", "bandit", "arm:loop.tsv"], "give rewards in the arm file"),
            (["compare", "-T", "3", "--truth", "list:0.5", "arm:loop.tsv"], "needs instances with a prior; arm:loop.tsv has none"),
            (["simulate", "-T", "3", "--truth", "list:0.5", "arm:loop.tsv"], "needs instances with a prior; arm:loop.tsv has none"),
            (["compare", "-T", "3", "--assume", "1,1", "arm:loop.tsv"], "needs instances with a prior; arm:loop.tsv has none"),
            (["compare", "-T", "3", "--batch", "2", "arm:loop.tsv"], "arm:loop.tsv"),
            (["compare", "-T", "3", "--workers-prior", "4,1", "arm:loop.tsv"], "arm:loop.tsv"),
            (["solve", "-T", "3", "--export-policy", "policy", "arm:loop.tsv"], "--export-policy supports only calls by two kinds of labels"),
        ]:
            self.assert_refused(words, message)
        self.write("index.tsv", "node\tindex\nnew\t1\n")
        self.assert_refused(["compare", "-T", "3", "--policy", "table:index.tsv", "arm:loop.tsv"],
                            "the table 'index.tsv' has no index for won")
        self.assert_refused(["compare", "-T", "3", "--policy", "table:index.tsv", "1,1"],
                            "the table 'index.tsv' has no columns 'a' and 'b'")

    def test_bytes_in_names_are_text(self):
        self.write("odd.tsv", HEAD + 'a"\\<é&\tx\t1\ta"\\<é&\t0\t1\n')
        self.assertIn('a"\\<é&', [row["posterior"] for row in self.ask("query", "-T", "2", "arm:odd.tsv")["instances"]])


def _choose(n, k):
    out = 1
    for i in range(k):
        out = out * (n - i) // (i + 1)
    return out


def _numbers(part):
    """A part of a document without what differs from one run to the next, and the number of pairs that rounding
    brings near each other: a table has other pairs."""
    if isinstance(part, dict):
        return {key: _numbers(value) for key, value in part.items()
                if not key.endswith("seconds") and key not in ("memory_bytes", "states", "tolerance_ties")}
    return [_numbers(value) for value in part] if isinstance(part, list) else part


if __name__ == "__main__":
    main()
