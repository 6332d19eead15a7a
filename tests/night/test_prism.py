#!/usr/bin/env python3
"""Twenty small models, solved by PRISM if it is on the path. Otherwise skipped.

    test_prism.py PROGRAM
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None  # set below
PROBLEMS = [line.split() for line in """
-T 1 1,1 2,1
-T 4 3x1,1
-T 5 2x1,1 2,1@0.3
-T 6 2x2,3 4,1
-T 3 1,1,2 2x1,1,1
-T 4 0.5:2,1+0.5:1,3 1.5,2
-T 4 --problem bandit 1,1 2,1
-T 5 --problem bandit 2x1,2 3,1
-T 5 --price 0.02 2x1,1 2,1@0.3
-T 4 --price 0.05,0.01 --payoff 1,-3,-2,1,-0.1 1,1 2x2,1
-T 3 --payoff 1,-5,0,1 2x1,1
-T 3 --workers-prior 4,1 --workers-prior 2,1 2x1,1
-T 5 --batch 2 2x1,1
-T 3 --deadline 4 --slot-service 2,0.5 --slot-arrivals 0.5 2x1,1
--arrivals 3 --arrival-rate 1 --service-rate 2 1,1 2,1
-T 3 --problem ranking 3x1
-T 3 --problem assignment --workers-prior 3x4,1 2x1
-T 4 --problem ranking 3x1
-T 4 --arithmetic exact 3x1,1
-T 3 --arithmetic exact --price 0.1 2x1,1 2,1@0.3
""".strip().splitlines()]


@unittest.skipUnless(shutil.which("prism"), "prism is not on the path")
class PrismTest(unittest.TestCase):
    def test_the_optimum_is_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            for words in PROBLEMS:
                with self.subTest(words=words):
                    found = json.loads(subprocess.run([PROGRAM, "solve", "--json", "--quiet", "--export-model", "model.tra", *words], cwd=folder,
                                                      capture_output=True, text=True, check=True).stdout)
                    model = found["model"]
                    text = subprocess.run(shlex.split(model["command"]), cwd=folder, capture_output=True, text=True, timeout=600).stdout
                    told = re.search(r"^Result: ([\d.eE/+-]+)", text, re.MULTILINE)
                    self.assertTrue(told, text[-2000:])  # the status is 0 also after an error
                    top, _, below = told[1].partition("/")
                    value = float(top) / float(below or 1) - float(model["constant"])
                    # PRISM's own iteration ends at a relative 1e-6; without cycles it is exact to rounding.
                    self.assertAlmostEqual(value, found["optimal"]["value"], delta=found["optimal"]["error_bound"] + 1e-9)


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
