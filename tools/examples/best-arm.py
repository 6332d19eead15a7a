#!/usr/bin/env python3
"""The best arm at the end, as a process: optgap solve --process "command:python3 best-arm.py 3 6"

3 arms, 6 labels; then the arm with the largest mean is taken, which is worth that mean. Priors are Beta(1,1).
A state has the arms in ascending order, because they are interchangeable, and the labels left: "1,1 1,1 2,1 5".
"""
import json
import sys
from fractions import Fraction

count, labels = (int(word) for word in sys.argv[1:3])


def text_of(arms, left):
    return " ".join(f"{a},{b}" for a, b in sorted(arms)) + f" {left}"


def expand(state):
    *words, left = state.split()
    arms = [tuple(int(number) for number in word.split(",")) for word in words]
    if left == "0":
        return {"end": str(max(Fraction(a, a + b) for a, b in arms))}
    acts = {}
    for i, (a, b) in enumerate(arms):  # equal arms are one act
        acts[f"{a},{b}"] = [[f"{times}/{a + b}", text_of(arms[:i] + [after] + arms[i + 1:], int(left) - 1)]
                            for times, after in ((a, (a + 1, b)), (b, (a, b + 1)))]
    return {"acts": acts}


for line in sys.stdin:
    asked = json.loads(line)
    if "root" in asked:
        answer = {"state": text_of([(1, 1)] * count, labels)}
    else:
        answer = {"expanded": [expand(state) for state in asked["expand"]]}
    print(json.dumps(answer), flush=True)
