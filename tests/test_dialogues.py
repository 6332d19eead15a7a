#!/usr/bin/env python3
"""A dialogue with every family of problems: what the program answers today is what it answered before.

    test_dialogues.py PROGRAM [--record | unittest option...]

tests/data/dialogues/NAME holds command lines with their answers. The test asks them again: words and whole numbers must be
the same, other numbers to nine digits or 1e-15. --record writes the texts anew, with each question and each policy that a problem
supports. The texts show what changed; the suites show what is right.
"""

import concurrent.futures
import json
import math
import pathlib
import re
import shlex
import sys
import unittest

sys.dont_write_bytecode = True
from cli import Case, main, run  # noqa: E402
from test_readme import SOURCE, masked  # noqa: E402

DATA = pathlib.Path(SOURCE) / "tests/data"
TEXTS = DATA / "dialogues"
# The problems of each family, with labels recorded so far if it supports them. Explanations and games are text; other
# answers JSON, those about the first problem also text. `compare` answers `solve` and `bound` too, which only the first is asked.
PROBLEMS = {
    "independent": {
        "beta": ("-T 3 2,1 2x1,1", "1+ 2-"), "threshold": ("-T 3 2,1@0.3 1.5,0.5 1,1", "2-"),
        "mixture": ("-T 3 0.5:1,1+0.5:4,1 2x1,1", "1+"), "classes": ("-T 2 1,1,1 2,1,1", "1:2"),
        "payoff": ("-T 3 --payoff 3,-1,0,1,0.5 2,1 1,1", "1+"), "bandit": ("-T 3 --problem bandit 2,1 2x1,1", "1+"),
        "worth": ("-T 3 --payoff table:../../tools/examples/worth.tsv 2,1 1,1=log", "1+"),
        "arm": ("-T 3 arm:../../tools/examples/unsure.tsv arm:../../tools/examples/pool.tsv", "1:1")},
    "delayed": {"delayed": ("--arrival-rate 1 --service-rate 0.5 --arrivals 3 2,1 2x1,1", "")},
    "batch": {"batch": ("-T 4 --batch 2 2,1 2x1,1", "")},
    "deadline": {
        "deadline": ("-T 3 --deadline 4 --slot-service 2 2,1 2x1,1", ""),
        "phases": ("-T 3 --deadline 4 --slot-arrivals 0.7 --slot-service 2,0.5 --turn-away --late-labels 2,1 1,1", "")},
    "workers": {"workers": ("-T 3 --workers-prior 2x4,1 2,1 1,1", "1@1+ 2@2-"),
                "once": ("-T 3 --once --workers-prior 4,1 --workers-prior 2,1 2,1 1,1", "1@1+")},
    "features": {"features": ("-T 2 --features features.tsv", ""),
                 "weights": ("-T 1 --features features.tsv --weight-mean 0.5,0 --weight-sd 2", "")},
    "ranking": {"ranking": ("-T 3 --problem ranking 2 2x1", "1>2 3>1"),
                "crowd": ("-T 2 --problem ranking --workers-prior 2x4,1 2 2x1", "1>2@1")},
    "sources": {"known": ("-T 3 --source a:1:0.7 --source b:2:0.9 2,1 1,1", ""),
                "most": ("-T 4 --source a:1:0.7:1 --source b:2:0.9 2,1 1,1", ""),
                "unknown": ("-T 3 --source a:1:0.7 --source b:2:3,1 2,1 1,1", "")},
    "priced": {"priced": ("-T 3 --price 0.02 2,1 2x1,1", "1+"), "prices": ("-T 3 --price 0.02,0.1 2,1 1,1", "2-")},
    "labelers": {
        "labelers": ("-T 3 --problem labelers --cost 0.5 --cost-weight 0.02 0.9 0.8 0.7 0.6", "110-"),
        "weighted": ("-T 3 --problem labelers --votes weighted --sets all 0.9 0.7 0.6", "1-0"),
        "orders": ("-T 2 --problem labelers --accuracy-prior orders 0.9 0.7 0.6", "110")},
    "assignment": {"accuracies": ("-T 3 --problem assignment --accuracies 0.9,0.6 2x1", "1@2+"),
                   "prior": ("-T 3 --problem assignment --workers-prior 4,1 --workers-prior 2,1 2x1", "1@1+ 1@2-")},
    "process": {"process": ("--process 'command:python3 ../../tools/examples/trial.py 3 5'", "")},
}
QUESTIONS = ["query", "query --history HISTORY", "solve", "bound", "compare --runs 20", "compare --arithmetic exact",
             "compare --explain", "simulate --runs 20", "tree --levels 1", "play --seed 1"]
WORDS = {"compare --explain", "play --seed 1"}
MOVES = "? h 1 u 2 1 1 1 1 1 1".split()
PARAMETERS = {"ALPHA": ":0.5", "D": ":2", "EPS": ":0.1", "NAME": ":kg"}
WIDTH = 120
VARIES = {"command", "commit", "memory_bytes", "seconds", "table_seconds", "version"}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def brief(value, indent=""):
    """A document, as many of its values on a line as fit."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent + line) < WIDTH or not isinstance(value, (dict, list)):
        return line
    deeper = indent + "  "
    named = isinstance(value, dict)
    parts = [(f"{json.dumps(key)}: " if named else "") + brief(value[key] if named else key, deeper) for key in value]
    lines = [deeper]
    for part in parts:
        apart = part[-1] in "]}" or lines[-1].endswith(("], ", "}, "))  # objects and arrays are on lines of their own
        if lines[-1] != deeper and (apart or len(lines[-1] + part) > WIDTH):
            lines.append(deeper)
        lines[-1] += part + ", "
    opened, closed = "{}" if named else "[]"
    return opened + "\n" + "\n".join(line.rstrip() for line in lines)[:-1] + closed


def kept(document):
    """Without what a machine decides, and doubles to ten digits."""
    if isinstance(document, dict):
        return {key: kept(value) for key, value in document.items() if key not in VARIES}
    if isinstance(document, list):
        return [kept(value) for value in document]
    return float(f"{document:.10g}") if isinstance(document, float) else document


def ask(line):
    """The answer to a command line, with warnings; None: it is refused."""
    done = run(*shlex.split(line), "--threads", "1", "--memory", "1G", given="\n".join(MOVES) + "\n", folder=DATA)
    if done.returncode == 2:
        return None
    if "--json" in line:
        return done.stderr + brief(kept(json.loads(done.stdout)))
    moves = iter(MOVES)
    return done.stderr + masked(re.sub(r"Which \w+, 1 to \d+\? ", lambda prompt: prompt[0] + next(moves, "") + "\n", done.stdout))


def parted(text):
    """The words between a text's numbers, and the numbers."""
    return NUMBER.split(text), NUMBER.findall(text)


def same(recorded, answer):
    (words, numbers), (new_words, new_numbers) = parted(recorded), parted(answer)
    return words == new_words and all(
        old == new or (re.search(r"[.e]", old + new) and math.isclose(float(old), float(new), rel_tol=1e-9, abs_tol=1e-15))
        for old, new in zip(numbers, new_numbers))


def exchanges(name):
    """The command lines of a text, each with its answer."""
    parts = re.split(r"(?m)^\$ optgap (.*)\n", (TEXTS / name).read_text(encoding="utf-8"))
    return list(zip(parts[1::2], (answer.strip("\n") for answer in parts[2::2])))


def names():
    return [name for problems in PROBLEMS.values() for name in problems]


class DialoguesTest(Case):
    def test_every_family_is_here(self):
        table = (pathlib.Path(SOURCE) / "bench/families/list.c").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"&og_family_(\w+),", table), list(PROBLEMS))
        self.assertEqual(sorted(names()), sorted(path.name for path in TEXTS.iterdir()))

    def test_answers_are_as_before(self):
        told = [(name, *exchange) for name in names() for exchange in exchanges(name)]
        self.assertGreater(len(told), 250)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (name, line, recorded), answer in zip(told, pool.map(lambda entry: ask(entry[1]), told)):
                with self.subTest(name, line=line):
                    if answer is None or not same(recorded, answer):
                        self.assertEqual(recorded, answer)

    def test_a_changed_answer_is_found(self):
        self.assertTrue(same('"q": 0.25, "left": 3', '"q": 0.2500000001, "left": 3'))
        for other in ('"q": 0.250000001, "left": 3', '"q": 0.25, "left": 2', '"gain": 0.25, "left": 3', '"q": 0.25'):
            self.assertFalse(same('"q": 0.25, "left": 3', other), other)


def policies():
    """All but those that need a file or a program."""
    listed = json.loads(run("policies", "--json").stdout)["policies"]
    return [policy["name"] + PARAMETERS.get(policy["parameter"], "") for policy in listed
            if policy["parameter"][:1] in ("", "[") or policy["parameter"] in PARAMETERS]


def dialogue(problem, history, first):
    known = policies()
    forms = ["", " --json"] if first else [" --json"]
    for question in QUESTIONS if first else [question for question in QUESTIONS if question not in ("solve", "bound")]:
        line = f"{question.replace('HISTORY', shlex.quote(history))} {problem}"
        if "--history" in line and history == "":
            continue
        accepted = [name for name in known if ask(f"{line} --policy {name}") is not None]
        if accepted:
            line += " --policies " + ",".join(accepted[:2] if "--explain" in line else accepted)
        for form in [""] if question in WORDS else forms:
            if (answer := ask(line + form)) is not None:
                yield f"$ optgap {line}{form}\n{answer}\n"


def record():
    TEXTS.mkdir(exist_ok=True)
    for old in TEXTS.iterdir():
        old.unlink()

    def write(name, given, first):
        (TEXTS / name).write_text("\n".join(dialogue(*given, first)), encoding="utf-8")

    rows = [(name, given, place == 0) for problems in PROBLEMS.values() for place, (name, given) in enumerate(problems.items())]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(write, *zip(*rows)))


if __name__ == "__main__":
    if "--record" in sys.argv:
        record()
    else:
        main()
