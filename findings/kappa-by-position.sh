#!/usr/bin/env bash
#
# Kappa is 1 for raters who never used the same second category: PSPP and R's vcd go by position.
#
# Expected. One rater says a or b, the other a or c. They agree on the a's alone: with three a's of six,
# Cohen's kappa is (1/2 - 1/4) / (1 - 1/4) = 1/3.
#
# What happens. The table of the two has two rows (a, b) and two columns (a, c), so it is square, and its
# diagonal is taken for agreement: b counts as c. PSPP's CROSSTABS, which has the raters' own values, and
# vcd's Kappa, whose table has the names as dimnames, both give 1, PSPP with a standard error of 0. With
# numbers it is the same. If the numbers of categories differ, vcd stops with an error, so only
# the tables that look right are wrong.
#
# Packages: pspp 1.6.2-2 and r-cran-vcd 1:1.4-11-1 (Debian 12). Seen on 2026-11-30:
#
#   PSPP, categories 1 2 and 1 3: 1.00
#   vcd, categories a b and a c: 1.000
#   vcd, with all categories as levels: 0.333
#
# A search found no report. R's psy and psych (ckappa, cohen.kappa), which take the two columns, give 0.333.
#
# Why it matters. Rare classes are the ones that one of two workers has not used.
#
# A remedy. In R, give both raters the same levels: table(factor(x, all), factor(y, all)). In PSPP, read
# the table first, or compute kappa elsewhere.
set -euo pipefail

install() {
    if [ "$(dpkg-query -W -f '${Version}' "$1" 2>/dev/null || true)" != "$2" ]; then
        apt-get install -y --no-install-recommends "$1=$2"
    fi
}
install pspp 1.6.2-2
install r-cran-vcd 1:1.4-11-1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >kappa.sps <<'END_OF_SYNTAX'
DATA LIST LIST NOTABLE /first (F1) second (F1).
BEGIN DATA
1 1
1 1
1 1
2 3
2 3
2 3
END DATA.
CROSSTABS /TABLES=first BY second /STATISTICS=KAPPA.
END_OF_SYNTAX
cat >kappa.R <<'END'
x <- c("a", "a", "a", "b", "b", "b")
y <- c("a", "a", "a", "c", "c", "c")
all <- c("a", "b", "c")
show <- function(words, table) cat(sprintf("vcd, %s: %.3f\n", words, vcd::Kappa(table)$Unweighted["value"]))
show("categories a b and a c", table(x, y))
show("with all categories as levels", table(factor(x, all), factor(y, all)))
END
cat >expected <<'END'
PSPP, categories 1 2 and 1 3: 1.00
vcd, categories a b and a c: 1.000
vcd, with all categories as levels: 0.333
END
{
    pspp kappa.sps | awk -F '|' '/Agreement Kappa/ { gsub(/ /, "", $3); print "PSPP, categories 1 2 and 1 3: " $3 }'
    Rscript kappa.R
} | tee seen
if cmp -s seen expected; then
    echo "as described: b counts as c"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
