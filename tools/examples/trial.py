#!/usr/bin/env python3
"""A trial of two treatments as a process of your own, with lines of JSON on standard input and output.

    optgap solve --process "command:python3 trial.py 4 10"

4 patients choose between A and B; then 10 more get the treatment with the larger mean. Priors are Beta(1,1).
A state is "SUCCESSES,FAILURES of A  of B  PATIENTS LEFT". Fractions as texts allow --arithmetic exact.
"""
import json
import sys

patients, after = (int(word) for word in sys.argv[1:3])


def expand(state):
    a, b, c, d, left = (int(number) for number in state.replace(",", " ").split())
    if left == 0:
        best = max((a, a + b), (c, c + d), key=lambda mean: mean[0] / mean[1])
        return {"end": f"{after * best[0]}/{best[1]}"}
    return {"acts": {
        "A": [[f"{a}/{a + b}", f"{a + 1},{b} {c},{d} {left - 1}", 1], [f"{b}/{a + b}", f"{a},{b + 1} {c},{d} {left - 1}"]],
        "B": [[f"{c}/{c + d}", f"{a},{b} {c + 1},{d} {left - 1}", 1], [f"{d}/{c + d}", f"{a},{b} {c},{d + 1} {left - 1}"]]}}


for line in sys.stdin:
    asked = json.loads(line)
    if "root" in asked:
        answer = {"state": f"1,1 1,1 {patients}"}
    else:
        answer = {"expanded": [expand(state) for state in asked["expand"]]}
    print(json.dumps(answer), flush=True)
