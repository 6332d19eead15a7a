"""What the studies that no sweep can make have in common: a result of the program kept in a file, so that
what was interrupted goes on, a figure that looks like those of `optgap plot`, and a table in Markdown.
"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys

MODULE = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/python/optgap/_figures"
sys.path.append(str(MODULE.parent))
from _figures import kinds, lines, looks  # noqa: E402

# The numbers of looks of what is no policy, or one of several of a policy (_figures/looks.json has policies); of what is
# in neither, a free one. Seven more is the same colour with other dashes and marks (_figures/looks.py). A curve is looked
# up by its whole name, then by its first word.
LOOKS = {
    "opt-kg, true prior": 2, "opt-kg, uniform prior": 1, "least": 5,
    "0.5,1 drawn": 2, "1,1 drawn": 1,
    "1,1": 0, "0.5,1": 3, "3,0.5": 2, "1.5,0.5": 2, "6,0.5": 5, "2,0.5": 5, "G2=0": 0, "G2=0.5": 2, "G2=1": 1,
    "bbta:0": 1, "bbta:1": 5, "bbta:1,skip": 3, "bbta:5": 6, "bbta:10": 4,
    "akg by concluding": 9, "distance by concluding": 8,
    "K = 10": 1, "K = 20": 0, "K = 50": 2,
    "Beta(10,1)": 0, "Beta(10,1), prior Beta(4,1)": 7, "Beta(5,2)": 2, "Beta(5,2), prior Beta(4,1)": 9,
    "Beta(0.5,0.5)": 3, "Beta(2,2)": 0, "Beta(3,1)": 3, "Beta(8,1)": 0,
    "Beta(2,1)": 1, "Beta(2,1), prior Beta(4,1)": 8, "Beta(4,1)": 6,
}
HEAVY = ("limit", "bound")  # what others are measured against


def tables_in_sql(path):
    """A study as tables in memory: `result`, a row for each policy and cell, and `spent`, the labels of each soft label."""
    study, database = lines.read(path), sqlite3.connect(":memory:")
    database.execute("CREATE TABLE result (" + ", ".join(f'"{name}"' for name in lines.EMPTY) + ")")
    database.executemany(f"INSERT INTO result VALUES ({', '.join('?' * len(lines.EMPTY))})",
                         ([row[name] for name in lines.EMPTY] for row in lines.rows_of(study)))
    database.execute("CREATE TABLE spent (budget, policy, soft, labels)")
    database.executemany("INSERT INTO spent VALUES (?, ?, ?, ?)", (
        (line.budget, policy["name"], soft, labels) for line in study for policy in line.answer.get("policies") or ()
        for soft, labels in zip(kinds.soft_labels(line.truth) or (), policy.get("by_instance") or ())))
    return database


def is_whole(document, words):
    """Has it all runs that were asked for, and did nobody interrupt it?"""
    asked = int(words[words.index("--runs") + 1]) if "--runs" in words else 0
    return document.get("runs", asked) >= asked and '"interrupted"' not in json.dumps(document.get("policies"))


def result(path, program, *words, options=("--json", "--quiet")):
    """The JSON that the program prints, from the file if it is there. Takes over the exit status of what
    fails, but for 3: a limit is an answer too, if all runs were made and nobody interrupted it."""
    if not os.path.exists(path):
        done = subprocess.run([program, *words, *options], stdout=subprocess.PIPE)
        if done.returncode not in (0, 3) or (done.returncode == 3 and not is_whole(json.loads(done.stdout), words)):
            raise SystemExit(done.returncode if done.returncode > 0 else 1)
        with open(path + ".part", "wb") as file:
            file.write(done.stdout)
            file.flush()
            os.fsync(file.fileno())
        os.rename(path + ".part", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(path, figure):
    """The figure as an SVG; as the program does, by the first Python that has matplotlib."""
    for python in ("python3", "/usr/bin/python3"):
        done = subprocess.run([python, "-B", MODULE, path], input=json.dumps(figure), text=True, stderr=subprocess.PIPE)
        if done.returncode != 3:
            break
    if done.returncode != 0:
        raise SystemExit(f"{path} is not drawn: {done.stderr.strip()} (on Debian: apt-get install python3-matplotlib)")


def look_of(name):
    found = LOOKS.get(name, LOOKS.get(name.split()[0]))
    return looks.number_of(name) if found is None else found


def draw(path, title, subtitle, x_label, y_label, curves, log=False):
    """An SVG. curves: a name that LOOKS knows, or its first word, -> [(x, y), ...]. log: both axes."""
    save(path, {"figure": "curves", "title": title, "subtitle": subtitle, "panels": [{
        "x_label": x_label, "y_label": y_label, "logarithmic": log, "logarithmic_x": log,
        "curves": [{"name": name, "x": [x for x, _ in points], "y": [y for _, y in points],
                    **({"kind": "heavy"} if name in HEAVY else {"look": look_of(name)})}
                   for name, points in curves.items()]}]})


def draw_histograms(path, title, subtitle, x_label, y_label, panels):
    """An SVG of panels, three in a row. panels: (name, [(low, high, bar[, outline]), ...]), of intervals from 0 to 1."""
    save(path, {"figure": "histograms", "title": title, "subtitle": subtitle, "x_label": x_label, "y_label": y_label,
                "panels": [dict(zip(("name", "low", "high", "bars", "outline"), (name, *map(list, zip(*bins)))))
                           for name, bins in panels]})


def table(heading, rows):
    for row in (heading, ["---"] * len(heading), *rows):
        print("|", " | ".join(row), "|")
    print()
