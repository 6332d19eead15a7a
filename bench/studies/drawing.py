"""What the studies that no sweep can make have in common: a result of the program kept in a file, so that
what was interrupted goes on, a figure that looks like those of `optgap plot`, and a table in Markdown.
"""

import html
import json
import os
import subprocess

# Colour, dashes and mark of a policy are those that tools/figure/script.c gives it; of what it does not know, free
# ones. A curve is looked up by its whole name, then by its first word.
LOOKS = {
    "uniform": ("#0072B2", "solid", 6),
    "kg": ("#D55E00", "(9,4)", 8),
    "opt-kg": ("#009E73", "(2,3)", 4),
    "gittins-fh": ("#3636D8", "(5,3)", 2),
    "gittins-inf": ("#48365A", "(9,3,2,3,2,3)", 1),
    "opt-kg, true prior": ("#009E73", "(2,3)", 4),
    "opt-kg, uniform prior": ("#D55E00", "(9,4)", 8),
    "gittins-inf, T = 100 alone": ("#48365A", "(9,3,2,3,2,3)", 1),
    "nlu": ("#A27EA2", "(12,4,2,4)", 12),
    "hu-frazier": ("#6C2400", "(18,5)", 10),
    "ls-ol": ("#0072B2", "solid", 6),
    "everybody": ("#D55E00", "(9,4)", 8),
    "greedy": ("#009E73", "(2,3)", 4),
    "least": ("#3636D8", "(5,3)", 2),
    "bayes-vote,": ("#A27EA2", "(12,4,2,4)", 12),
    "1,1": ("#0072B2", "solid", 6),
    "0.5,1": ("#A27EA2", "(12,4,2,4)", 12),
    "3,0.5": ("#009E73", "(2,3)", 4),
    "1.5,0.5": ("#009E73", "(2,3)", 4),
    "6,0.5": ("#3636D8", "(5,3)", 2),
    "2,0.5": ("#3636D8", "(5,3)", 2),
    "G2=0": ("#0072B2", "solid", 6),
    "G2=0.5": ("#009E73", "(2,3)", 4),
    "G2=1": ("#D55E00", "(9,4)", 8),
    "akg": ("#009E73", "(2,3)", 4),
    "distance": ("#D55E00", "(9,4)", 8),
    "kg-exact": ("#A27EA2", "(12,4,2,4)", 12),
    "naive": ("#0072B2", "solid", 6),
    "bbta:0": ("#D55E00", "(9,4)", 8),
    "bbta:1": ("#3636D8", "(5,3)", 2),
    "bbta:1,skip": ("#A27EA2", "(12,4,2,4)", 12),
    "bbta:5": ("#48365A", "(18,5)", 9),
    "bbta:10": ("#6C2400", "(18,5)", 10),
    "opt-kg-multi": ("#009E73", "(9,3,2,3,2,3)", 5),
    "rc+akg": ("#3636D8", "(5,3)", 2),
    "rc+uniform": ("#48365A", "(9,3,2,3,2,3)", 1),
    "adaptive-polling": ("#6C2400", "(18,5)", 10),
    "crowd-bt": ("#D55E00", "(9,4)", 8),
    "akg by concluding": ("#009E73", "(9,4)", 5),
    "distance by concluding": ("#D55E00", "solid", 9),
    "limit": ("#000000", "solid", 0),
    "K = 10": ("#D55E00", "(9,4)", 8),
    "K = 20": ("#0072B2", "(5,3)", 6),
    "K = 50": ("#009E73", "(2,3)", 4),
    "Beta(10,1)": ("#0072B2", "solid", 6),
    "Beta(10,1), prior Beta(4,1)": ("#0072B2", "(9,4)", 7),
    "Beta(5,2)": ("#009E73", "(2,3)", 4),
    "Beta(5,2), prior Beta(4,1)": ("#009E73", "(12,4,2,4)", 5),
    "Beta(2,1)": ("#D55E00", "(5,3)", 8),
    "Beta(2,1), prior Beta(4,1)": ("#D55E00", "(9,3,2,3,2,3)", 9),
    "Beta(4,1)": ("#48365A", "(18,5)", 10),
}


def is_whole(document, words):
    """Has it all runs that were asked for, and did nobody interrupt it?"""
    asked = int(words[words.index("--runs") + 1]) if "--runs" in words else 0
    return document.get("runs", asked) >= asked and '"interrupted"' not in json.dumps(document.get("policies"))


def result(path, program, *words):
    """The JSON that the program prints, from the file if it is there. Takes over the exit status of what
    fails, but for 3: a limit is an answer too, if all runs were made and nobody interrupted it."""
    if not os.path.exists(path):
        done = subprocess.run([program, *words, "--json", "--quiet"], stdout=subprocess.PIPE)
        if done.returncode not in (0, 3) or (done.returncode == 3 and not is_whole(json.loads(done.stdout), words)):
            raise SystemExit(done.returncode if done.returncode > 0 else 1)
        with open(path + ".part", "wb") as file:
            file.write(done.stdout)
            file.flush()
            os.fsync(file.fileno())
        os.rename(path + ".part", path)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def draw(path, title, subtitle, x_label, y_label, curves, log=False):
    """An SVG. curves: a name that LOOKS knows, or its first word, -> [(x, y), ...]. log: both axes."""
    columns = 1 if max(map(len, curves)) > 18 else 2
    rows = (len(curves) + columns - 1) // columns
    height = 70 + 426 + 26 * rows + 12
    left, right = (end(x for points in curves.values() for x, _ in points) for end in (min, max))
    edge = 0 if log else 0.02 * (right - left)
    script = [
        f"set terminal svg noenhanced size 580,{height} dynamic font 'sans-serif,17' background rgb 'white'",
        f"set output '{path}.part'",
        "set encoding utf8",
        "set border 3",
        "set tics nomirror",
        "set grid linecolor rgb '#DDDDDD' linetype 1 linewidth 0.5",
        "set lmargin at screen 0.17",
        f"set rmargin at screen {0.94 if log else 0.96}",  # a power of ten stands at the end
        f"set tmargin at screen {1 - 70 / height}",
        f"set bmargin at screen {1 - 412 / height}",
        f"set key at screen 0.52,{1 - 488 / height} center top horizontal samplen 3 maxcols {columns}",
        f"set xrange [{left - edge!r}:{right + edge!r}]",
        f"set label 1 '{title}' at screen 0.5,{1 - 22 / height} center font ',19'",
        f"set label 2 '{subtitle}' at screen 0.5,{1 - 47 / height} center font ',14' textcolor rgb '#444444'",
        *(["set logscale xy", "set autoscale yfixmax"] if log else []),
        f"set xlabel '{x_label}'",
        f"set ylabel '{y_label}' offset 1,0",
    ]
    plots = []
    for number, (name, points) in enumerate(curves.items()):
        script.append(f"$curve{number} << END")
        script.extend(f"{x!r} {y!r}" for x, y in points)
        script.append("END")
        colour, dashes, mark = LOOKS.get(name) or LOOKS[name.split()[0]]
        plots.append(f"$curve{number} with linespoints linecolor rgb '{colour}' linewidth 2 dashtype {dashes} "
                     f"pointtype {mark} pointsize 0.9 title '{name}'")
    script.append("plot " + ", ".join(plots))
    make(path, title, script, {str(number): name for number, name in enumerate(curves, start=1)})


def make(path, title, script, names):
    """What gnuplot makes of the script, which writes to PATH.part. It is called by the title, and its curves by the
    names: what gnuplot calls them, 1, 2 or in the second panel 1b, -> name."""
    subprocess.run(["gnuplot", "-"], input="\n".join(script) + "\n", text=True, check=True)
    with open(path + ".part", encoding="utf-8") as file:
        picture = file.read().replace("<title>Gnuplot</title>", f"<title>{html.escape(title)}</title>")
    for number, name in names.items():
        picture = picture.replace(f"<title>gnuplot_plot_{number}</title>", f"<title>{html.escape(name)}</title>")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(picture)
    os.rename(path + ".part", path)


def ticks(top):
    """How far apart they are, of an axis from 0: three to six, at 1, 2 or 5 times a power of ten."""
    step = 1.0
    while step * 6 < top:
        step *= 2.5 if f"{step:.0e}".startswith("2") else 2
    return step


def draw_histograms(path, title, subtitle, x_label, y_label, panels):
    """An SVG of panels, three in a row. panels: (name, [(low, high, bar[, outline]), ...]), of intervals from 0 to 1."""
    columns, width, tall, above, below = 3, 270, 200, 54, 24
    height = above + tall * -(-len(panels) // columns) + below
    script = [
        f"set terminal svg noenhanced size {columns * width},{height} dynamic font 'sans-serif,13' background rgb 'white'",
        f"set output '{path}.part'",
        "set encoding utf8",
        f"set label 1 '{title}' at screen 0.5,{1 - 18 / height} center font ',16'",
        f"set label 2 '{subtitle}' at screen 0.5,{1 - 40 / height} center font ',12' textcolor rgb '#444444'",
        f"set label 3 '{x_label}' at screen 0.5,{14 / height} center",
        "set multiplot",
        "set border 3",
        "set tics nomirror",
        "set grid ytics linecolor rgb '#DDDDDD' linetype 1 linewidth 0.5",
        "set xrange [0:1]",
        "set xtics 0.2",
    ]
    names = {}
    for number, (name, bins) in enumerate(panels):
        row, column = divmod(number, columns)
        top = max(max(numbers) for _, _, *numbers in bins)
        script += [f"$panel{number} << END", *(" ".join(map(repr, line)) for line in bins), "END",
                   f"set title '{name}' offset 0,-0.6", f"set yrange [0:{1.08 * top!r}]", f"set ytics {ticks(top)}",
                   f"set ylabel '{y_label if column == 0 else ''}' offset 1,0",
                   f"set lmargin at screen {(column + 0.19) / columns!r}", f"set rmargin at screen {(column + 0.97) / columns!r}",
                   f"set tmargin at screen {1 - (above + tall * row + 28) / height!r}",
                   f"set bmargin at screen {1 - (above + tall * (row + 1) - 32) / height!r}"]
        plots = [f"$panel{number} using (($1+$2)/2):{3 + k}:($2-$1) with boxes {look} notitle"
                 for k, look in enumerate(("fillstyle solid 1 noborder linecolor rgb '#56B4E9'",
                                           "fillstyle empty border linewidth 1.6")[:len(bins[0]) - 2])]
        script += ["plot " + ", ".join(plots), *(f"unset label {label}" for label in (1, 2, 3) if number == 0)]
        names |= {f"{k}{chr(ord('a') + number)}": name for k in range(1, len(plots) + 1)}
    script.append("unset multiplot")
    make(path, title, script, names)


def table(heading, rows):
    for row in (heading, ["---"] * len(heading), *rows):
        print("|", " | ".join(row), "|")
    print()
