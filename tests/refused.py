#!/usr/bin/env python3
"""Counts what the program refuses: policies, in problems of all families, with options.

    refused.py PROGRAM

A cell is a policy in a problem of test_dialogues.py with one of the OPTIONS; it is refused if the program ends with status 2.
Prints the number of refused cells of each family and option, and the totals: of all policies, and of those that the program
lists for no single problem type. About two minutes of a core.
"""

import collections
import concurrent.futures
import itertools
import json
import shlex
import sys

sys.dont_write_bytecode = True
from cli import run  # noqa: E402
from test_dialogues import DATA, PROBLEMS, policies  # noqa: E402

OPTIONS = {
    "compare": "compare --policy", "exact": "compare --arithmetic exact --policy", "explain": "compare --explain --policy",
    "truth": "compare --truth beta:2,1 --policy", "assume": "compare --assume 2,1 --policy", "reach": "compare --reach 0.6 --policy",
    "price": "compare --price 0.02 --policy", "payoff": "compare --payoff 2,0,0,1 --policy", "batch": "compare --batch 2 --policy",
    "query": "query --policy", "simulate": "simulate --runs 2 --policy", "tree": "tree --levels 1 --against", "play": "play --against",
}


def is_refused(cell):
    (_, problem), option, policy = cell
    code = run(*shlex.split(f"{OPTIONS[option]} {policy} {problem}"), "--threads", "1", folder=DATA, given="q\n").returncode
    if code not in (0, 2, 3):
        raise RuntimeError(f"status {code} of {cell}")
    return code == 2


def main():
    listed = json.loads(run("policies", "--json").stdout)["policies"]
    general = {policy["name"] for policy in listed if policy["objective"] is None}
    problems = [(family, problem) for family, given in PROBLEMS.items() for problem, _ in given.values()]
    cells = list(itertools.product(problems, OPTIONS, policies()))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        refused = [cell for cell, found in zip(cells, pool.map(is_refused, cells)) if found]
    count = collections.Counter((family, option) for (family, _), option, _ in refused)
    print(f"{'':14}" + "".join(f"{option:>9}" for option in (*OPTIONS, "of")))
    for family, given in PROBLEMS.items():
        row = [count[family, option] for option in OPTIONS] + [len(given) * len(policies())]
        print(f"{family:14}" + "".join(f"{number:9}" for number in row))

    def of_general(some):
        return sum(policy.split(":")[0] in general for *_, policy in some)

    print(f"refused: {len(refused)} of {len(cells)}; of policies for no single problem type {of_general(refused)} of {of_general(cells)}")


if __name__ == "__main__":
    main()
