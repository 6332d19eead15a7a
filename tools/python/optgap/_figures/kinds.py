"""Makes the figures of a study from its lines (lines.py): documents, which curves.py draws. Needs Python alone.

A request is {"study": PATH, "kind": KIND} and, if given, "prior", "instances", "budget", "policies" and "ties": lists to choose
from; "axis", "log", "title", "names": {POLICY: NAME}, "size", "font".
"""
# mypy: ignore-errors

import difflib
import itertools
import math
import re

from . import lines
from .lines import BadStudy, is_number
from .looks import LOOKS, number_of

LEVEL_MOST = 12  # labels of an instance whose index is drawn
OPTIONS = {"prior": "--prior", "instances": "--instances", "budget": "--budget", "policy": "--policies", "ties": "--ties"}
# The factor of a gap, and the label of the axis.
AXES = {
    "gap": (lambda row: 1.0, "gap (expected correct calls)"),
    "gap-percent": (lambda row: 100 / row["optimal_value"] if row["optimal_value"] else None, "gap (% of the optimum)"),
    "gain-lost": (lambda row: 100 / row["optimal_gain"] if row["optimal_gain"] and row["optimal_gain"] > 0
                  else 0.0 if row["optimal_gain"] == 0 else None, "gain lost (% of the optimal)"),
}


def plural(count, word):
    return f"{count} {word}{'' if str(count) == '1' else 's'}"


class Curve:
    def __init__(self, name, kin, kind, home):
        self.name, self.kin, self.kind, self.home, self.points = name, kin, kind, home, []

    def add(self, x, y, low=None, high=None):
        self.points.append(tuple(value if value is not None and is_number(value) else None for value in (x, y, low, high)))

    @property
    def drawn(self):
        return [point for point in self.points if point[1] is not None]

    @property
    def is_line(self):
        return len(self.drawn) > 1 and self.kind in ("line", "trace")

    def document(self):
        found = {"name": self.name, "kind": self.kind, "group": self.kin, "look": self.home}
        found.update(zip(("x", "y", "low", "high"), map(list, zip(*self.points))))
        if self.kind in ("line", "heavy"):
            del found["low"], found["high"]
        return found


class Panel:
    def __init__(self, x_label, y_label, **more):
        self.curves, self.about = [], {"x_label": x_label, "y_label": y_label, "from_zero": False, "logarithmic": False,
                                       "whole_x": False, **more}

    def curve(self, name, kin, kind, home):
        """The curve of this name, which is made if there is none."""
        for curve in self.curves:
            if curve.name == name:
                return curve
        self.curves.append(Curve(name, kin, kind, home))
        return self.curves[-1]

    def document(self):
        return {**self.about, "curves": [curve.document() for curve in self.curves if curve.drawn]}


class Figure:
    """A figure that is being made, from the rows that were chosen."""

    def __init__(self, request, study, plain):
        self.kind, self.request, self.study = request["kind"], request, study
        self.panels, self.notes, self.title, self.subtitle = [], [], "", ""
        self.names = request.get("names") or {}
        self.axis = AXES[request.get("axis") or "gap"]
        self.rows = [row for row in lines.rows_of(study) if row["policy"] is not None and self.is_chosen(row)
                     and (not plain or row["runs"] > 0 or row["truth"] == "prior")]
        self.many_ties = self.many_runs = False

    def is_chosen(self, row):
        return all(not self.request.get(name) or str(row[column]) in map(str, self.request[name])
                   for name, column in (("prior", "prior"), ("instances", "instances"), ("budget", "budget"), ("policies", "policy"),
                                        ("ties", "ties")))

    def values(self, column):
        return sorted({row[column] for row in self.rows if row[column] is not None}, key=lambda value: (isinstance(value, str), value))

    def one(self, column):
        """The only value of a column. BadStudy: there are several, or none."""
        found = self.values(column)
        if not found:
            raise BadStudy(f"the study has no results for the figure '{self.kind}'")
        if len(found) > 1:
            option = OPTIONS.get(column, "another study")
            raise BadStudy(f"the figure '{self.kind}' shows one of several; choose with {option} among {' '.join(map(str, found))}")
        return found[0]

    def one_each(self, x, column):
        """The only value of a column; where each x has its own, as in a grid of 1.2 labels an instance, the first and last."""
        found = self.values(column)
        if len({(row[x], row[column]) for row in self.rows}) > len(self.values(x)) or len(found) < 2:
            return self.one(column)
        return f"{found[0]} to {found[-1]}"

    def keep(self, condition):
        self.rows = [row for row in self.rows if condition(row)]

    def find_names(self):
        self.many_ties, self.many_runs = len(self.values("ties")) > 1, len(self.values("runs")) > 1

    def name_of(self, policy):
        return self.names.get(policy, policy)

    def curve_of(self, panel, row):
        """The curve of a row's policy and tie rule; exact and simulated values have the same kin."""
        played = f" ({row['runs']} runs)" if self.many_runs and row["runs"] else ""
        name = self.name_of(row["policy"]) + (f", ties {row['ties']}" if self.many_ties else "") + played
        kind = "line" if not row["runs"] else "marks" if self.many_runs else "trace"
        rules = ["random", "first", "best", "worst"]
        rule, home = rules.index(row["ties"]) if row["ties"] in rules else 0, number_of(row["policy"])
        if home is not None and rule > 0:  # of one colour each, if it is one of the first
            home = home + 3 * rule if home + 3 * rule < LOOKS else None
        return panel.curve(name, f"{row['policy']}, ties {row['ties']}", kind, home)

    def say_ties_and_runs(self):
        words = "" if self.many_ties else f", ties {self.one('ties')}"
        runs = 0 if self.many_runs else self.one("runs")
        words += f", {runs} runs" if runs else ""
        return words + (", bars: 95 %" if self.many_runs else " (bars: 95 %)" if runs else "")

    def make_title(self, one, many, count, what):
        policies = self.values("policy")
        who = self.name_of(policies[0]) if len(policies) == 1 else "policies"
        self.title = f"What {who} {one if len(policies) == 1 else many} with {plural(count, what)}"

    def note_missing(self, what, found, x):
        """Notes about policies without a point: pairs (policy, reason) by the places that lack one."""
        places = {}
        for row, policy, reason in found:
            places.setdefault((policy, reason), set()).add(row[x])
        where = {}
        for (policy, reason), at in sorted(places.items(), key=lambda item: (item[0][1], min(item[1]), max(item[1]), len(item[1]), item[0][0])):
            words = f" from {min(at)} to {max(at)}: {reason}." if len(at) > 1 else f" at {min(at)}: {reason}."
            where.setdefault(words, []).append(self.name_of(policy))
        self.notes += [f"No {what} of {', '.join(names)}{words}" for words, names in where.items()]

    def join_marks(self):
        """Joins simulated values with a line, except where the policy has exact ones."""
        curves = self.panels[0].curves
        lined = {curve.kin for curve in curves if curve.kind == "line" and len(curve.drawn) != 1}
        for curve in curves:
            if curve.kind == "marks" and curve.kin not in lined:
                curve.kind = "trace"

    def note_ends(self):
        """Notes about curves that end early, one note for those that end alike."""
        ends = {}
        for curve in self.panels[0].curves:
            if curve.is_line:
                ends.setdefault((curve.points[0][0], curve.points[-1][0]), []).append(curve.name)
        whole = (min((first for first, _ in ends), default=0), max((last for _, last in ends), default=0))
        self.notes += [f"In the study from {first:g} to {last:g} only: {', '.join(names)}."
                       for (first, last), names in ends.items() if (first, last) != whole]

    def document(self):
        if not all(any(curve.drawn for curve in panel.curves) for panel in self.panels):
            raise BadStudy("there is nothing to draw")
        title = self.request.get("title")
        return {"figure": "curves", "title": self.title if title is None else title, "subtitle": self.subtitle,
                **paper_of(self.request), "panels": [panel.document() for panel in self.panels], "notes": self.notes}


# ---- the options of the program ----


def numbers_of(option, text):
    """The numbers of "2,3,5", "1:12" and "10:50:10"."""
    found = []
    for word in text.split(","):
        ends = word.split(":")
        if len(ends) > 3 or not all(end.isdecimal() for end in ends):
            raise BadStudy(f"--{option} must be numbers such as 12, 2,3,5 or 1:40, not '{text}'")
        first, last, step = [int(end) for end in ends] + [int(ends[0]), 1][len(ends) - 1:]
        found += range(first, last + 1, step) if step and last - first < 10**6 else [first]
    return found


def request_of(given):
    """The request of options as the program sends them: lists of texts by name."""
    request = {name: given[name] for name in ("study", "kind", "prior") if name in given}
    for name in ("instances", "budget"):
        request[name] = [number for text in given.get(name, ()) for number in numbers_of(name, text)]
    for name in ("policies", "ties"):
        request[name] = [word for text in given.get(name, ()) for word in text.split(",")]
    for name in ("axis", "title", "size", "font"):
        request[name] = given.get(name, [None])[-1]
    request["log"] = "log" in given
    request["names"] = {}
    for text in given.get("name", ()):
        policy, equals, name = text.rpartition("=")
        if not policy or not name:
            raise BadStudy(f"--name must be POLICY=Name, such as opt-kg=optimistic, not '{text}'")
        request["names"][policy] = name
    if request["axis"] not in (None, *AXES):
        raise BadStudy(f"--axis must be one of {', '.join(AXES)}, not '{request['axis']}'")
    if request["kind"] not in KINDS:
        near = difflib.get_close_matches(request["kind"], KINDS, 1)
        hint = f"; did you mean '{near[0]}'?" if near else "."
        raise BadStudy(f"there is no figure '{request['kind']}'{hint} There are: {', '.join(KINDS)}")
    return request


# ---- paper ----


def paper_of(request):
    """Width, height, font and points of "size" and "font"."""
    found = {}
    if request.get("size"):
        size = re.fullmatch(r"([\d.]+)x([\d.]+)(|px|in|cm|mm)", request["size"])
        pixels = {"": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4}
        try:
            width, height = (float(size[k]) * pixels[size[3]] for k in (1, 2))
            good = 100 <= width <= 10000 and 100 <= height <= 10000
        except (TypeError, ValueError):
            good = False
        if not good:
            raise BadStudy("--size must be WxH in pixels (1/96 inch), such as 480x360, or 12x9cm, 5x4in, of 100 to 10000 pixels "
                           f"each, not '{request['size']}'")
        found.update(width=width, height=height)
    if request.get("font") is not None:
        name, comma, points = request["font"].rpartition(",")
        sized = re.fullmatch(r"\d+\.?\d*|\.\d+", points) is not None
        name = name if comma else "" if sized else points
        if comma and not sized or len(name) > 63 or sized and not 4 <= float(points) <= 72 or not all(c.isalnum() or c in " -_." for c in name) or not request["font"]:
            raise BadStudy("--font must be a font's name and a size of 4 to 72 points, such as 'Times,10', or one of the two, "
                           f"not '{request['font']}'")
        found.update({"font": name} if name else {}, **({"points": float(points)} if sized else {}))
    return found


# ---- gaps and values ----


def make_gaps(figure, x):
    all_rows = figure.rows
    figure.keep(lambda row: row["gap"] is not None)
    prior, other = figure.one("prior"), figure.one_each(x, "instances" if x == "budget" else "budget")
    figure.find_names()
    figure.make_title("loses", "lose", other, "instance" if x == "budget" else "label")
    figure.subtitle = f"against the optimum, prior {prior}{figure.say_ties_and_runs()}"
    panel = Panel("labels (T)" if x == "budget" else "instances (K)", figure.axis[1], from_zero=True, whole_x=True,
                  logarithmic=bool(figure.request.get("log")))
    figure.panels.append(panel)
    zeros = False
    for row in sorted(all_rows, key=lambda row: (row["policy"], row["ties"], row["runs"], row[x])):
        factor = figure.axis[0](row) if row["gap"] is not None else None
        y, low, high = (None if factor is None else row[name] * factor for name in ("gap", "gap_low", "gap_high"))
        figure.curve_of(panel, row).add(row[x], y, low, high)
        zeros = zeros or y == 0
    if panel.about["logarithmic"] and zeros:
        figure.notes.append("Points on the lowest line, 0: no gap, within the proved errors.")

    def why(row):
        if row["status"] == "limit":
            return row["reason"] or "a limit was reached"
        if row["truth"] != "prior":
            return "played with another truth"
        return f"the optimum: {row['cell_reason'] or 'a limit'}" if row["cell_status"] == "limit" else "the study has no optimum there"

    figure.note_missing("gap", [(row, row["policy"], why(row)) for row in all_rows if row["gap"] is None], x)
    figure.join_marks()
    figure.note_ends()


def add_optimum(figure, panel):
    """The optimum and the bounds, for labels that follow the prior."""
    band, heavy = panel.curve("upper bound", "upper bound", "band", 0), panel.curve("optimum", "optimum", "heavy", 0)
    missing = []
    by_budget = {}
    for row in figure.rows:
        by_budget.setdefault(row["budget"], []).append(row)
    for budget, rows in sorted(by_budget.items()):
        def top(name, rows=rows):
            return lines.best([row[name] for row in rows], max)
        optimum, bound = top("optimal_value"), lines.best([row[name] for row in rows for name in lines.BOUNDS], min)
        low = optimum if optimum is not None else top("lower") if top("lower") is not None else top("value")
        if bound is not None and low is not None:
            band.add(budget, low, low, bound)
        heavy.add(budget, optimum, optimum, optimum)
        if optimum is None:
            missing.append((rows[0], "the optimum", top("cell_reason") or "not computed"))
    if heavy.drawn and missing:
        figure.note_missing("value", missing, "budget")


def make_value(figure):
    prior, instances, truth = figure.one("prior"), figure.one("instances"), figure.one("truth")
    figure.find_names()
    figure.make_title("is worth", "are worth", instances, "instance")
    as_prior = truth == "prior"
    shown = "a list" if truth.startswith("list:") else truth
    figure.subtitle = f"prior {prior}{'' if as_prior else f', truth {shown}'}{figure.say_ties_and_runs()}"
    panel = Panel("labels (T)", f"{'expected ' if as_prior else ''}correct calls, of {instances}", whole_x=True)
    figure.panels.append(panel)
    if as_prior:
        add_optimum(figure, panel)
    names = ("value", "low", "high") if as_prior else ("correct", "correct_low", "correct_high")
    for row in sorted(figure.rows, key=lambda row: (row["policy"], row["ties"], row["runs"], row["budget"])):
        figure.curve_of(panel, row).add(row["budget"], *(row[name] for name in names))
    figure.note_missing("value", [(row, row["policy"], row["reason"] or "a limit was reached") for row in figure.rows
                                  if row["status"] == "limit"], "budget")
    figure.join_marks()
    figure.note_ends()


# ---- truths ----


def soft_labels(truth):
    """The soft labels of "list:X,X,..."; None: it is none."""
    try:
        return [float(word) if "/" not in word else float(word.split("/")[0]) / float(word.split("/")[1])
                for word in truth.removeprefix("list:").split(",")] if truth.startswith("list:") else None
    except (ValueError, ZeroDivisionError):
        return None


def by_instance(figure, line, name):
    """(row, numbers by instance) of what --truth list:... tells of each policy of a line."""
    answer = line.answer
    optimum = answer.get("optimal") if isinstance(answer.get("optimal"), dict) else {}
    for policy in [*line.policies, {**optimum, "name": "optimal", "ties": "random"}]:
        row = {"policy": policy.get("name"), "ties": policy.get("ties"), "runs": answer.get("runs") or 0, "budget": line.budget,
               "prior": line.prior, "instances": line.instances, "truth": line.truth}
        found = (policy.get("truth") or {}).get(name) or (policy.get("by_instance") if name == "labels" else None)
        if found and figure.is_chosen(row):
            yield row, found


def make_spent(figure):
    found = [(row, soft_labels(row["truth"]), numbers) for line in figure.study if soft_labels(line.truth)
             for row, numbers in by_instance(figure, line, "labels") if row["policy"] != "optimal"]
    figure.rows = [row for row, *_ in found]
    prior, instances, runs = figure.one("prior"), figure.one("instances"), figure.one("runs")
    figure.one("truth")
    figure.find_names()
    budgets, policies = figure.values("budget"), figure.values("policy")
    figure.title = "Where the labels go" + (f": {figure.name_of(policies[0])}" if len(policies) == 1 else "")
    figure.subtitle = f"{instances} instances, prior {prior}, " + (f"mean of {runs} runs" if runs else "expected")
    panel = Panel("soft label (chance of a positive label)", "labels per instance", from_zero=True,
                  logarithmic=bool(figure.request.get("log")))
    figure.panels.append(panel)
    for row, soft, numbers in sorted(found, key=lambda one: (one[0]["budget"], one[0]["policy"], one[0]["ties"])):
        words = [figure.name_of(row["policy"])] if len(policies) > 1 or len(budgets) == 1 else []
        words += [f"ties {row['ties']}"] if figure.many_ties else []
        words += [f"{row['budget']} labels"] if len(budgets) > 1 else []
        home = ((number_of(row["policy"]) or 0) if len(policies) > 1 else 0) + budgets.index(row["budget"])
        curve = panel.curve(", ".join(words), ", ".join(words), "line", home)
        for x, y in sorted(zip(soft, numbers), key=lambda point: point[0]):
            curve.add(x, y)


def threshold_of(prior):
    at = re.search(r"@([\d./]+)", prior.split(" ")[0])
    top, _, below = at[1].partition("/") if at else ("0.5", "", "")
    return float(top) / (float(below) if below else 1)


def truth_points(figure, wrong):
    """(row, soft label of the first instance, what is drawn) of lists and grids of truths."""
    for line in figure.study:
        soft = soft_labels(line.truth)
        if soft and not line.answer.get("runs"):
            for row, numbers in by_instance(figure, line, "wrong"):
                yield row, soft[0], numbers[0] if wrong else line.instances - sum(numbers)
        names = [(policy.get("name"), policy.get("ties")) for policy in line.policies]
        for at in line.answer.get("truths") or []:
            for (policy, ties), point in [*zip(names, at["policies"]), (("optimal", "random"), at["optimal"])]:
                row = {"policy": policy, "ties": ties, "runs": 0, "budget": line.budget, "prior": line.prior,
                       "instances": line.instances, "truth": line.truth}
                if point and figure.is_chosen(row) and not (wrong and line.instances > 1):
                    yield row, at["truth"][0], line.instances - point["mean"] if wrong else point["mean"]


def make_truth(figure, wrong):
    found = list(truth_points(figure, wrong))
    figure.rows = [row for row, *_ in found]
    prior, instances, budget = figure.one("prior"), figure.one("instances"), figure.one("budget")
    figure.find_names()
    figure.title = "How often decisions are wrong" if wrong else "How many decisions are correct"
    figure.subtitle = f"{plural(instances, 'instance')}, {plural(budget, 'label')}, prior {prior}"
    panel = Panel(f"true soft label{'' if instances == 1 else ' of the first instance'} (chance of a positive label)",
                  "chance that it is called wrong" if wrong else f"expected correct calls, of {instances}", from_zero=wrong)
    figure.panels.append(panel)
    threshold = threshold_of(prior)
    last = {}
    for row, x, y in sorted(found, key=lambda one: (one[0]["policy"] == "optimal", one[0]["policy"], one[0]["ties"], one[1])):
        curve = (panel.curve("optimal as believed", "optimal", "heavy", 0) if row["policy"] == "optimal"
                 else figure.curve_of(panel, row))
        if last.get(curve.name) == x:
            continue  # the same truth in two answers
        if last.get(curve.name, math.inf) < threshold <= x:
            curve.add(threshold, None)  # the right call changes: the line is broken
        curve.add(x, y)
        last[curve.name] = x


# ---- maps ----


def least_step(numbers):
    numbers = sorted(set(numbers))
    return min((b - a for a, b in zip(numbers, numbers[1:])), default=1)


def pair_of(text):
    found = re.match(r"([\d./]+),([\d./]+)(?![\d.,/])", text)
    try:
        return tuple(float(a) / float(b or 1) for a, _, b in (part.partition("/") for part in found.groups()))
    except (AttributeError, ValueError, ZeroDivisionError):
        return None


def make_beliefs(figure):
    figure.keep(lambda row: row["truth"].startswith("believe:"))
    prior, instances, budget = figure.one("prior"), figure.one("instances"), figure.one("budget")
    if not figure.request.get("policies"):
        figure.keep(lambda row: row["policy"] == "optimal")
    who, ties = figure.one("policy"), figure.one("ties")
    figure.title = f"What a wrong prior costs {'the optimal policy' if who == 'optimal' else figure.name_of(who)}"
    figure.subtitle = f"{plural(instances, 'instance')}, {plural(budget, 'label')}, labels follow {prior}, ties {ties}"
    unit = figure.axis[1]
    points = []
    for row in sorted(figure.rows, key=lambda row: row["truth"]):
        belief, factor = row["truth"].removeprefix("believe:"), figure.axis[0](row) if row["gap"] is not None else None
        if pair_of(belief) is None:
            continue
        if factor is None:
            figure.notes.append(f"No regret at {belief}: {row['reason'] or row['cell_reason'] or 'the optimum is 0'}.")
        else:
            points.append((*pair_of(belief), row["gap"] * factor))
    panel = Panel("A of the believed Beta(A, B) (labels)", "B (labels)", scale_label=f"regret{unit[3:]}" if unit.startswith("gap") else unit,
                  field_width=least_step([a for a, _, _ in points]), field_height=least_step([b for _, b, _ in points]))
    figure.panels.append(panel)
    add_map(panel, "regret", points)
    true = pair_of(prior)
    if true and points and all(min(p[k] for p in points) <= true[k] <= max(p[k] for p in points) for k in (0, 1)):
        panel.curve("the prior that labels follow", "prior", "line", 1).add(*true)


def add_map(panel, name, points):
    curve = panel.curve(name, name, "map", 0)
    for x, y, value in points:
        curve.add(x, y, value, value)


def losses_panel(found):
    """A map of (name of a policy, stages of its explain): a row for each policy, a column for each number of labels left."""
    panel = Panel("labels left", "policy", scale_label="loss (correct calls)", field_width=1, field_height=1,
                  y_names=[name for name, _ in reversed(found)], x_down=True)
    add_map(panel, "losses", [(stage["left"], len(found) - 1 - k, stage["loss"] if stage["loss"] > 1e-12 else 0)
                              for k, (_, stages) in enumerate(found) for stage in stages])
    return panel


def make_losses(figure):
    found = []
    for line in figure.study:
        for policy in line.policies:
            row = {"policy": policy["name"], "ties": policy.get("ties"), "runs": 0, "budget": line.budget,
                   "prior": line.prior, "instances": line.instances, "truth": line.truth}
            if (policy.get("explain") or {}).get("stages") and figure.is_chosen(row):
                found.append((row, policy["explain"]["stages"]))
    figure.rows = [row for row, _ in found]
    if not found:
        raise BadStudy(f"'{figure.request['study']}' has no losses by labels left: ask 'optgap compare --explain --json', or sweep it")
    prior, instances, budget = figure.one("prior"), figure.one("instances"), figure.one("budget")
    figure.one("truth")
    figure.find_names()
    figure.title = "Where expected correct calls are lost"
    figure.subtitle = f"{plural(instances, 'instance')}, prior {prior}, {plural(budget, 'label')}"
    figure.subtitle += "" if figure.many_ties else f", ties {figure.one('ties')}"
    figure.panels.append(losses_panel([(figure.name_of(row["policy"]) + (f", ties {row['ties']}" if figure.many_ties else ""), stages)
                                       for row, stages in found]))


def index_lines(figure):
    """(policy, document) of the answers of `index` over a and b, by policy."""
    found = {}
    for line in figure.study:
        answer = line.answer
        columns = {"prior": line.prior, "policies": answer.get("policy")}
        if figure.kind != "index-map":  # there --budget is the labels left
            columns["budget"] = line.budget
        if answer.get("columns") == ["a", "b", "left", "index"] and all(
                not figure.request.get(name) or str(value) in map(str, figure.request[name]) for name, value in columns.items()):
            found[answer["policy"]] = (line, answer)
    if not found:
        raise BadStudy(f"'{figure.request['study']}' has no index over a and b: ask 'optgap index --json' for a Beta prior, or sweep it")
    return found


def make_index_map(figure):
    found = index_lines(figure)
    if len(found) > 1:
        raise BadStudy(f"this figure needs one policy: give --policies with one of {' '.join(found)}")
    (policy, (line, answer)), budgets = next(iter(found.items())), figure.request.get("budget") or [1]
    if len(budgets) > 1:
        raise BadStudy("this figure needs one number of labels left: give -T with one")
    left = int(budgets[0])
    points = [(a, b, value) for a, b, at, value in answer["rows"] if at == left and is_number(value)]
    if not points:
        raise BadStudy(f"-T must be a number of labels left that is in '{figure.request['study']}', not {left}")
    problem = answer.get("problem") or {}
    unit = ("positive labels" if problem.get("objective") == "bandit"
            else "payoff" if "payoff" in (problem.get("instances") or [{}])[0] else "correct calls")
    figure.title = f"How {figure.name_of(policy)} rates an instance"
    figure.subtitle = f"the largest index is labelled; {plural(left, 'label')} left"
    panel = Panel("a of the posterior Beta(a, b)", "b", scale_label=f"index ({unit} per label)", field_width=1, field_height=1)
    figure.panels.append(panel)
    add_map(panel, "index", points)


def make_index(figure):
    found = index_lines(figure)
    priors = dict.fromkeys(line.prior for line, _ in found.values())
    budgets = dict.fromkeys(line.budget for line, _ in found.values())
    for several, option in ((priors, "--prior"), (budgets, "--budget")):
        if len(several) > 1:
            raise BadStudy(f"the figure 'index' shows one of several; choose with {option} among {' '.join(map(str, several))}")
    prior, budget = next(iter(priors)), next(iter(budgets))
    if budget < 2:
        raise BadStudy("index curves need two labels at least")
    level = min(budget // 2, LEVEL_MOST)
    figure.title = "How policies rate an instance"
    figure.subtitle = f"highest first; prior {prior}, {budget} labels in all"
    label = "index (correct calls per label)"
    figure.panels = [Panel(f"posterior mean after {level} labels, {budget - level} left", label, from_zero=True),
                     Panel("labels left, after one positive label", label, from_zero=True, whole_x=True)]
    for policy, (_, answer) in sorted(found.items()):
        by_mean, by_left = (panel.curve(figure.name_of(policy), policy, "line", number_of(policy)) for panel in figure.panels)
        rows = answer["rows"]
        a, b = (min(row[k] for row in rows) for k in (0, 1))
        for x, y, left, value in sorted(rows):
            if left == budget - level and round(x + y - a - b) == level:
                by_mean.add(x / (x + y), value)
        for x, y, left, value in sorted(rows, key=lambda row: row[2]):
            if (x, y) == (a + 1, b) and left < budget:
                by_left.add(left, value)


def make_pairs(figure):
    chosen = figure.request.get("policies")
    found = {policy["name"]: (line, policy) for line in figure.study for policy in line.policies
             if isinstance(policy.get("comparisons_by_rank"), list)}
    wanted = [name for name in found if not chosen or name in chosen]
    if not found:
        raise BadStudy(f"'{figure.request['study']}' has no counts of pairs: ask 'optgap simulate --problem ranking --counts --json' "
                       "(at most 100 items), or sweep it")
    if len(wanted) != 1:
        raise BadStudy(f"this figure needs one policy: give --policies with one of {', '.join(found)}")
    line, policy = found[wanted[0]]
    rows = policy["comparisons_by_rank"]
    if not all(len(row) == len(rows) and all(map(is_number, row)) for row in rows):
        raise BadStudy(f"'{figure.request['study']}' has no counts of pairs")
    total = sum(rows[i][j] for i, j in itertools.combinations(range(len(rows)), 2))
    figure.title = f"Which pairs are compared: {figure.name_of(policy['name'])}"
    figure.subtitle = f"{len(rows)} items, {total:.6g} comparisons, mean of {line.answer.get('runs')} runs"
    panel = Panel("rank of one item by true score; 1 is the best", "rank of the other", scale_label="comparisons of the pair",
                  field_width=1, field_height=1, whole_x=True)
    figure.panels.append(panel)
    add_map(panel, "comparisons", [(i + 1, j + 1, value) for i, row in enumerate(rows) for j, value in enumerate(row) if i != j])


KINDS = {
    "gap-budget": lambda figure: make_gaps(figure, "budget"),
    "gap-instances": lambda figure: make_gaps(figure, "instances"),
    "value": make_value,
    "spent": make_spent,
    "correct-truth": lambda figure: make_truth(figure, wrong=False),
    "wrong-truth": lambda figure: make_truth(figure, wrong=True),
    "regret-belief": make_beliefs,
    "losses": make_losses,
    "index": make_index,
    "index-map": make_index_map,
    "pairs": make_pairs,
}
PLAIN = ("gap-budget", "gap-instances", "value")
WITH_AXIS = ("gap-budget", "gap-instances", "regret-belief")


def figure_of(request, study=None):
    """The document of a figure. BadStudy; OSError."""
    with lines.understood(request["study"]):
        return make_figure(request, lines.read(request["study"]) if study is None else study)


def make_figure(request, study):
    kind = request["kind"]
    if (request.get("axis") or "gap") != "gap" and kind not in WITH_AXIS:
        raise BadStudy(f"--axis supports only gap-budget, gap-instances and regret-belief, not {kind}; omit it")
    paper_of(request)
    figure = Figure(request, study, kind in PLAIN)
    known = {policy["name"] for line in study for policy in line.policies}
    known.update(line.answer.get("policy") for line in study)
    for name in figure.names:
        if name not in {*known, "optimal"}:
            raise BadStudy(f"--name must be for a policy of the study, not '{name}'")
    KINDS[kind](figure)
    return figure.document()
