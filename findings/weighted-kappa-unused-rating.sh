#!/usr/bin/env bash
#
# Quadratic kappa is 0.90 or 0.77 for the same ratings: a rating that nobody gave shortens the scale.
#
# Expected. Two raters give 1, 2, 3 or 5 of five stars. The disagreement of 3 and 5 weighs (5 - 3)^2 = 4
# whether or not anything got a 4, so weighted kappa is 1 - 1/(35/8) = 0.771.
#
# What happens. scikit-learn's cohen_kappa_score and R's psych::cohen.kappa number the ratings that occur
# and weigh by the difference of these numbers: 5 is the fourth, next to 3, and kappa is 0.900. One more
# item on which both raters give a 4, which is agreement, lowers it to 0.788. Nothing is reported. R's
# psy::wkappa takes the numbers as they are.
#
# Packages: python3-sklearn 1.2.1+dfsg-1, r-cran-psych 2.2.9-1, r-cran-psy 1.2-1 (Debian 12). Seen on
# 2026-11-30:
#
#   sklearn: 0.900, with a 4 from both: 0.788, with labels: 0.771
#   psych: 0.900, with a 4 from both: 0.788, with levels: 0.771
#   psy: 0.771, with a 4 from both: 0.788
#
# The two documentations say that the labels are those that occur; a search found no report of what this
# does to the weights.
#
# Why it matters. In a batch of crowd labels some rating is often missing, so kappas of batches are not
# comparable.
#
# A remedy. labels=[1, 2, 3, 4, 5] in scikit-learn, levels=1:5 in psych.
set -euo pipefail

install() {
    if [ "$(dpkg-query -W -f '${Version}' "$1" 2>/dev/null || true)" != "$2" ]; then
        apt-get install -y --no-install-recommends "$1=$2"
    fi
}
install python3-sklearn 1.2.1+dfsg-1
install r-cran-psych 2.2.9-1
install r-cran-psy 1.2-1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >kappa.py <<'END'
from sklearn.metrics import cohen_kappa_score

x, y = [1, 2, 3, 5, 5, 3, 1, 2], [1, 2, 3, 3, 5, 5, 1, 2]
found = (cohen_kappa_score(x, y, weights="quadratic"), cohen_kappa_score(x + [4], y + [4], weights="quadratic"),
         cohen_kappa_score(x, y, weights="quadratic", labels=[1, 2, 3, 4, 5]))
print("sklearn: %.3f, with a 4 from both: %.3f, with labels: %.3f" % found)
END
cat >kappa.R <<'END'
x <- c(1, 2, 3, 5, 5, 3, 1, 2)
y <- c(1, 2, 3, 3, 5, 5, 1, 2)
psych <- function(...) suppressWarnings(psych::cohen.kappa(...))$weighted.kappa # they are of the interval alone
psy <- function(...) psy::wkappa(...)$kappa
more <- cbind(c(x, 4), c(y, 4))
cat(sprintf("psych: %.3f, with a 4 from both: %.3f, with levels: %.3f\n", psych(cbind(x, y)), psych(more),
            psych(cbind(x, y), levels = 1:5)))
cat(sprintf("psy: %.3f, with a 4 from both: %.3f\n", psy(cbind(x, y)), psy(more)))
END
cat >expected <<'END'
sklearn: 0.900, with a 4 from both: 0.788, with labels: 0.771
psych: 0.900, with a 4 from both: 0.788, with levels: 0.771
psy: 0.771, with a 4 from both: 0.788
END
{
    /usr/bin/python3 kappa.py
    Rscript kappa.R
} | tee seen
if cmp -s seen expected; then
    echo "as described: an unused rating changes the weights"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
