#!/usr/bin/env bash
#
# gnuplot's ibeta is undefined where a posterior of 100 labels has its mass, and a plot leaves a hole there.
#
# Expected. ibeta(a, b, x), the distribution function of Beta(a, b), is defined for a, b > 0 and x from 0
# to 1. The help adds that it is only accurate for x < (a-1)/(a+b-2).
#
# What happens. From about 100 observations on, the continued fraction is given up near the mean, on both
# sides of that limit, and the value is undefined. A plot has no points there, and "set table" writes
# 0 0 u for them, without a message; "print" stops. All other values, those beyond the limit too, are
# right to 4e-9.
#
# Package: gnuplot-nox 5.4.4+dfsg1-2+b2 (Debian 12). Seen on 2026-11-30, in steps of 0.01:
#
#   Beta(40,40): all defined
#   Beta(50,50): undefined from 0.5 to 0.5
#   Beta(60,60): undefined from 0.49 to 0.51
#   Beta(100,60): undefined from 0.57 to 0.63
#   Beta(200,200): undefined from 0.45 to 0.55
#
# A search found no report.
#
# Why it matters. This is where a posterior's distribution function leaves 0 and reaches 1; of
# Beta(200, 200) the hole holds 95 % of the mass. A reader of the table without its third column takes
# 0 for a value.
#
# A remedy. Compute the values elsewhere and plot the file. R's pbeta and SciPy's betainc have them.
set -euo pipefail

version=5.4.4+dfsg1-2+b2
if [ "$(dpkg-query -W -f '${Version}' gnuplot-nox 2>/dev/null || true)" != "$version" ]; then
    apt-get install -y --no-install-recommends "gnuplot-nox=$version"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >expected <<'END'
Beta(40,40): all defined
Beta(50,50): undefined from 0.5 to 0.5
Beta(60,60): undefined from 0.49 to 0.51
Beta(100,60): undefined from 0.57 to 0.63
Beta(200,200): undefined from 0.45 to 0.55
END
for prior in 40,40 50,50 60,60 100,60 200,200; do
    gnuplot-nox -e "set table 'points'; set samples 101; set xrange [0:1]; plot ibeta($prior,x)"
    awk -v prior="$prior" '
        NF == 3 && /[iou]$/ { if ($3 == "u") { if (first == "") { first = n / 100 } last = n / 100 } n++ }
        END { print "Beta(" prior "): " (first == "" ? "all defined" : "undefined from " first " to " last) }' points
done | tee seen
if cmp -s seen expected; then
    echo "as described: a hole around the mean"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
