#!/usr/bin/env python3
"""A model of optgap in MDPSolver: python3 to-mdpsolver.py model.tra, after optgap solve -T 4 --export-model model.tra 3x1,1

MDPSolver discounts without end. With the discount 1/2 and a reward of n steps times 2**n, its value is ours in every bit that it
computes. All ways to a state must have as many steps; a model for which this is not so is refused.
"""
import pathlib
import sys


def read_model(path):
    """The arguments of mdpsolver.model().mdp: lists by state and choice. (tranMatElementwise would take a place for each state in each choice.)"""
    path = pathlib.Path(path)
    moves = [line.split()[:4] for line in path.read_text().splitlines()[1:]]
    reward = dict(line.split() for line in path.with_suffix(".srew").read_text().splitlines()[1:])
    states = 1 + max(int(move[0]) for move in moves)
    step = [0] + (states - 1) * [None]
    given = {"discount": 0.5, **{name: [[] for _ in range(states)] for name in ("tranMatProbs", "tranMatColumns", "rewards")}}
    for state, choice, to, probability in moves:  # a state's own moves come after those that lead to it
        state, choice, to = int(state), int(choice), int(to)
        if choice == len(given["rewards"][state]):
            given["tranMatProbs"][state].append([])
            given["tranMatColumns"][state].append([])
            given["rewards"][state].append(float(reward.get(str(state), 0)) * 2.0 ** (step[state] or 0))
        given["tranMatProbs"][state][choice].append(float(probability))
        given["tranMatColumns"][state][choice].append(to)
        if to != states - 1:
            step[to] = step[state] + 1 if step[to] is None else step[to]
            if step[to] != step[state] + 1:
                sys.exit(f"state {to} is reached in {step[to]} and in {step[state] + 1} steps")
    return given


if __name__ == "__main__":
    import mdpsolver

    model = mdpsolver.model()
    model.mdp(**read_model(sys.argv[1]))
    model.solve(algorithm="pi", tolerance=1e-12)
    print(model.getValue(0))
