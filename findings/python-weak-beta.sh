#!/usr/bin/env bash
#
# Python's random.betavariate is lopsided for weak priors: draws of Beta(0.001, 0.001) have the mean 0.386.
#
# Expected. Beta(a, a) is symmetric, so the mean of many draws is near 1/2 for every a > 0.
#
# What happens. A draw is Y / (Y + Z) for two gamma draws. With a small parameter a gamma draw is often
# below the smallest double and becomes 0: with 0.001 in 47.5 % of all draws. If Y is 0, the result is 0,
# even if Z is 0 too and either end would be fair. Nothing is reported. At 0.003 the mean is still 0.005
# too low; at 0.01 nothing is to be seen.
#
# Package: pyodide 314.0.7 (npm), which is CPython 3.14.2. Debian 12's 3.11.2 prints the same. Seen on
# 2026-11-30, 200000 draws, seed 1:
#
#   Beta(0.001, 0.001): mean 0.386, zeros 0.475, ones 0.373
#   Beta(0.003, 0.003): mean 0.495, zeros 0.107, ones 0.442
#   Beta(0.01, 0.01): mean 0.501, zeros 0.001, ones 0.346
#   with logarithms, at 0.001: mean 0.499, zeros 0.000, ones 0.480
#
# A search found no report about Python. In NumPy the same underflow gave NaN, which is mended
# (numpy/numpy issue 5851 and pull request 5858).
#
# Why it matters. Beta(0.001, 0.001) is a usual prior for "nothing is known"; in a simulation that
# draws its soft labels this way, 39 % of the labels are positive instead of 50 %.
#
# A remedy. numpy.random.Generator.beta, or the same algorithm with logarithms: log Y = log G(a + 1) +
# log(U) / a, where G is a gamma draw and U uniform, and the result 1 / (1 + exp(log Z - log Y)).
set -euo pipefail

command -v npm >/dev/null || apt-get install -y nodejs npm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" pyodide@314.0.7

cat >draws.mjs <<'END'
import { loadPyodide } from "pyodide";

const python = await loadPyodide();
python.runPython(`
import math, random


def show(a, draw, n=200000):
    x = [draw(a, a) for _ in range(n)]
    print(f"Beta({a}, {a}): mean {sum(x) / n:.3f}, zeros {x.count(0) / n:.3f}, ones {x.count(1) / n:.3f}")
    return abs(sum(x) / n - 0.5) < 5 * math.sqrt(0.25 / n)


def remedy(a, b):
    y, z = (math.log(random.gammavariate(c + 1, 1)) + math.log(1 - random.random()) / c for c in (a, b))
    return 1 / (1 + math.exp(min(z - y, 700)))


random.seed(1)
fair = [show(a, random.betavariate) for a in (0.001, 0.003, 0.01)]
print("with logarithms:")
mended = [show(a, remedy) for a in (0.001, 0.003, 0.01)]
`);
process.exit(python.runPython("not fair[0] and fair[2] and all(mended)") ? 0 : 1);
END
if node draws.mjs; then
    echo "as described: a mean far from 1/2 at 0.001"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
