#!/usr/bin/env bash
#
# npm's krippendorff: alpha depends on which rater comes first, if that rater's row is the short one.
#
# Expected. Krippendorff's alpha does not depend on the order of the raters. The package's README writes
# a rater without a label for the last samples as a shorter row, and gives such a matrix as its example:
# the rows 1 2 1, 1 1 1 and 1 2 have alpha 5/12.
#
# What happens. The number of samples is taken from the first row. If that row is the short one, all
# samples beyond it are dropped without a word, although the other raters labelled them. The README's own
# three rows in another order have alpha 3/8. Two raters who differ on two of four samples agree
# perfectly, according to alpha, if the first row is of a third rater who labelled only the other two.
#
# Package: krippendorff 0.1.0 (npm). Seen on 2026-11-30:
#
#   the README's rows, as there: 0.4167
#   the short row first: 0.375
#   the short row first, filled with undefined: 0.4167
#   a rater of two of four samples: first 1, last 0.28
#
# A search found no report. By hand, the last number is 1 - (4/10) / (50/90) = 0.28.
#
# Why it matters. In tables of crowd labels the first worker has seldom labelled all items.
#
# A remedy. Fill all rows to the same length with undefined; the order of the rows is then irrelevant.
set -euo pipefail

command -v npm >/dev/null || apt-get install -y nodejs npm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix "$folder" krippendorff@0.1.0

cat >rows.cjs <<'END'
const { alpha } = require("krippendorff");
const show = (rows) => Number(alpha(rows).toPrecision(4));
const a = [1, 2, 2, 1], b = [1, 2, 1, 2], c = [1, 2];
console.log("the README's rows, as there: " + show([[1, 2, 1], [1, 1, 1], [1, 2]]));
console.log("the short row first: " + show([[1, 2], [1, 2, 1], [1, 1, 1]]));
console.log("the short row first, filled with undefined: " + show([[1, 2, undefined], [1, 2, 1], [1, 1, 1]]));
console.log("a rater of two of four samples: first " + show([c, a, b]) + ", last " + show([a, b, c]));
END
cat >expected <<'END'
the README's rows, as there: 0.4167
the short row first: 0.375
the short row first, filled with undefined: 0.4167
a rater of two of four samples: first 1, last 0.28
END
node rows.cjs | tee seen
if cmp -s seen expected; then
    echo "as described: samples beyond the first row are dropped"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
