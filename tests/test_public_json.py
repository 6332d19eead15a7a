#!/usr/bin/env python3
"""A question asked by optgap.h has the document that the program prints with --json, to the byte but
for times.

    test_public_json.py PROGRAM PUBLIC_JSON [unittest option...]
"""

import os
import re
import subprocess
import sys
import unittest

FEATURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "features.tsv")

# The question, the family, and words: options, policies, settings of the request, instances.
QUESTIONS = [
    "solve independent budget=6 3x1,1 2,1@0.3",
    "solve independent budget=6 +exact 3x1,1 2,1@0.3",
    "solve independent budget=6 +dry-run 5x1,1",
    "solve independent budget=5 objective=bandit 3x1,1",
    "solve workers budget=3 workers-prior=2x4,1 once= 2x1,1",
    "solve delayed workers=4 arrival-rate=2 service-rate=1 2x1,1",
    "compare independent budget=6 3x1,1 2,1@0.3",
    "compare independent budget=5 %opt-kg %cvar-kg:0.5 %thompson +ties=1 +explain +runs=100 4x1,1",
    "compare independent budget=4 +exact 2x1,1 0.5:1,3+0.5:3,1 1,1,1",
    "compare workers budget=3 workers-prior=2x4,1 2x1,1",
    "compare delayed workers=4 arrival-rate=2 service-rate=1 2x1,1",
    f"compare features budget=3 features={FEATURES}",
    "query independent budget=5 left=2 2x2,1 3,3",
    "query independent budget=2 +exact %kg %lookahead:2 2x2,1 3,3",
    "query workers budget=2 workers-prior=4,1 2x1,1",
    "bound independent budget=20 10x1,1",
    "bound independent budget=4 +exact 2x1,1",
    "simulate independent budget=8 +runs=200 5x1,1",
    "simulate independent budget=8 +runs=200 +truth=beta:4,1 %kg %uniform +ties=1 5x1,1",
]
TIES = ["random", "first", "best", "worst"]


def command(question):
    """The words of the program."""
    name, _, *rest = question.split()
    words = [name, "--json"]
    for word in rest:
        key, equals, text = word.lstrip("+").partition("=")
        if word.startswith("%"):
            words += ["--policy", word[1:]]
        elif key == "exact":
            words += ["--arithmetic", "exact"]
        elif key == "ties":
            words += ["--ties", TIES[int(text)]]
        elif equals or word.startswith("+"):
            words += ["--" + key] + ([text] if text else [])
        else:
            words.append(word)
    return words


def without_times(printed):
    return re.sub(r'("(?:table_)?seconds": ?)[^,}\]\n]+', r"\1-", printed)


class PublicJson(unittest.TestCase):
    def test_documents_are_the_programs(self):
        for question in QUESTIONS:
            with self.subTest(question=question):
                printed = [subprocess.run(words, capture_output=True, text=True, timeout=200)
                           for words in ([PUBLIC, *question.split()], [PROGRAM, *command(question)])]
                self.assertEqual([run.returncode for run in printed], [0, 0],
                                 printed[0].stderr + printed[1].stderr)
                mine, theirs = (without_times(run.stdout) for run in printed)
                self.assertGreater(len(mine), 100)
                self.assertEqual(mine, theirs)


if __name__ == "__main__":
    PROGRAM, PUBLIC = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
