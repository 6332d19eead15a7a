#!/usr/bin/env python3
"""A question through optgap.h has the document that the program prints with --json, byte for byte, except
times and the program's command line, which is last.

    test_public_json.py PROGRAM PUBLIC_JSON [unittest option...]
"""

import os
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from cli import FolderCase  # noqa: E402

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
FEATURES = os.path.join(DATA, "features.tsv")
LABELS = f"labels={DATA}/sample-labels.tsv gold={{gold}}"

# The question, the family, and words: options, policies, options of the question, instances.
QUESTIONS = [
    "solve independent budget=6 3x1,1 2,1@0.3",
    "solve independent budget=6 +arithmetic=exact 3x1,1 2,1@0.3",
    "solve independent budget=6 +dry-run 5x1,1",
    "solve independent budget=5 objective=bandit 3x1,1",
    "solve workers budget=3 workers-prior=2x4,1 once= 2x1,1",
    "solve delayed workers=4 arrival-rate=2 service-rate=1 2x1,1",
    "compare independent budget=6 3x1,1 2,1@0.3",
    "compare independent budget=5 %opt-kg %cvar-kg:0.5 %thompson +ties=first +explain +runs=100 4x1,1",
    "compare independent budget=4 +arithmetic=exact 2x1,1 0.5:1,3+0.5:3,1 1,1,1",
    "compare independent budget=4 %kg %opt-kg +truth=list:.2,.7,1 2x1,1 2,1",
    "compare independent budget=4 %kg %uniform +arithmetic=exact +assume=3,1 2x1,1 2,1",
    "compare workers budget=3 workers-prior=2x4,1 2x1,1",
    "compare delayed workers=4 arrival-rate=2 service-rate=1 2x1,1",
    f"compare features budget=3 features={FEATURES}",
    "query independent budget=5 left=2 2x2,1 3,3",
    "query independent budget=2 +arithmetic=exact %kg %lookahead:2 2x2,1 3,3",
    "query workers budget=2 workers-prior=4,1 2x1,1",
    "query independent budget=6 +history=1+,2- %kg %opt-kg 3x1,1",
    "query workers budget=4 workers-prior=2x4,1 +history=1@1+,1@2- 2x1,1",
    "query ranking budget=2 workers-prior=2x4,1 +history=1>2@1 3x1",
    "query labelers budget=20 accuracy-prior=orders +history=110,1-0 0.9 0.7 0.6",
    "bound independent budget=20 10x1,1",
    "bound independent budget=4 +arithmetic=exact 2x1,1",
    "simulate independent budget=8 +runs=200 5x1,1",
    "simulate independent budget=8 +runs=200 +truth=beta:4,1 %kg %uniform +ties=first 5x1,1",
    "index independent budget=5 %opt-kg 1,1 2,1",
    "index independent budget=4 %gittins-inf 1,2@0.4",
    "tree independent budget=3 +arithmetic=exact +all-actions 2x1,1 2,1",
    "tree independent budget=2 +arithmetic=exact %opt-kg 2x2,1 3,3",
    "tree workers budget=3 +levels=2 workers-prior=2x4,1 2x1,1",
    "tree delayed workers=2 arrival-rate=1 service-rate=1 1,1",
    f"replay - {LABELS} +runs=20",
    f"replay - {LABELS} +runs=7 %opt-kg %lookahead:2 %uniform +ties=first budget=12 at=0,5 "
    "prior=2,1@0.4 final-ties=positive",
    f"replay - {LABELS} +runs=5 problem=assignment fill=none budget=60",
    f"replay - {LABELS} +runs=5 problem=assignment %bbta:1 %naive budget=60 at=20,40",
    f"replay - {LABELS} +runs=5 arrival-rate=2 service-rate=1 arrivals=9 holdout=first:3",
    f"replay - {LABELS} +runs=5 workers-prior=4,1 %kg",
    f"fit - labels={DATA}/sample-labels.tsv method=moments",
    f"labels - labels={DATA}/sample-labels.tsv gold={{gold}}",
    f"next - labels={DATA}/sample-labels.tsv +budget=20 +batch=3",
    f"next - labels={DATA}/sample-labels.tsv final",
    "find - %kg against=opt-kg instances=2 budget=2 parameter=2",
    f"replay - {LABELS} +runs=5 problem=labelers explore=2,0 votes=weighted budget=15 at=5",
]


def command(question):
    """The words of the program."""
    name, family, *rest = question.split()
    files = [word.split("=", 1)[1] for word in rest if name in ("fit", "labels") and word.startswith("labels=")]
    rest = [word for word in rest if name not in ("fit", "labels") or not word.startswith("labels=")]
    words = [name, "--json", *files, *(["--problem", family] if family in ("ranking", "labelers") else [])]
    for word in rest:
        key, equals, text = word.lstrip("+").partition("=")
        if word.startswith("%"):
            words += [word[1:]] if name == "find" else ["--against" if name == "tree" else "--policy", word[1:]]
        elif equals or word.startswith("+") or family == "-":
            words += ["--" + key] + ([text] if text else [])
        else:
            words.append(word)
    return words


def without_times(printed):
    return re.sub(r'("(?:table_)?seconds": ?)[^,}\]\n]+', r"\1-", printed)


class PublicJson(FolderCase):
    def setUp(self):
        super().setUp()
        with open(f"{DATA}/sample-labels.tsv", encoding="utf-8") as file:
            columns = file.readline().rstrip("\n").split("\t")
            tasks = [line.split("\t")[columns.index("task")].strip() for line in file]
        with open(self.gold(), "w", encoding="utf-8") as file:
            file.write("task\tlabel\n")
            file.writelines(f"{task}\t{i % 2}\n" for i, task in enumerate(dict.fromkeys(tasks)))

    def gold(self):
        return os.path.join(self.folder, "gold.tsv")

    def run_both(self, mine, theirs):
        printed = [subprocess.run(words, capture_output=True, text=True, timeout=200)
                   for words in (mine, theirs)]
        self.assertEqual([run.returncode for run in printed], [0, 0],
                         printed[0].stderr + printed[1].stderr)
        return [run.stdout for run in printed]

    def test_documents_are_the_programs(self):
        for question in QUESTIONS:
            question = question.format(gold=self.gold())
            with self.subTest(question=question):
                mine, theirs = map(without_times, self.run_both([PUBLIC, *question.split()],
                                                                [PROGRAM, *command(question)]))
                theirs, commands = re.subn(r',\n  "command": ".*"\n}\n$', "\n}\n", theirs)
                self.assertGreater(len(mine), 100)
                self.assertEqual(commands, 1)
                self.assertEqual(mine, theirs)


if __name__ == "__main__":
    PROGRAM, PUBLIC = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main()
