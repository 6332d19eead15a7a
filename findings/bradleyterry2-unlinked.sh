#!/usr/bin/env bash
#
# BradleyTerry2 puts items that nothing links on one scale: what it calls c's ability is c's lead over d.
#
# Expected. a beat b in 2 of 3 comparisons, c beat d in 3 of 4, and no comparison joins the two pairs. Then
# a's ability relative to c cannot be estimated: an error, a warning, or NA for both c and d.
#
# What happens. With a as the reference, b has -0.693 (log 1/2), c has 1.099 with an ordinary standard error
# of 1.155, and d is NA, without a message. 1.099 is log 3, c's lead over d, so the reference of the second
# pair is d, although the table is sorted as if c led a. With the same counts and d before c in the table,
# d has -1.099 and is last, and c is NA.
#
# Package: r-cran-bradleyterry2 1.1-2-2 (Debian 12). Seen on 2026-11-30:
#
#   items a b c d: a 0.000 (0.000), b -0.693 (1.225), c 1.099 (1.155), d NA (NA)
#   items a b d c: a 0.000 (0.000), b -0.693 (1.225), d -1.099 (1.155), c NA (NA)
#   warnings: 0
#
# A search found no report. r-cran-psychotools 0.7-2-1 (btmodel, worth) gives d a number, too: two pairs of 3 to 1
# get the worths 0.375 0.125 0.375 0.125.
#
# Why it matters. Early in a ranking from few labels the comparisons seldom link all items, and an NA looks
# like one missing item, not like a scale that does not exist.
#
# A remedy. Look at the graph of comparisons first and rank each connected part alone; with a prior, as
# optgap ranks, each ability has a posterior of its own.
set -euo pipefail

version=1.1-2-2
if [ "$(dpkg-query -W -f '${Version}' r-cran-bradleyterry2 2>/dev/null || true)" != "$version" ]; then
    apt-get install -y --no-install-recommends "r-cran-bradleyterry2=$version"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >abilities.R <<'END'
suppressMessages(library(BradleyTerry2))
warned <- 0
wins <- matrix(0, 4, 4, dimnames = list(letters[1:4], letters[1:4]))
wins["a", "b"] <- 2
wins["b", "a"] <- 1
wins["c", "d"] <- 3
wins["d", "c"] <- 1
for (items in list(c("a", "b", "c", "d"), c("a", "b", "d", "c"))) {
    fit <- withCallingHandlers(
        BTabilities(BTm(cbind(win1, win2), player1, player2, data = countsToBinomial(wins[items, items]))),
        warning = function(w) warned <<- warned + 1)
    cat("items ", paste(items, collapse = " "), ": ",
        paste(sprintf("%s %.3f (%.3f)", rownames(fit), fit[, 1], fit[, 2]), collapse = ", "), "\n", sep = "")
}
cat("warnings: ", warned, "\n", sep = "")
END
cat >expected <<'END'
items a b c d: a 0.000 (0.000), b -0.693 (1.225), c 1.099 (1.155), d NA (NA)
items a b d c: a 0.000 (0.000), b -0.693 (1.225), d -1.099 (1.155), c NA (NA)
warnings: 0
END
Rscript abilities.R | tee seen
if cmp -s seen expected; then
    echo "as described: two scales shown as one"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
