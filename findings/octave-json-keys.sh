#!/usr/bin/env bash
#
# Octave's jsondecode loses labels: keys that make the same field name overwrite each other.
#
# Expected. {"img-1": "yes", "img_1": "no", "img.1": "yes"} has three keys, so it becomes a structure with
# three fields, or an error.
#
# What happens. Field names are made valid by replacing other characters by _ and dropping blanks, and
# the last key with a name wins, without a warning. Three labels become one. A number as a key gets an x
# in front, so that "7" and "x7" are one, too. MATLAB's function of the same name appends numbers
# (bids-standard/bids-starter-kit issue 257 shows its names), so a script written there reads fewer
# labels here.
#
# Package: octave 7.3.0-2 (Debian 12). Seen on 2026-11-30:
#
#   img_1: yes
#   task7: no
#   x7: no
#   with makeValidName false: img-1 img_1 img.1 task 7 task7 7 x7
#
# A search found no report about Octave.
#
# Why it matters. Label files are often objects with the items as keys, and items are named after files.
#
# A remedy. jsondecode(text, "makeValidName", false) keeps all keys; read them with s.("img-1").
set -euo pipefail

version=7.3.0-2
if [ "$(dpkg-query -W -f '${Version}' octave 2>/dev/null || true)" != "$version" ]; then
    apt-get install -y --no-install-recommends "octave=$version"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >labels.json <<'END'
{"img-1": "yes", "img_1": "no", "img.1": "yes", "task 7": "yes", "task7": "no", "7": "yes", "x7": "no"}
END
cat >read.m <<'END'
text = fileread("labels.json");
labels = jsondecode(text);
for name = fieldnames(labels)'
    printf("%s: %s\n", name{1}, labels.(name{1}));
end
printf("with makeValidName false: %s\n", strjoin(fieldnames(jsondecode(text, "makeValidName", false))'));
END
cat >expected <<'END'
img_1: yes
task7: no
x7: no
with makeValidName false: img-1 img_1 img.1 task 7 task7 7 x7
END
octave-cli --norc --no-history read.m | tee seen
if cmp -s seen expected; then
    echo "as described: three labels of seven"
else
    echo "the behaviour has changed" >&2
    exit 1
fi
