"""Writes a study as one HTML page of tables and figures, each with its command. The page needs no other file."""
# mypy: ignore-errors

import html
import itertools
import pathlib
import re
import shlex

from . import kinds, lines
from .lines import BadStudy

STYLE = """\
body{font-family:sans-serif;line-height:1.45;max-width:46rem;margin:0 auto;padding:0 1rem 3rem;color:#111;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.3rem;margin-top:2.2rem;border-bottom:1px solid #bbb}h3{font-size:1.1rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0}
th,td{padding:.2rem .5rem;text-align:right;border-bottom:1px solid #ddd}
td{white-space:nowrap}th{border-bottom:2px solid #888;vertical-align:bottom;overflow-wrap:anywhere;min-width:3.5rem}
th:first-child,td:first-child{text-align:left}
figure{margin:1rem 0}svg{width:100%;max-width:36rem;height:auto}figcaption,.how{font-size:.85rem;color:#444}
@media(max-width:30rem){body{padding:0 .5rem 2rem}}@media print{.wide{overflow:visible}table{font-size:.75rem}}
code,pre{font-family:monospace;font-size:.85em;background:#f3f3f3}code{overflow-wrap:anywhere;padding:.1em .3em}
pre{padding:.6rem;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer}
"""
TABLE_POLICIES = 5  # policies that fit the page's column
OF_A_SIZE = ("gap-budget", "value", "spent")
OF_A_BUDGET = ("correct-truth", "wrong-truth", "regret-belief")


def element(tag, text):
    text = "".join(c if c >= " " or c == "\n" else " " for c in str(text))
    return f"<{tag}>{html.escape(text)}</{tag}>\n"


def shown(value):
    """A number of a table with ten digits; a dash: not known."""
    return "–" if value is None else f"{value:.10g}" if isinstance(value, float) else html.escape(str(value))


def table(head, rows):
    text = '<div class="wide"><table>\n<tr>' + "".join(f"<th>{html.escape(word)}</th>" for word in head) + "</tr>\n"
    return text + "".join("<tr>" + "".join(f"<td>{shown(value)}</td>" for value in row) + "</tr>\n" for row in rows) + "</table></div>\n"


class Page:
    def __init__(self, path):
        self.path, self.study = path, lines.read(path)
        self.rows = lines.rows_of(self.study)
        self.parts, self.figures = [], 0
        if not any(row["policy"] for row in self.rows):
            raise BadStudy(f"the study '{path}' has no policies to report on: sweep 'compare' or 'simulate'")

    def put(self, text):
        self.parts.append(text)

    def put_figure(self, kind, prior, instances=None, budget=None):
        """Puts a figure and its command, unless the study has nothing for it."""
        from .save import BadFigure, picture_of

        chosen = {"prior": prior, "instances": instances, "budget": budget}
        request = {"study": self.path, "kind": kind, **{k: [v] for k, v in chosen.items() if v is not None}}
        try:
            picture = picture_of(kinds.figure_of(request, self.study), "svg").decode()
        except (BadStudy, BadFigure):
            return
        self.figures += 1
        svg = picture[picture.index("<svg"):picture.rindex("</svg>") + 6]
        svg = re.sub(r'(id="|href="#|url\(#)', rf"\1figure{self.figures}-", svg)
        words = ["optgap", "plot", self.path, kind]
        words += [word for name, value in chosen.items() if value is not None for word in (f"--{name}", str(value))]
        self.put(f"<figure>\n{svg}\n<figcaption><code>{html.escape(shlex.join([*words, '-o', f'{kind}.svg']))}</code></figcaption>\n"
                 "</figure>\n")

    def put_by_policy(self, rows, head, key, column, choose=max):
        """A table with a row for each key and a column for each policy and tie rule; wide ones are split."""
        names = sorted({(row["policy"], row["ties"]) for row in rows}, key=lambda name: (name[1] != "random", name[1], name[0]))
        for first in range(0, len(names), TABLE_POLICIES):
            some = names[first:first + TABLE_POLICIES]
            found = []
            for at, group in itertools.groupby(sorted(rows, key=key), key):
                group = list(group)
                found.append([*at, *(lines.best([row[column] for row in group if (row["policy"], row["ties"]) == name], choose)
                                     for name in some)])
            self.put(table([*head, *(policy if ties == "random" else f"{policy}, {ties}" for policy, ties in some)], found))

    def put_counts(self):
        cells = {tuple(row[k] for k in ("prior", "instances", "budget", "runs", "seed", "truth")): row for row in self.rows}.values()
        exact = [row for row in cells if not row["runs"] and row["truth"] == "prior"]
        other, played = [row for row in cells if not row["runs"] and row["truth"] != "prior"], [row for row in cells if row["runs"]]
        words = []
        if exact:
            proved = sum(row["optimal_value"] is not None for row in exact)
            words.append(f"{kinds.plural(len(exact), 'problem')} valued exactly, {proved} of them with the optimum proved")
        if other:
            words.append(f"{len(other)} valued under another truth or a wrong prior")
        if played:
            words.append(f"{kinds.plural(len(played), 'problem')} played, not valued")
        self.put(element("p", f"{'; '.join(words)}. Value: expected correct calls. Gap: optimal value minus the policy's value, 0 where "
                              "it is within the proved errors. A dash: not known, since a limit was reached or nothing of that kind "
                              "was asked for."))

    def put_results(self):
        """A sentence for each policy: where it is optimal, and the largest gap; then one on runs."""
        names = {}
        for row in self.rows:
            if row["policy"] and row["truth"] == "prior" and not row["runs"] and row["gap_percent"] is not None:
                names.setdefault((row["policy"], row["ties"]), []).append(row)
        if not names:
            return
        self.put(element("h2", "Results"))
        self.put("<ul>\n")
        for (policy, ties), rows in sorted(names.items(), key=lambda one: max(row["gap_percent"] for row in one[1])):
            worst = max(rows, key=lambda row: row["gap_percent"])
            zero = sum(row["gap"] == 0 for row in rows)
            name = policy + ("" if ties == "random" else f", ties {ties}")
            optimal = (f"{name} is optimal in all of {kinds.plural(len(rows), 'problem')}." if zero == len(rows) else
                       f"{name} is optimal in {zero or 'none'} of {kinds.plural(len(rows), 'problem')}. It loses at most "
                       f"{worst['gap_percent']:.3g} % of the optimal value: prior {worst['prior']}, "
                       f"{kinds.plural(worst['instances'], 'instance')}, {kinds.plural(worst['budget'], 'label')}.")
            self.put(element("li", optimal))
        self.put("</ul>\n")

    def put_head(self):
        name = pathlib.Path(self.path).name
        self.put('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
                 '<meta name="viewport" content="width=device-width, initial-scale=1">\n')
        self.put(element("title", f"Study {name}"))
        self.put(f"<style>\n{STYLE}</style>\n</head>\n<body>\n")
        self.put(element("h1", f"How far from optimal? Study {name}"))
        self.put_results()
        self.put_counts()
        made = {}
        for line in self.study:
            by = f"# optgap {line.answer.get('version')}, commit {line.answer.get('commit')}"
            made.setdefault((line.command, by), []).append(shlex.join(["optgap", *line.asked]))
        for (command, by), asked in made.items():
            asked.sort(key=lambda words: [(part.isdecimal() and int(part), part) for part in re.split(r"(\d+)", words)])
            self.put(element("pre", f"{asked[0]}\n# and {len(asked) - 1} more of {command}\n{by}" if len(asked) > 1 else f"{asked[0]}\n{by}"))

    def put_size(self, prior, instances):
        rows = [row for row in self.rows if (row["prior"], row["instances"]) == (prior, instances)]
        self.put(element("h3", kinds.plural(instances, "instance")))
        for kind in OF_A_SIZE:
            self.put_figure(kind, prior, instances)
        for kind in OF_A_BUDGET:
            budgets = [row["budget"] for row in rows if not row["runs"] and row["truth"] != "prior"
                       and row["truth"].startswith("believe:") == (kind == "regret-belief")]
            if budgets:
                self.put_figure(kind, prior, instances, max(budgets))
        exact = [row for row in rows if not row["runs"] and row["truth"] == "prior" and row["policy"]]
        if exact:
            self.put("<details><summary>Optimum, best bound and gaps</summary>\n")
            top = {}
            for row in exact:
                bound = lines.best([row[name] for name in lines.BOUNDS], min)
                top[row["budget"]] = (row["budget"], lines.best([top.get(row["budget"], (0, None))[1], row["optimal_value"]], max),
                                      lines.best([top.get(row["budget"], (0, 0, None))[2], bound], min))
            self.put_by_policy(exact, ("labels", "optimum", "best bound"), lambda row: top[row["budget"]], "gap")
            self.put("</details>\n")
        played = [row for row in rows if row["runs"] and row["policy"]]
        if played:
            self.put("<details><summary>Correct calls, played</summary>\n")
            self.put_by_policy(played, ("labels", "truth", "runs"), lambda row: (row["budget"], row["truth"], row["runs"]), "correct")
            self.put("</details>\n")

    def put_prior(self, prior):
        exact = [row for row in self.rows if row["prior"] == prior and not row["runs"] and row["truth"] == "prior" and row["policy"]]
        self.put(element("h2", f"Prior {prior}"))
        if exact:
            self.put(element("p", "The largest gap over all numbers of labels, in percent of the optimal value:"))
            self.put_by_policy(exact, ("instances",), lambda row: (row["instances"],), "gap_percent")
        self.put_figure("index", prior)
        for instances in sorted({row["instances"] for row in self.rows if row["prior"] == prior}):
            self.put_size(prior, instances)

    def text(self, version):
        self.put_head()
        for prior in dict.fromkeys(row["prior"] for row in self.rows):
            self.put_prior(prior)
        self.put(f'<p class="how">Made by <code>optgap report {html.escape(shlex.quote(self.path))}</code>, optgap {html.escape(version)}. '
                 "All numbers, in Python: <code>optgap.Study(file).frame()</code>.</p>\n</body>\n</html>\n")
        return "".join(self.parts)


def page_of(request):
    with lines.understood(request["study"]):
        return Page(request["study"]).text(request.get("version") or "")
