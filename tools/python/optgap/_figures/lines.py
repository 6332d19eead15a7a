"""Reads a study: a file of answers, as `optgap sweep FILE.jsonl` writes it. Needs Python alone.

A line is {"asked": [WORD, ...], "files": {...}, "stopped": WHY, "answer": DOCUMENT}. Of several lines with the same words and
files the last one counts. A file may also be one document, as `--json` prints it.
"""
# mypy: ignore-errors

import contextlib
import json
import math
import os
import re
import stat

# Options that change what is asked of a problem; all others, and the words, are the problem.
QUESTION = frozenset(
    "policy policies against ties runs seed truth assume believe counts at explain reach rank-policies arithmetic engine "
    "parameter trace result all-actions depth".split())


class BadStudy(Exception):
    """The file is no study, or has nothing for what is wanted; the message tells what to do."""


@contextlib.contextmanager
def understood(path):
    """Around all that reads answers: one that was edited, or is of another program, is a BadStudy."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as bad:
        what = str(bad).split("\n")[0][:80]
        raise BadStudy(f"'{path}' has an answer that is not as optgap writes it ({type(bad).__name__}: {what}); "
                       "delete its line and sweep again") from bad


class Line:
    """What was asked and its answer. `answer` may be None if a limit ended the question."""

    def __init__(self, asked, answer, stopped=None):
        self.command = asked[0] if asked else ""
        self.answer, self.stopped, self.asked = answer or {}, stopped, asked
        self.options, self.words = read_words(asked[1:])
        problem = self.answer.get("problem") or {}
        self.budget = whole(problem.get("budget", self.last("T") or self.last("budget")))
        parts = [re.fullmatch(r"(\d+)x(.*)", word) for word in self.words]
        self.instances = sum(int(part[1]) if part else 1 for part in parts)
        kinds = dict.fromkeys(part[2] if part else word for part, word in zip(parts, self.words))
        if not self.words:  # a document alone
            listed = problem.get("instances") or []
            self.instances = sum(one.get("count", 1) for one in listed)
            kinds = dict.fromkeys(re.sub(r"^\d+x", "", one.get("text", "")) for one in listed)
        more = [f"--{name}" if value is True else f"--{name}={value}"
                for name, values in self.options.items() for value in values if name not in QUESTION and name not in ("T", "budget")]
        self.prior = " ".join([*kinds, *more])
        self.problem = (self.prior, self.instances, self.budget)

    def last(self, name, default=None):
        return self.options.get(name, [default])[-1]

    @property
    def policies(self):
        """The policies that have a name; `query` lists the choices of each by its name."""
        found = self.answer.get("policies")
        return [one for one in found if isinstance(one, dict) and "name" in one] if isinstance(found, list) else []

    @property
    def truth(self):
        """As rows name it: "prior", "believe:A,B", or the text of --truth."""
        if self.answer.get("believed") or self.last("assume"):
            return f"believe:{self.answer.get('believed') or self.last('assume')}"
        return self.answer.get("truth") or self.last("truth") or "prior"


def whole(value):
    return int(value) if value is not None and re.fullmatch(r"\d+", str(value)) else value


def read_words(words):
    """Options with their values (True: none), by name, and the other words."""
    options, rest, words = {}, [], iter(words)
    for word in words:
        name, equals, value = word[2:].partition("=")
        if re.fullmatch(r"-[A-Za-z]", word):
            options.setdefault(word[1:], []).append(next(words, True))
        elif word.startswith("--"):
            options.setdefault(name, []).append(value if equals else True)
        else:
            rest.append(word)
    return options, rest


def no_study(path):
    return BadStudy(f"'{path}' is no study: 'optgap sweep {path} --for ... COMMAND' makes one")


def read_line(text, number, path):
    """The key and the Line of a line."""
    try:
        found = json.loads(text)
        asked = found["asked"]
        if not asked or not all(isinstance(word, str) for word in asked) or not isinstance(found.get("answer", {}), dict):
            raise ValueError
    except (ValueError, TypeError, KeyError):
        raise BadStudy(f"'{path}', line {number}: this is no answer of 'optgap sweep'; delete the line") from None
    return json.dumps([asked, found.get("files")]), Line(asked, found.get("answer"), found.get("stopped"))


def read(path):
    """The lines of a study, in the order of the file. BadStudy; OSError."""
    with understood(path):
        return read_all(path)


def read_all(path):
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise BadStudy(f"'{path}' is not a file")
    with open(path, "rb") as file:
        text = file.read()
    if text.startswith(b"SQLite format 3\0"):
        raise BadStudy(f"'{path}' is a database of an earlier version: 'bench/studies/convert {path} NEW.jsonl' makes a study of it")
    text = text.decode(errors="replace")
    if not re.match(r'\s*\{\s*"asked"', text):
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise no_study(path)
        return [Line([], document)]
    found = {}
    for number, line in enumerate(text.split("\n")[:-1], 1):  # a last line without an end was cut off
        if line.strip():
            key, one = read_line(line, number, path)
            found.pop(key, None)
            found[key] = one
    if not found:
        raise no_study(path)
    return list(found.values())


# ---- one row for each policy and cell ----

BOUNDS = ("lagrangian_scalar", "lagrangian_vector", "prevailing_charge")
EMPTY = dict.fromkeys(
    "prior instances budget runs seed truth policy ties status reason value gain error low high gap gap_low gap_high gap_percent "
    "gain_lost_percent gap_at_most standard_error correct correct_low correct_high tolerance_ties states seconds cell_status "
    "cell_reason call_value optimal_value optimal_gain optimal_error optimal_states lower upper lagrangian_scalar "
    "lagrangian_vector prevailing_charge least_bound cell_seconds version commit asked".split())


def apart(value, error):
    """Both ends of value -+ error; (None, None) without a value."""
    return (None, None) if value is None else (value - (error or 0), value + (error or 0))


def simulated(policy):
    """The columns of a policy that was simulated: `mean` is of posteriors, the accuracy counts calls."""
    mean = policy.get("mean")
    low, high = policy.get("interval") or (None, None)
    return {"value": mean, "low": low, "high": high, "standard_error": policy.get("standard_error")}


def correct_of(policy, decisions):
    """Correct calls in runs: the accuracy times the number of calls."""
    ends = policy.get("accuracy_interval") or (None, None)
    return {name: None if value is None else value * decisions
            for name, value in zip(("correct", "correct_low", "correct_high"), (policy.get("accuracy"), *ends))}


def under(policy):
    """Correct calls under another truth or with a wrong belief, and for a belief what is lost by it."""
    found = policy.get("truth") or policy.get("believed")
    if not found:
        return {}
    low, high = apart(found["mean"], found["error_bound"])
    columns = {"correct": found["mean"], "correct_low": low, "correct_high": high}
    if policy.get("believed"):
        columns.update({"value": found["mean"], "gain": None, "error": found["error_bound"], "low": low, "high": high})
    return columns


def with_gap(row, error, half):
    """Sets the gap to the optimum: 0 within the errors."""
    if row["value"] is None or row["optimal_value"] is None:
        return
    gains = row["optimal_gain"], row["gain"]
    off = row["optimal_value"] - row["value"] if None in gains else gains[0] - gains[1]
    both = (row["optimal_error"] or 0) + (error or 0)
    gap = 0.0 if abs(off) <= both else off
    row["gap"], row["gap_low"], row["gap_high"] = gap, max(0.0, off - half - row["optimal_error"]), max(0.0, off + half + row["optimal_error"])
    row["gap_percent"] = 100 * gap / row["optimal_value"] if row["optimal_value"] else None
    gain = row["optimal_gain"]
    row["gain_lost_percent"] = 100 * gap / gain if gain and gain > 0 else 0.0 if gap == 0 else None


def best(values, choose):
    values = [value for value in values if value is not None]
    return choose(values) if values else None


def facts_of(lines):
    """What all lines say of each problem under its prior: the optimum, and the best ends of what encloses it."""
    facts = {}
    for line in lines:
        answer = line.answer
        optimum = answer.get("optimal")
        optimum = optimum if isinstance(optimum, dict) else {}
        bracket = answer.get("bracket") or {}
        known = facts.setdefault(line.problem, dict.fromkeys(
            ("optimal_value", "optimal_gain", "optimal_error", "optimal_states", "cell_reason", "lower", "upper", "call_value",
             *BOUNDS, "least_bound")))
        if "budget" not in optimum and "labels" in optimum and "share" in optimum:
            continue  # of --reach
        if optimum.get("value") is not None:
            known.update(optimal_value=optimum["value"], optimal_gain=optimum.get("gain"), cell_reason=None,
                         optimal_error=optimum.get("error_bound") or 0.0, optimal_states=optimum.get("states"))
        elif known["optimal_value"] is None and optimum:
            known["cell_reason"] = optimum.get("limit") or line.stopped
        known["call_value"] = best((known["call_value"], answer.get("call_value")), max)
        known["lower"] = best((known["lower"], bracket.get("lower")), max)
        bounds = {name: bound.get("value") if isinstance(bound, dict) else None
                  for name, bound in (answer.get("bounds") or {}).items()}
        for name in BOUNDS:
            known[name] = best((known[name], bounds.get(name)), min)
        known["least_bound"] = best((known["least_bound"], *bounds.values()), min)
        known["upper"] = best((known["upper"], bracket.get("upper"), known["least_bound"]), min)
    return facts


def base_of(line, known):
    answer, optimum = line.answer, line.answer.get("optimal")
    runs = whole(answer.get("runs") or (line.last("runs") if line.command == "simulate" else 0) or 0)
    limit = (optimum.get("limit") if isinstance(optimum, dict) else None) or line.stopped
    return {**EMPTY, **known, "prior": line.prior, "instances": line.instances, "budget": line.budget, "runs": runs,
            "seed": answer.get("seed") if runs else 0, "truth": line.truth,
            "cell_status": "simulated" if runs else "limit" if limit else "ok", "cell_reason": None if runs else limit,
            "call_value": answer.get("call_value", known["call_value"]),
            "cell_seconds": answer.get("seconds", (optimum or {}).get("seconds") if isinstance(optimum, dict) else None),
            "version": answer.get("version"), "commit": answer.get("commit"), "asked": " ".join(line.asked)}


def policy_rows(line, known):
    """The rows of a line's policies, and of "optimal" under another truth."""
    answer, base = line.answer, base_of(line, known)
    optimum = answer.get("optimal") if isinstance(answer.get("optimal"), dict) else {}
    listed = line.policies
    if optimum.get("truth") or optimum.get("believed"):
        listed.append({**optimum, "name": "optimal", "ties": "random", "status": "ok"})
    for policy in listed:
        row = {**base, "policy": policy["name"], "ties": policy.get("ties"), "status": policy.get("status"),
               "reason": policy.get("limit"), "tolerance_ties": policy.get("tolerance_ties"), "states": policy.get("states"),
               "seconds": policy.get("seconds")}
        error = policy.get("error_bound")
        if base["runs"]:
            row.update(simulated(policy), **correct_of(policy, base["instances"]))
            row["gain"] = None if None in (row["value"], row["call_value"]) else row["value"] - row["call_value"]
            half = (row["high"] - row["low"]) / 2 if row["low"] is not None else 0.0
        else:
            low, high = apart(policy.get("value"), error)
            row.update(value=policy.get("value"), gain=policy.get("gain"), error=error, low=low, high=high)
            row.update(under(policy))
            error, half = row["error"], row["error"] or 0.0
        if row["truth"] == "prior" or row["truth"].startswith("believe:"):
            with_gap(row, None if base["runs"] else error, half)
        if row["truth"] == "prior" and row["upper"] is not None and row["low"] is not None:
            row["gap_at_most"] = max(0.0, row["upper"] - row["low"])
        yield row


def rows_of(lines):
    """A row for each policy and cell, and one for each cell without policies, in the order of their problems."""
    facts, rows = facts_of(lines), {}
    for line in lines:
        made = list(policy_rows(line, facts[line.problem]))
        if not made and isinstance(line.answer.get("optimal"), dict) and "share" not in line.answer["optimal"]:
            made = [base_of(line, facts[line.problem])]
        for row in made:
            key = tuple(row[name] for name in ("prior", "instances", "budget", "runs", "seed", "truth", "policy", "ties"))
            rows.pop(key, None)
            rows[key] = row
    return [rows[key] for key in sorted(rows, key=lambda key: tuple(("", 0) if one is None else (one, 0) if isinstance(one, str)
                                                                     else ("", one) for one in key))]


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
