"""tree and play. Usage: test_teach.py OPTGAP"""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
import xml.etree.ElementTree as xml
from fractions import Fraction

sys.dont_write_bytecode = True
from cli import PROGRAM as OPTGAP, main, run  # noqa: E402
from test_dialogues import DATA, PROBLEMS  # noqa: E402


def unfolded(text):
    """With each paragraph on one line, as on an endless terminal."""
    return re.sub(r"(?<=[^.\s])\n(?=[a-z0-9])", " ", text)


class Refusals(unittest.TestCase):
    def assert_refused(self, words, part):
        done = run(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (words, done.stderr))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(part, done.stderr)

    def test_tree(self):
        self.assert_refused(["tree", "-T", "14", "8x1,1"], "more than 300 states")
        self.assert_refused(["tree", "2x1,1"], "-T N")
        self.assert_refused(["tree", "-T", "3"], "INSTANCE")
        self.assert_refused(["tree", "-T", "3", "--states", "0", "1,1"], "--states")
        self.assert_refused(["tree", "-T", "3", "--levels", "-1", "1,1"], "--levels")
        self.assert_refused(["tree", "-T", "3", "-o", "tree.tex", "1,1"], "ends in .svg, .png or .pdf")
        self.assert_refused(["tree", "-T", "2", "--arithmetic", "exact", "1.5,1"], "exact")
        self.assert_refused(["tree", "-T", "2", "--json", "-o", "tree.svg", "1,1"], "does not support -o")
        self.assert_refused(["tree", "-T", "2", "--size", "16x9cm", "1,1"], "--size requires --output")
        self.assert_refused(["tree", "-T", "2", "--json", "--whole", "1,1"], "does not support -o and --whole")
        self.assert_refused(["tree", "-T", "2", "--arithmetic", "exact", "--workers-prior", "2,1", "1,1"],
                            "--arithmetic exact with single states does not support workers of unknown reliability")

    def test_play(self):
        self.assert_refused(["play", "-T", "3", "5000x1,1"], "at most 1000 instances")
        self.assert_refused(["play", "-T", "3", "--seed", "x", "1,1"], "--seed")
        for words, part in ((["kgg", "1,1"], "did you mean 'kg'?"), (["thompson", "1,1"], "can only be simulated"),
                            (["ls-ol", "--problem", "labelers", "0.9", "0.7"], "choices that the optimum may not")):
            self.assert_refused(["play", "-T", "3", "--against", *words], part)


class Tree(unittest.TestCase):
    def test_fractions_of_a_small_one(self):
        done = run("tree", "-T", "2", "--arithmetic", "exact", "2x2,1", "3,3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("value 13/6", done.stdout)  # 2 and the Q of a (2,1), 1/6
        self.assertRegex(done.stdout, r"style=dashed, label=\"label 3,3\\n69/32\"")
        self.assertRegex(done.stdout, r"style=bold, label=\"label 2,1\\n13/6\"")

    def document(self, words):
        done = run(*words, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def states(self, *words):
        done = run("tree", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, re.findall(r"^  s\d+ \[.*label=\"(.*)\"\];$", done.stdout, re.M)

    def test_mirror_images_are_drawn_once(self):
        text, states = self.states("-T", "3", "--arithmetic", "exact", "2x1,1")
        whole_text, whole = self.states("-T", "3", "--arithmetic", "exact", "--whole", "2x1,1")
        self.assertIn("(mirrored): with positive and negative exchanged; drawn once.", text)
        self.assertNotIn("irror", whole_text)
        self.assertEqual((len(states), len(whole)), (7, 15))
        self.assertIn('label=" +  1/2 \\n -  1/2 \\n (mirrored) "', text)

        def image(state):  # by hand: what is exchanged is each instance's own parameters
            posteriors, *rest = state.split("\\n")
            copies = [word for part in posteriors.split() for word in
                      [part.split("x")[-1]] * int(part.split("x")[0] if "x" in part else 1)]
            return (tuple(sorted(tuple(sorted(map(int, word.split(",")))) for word in copies)), *rest)

        self.assertEqual({image(state) for state in states}, {image(state) for state in whole})
        self.assertEqual(len({image(state) for state in states}), len(states))

    def test_what_is_no_mirror_image_is_not_folded(self):
        for words in (["-T", "2", "2x1,1@0.4"], ["-T", "2", "--objective", "bandit", "2x1,1"],
                      ["-T", "2", "--workers-prior", "3,1", "2x1,1"]):
            text, states = self.states(*words)
            self.assertNotIn("irror", text)
            self.assertEqual(states, self.states("--whole", *words)[1])
        text, states = self.states("-T", "1", "1,1,1")
        self.assertEqual(len(states), 2)
        self.assertEqual(text.count(" (mirrored) "), 2)

    def test_levels_end_a_tree_that_is_too_large(self):
        text, states = self.states("-T", "14", "--levels", "2", "8x1,1")
        self.assertEqual(sum("12 left" in state for state in states), sum(state.endswith("...") for state in states))
        self.assertFalse([state for state in states if "11 left" in state])
        whole = self.states("-T", "3", "--whole", "2x1,1")[1]
        self.assertEqual(self.states("-T", "3", "--whole", "--levels", "3", "2x1,1")[1], whole)
        self.assertEqual(self.states("-T", "3", "--whole", "--levels", "1", "2x1,1")[1],
                         [whole[0]] + [state + "\\n..." for state in whole[1:3]])

    def test_pictures_have_all_that_is_printed(self):
        words = ["tree", "-T", "2", "--arithmetic", "exact", "2x1,1", "2,1"]
        printed = re.findall(r'label="(.*)"', run(*words).stdout)
        with tempfile.TemporaryDirectory() as place:
            out = pathlib.Path(place, "tree.svg")
            done = run(*words, "-o", str(out))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(os.listdir(place), ["tree.svg"])
            root = xml.fromstring(out.read_bytes())
        drawn = ["".join(at.itertext()) for at in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("Optimal policy for 2x1,1 2,1 with 2 labels", drawn)
        lines = [line.strip() for label in printed[1:] for line in label.split("\\n")]
        self.assertGreater(len(lines), 20)
        self.assertEqual(sorted(line for line in drawn if line in lines), sorted(lines))
        self.assertEqual(root.find("{http://www.w3.org/2000/svg}title").text, drawn[drawn.index("Optimal policy for 2x1,1 2,1 with 2 labels")])
        width, height = map(float, root.get("viewBox").split()[2:])
        for at in root.iter("{http://www.w3.org/2000/svg}text"):
            self.assertTrue(0 < float(at.get("x")) < width and 0 < float(at.get("y")) < height)

    def test_size_and_font(self):
        """Two and three labels of three instances are printed 16 cm wide with letters of 8 points, and are not higher than wide;
        a picture that is too wide says so; a tree fits what --size gives."""
        words = ["tree", "--against", "opt-kg", "2,1", "4,2", "4,4"]
        with tempfile.TemporaryDirectory() as place:
            out = str(pathlib.Path(place, "tree.svg"))

            def drawn(*more, T="2"):
                done = run(*words, "-T", T, *more, "-o", out)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                text = pathlib.Path(out).read_text()
                return [*map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups()),
                        float(re.search(r"font: ([\d.]+)px[^>]*>\d left", text)[1]), "letters have" in text, set(re.findall(r"\d+/\d+", "".join(re.findall(r"<text.*?</text>", text))))]

            for T in ("4", "3", "2"):
                width, height, points, told, values = drawn("--arithmetic", "exact", T=T)
                self.assertEqual(values, set(re.findall(r"\d+/\d+", run(*words, "-T", T, "--arithmetic", "exact").stdout)), "fewer words, all numbers")
                self.assertEqual(points, 11)
                self.assertEqual([told, points * 16 / 2.54 * 72 / width < 8], [T == "4"] * 2)
                self.assertTrue(T == "4" or height < width)
            width, height, points, *_ = drawn()
            of_paper = [16 / 2.54 * 72, 20 / 2.54 * 72]
            found = drawn("--size", "16x20cm")[:3]
            for one, other in zip(found, [*of_paper, 11 * min(of_paper[0] / width, of_paper[1] / height)]):
                self.assertAlmostEqual(one, other, delta=0.02)
            for more, part in ((["--size", "16x9cm", "--font", "14"], r"605x340 pixels are too small for this tree: at least \d+x\d+ with letters of 14 points"),
                               (["--size", "16"], "--size must be WxH")):
                done = run(*words, "-T", "2", *more, "-o", str(pathlib.Path(place, "none.svg")))
                self.assertEqual((done.returncode, done.stdout, os.listdir(place)), (2, "", ["tree.svg"]))
                self.assertRegex(done.stderr, rf"\Aoptgap: [^\n]*{part}[^\n]*\n\Z")

    def test_what_cannot_be_drawn_is_said_in_one_line_and_the_old_picture_stays(self):
        with tempfile.TemporaryDirectory() as place:
            out = pathlib.Path(place, "tree.svg")
            out.write_text("old")
            tool = pathlib.Path(place, "python3")
            for program, expected in (("echo first >&2; echo 'no font' >&2; exit 1", "python3 failed: no font"),
                                      ("echo '<svg> and a full disk'", "python3 drew no complete picture")):
                tool.write_text(f"#!/bin/sh\n{program}\n")
                tool.chmod(0o755)
                done = subprocess.run([OPTGAP, "tree", "-T", "2", "-o", str(out), "2x1,1"], capture_output=True,
                                      text=True, timeout=120, env={**os.environ, "PATH": place})
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"\Aoptgap: {expected}\n\Z")
                self.assertEqual(out.read_text(), "old")

    def test_states_are_joined(self):
        done = run("tree", "-T", "3", "--all-actions", "2x1,1")
        states = re.findall(r"^  s(\d+) \[.*label=\"(.*)\"\];$", done.stdout, re.M)
        self.assertEqual(len(states), len({words for _, words in states}))
        arrows = re.findall(r"^  a\d+ -> s(\d+) ", done.stdout, re.M)
        self.assertEqual({n for n, _ in states}, set(arrows) | {"0"})

    def test_other_families(self):
        done = run("tree", "-T", "2", "--workers-prior", "3,1", "--workers-prior", "2,1", "2x1,1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('label="1,1  1,1\\n2 left\\nvalue 1.25"', done.stdout)
        self.assertIn("label instance 1 by worker 1\\n1.25", done.stdout)
        self.assertIn("1,1  1,1 (1+ by worker 1)", done.stdout)
        done = run("tree", "--workers", "2", "--arrival-rate", "1", "--service-rate", "1", "1,1", "2,1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("with 2 arrivals. Boxes: the state, arrivals left, expected correct calls still to be "
                      "gained.", done.stdout)
        self.assertIn("the next worker arrives  0.5", done.stdout)
        self.assertIn("+ for 2,1  0.33333", done.stdout)  # half of Beta(2,1)'s 2/3

    def test_a_policy_beside_the_optimum(self):
        """In each state its loss is that of `query` there, and all together are the gap of `compare`."""
        for policy, *words in (("opt-kg", "-T", "2", "2,1", "4,2", "4,4"), ("uniform", "-T", "2", "2x1,1", "3,2@0.4"),
                               ("gittins-fh", "-T", "2", "--payoff", "1,-3,0,2", "2,1", "3,2"),
                               ("uniform", "-T", "2", "--price", "0.1", "1,1", "5,2")):
            words = ["--arithmetic", "exact", *words]
            tree = self.document(["tree", "--against", policy, *words])
            compared = self.document(["compare", "--policies", policy, *words])
            self.assertEqual(tree["lost_exact"], compared["policies"][0]["gap_exact"])
            whole = sum(Fraction(state["reached_exact"]) * Fraction(state["lost_exact"]) for state in tree["states"])
            self.assertEqual(whole, Fraction(tree["lost_exact"]))
            for state in tree["states"] if "--price" not in words else ():
                if not state["actions"]:
                    continue
                more = words[4:-2] if "--payoff" in words else []
                asked = self.document(["query", "--policies", policy, "--arithmetic", "exact", "-T", str(state["left"]), *more,
                                       *state["text"].split()])
                best = max(Fraction(act["q_exact"]) for act in asked["instances"])
                picked = [asked["instances"][i] for i in asked["policies"][policy]]
                copies = sum(act["count"] for act in picked)
                lost = sum(act["count"] * (best - Fraction(act["q_exact"])) for act in picked) / copies
                self.assertEqual(Fraction(state["lost_exact"]), lost, (words, state["text"]))
                self.assertEqual({act["text"]: Fraction(act["chosen_exact"]) for act in state["actions"] if act["chosen"]},
                                 {act["text"].split("x")[-1]: Fraction(act["count"], copies) for act in picked})

    def test_choices_with_equal_outcomes_and_different_rewards(self):
        """Labels that arrive later: the state after a choice may be the same, and only its reward differs."""
        root = self.document(["tree", "-T", "1", "--batch", "1", "--all-actions", "2,1", "2,2"])["states"][0]
        self.assertEqual([(act["text"], act["value"], act["optimal"]) for act in root["actions"]],
                         [("2,1", 0, False), ("2,2", 0.1875, True)])
        waiting = ["--arrivals", "3", "--arrival-rate", "1", "--service-rate", "1"]
        for lost, policy, *words in ((0.03125, "uniform", "-T", "3", "--batch", "2"),
                                     (0.046875, "uniform", "-T", "2", "--batch", "1"), (5 / 384, "kg", *waiting)):
            tree = self.document(["tree", "--against", policy, *words, "1,1", "2,1"])
            self.assertAlmostEqual(tree["lost"], lost, delta=1e-12)

    def test_marks_of_a_policy(self):
        words = ["tree", "-T", "2", "--arithmetic", "exact", "--against", "opt-kg", "2x2,1", "3,3"]
        printed = run(*words).stdout
        self.assertIn("and choices of opt-kg", printed)
        self.assertIn("Filled: choices of opt-kg, orange where it loses. In all they lose 1/96.", printed)  # 1/6 - 5/32
        self.assertEqual(re.findall(r"#D55E00.*label=\"(.*)\"", printed), [r"label 3,3\n69/32\nopt-kg\nloses 1/96"])
        cut = run("tree", "-T", "3", "--levels", "1", "--against", "uniform", "2x2,1", "3,3").stdout
        self.assertIn('orange where it loses."', cut)  # how much in all is not known
        tied = run("tree", "-T", "1", "--against", "uniform", "2,1", "4,4").stdout
        self.assertIn(r"label 2,1\n1.25\nuniform 50 %\nloses 0.13672", tied)
        own = run("tree", "-T", "1", "--against", """command:while read x; do echo '{"index": [1]}'; done""", "2x1,1").stdout
        self.assertIn(r"""choices of command:while read x; do echo '{\"index\": [1]}'; done.""", own)
        for words, part in (("thompson 1,1", "can only be simulated"), ("kg --problem assignment --accuracies 0.9 1", "the order of labels"),
                            ("kg --against uniform 1,1", "--against is given twice")):
            done = run("tree", "-T", "2", "--against", *words.split())
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(part, done.stderr)

    def test_a_policy_with_a_belief(self):
        """What it loses in all is what compare explains."""
        for problem in ("-T 3 --workers-prior 2x4,1 2,1 1,1", "-T 3 --problem ranking --policy akg 2 2x1"):
            words, name = shlex.split(problem.replace("--policy akg ", "")), "akg" if "akg" in problem else "kg"
            tree = self.document(["tree", "--states", "2000", "--against", name, *words])
            row = self.document(["compare", "--explain", "--policy", name, *words])["policies"][0]
            self.assertAlmostEqual(tree["lost"], row["explain"]["total"], delta=1e-12)
            self.assertAlmostEqual(row["explain"]["total"] + row["explain"]["calls"], row["gap"], delta=1e-12)
            self.assertGreater(tree["lost"] + row["explain"]["calls"], 0)

    @unittest.skipUnless(shutil.which("dot"), "graphviz is not installed")
    def test_graphviz_reads_it(self):
        for words in (["2x1,1"], ["2,1@0.3", "1,2"], ["0.5:1,1+0.5:5,1"], ["--against", "opt-kg", "2x2,1", "3,3"]):
            done = run("tree", "-T", "2", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            drawn = subprocess.run(["dot", "-Tsvg"], input=done.stdout, capture_output=True, text=True)
            self.assertEqual((drawn.returncode, drawn.stderr), (0, ""))


class Play(unittest.TestCase):
    def test_a_choice_that_costs(self):
        done = run("play", "-T", "2", "--seed", "3", "2x2,1", "3,3", given="3\n1\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        # 1/6 - 5/32
        self.assertIn("That choice cost 0.01042 expected correct calls; optimal: 1, 2.", done.stdout)
        self.assertIn("Done with 0 labels left. Your choices cost 0.01042", done.stdout)

    def test_the_seed_is_the_game(self):
        games = [run("play", "-T", "6", "--seed", seed, "3x1,1", given="1\n2\n3\n1\n2\n3\n").stdout
                 for seed in ("11", "11", "12", "13", "14")]
        self.assertEqual(games[0], games[1])
        self.assertGreater(len(set(re.sub("seed.*", "", game) for game in games)), 1)

    def test_what_is_no_choice_is_asked_again(self):
        done = run("play", "-T", "1", "--seed", "1", "2x1,1", given="0\n3\nfoo\n?\n2\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("is not the number of an instance"), 3)
        self.assertIn("0.25", done.stdout)
        self.assertIn("Done with 0 labels left", done.stdout)

    def labels(self, text, who):
        """The labels of the player (who "Instance") or of a policy, in order."""
        return re.findall(rf"{who} (\d+): the label says (.)\.", text)

    def test_both_play_with_the_same_labels(self):
        words = ["play", "-T", "6", "--seed", "7", "--against", "opt-kg", "2x1,1", "2,1"]
        done = run(*words, given="1\n2\n3\n1\n2\n3\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        theirs = self.labels(done.stdout, "opt-kg labels instance")
        self.assertEqual(len(theirs), 6)
        copied = run(*words, given="".join(f"{instance}\n" for instance, _ in theirs))
        self.assertEqual(self.labels(copied.stdout, "Instance"), theirs)
        self.assertEqual(self.labels(copied.stdout, "opt-kg labels instance"), theirs)
        both = re.findall(r"^ +\d +[\d.]+  (positive|negative)  (right|wrong|half) +(right|wrong|half)", copied.stdout, re.M)
        self.assertEqual(len(both), 3)
        self.assertFalse([row for row in both if row[1] != row[2]])
        alone = run(*words[:5], *words[7:], given="1\n2\n3\n1\n2\n3\n")
        self.assertEqual(self.labels(alone.stdout, "Instance"), self.labels(done.stdout, "Instance"))

    def test_a_person_who_copies_a_policy_has_its_game(self):
        """The same answers and the same cost, in every problem type: the numbers of its acts are looked up in the lists that the
        person is shown."""
        for family, given in PROBLEMS.items():
            name = {"labelers": "best-set", "process": "first", "ranking": "akg"}.get(family, "kg")
            for problem, _ in given.values() if family != "assignment" else ():  # whose policies know histories, no states
                name = "everybody" if "orders" in problem else name
                words = shlex.split(f"play --seed 5 --against {name} {problem}")
                done = run(*words, folder=DATA, given="1\n" * 9)
                self.assertEqual(done.returncode, 0, done.stderr)
                with self.subTest(problem=problem, name=name):
                    moves = re.findall(rf"^{name} (?:labels|chooses) (?:instance )?(.*?)(?:: .*)?\.$",
                                       unfolded(done.stdout), re.M)
                    self.assertTrue(moves)
                    typed = ""
                    for act in moves:
                        shown = run(*words, folder=DATA, given=typed).stdout
                        listed = re.findall(rf"^ +(\d+)  (?:instance )?{re.escape(act)}$", shown, re.M)
                        typed += (listed[-1] if listed else act) + "\n"
                    copied = unfolded(run(*words, folder=DATA, given=typed).stdout)
                    mine = re.search(r"Your choices cost (\S+) expected", copied)[1]
                    self.assertRegex(copied, rf"(Its choices|The choices of {name}) cost {re.escape(mine)} expected")
                    answers = re.findall(r": (?:the label says|then) (.*?)\.$", copied, re.M)
                    self.assertEqual(answers[0::2], answers[1::2])

    def test_the_cost_of_a_policy_is_its_gap_on_average(self):
        for problem in ("-T 4 --batch 2 2,1 2x1,1", "-T 3 --source a:1:0.7 --source b:2:0.9 2,1 1,1"):
            costs = []
            for seed in range(1, 41):
                done = unfolded(run(*shlex.split(f"play --seed {seed} --against uniform {problem}"), given="1\n" * 4).stdout)
                costs.append(float(re.search(r"The choices of uniform cost (\S+) expected", done)[1]))
            row = json.loads(run("compare", "--json", "--policy", "uniform", *shlex.split(problem)).stdout)["policies"][0]
            self.assertGreater(row["gap"], 0)
            self.assertLess(abs(statistics.mean(costs) - row["gap"]), 4 * statistics.stdev(costs) / 40 ** 0.5)

    def test_undo_reaches_a_stop(self):
        """beta-stop:0.74 is done with 3,1 at once, as its call is right with probability 7/8, and with 1,1 after one label: 3/4."""
        words = ["play", "-T", "4", "--seed", "2", "--against", "beta-stop:0.74", "3,1", "1,1"]
        done = run(*words, given="1\n1\nu\n1\n1\n1\n").stdout
        self.assertEqual(done.count("beta-stop:0.74 labels instance 2"), 1, done)
        self.assertEqual(done.count("beta-stop:0.74 stops."), 2)
        plain = run(*words, given="1\n1\n1\n1\n").stdout
        self.assertEqual(plain.split("\n\n")[-2:], done.split("\n\n")[-2:])

    def test_the_truth_is_as_the_labels_and_the_prior_say(self):
        """Mean correct calls over many games: the policy's are the optimal value, 2.5; without labels 2."""
        games = 60
        right = [0, 0]
        for seed in range(1, games + 1):
            done = run("play", "-T", "2", "--seed", str(seed), "--against", "opt-kg", "4x1,1", given="1\n1\n")
            found = re.search(r"You called ([\d.]+) of 4\s+right, opt-kg\s+([\d.]+)\.\s", done.stdout)
            right = [total + float(number) for total, number in zip(right, found.groups(), strict=True)]
        # Two labels of one instance are worth a quarter, and of two instances a half.
        for total, value in zip(right, (2.25, 2.5), strict=True):
            self.assertLess(abs(total / games - value), 4 * (4 * 0.25 / games) ** 0.5)

    def test_an_undecided_call_counts_half(self):
        done = run("play", "-T", "1", "--seed", "3", "--against", "opt-kg", "2x1,1", given="1\n")
        self.assertEqual(re.findall(r"^ +2 +[\d.]+  \w+ +(\w+) ", done.stdout, re.M), ["half"])
        self.assertRegex(done.stdout, r"You called (0\.5|1\.5) of 2\s+right")

    def test_undo_and_hint(self):
        words = ["play", "-T", "3", "--seed", "3", "2x2,1", "3,3"]
        undone = run(*words, given="u\n3\nu\nh\n1\n2\nu\nu\n2\n1\n3\n")
        self.assertEqual(undone.returncode, 0, undone.stderr)
        self.assertIn("There is nothing to undo.", undone.stdout)
        self.assertEqual(undone.stdout.count("The last choice is undone"), 3)
        self.assertIn("Optimal: 1, 2.", undone.stdout)
        plain = run(*words, given="2\n1\n3\n")
        self.assertEqual(plain.stdout.split("\n\n")[-2:], undone.stdout.split("\n\n")[-2:])
        waiting = ["play", "--workers", "3", "--arrival-rate", "1", "--service-rate", "1", "--seed", "4", "2x1,1", "2,1"]
        self.assertEqual(run(*waiting, given="1\nu\n2\nu\nu\n1\n2\n3\n").stdout.split("\n\n")[-2:],
                         run(*waiting, given="1\n2\n3\n").stdout.split("\n\n")[-2:])

    def test_lines_end_where_a_narrow_terminal_does(self):
        for words in (["play", "-T", "1", "--seed", "1", "--against", "kg", "2x1,1"],
                      ["compare", "-T", "3", "--explain", "2x1,1"]):
            near, far = os.openpty()
            fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
            with subprocess.Popen([OPTGAP, *words], stdin=subprocess.PIPE, stdout=far, stderr=subprocess.PIPE) as child:
                os.close(far)
                with contextlib.suppress(BrokenPipeError):  # some end without reading
                    child.stdin.write(b"1\n")
                    child.stdin.close()
                text = b""
                while True:
                    try:
                        part = os.read(near, 4096)
                    except OSError:  # Linux says so that the other side is closed
                        break
                    text += part
                    if not part:
                        break
            os.close(near)
            lines = text.decode().replace("\r", "").split("\n")
            self.assertGreater(len(lines), 5, words)
            long = [line for line in lines if len(line) > 50 and "  " not in line.strip() and "Which" not in line]
            self.assertEqual(long, [], words)

    def test_the_end_of_input_ends_the_game(self):
        for text in ("", "q\n", "1\n"):
            done = run("play", "-T", "3", "--seed", "1", "2x1,1", given=text)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Ended with", done.stdout)

    def test_other_families_play_by_the_qs_of_query(self):
        words = ["-T", "2", "--workers-prior", "4,1", "--workers-prior", "2,1", "1,1", "2,1"]
        asked = subprocess.run([OPTGAP, "query", "--json", *words], capture_output=True, text=True, timeout=120)
        actions = json.loads(asked.stdout)["actions"]
        for number, action in enumerate(actions, start=1):
            done = run("play", "--seed", "2", *words, given=f"?\n{number}\nq\n")
            self.assertEqual(done.returncode, 0, done.stderr)
            shown = [line.split() for line in done.stdout.splitlines()
                     if re.match(r" +\d+  instance \d by worker \d +\d.* +\d", line)]
            self.assertAlmostEqual(float(shown[number - 1][6]), action["q"], delta=1e-9)
            self.assertEqual(shown[number - 1][-1] == "optimal", action["optimal"])
            cost = re.search(r"cost (\S+) expected correct calls in all", done.stdout).group(1)
            self.assertAlmostEqual(float(cost), action["lost"], delta=1e-5)

    def test_labels_that_take_time_arrive(self):
        words = ["--workers", "3", "--arrival-rate", "1", "--service-rate", "1", "2x1,1", "2,1"]
        done = run("play", "--seed", "4", *words, given="1\n2\n3\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The next worker arrives.", done.stdout)
        self.assertIn("the optimal policy was worth 2.25 of 3 from the start", " ".join(done.stdout.split()))


if __name__ == "__main__":
    main()
