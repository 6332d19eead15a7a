#!/usr/bin/env python3
"""The top of a ranking, as a process: optgap solve --process "command:python3 top.py 3 3"

3 items, all orders alike at first; 3 comparisons, in which the better item wins with probability 3/4. At the end one item
is named; it is worth 1 if it is the best. A state has the wins of both items of each pair, and the comparisons left.
"""
import itertools
import json
import sys
from fractions import Fraction

items, comparisons = (int(word) for word in sys.argv[1:3])
right = Fraction(3, 4)
pairs = list(itertools.combinations(range(items), 2))
orders = list(itertools.permutations(range(items)))  # the best first


def expand(state):
    *wins, left = (int(word) for word in state.split())
    weight = {}
    for order in orders:
        weight[order] = Fraction(1)
        for k, (i, j) in enumerate(pairs):
            better, worse = wins[2 * k:2 * k + 2] if order.index(i) < order.index(j) else wins[2 * k:2 * k + 2][::-1]
            weight[order] *= right**better * (1 - right)**worse
    whole = sum(weight.values())
    if left == 0:
        return {"end": str(max(sum(weight[order] for order in orders if order[0] == i) for i in range(items)) / whole)}
    acts = {}
    for k, (i, j) in enumerate(pairs):
        first = sum(weight[order] for order in orders if order.index(i) < order.index(j)) / whole
        wins_of_first = first * right + (1 - first) * (1 - right)
        acts[f"{i}-{j}"] = []
        for place, probability in enumerate((wins_of_first, 1 - wins_of_first)):
            after = wins[:2 * k + place] + [wins[2 * k + place] + 1] + wins[2 * k + place + 1:]
            acts[f"{i}-{j}"].append([str(probability), " ".join(map(str, after + [left - 1]))])
    return {"acts": acts}


for line in sys.stdin:
    asked = json.loads(line)
    if "root" in asked:
        answer = {"state": " ".join(["0"] * 2 * len(pairs) + [str(comparisons)])}
    else:
        answer = {"expanded": [expand(state) for state in asked["expand"]]}
    print(json.dumps(answer), flush=True)
