#!/usr/bin/env python3
"""A model of optgap in MDPSolver: python3 to-mdpsolver.py model.tra, after optgap solve -T 4 --export-model model.tra 3x1,1

MDPSolver discounts without end. With the discount 1/2 and a reward of n steps times 2**n, its value is ours in every bit that it
computes. All ways to a state must have as many steps; a model for which this is not so is refused.
"""
import pathlib
import sys


def read_model(path):
    """The arguments of mdpsolver.model().mdp: [[state, choice, next, probability], ...] and [[state, choice, reward], ...]."""
    path = pathlib.Path(path)
    rows = [line.split() for line in path.read_text().splitlines()[1:]]
    moves = [[int(state), int(choice), int(to), float(probability)] for state, choice, to, probability, *_ in rows]
    reward = dict(line.split() for line in path.with_suffix(".srew").read_text().splitlines()[1:])
    end, step = max(move[0] for move in moves), {0: 0}
    for state, _, to, _ in moves:  # a state's own moves come after those that lead to it
        if to != end and step.setdefault(to, step[state] + 1) != step[state] + 1:
            sys.exit(f"state {to} is reached in {step[to]} and in {step[state] + 1} steps")
    step.setdefault(end, 0)
    choices = {(state, choice) for state, choice, *_ in moves}
    return {"discount": 0.5, "tranMatElementwise": moves,
            "rewardsElementwise": [[state, choice, float(reward.get(str(state), 0)) * 2.0**step[state]] for state, choice in sorted(choices)]}


if __name__ == "__main__":
    import mdpsolver

    model = mdpsolver.model()
    model.mdp(**read_model(sys.argv[1]))
    model.solve(algorithm="pi", tolerance=1e-12)
    print(model.getValue(0))
