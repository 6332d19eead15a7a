#!/usr/bin/env bash
#
# NLTK's weighted kappa is far off if max_distance is given: -2.66 instead of 0.77.
#
# Expected. Cohen's weighted kappa is 1 minus the observed by the expected disagreement. The argument
# max_distance of AnnotationTask.weighted_kappa scales both to 0 .. 1, so it changes neither their ratio
# nor kappa. For ratings from 1 to 5 with the squared distance it is 16.
#
# What happens. Only the expected disagreement is divided by it. The result is 1 - 16 (1 - kappa): -2.66
# where kappa is 0.77. Nothing is reported.
#
# Package: python3-nltk 3.8-1 (Debian 12); NLTK's repository had the same lines at commit f2a92bd7e (2024).
# Seen on 2026-11-30:
#
#   max_distance as it is: 0.771
#   max_distance 16: -2.657
#   by hand: 0.771
#
# A search found no report.
#
# Why it matters. A low kappa is a reason to throw labels away, and a moderate error looks plausible: with
# max_distance 2, as for the ratings 0, 1, 2 and plain differences, 0.6 becomes 0.2.
#
# A remedy. Leave max_distance out.
set -euo pipefail

version=3.8-1
if [ "$(dpkg-query -W -f '${Version}' python3-nltk 2>/dev/null || true)" != "$version" ]; then
    apt-get install -y --no-install-recommends "python3-nltk=$version"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >kappa.py <<'END'
from nltk.metrics import interval_distance
from nltk.metrics.agreement import AnnotationTask

x, y = [1, 2, 3, 5, 5, 3, 1, 2], [1, 2, 3, 3, 5, 5, 1, 2]
task = AnnotationTask([("x", i, v) for i, v in enumerate(x)] + [("y", i, v) for i, v in enumerate(y)],
                      distance=interval_distance)
print(f"max_distance as it is: {task.weighted_kappa():.3f}")
print(f"max_distance 16: {task.weighted_kappa(max_distance=16):.3f}")
observed = sum((a - b) ** 2 for a, b in zip(x, y)) / len(x)
expected = sum((a - b) ** 2 for a in x for b in y) / len(x) ** 2
print(f"by hand: {1 - observed / expected:.3f}")
END
cat >expected <<'END'
max_distance as it is: 0.771
max_distance 16: -2.657
by hand: 0.771
END
/usr/bin/python3 kappa.py | tee seen
if cmp -s seen expected; then
    echo "as described: only one of two is divided"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
