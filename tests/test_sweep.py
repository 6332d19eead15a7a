"""The program's sweeps: killed, resumed, on a full disk, with bad input.

    test_sweep.py PROGRAM [unittest option...]
"""

import contextlib
import csv
import functools
import io
import itertools
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import PROGRAM, SANITIZED, FolderCase, main, run  # noqa: E402
from test_cli import run_with_small_files  # noqa: E402

BUDGETS = 12
GRID = ["--prior", "1,1", "--prior", "2,1", "--instances", "2,3,5,10", "--budget", f"1:{BUDGETS}"]
CELLS = 2 * 4 * BUDGETS
VALUES = """
    SELECT prior, instances, budget, policy, ties, status, value, error, gap, optimal_value, upper
    FROM result ORDER BY prior, instances, budget, policy, ties
"""


@functools.cache
def straight():
    """What the grid gives without interruption, and the seconds that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "straight.db")
        begun = time.monotonic()
        run("sweep", path, *GRID, check=True)
        seconds = time.monotonic() - begun
        with contextlib.closing(sqlite3.connect(path)) as database:
            return database.execute(VALUES).fetchall(), seconds


class SweepCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.db = str(self.folder / "study.db")

    def query(self, sql, path=None):
        with contextlib.closing(sqlite3.connect(path or self.db)) as database:
            return database.execute(sql).fetchall()

    def sweep(self, *words, code=0):
        done = run("sweep", self.db, *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def field(self, text, name):
        lines = [line for line in text.splitlines() if line.startswith(name)]
        self.assertEqual(len(lines), 1, text)
        return int(lines[0].split()[-1])

    def kill_sometimes(self, number, seed):
        """Kills the program at random moments until one run ends; returns the number of kills."""
        draw = random.Random(seed)
        seconds = straight()[1]
        kills = 0
        stored = 0
        while True:
            done = subprocess.Popen(
                [PROGRAM, "sweep", self.db, *GRID],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
            try:
                done.communicate(timeout=draw.uniform(0, 0.2) * seconds * 1.2 ** (kills // 5))
            except subprocess.TimeoutExpired:
                done.send_signal(number)
                done.communicate()
            if done.returncode == 0:
                return kills
            kills += 1
            if os.path.exists(self.db) and os.path.getsize(self.db) > 0:
                with contextlib.closing(sqlite3.connect(self.db)) as database:
                    self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
                    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                    if tables > 0:
                        now = database.execute("SELECT count(*) FROM cell").fetchone()[0]
                        whole = database.execute(
                            "SELECT count(*) FROM (SELECT cell FROM policy GROUP BY cell "
                            "HAVING count(*) = 5)"
                        ).fetchone()[0]
                        self.assertEqual(now, whole, "half a cell")
                        self.assertGreaterEqual(now, stored, "a cell was lost")
                        stored = now


class FamiliesTest(SweepCase):
    KINDS = {
        "1,1": ["1,1"],
        "1,1 --workers-prior=4,1 --workers-prior=2,1": ["--workers-prior", "4,1", "--workers-prior", "2,1", "1,1"],
        "2,1 --arrival-rate=1 --service-rate=2": ["--arrival-rate", "1", "--service-rate", "2", "2,1"],
    }

    def test_cells_of_other_families_are_what_compare_says(self):
        words = [word for prior in self.KINDS for word in ("--prior", prior)]
        grid = [*words, "--instances", "2", "--budget", "2:3", "--policies", "uniform,opt-kg"]
        self.assertEqual(self.field(self.sweep(*grid).stdout, "Computed now"), 6)
        self.assertEqual(self.field(self.sweep(*grid).stdout, "Computed now"), 0)
        for prior, problem in self.KINDS.items():
            for budget in (2, 3):
                labels = "--workers" if "--arrival-rate" in problem else "-T"
                compared = run("compare", "--json", labels, str(budget), "--policies", "uniform,opt-kg",
                               *problem[:-1], "2x" + problem[-1])
                found = json.loads(compared.stdout)
                rows = self.query(f"SELECT policy, value, optimal_value, lagrangian_vector FROM result"
                                  f" WHERE prior = '{prior}' AND budget = {budget} ORDER BY policy DESC")
                self.assertEqual(rows, [(policy["name"], policy["value"], found["optimal"]["value"],
                                         found["bounds"]["lagrangian_vector"]["value"])
                                        for policy in found["policies"]])

    WORDS = {
        "0.9 0.7 --problem=labelers --explore=1.5,1": ["--objective", "labelers", "--explore", "1.5,1", "0.9", "0.7"],
        "0.9 0.7 --explore=0.5,0": ["--explore", "0.5,0", "0.9", "0.7"],
        "0.9 0.5 --accuracy-prior=orders": ["--unknown", "orders", "0.9", "0.5"],
        "1 2 --problem=ranking": ["--objective", "ranking", "1", "2"],
    }

    def test_families_with_words_of_their_own(self):
        for prior, problem in self.WORDS.items():
            policies = "akg,uniform" if "ranking" in prior else "everybody,ls-ol"
            counts, budgets = ((1, 2), (0, 2)) if SANITIZED or "ranking" in prior else ((1, 2), (0, 2, 4))
            self.sweep("--prior", prior, "--instances", "1:2", "--budget", f"0:{budgets[-1]}:2", "--policies", policies)
            for count, budget in itertools.product(counts, budgets):
                words = [f"{count}x{word}" if word[0].isdigit() and "," not in word else word for word in problem]
                compared = run("compare", "--json", "-T", str(budget), "--policies", policies, *words)
                found = json.loads(compared.stdout)
                rows = self.query(f"SELECT policy, value, optimal_value, lagrangian_vector FROM result WHERE "
                                  f"prior = '{prior}' AND instances = {count} AND budget = {budget} ORDER BY policy")
                self.assertEqual(rows, [(policy["name"], policy["value"], found["optimal"]["value"], None)
                                        for policy in found["policies"]])

    def test_names_of_options_make_no_other_cells(self):
        """Earlier names of options are the same cells, also in a study that was stored with them and in one that is
        merged."""
        earlier, now = "0.9 0.7 --objective=labelers --unknown=orders", "0.9 0.7 --problem=labelers --accuracy-prior=orders"
        grid = ["--instances", "1", "--budget", "1:3", "--policies", "everybody"]
        self.assertEqual(self.field(self.sweep("--prior", earlier, *grid).stdout, "Computed now"), 3)
        self.assertEqual(self.field(self.sweep("--prior", now, *grid).stdout, "Computed now"), 0)
        self.assertEqual(self.query("SELECT DISTINCT prior FROM result"), [(now,)])
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            database.execute("UPDATE cell SET prior = ?", (earlier,))
        other = str(self.folder / "other.db")
        self.assertEqual(run("sweep", other, "--merge", self.db).returncode, 0)
        self.assertEqual(self.query("SELECT DISTINCT prior FROM result", other), [(now,)])
        self.assertEqual(self.field(self.sweep("--prior", now, *grid).stdout, "Computed now"), 0)
        self.assertEqual(self.query("SELECT DISTINCT prior FROM result"), [(now,)])

    def test_labelers_are_played(self):
        prior = "0.9 0.7 0.6 --objective=labelers --explore=1.5,1"
        grid = ["--prior", prior, "--instances", "1", "--budget", "20", "--policies", "ls-ol"]
        self.sweep(*grid)
        self.sweep(*grid, "--runs", "2000")
        (exact,), = self.query("SELECT value FROM result WHERE runs = 0")
        self.assertAlmostEqual(20 * 0.9 - exact, 4.58741301362, places=10)
        (played, low, high), = self.query("SELECT value, low, high FROM result WHERE runs > 0")
        self.assertLess(abs(played - exact), 1.5 * (high - low))

    def test_labels_that_take_time_are_played(self):
        prior = "2,1 --arrival-rate=1 --service-rate=2"
        grid = ["--prior", prior, "--instances", "2", "--budget", "3", "--policies", "kg"]
        self.sweep(*grid)
        self.sweep(*grid, "--runs", "4000")
        (exact,), = self.query("SELECT value FROM result WHERE runs = 0")
        (played, low, high), = self.query("SELECT value, low, high FROM result WHERE runs > 0")
        self.assertLess(abs(played - exact), 1.5 * (high - low))


class ResumeTest(SweepCase):
    def stopped_on_the_way(self):
        """Sends SIGTERM once a result is stored; returns exit status and standard error."""
        done = subprocess.Popen(
            [PROGRAM, "sweep", self.db, *GRID],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        end = time.monotonic() + 60
        while time.monotonic() < end and done.poll() is None:
            time.sleep(0.01)
            if os.path.exists(self.db + "-wal") and os.path.getsize(self.db + "-wal") > 100000:
                break
        done.send_signal(signal.SIGTERM)
        _, err = done.communicate(timeout=100)
        return done.returncode, err

    def test_sigterm_stops_with_a_word_and_the_same_command_goes_on(self):
        for _ in range(20):  # again where the work was done before the signal came
            code, err = self.stopped_on_the_way()
            if code != 0:
                break
            pathlib.Path(self.db).unlink()
        self.assertEqual(code, 3, err)
        self.assertRegex(err, rf"\Aoptgap: interrupted after [0-9.]+ s: \d+ of {CELLS} cells are "
                              r"stored; the same command continues\n\Z")
        before = self.query("SELECT count(*) FROM cell")[0][0]
        self.assertIn(f" {before} of {CELLS}", err)
        self.assertLess(before, CELLS)
        again = self.sweep(*GRID)
        self.assertEqual(self.field(again.stdout, "Stored before"), before)
        self.assertEqual(self.field(again.stdout, "Computed now"), CELLS - before)
        self.assertEqual(self.query(VALUES), straight()[0])

    def test_second_run_computes_nothing(self):
        small = ["--prior", "1,1", "--instances", "2:4", "--budget", "1:6"]
        first = self.sweep(*small)
        second = self.sweep(*small)
        self.assertEqual(self.field(first.stdout, "Computed now"), 18)
        self.assertEqual(self.field(second.stdout, "Computed now"), 0)
        self.assertEqual(self.query("SELECT count(*) FROM run"), [(1,)])


class DiskTest(SweepCase):
    def test_file_that_may_not_grow_stops_the_sweep_with_nothing_lost(self):
        done = run_with_small_files(120000, "sweep", self.db, *GRID)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aoptgap: the study [^\n]*study.db: [^\n]+\n\Z")
        self.assertEqual(self.query("PRAGMA integrity_check"), [("ok",)])
        stored = self.query("SELECT prior, instances, budget, value FROM cell")
        self.assertGreater(len(stored), 3)
        self.assertLess(len(stored), CELLS)
        self.sweep(*GRID)
        self.assertLess(set(stored), set(
            self.query("SELECT prior, instances, budget, value FROM cell")))
        self.assertEqual(self.query("SELECT count(*) FROM cell"), [(CELLS,)])

    def test_full_disk_stops_the_sweep_with_nothing_lost(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)],
            stderr=subprocess.DEVNULL,
        ).returncode == 0
        if not mounted:
            self.skipTest("no small disk can be mounted here")
        try:
            self.db = str(disk / "study.db")
            done = run("sweep", self.db, *GRID)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("disk is full", done.stderr)
            roomy = self.folder / "roomy"
            shutil.copytree(disk, roomy)
        finally:
            subprocess.run(["umount", str(disk)], check=True)
        self.db = str(roomy / "study.db")
        self.assertEqual(self.query("PRAGMA integrity_check"), [("ok",)])
        stored = self.query("SELECT count(*) FROM cell")[0][0]
        self.assertGreater(stored, 3)
        again = self.sweep(*GRID)
        self.assertEqual(self.field(again.stdout, "Stored before"), stored)

    def test_folder_that_is_not_there(self):
        self.assert_refused(
            ["sweep", "/nonexistent/study.db", *GRID], "/nonexistent/study.db cannot be opened", 1)


class InputTest(SweepCase):
    def refuse(self, words, expected):
        self.assert_refused(["sweep", self.db, *words], expected)
        self.assertFalse(os.path.exists(self.db), "a database was made for nothing")

    def test_bad_grids_are_refused_before_anything_is_written(self):
        self.refuse([], "prior is missing")
        self.refuse(["--prior", "1,1", "--budget", "3"], "instances is missing")
        self.refuse(["--prior", "1,1", "--instances", "2"], "budget is missing")
        self.refuse([*GRID, "--prior", "2x1,1"], "a prior must have no COUNT")
        self.refuse([*GRID, "--budget", "40:1"], "budget must be numbers")
        self.refuse([*GRID, "--policy", "opt-gk"], "unknown policy 'opt-gk'")
        self.refuse([*GRID, "--seed", "4"], "seed requires runs")
        self.refuse([*GRID, "--runs", "10", "--ties", "best"], "only ties random and first, not 'best'")
        self.refuse([*GRID, "--time-limit", "0"], "--time-limit must be")
        self.refuse([*GRID, "other.db"], "sweep takes one STUDY.db; omit 'other.db'")
        self.assert_refused(["sweep", *GRID], "no STUDY.db is given")

    def test_all_policies_are_those_with_exact_values_unless_they_are_played(self):
        words = ["--prior", "1,1", "--instances", "2", "--budget", "2", "--policies", "all"]
        done = run("sweep", self.db, *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"Left out +thompson, ucb1-tuned \(no exact value; --runs N")
        table = run("sweep", self.db, "--csv").stdout
        self.assertIn("nlu", table)
        self.assertNotIn("thompson", table)
        self.assertNotIn("(null)", table)
        done = run("sweep", self.db, *words, "--runs", "10")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("Left out", done.stdout)
        self.assertIn("thompson", run("sweep", self.db, "--csv").stdout)

    def test_policy_without_an_exact_value_is_refused_without_runs(self):
        self.refuse([*GRID, "--policy", "thompson"], "no exact value; omit it, or simulate")

    def test_unknown_key_of_a_study_file_is_named_with_its_line(self):
        path = self.folder / "bad.study"
        path.write_text("# mine\nprior = 1,1\ninstances = 2\nbudgets = 1:3\n")
        self.refuse(["--study", str(path)], f"{path}, line 4: unknown key 'budgets' (known: ")
        self.refuse(["--study", str(self.folder / "none")], "cannot be opened")

    def test_study_file_is_the_command_line(self):
        path = self.folder / "good.study"
        path.write_text("prior = 1,1\ninstances = 2,3\nbudget = 1:3\npolicies = kg,opt-kg\n")
        self.sweep("--study", str(path))
        by_file = self.query(VALUES)
        command = self.query("SELECT command FROM run")[0][0]
        self.assertEqual(command, f"optgap sweep {self.db} --prior 1,1 --instances 2,3 "
                                  "--budget 1:3 --policies kg,opt-kg --ties random")
        os.remove(self.db)
        self.sweep(*command.split()[3:])
        self.assertEqual(self.query(VALUES), by_file)
        self.sweep("--study", str(path), "--budget", "5")
        self.assertEqual(self.query("SELECT max(budget) FROM cell"), [(5,)])

    def test_database_of_another_version_is_refused_untouched(self):
        self.sweep("--prior", "1,1", "--instances", "2", "--budget", "3")
        with sqlite3.connect(self.db) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
        before = pathlib.Path(self.db).read_bytes()
        self.assert_refused(["sweep", self.db, *GRID], "has version 99")
        self.assertEqual(pathlib.Path(self.db).read_bytes(), before)
        other = self.folder / "other"
        other.write_text("no database at all, but long enough to be looked at as if it were one\n"
                         * 3)
        self.assert_refused(["sweep", str(other), *GRID], "is not a study database")
        self.assertTrue(other.read_text().startswith("no database at all"))
        with sqlite3.connect(self.folder / "friend.db") as database:
            database.execute("CREATE TABLE mine (x)")
        database.close()
        self.assert_refused(
            ["sweep", str(self.folder / "friend.db"), *GRID], "is not a study database")


class PartTest(SweepCase):
    """Parts of a grid, computed separately and merged."""

    grid = ["--prior", "1,1", "--prior", "2,1", "--instances", "2,3,5", "--budget", "1:6",
            "--policies", "kg,uniform", "--ties", "random,worst"]

    def part(self, number, parts, *words):
        path = str(self.folder / f"part-{number}.db")
        self.answer("sweep", path, *(words or self.grid), "--part", f"{number}/{parts}", "--quiet")
        return path

    def test_merged_parts_are_the_whole(self):
        whole = str(self.folder / "whole.db")
        self.answer("sweep", whole, *self.grid, "--quiet")
        parts = [self.part(number, 5) for number in range(1, 6)]
        cells = [set(self.query("SELECT prior, instances, budget FROM cell", path)) for path in parts]
        self.assertEqual(sum(map(len, cells)), len(set().union(*cells)))
        self.assertEqual({len(of) for of in cells}, {7, 8})  # 36 cells
        budgets = [sum(budget for _, _, budget in of) for of in cells]
        self.assertLessEqual(max(budgets) - min(budgets), 6)
        random.Random(1).shuffle(parts)
        for path in [*parts, parts[0]]:
            before = pathlib.Path(path).read_bytes()
            self.answer("sweep", self.db, "--merge", path, "--quiet")
            self.assertEqual(pathlib.Path(path).read_bytes(), before)
        self.assertEqual(self.query(VALUES), self.query(VALUES, whole))
        columns = "call_value, gain, error, states, lower, lagrangian_scalar, program, commit_id"
        for sql in (f"SELECT {columns} FROM cell ORDER BY prior, instances, budget",
                    "SELECT low, high, policy.states, tolerance_ties, policy.program FROM policy JOIN cell ON id = cell"
                    " ORDER BY prior, instances, budget, policy.policy, ties"):
            self.assertEqual(self.query(sql), self.query(sql, whole))
        self.assertEqual(len(self.query("SELECT * FROM run")), 5)
        self.assertEqual(sorted(int(command[-3]) for command, in self.query("SELECT command FROM run")),
                         [1, 2, 3, 4, 5])
        done = self.sweep(*self.grid)
        self.assertEqual(self.field(done.stdout, "Stored before"), 36)
        self.assertEqual(self.field(done.stdout, "Computed now"), 0)

    def test_what_was_played_and_counted_comes_along(self):
        words = ["--prior", "1,1", "--instances", "3", "--budget", "2,4", "--runs", "50", "--policies",
                 "kg", "--truth", "list:0.2,0.6,0.9"]
        part = self.part(1, 1, *words)
        self.answer("sweep", self.db, "--merge", part, "--quiet")
        for table in ("cell", "policy", "spent"):
            sql = f"SELECT * FROM {table}"
            here, there = self.query(sql), self.query(sql, part)
            if table == "cell":  # finished: when it came here
                here, there = [[row[:-2] for row in rows] for rows in (here, there)]
            self.assertEqual(here, there)
        self.assertEqual(len(self.query("SELECT * FROM spent")), 2 * 3)

    def test_limits_stay_until_more_is_known(self):
        words = ["--prior", "1,1", "--instances", "10", "--budget", "40", "--policies", "kg"]
        part = str(self.folder / "limited.db")
        done = run("sweep", part, *words, "--policy-states", "5", "--quiet")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.sweep(*words, "--quiet")
        before = self.query(VALUES)
        self.answer("sweep", self.db, "--merge", part, "--quiet")
        self.assertEqual(self.query(VALUES), before)
        self.answer("sweep", part, "--merge", self.db, "--quiet")
        self.assertEqual(self.query(VALUES, part), before)

    def test_values_that_contradict_each_other_are_an_error(self):
        part = self.part(1, 4)
        self.answer("sweep", self.db, "--merge", part, "--quiet")
        with contextlib.closing(sqlite3.connect(part)) as database, database:
            database.execute("UPDATE policy SET value = value + 1e-9 WHERE policy = 'kg'")
        before = self.query(VALUES)
        self.assert_refused(["sweep", self.db, "--merge", part], "one of them is wrong", code=1)
        self.assertEqual(self.query(VALUES), before)

    def test_what_is_no_part_is_refused(self):
        part = self.part(1, 4)
        grid = [word for word in self.grid]
        for words, expected in [
            ([*grid, "--part", "0/4"], "must be I/N"), ([*grid, "--part", "5/4"], "must be I/N"),
            ([*grid, "--part", "1"], "must be I/N"), ([*grid, "--part", "1/4x"], "must be I/N"),
            ([*grid, "--part", "-1/4"], "must be I/N"), ([*grid, "--part", " 1/4"], "must be I/N"),
            ([*grid, "--merge", part], "--merge does not support"),
            (["--part", "1/2", "--merge", part], "--merge does not support"),
            (["--merge", str(self.folder / "none.db")], "none.db"),
            (["--merge", __file__], "is not a study database"),
            (["--merge", self.db], "are the same file"),
            (["--merge", ""], "--merge needs the name of a file"),
        ]:
            self.assert_refused(["sweep", self.db, *words], expected)
        self.assertFalse(os.path.exists(self.db))

    def test_an_interrupted_merge_goes_on(self):
        part = self.part(1, 1)
        killed = subprocess.Popen([PROGRAM, "sweep", self.db, "--merge", part, "--quiet"])
        time.sleep(0.02)
        killed.kill()
        killed.wait()
        self.answer("sweep", self.db, "--merge", part, "--quiet")
        self.assertEqual(self.query(VALUES), self.query(VALUES, part))


class OwnPolicyTest(SweepCase):
    """The contents of its files identify a policy."""

    GRID = ["--prior", "1,1", "--instances", "2:3", "--budget", "2:3"]
    ANSWER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)["instances"]
    print(json.dumps({"index": [%s for a, b in asked]}), flush=True)
"""

    def write(self, index, name="mine.py"):
        path = self.folder / name
        path.write_text(self.ANSWER % index)
        return path

    def values(self, policy):
        return self.query(f"SELECT instances, budget, value FROM result WHERE policy = '{policy}'"
                          " ORDER BY instances, budget")

    def compared(self, policy):
        found = []
        for instances in (2, 3):
            for budget in (2, 3):
                answer = self.document("compare", "-T", str(budget), "--policy", policy, f"{instances}x1,1")
                found.append((instances, budget, answer["policies"][0]["value"]))
        return found

    def check_edited(self, policy, edit):
        words = [*self.GRID, "--policy", policy, "--policy", "kg"]
        self.sweep(*words)
        before, kg = self.values(policy), self.values("kg")
        self.assertEqual(before, self.compared(policy))
        self.assertEqual(self.field(self.sweep(*words).stdout, "Computed now"), 0)
        edit()
        done = self.sweep(*words).stdout
        self.assertEqual(self.field(done, "Computed now"), 4)
        self.assertIn("Other files   4 (a policy's file has changed", done)
        after = self.values(policy)
        self.assertNotEqual(after, before)
        self.assertEqual(after, self.compared(policy))
        self.assertEqual(self.values("kg"), kg)
        done = self.sweep(*words).stdout
        self.assertEqual(self.field(done, "Computed now"), 0)
        self.assertNotIn("Other files", done)

    def test_command(self):
        policy = f"command:{sys.executable} {self.write('a + b')}"
        self.check_edited(policy, lambda: self.write("-(a + b)"))

    def test_table(self):
        path = self.folder / "index.tsv"
        text = run("index", "--policy", "opt-kg", "-T", "3", "1,1").stdout
        path.write_text(text)
        head, *rows = text.splitlines()
        worst = "".join(row.rpartition("\t")[0] + f"\t{i}\n" for i, row in enumerate(rows))
        self.check_edited(f"table:{path}", lambda: path.write_text(head + "\n" + worst))

    def test_played(self):
        path = self.write("a + b")
        policy = f"command:{sys.executable} '{path}'"
        words = ["--prior", "1,1", "--instances", "3", "--budget", "3", "--policy", policy, "--runs",
                 "50", "--truth", "list:0.2,0.6,0.7"]
        sql = "SELECT instance, labels FROM spent ORDER BY instance"
        self.sweep(*words)
        before = self.query(sql)
        self.write("-(a + b)")
        self.assertEqual(self.field(self.sweep(*words).stdout, "Computed now"), 1)
        after = self.query(sql)
        self.assertNotEqual(after, before)
        self.assertEqual(sum(labels for _, labels in after), 3)

    def test_touched_is_the_same(self):
        path = self.write("a + b")
        words = [*self.GRID, "--policy", f"command:{sys.executable} {path}"]
        self.sweep(*words)
        os.utime(path, (1, 1))
        self.assertEqual(self.field(self.sweep(*words).stdout, "Computed now"), 0)

    def test_what_a_program_reads_is_computed_again_when_asked(self):
        path = self.write("rank(a, b)")
        other = self.folder / "rank.py"
        other.write_text("def rank(a, b): return a + b\n")
        path.write_text("from rank import rank\n" + path.read_text())
        policy = f"command:{sys.executable} -B {path}"
        words = [*self.GRID, "--policy", policy, "--policy", "kg"]
        self.sweep(*words)
        before, kg = self.values(policy), self.values("kg")
        other.write_text("def rank(a, b): return -a - b\n")
        self.assertEqual(self.field(self.sweep(*words).stdout, "Computed now"), 0)
        done = self.sweep(*words, "--recompute", policy)
        self.assertEqual(self.field(done.stdout, "Computed now"), 4)
        self.assertNotEqual(self.values(policy), before)
        self.assertEqual(self.values(policy), self.compared(policy))
        self.assertEqual(self.values("kg"), kg)
        self.assert_refused(["sweep", self.db, *words, "--recompute", "opt-kg"], "only the study")
        self.assert_refused(["sweep", self.db, *words, "--recompute", "opt-k"], "unknown policy")

    def test_older_study_goes_on(self):
        path = self.write("a + b")
        policy = f"command:{sys.executable} {path}"
        words = [*self.GRID, "--policy", policy]
        self.sweep(*words)
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            database.execute("ALTER TABLE policy DROP COLUMN file_hash")
            database.commit()
        self.assertEqual(self.sweep("--csv").stdout.count("\n"), 5)
        self.assertEqual(self.field(self.sweep(*words).stdout, "Computed now"), 0)
        more = [*words, "--budget", "4"]
        self.assertEqual(self.field(self.sweep(*more).stdout, "Computed now"), 2)
        self.assertEqual(self.query("SELECT count(*) FROM policy WHERE file_hash IS NULL"), [(4,)])
        self.write("-(a + b)")
        done = self.sweep(*more).stdout
        self.assertEqual(self.field(done, "Computed now"), 2)
        self.sweep(*more, "--recompute", policy)
        self.assertEqual(self.query("SELECT count(DISTINCT file_hash), count(file_hash) FROM policy"),
                         [(1, 6)])


class DataTest(SweepCase):
    small = ["--prior", "2,1@0.3", "--instances", "2", "--budget", "2:3", "--policies", "kg,uniform"]

    def test_csv_is_the_view(self):
        self.sweep(*self.small)
        done = self.sweep("--csv")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 4)
        for row, (value, gap) in zip(rows, self.query(
                "SELECT value, gap FROM result ORDER BY budget, policy")):
            self.assertEqual((float(row["value"]), float(row["gap"])), (value, gap))
            self.assertEqual(row["prior"], "2,1@0.3")
        first = rows[0]
        found = self.document("compare", "-T", "2", "--policies", "kg", "2x2,1@0.3")
        self.assertEqual(float(first["value"]), found["policies"][0]["value"])
        self.assertEqual(float(first["optimal_value"]), found["optimal"]["value"])
        self.assertEqual(float(first["lagrangian_vector"]),
                         found["bounds"]["lagrangian_vector"]["value"])

    def test_csv_of_nothing_makes_nothing(self):
        self.assert_refused(["sweep", self.db, "--csv"], "study.db cannot be opened")
        self.assertFalse(os.path.exists(self.db))

    def test_cells_say_who_made_them(self):
        self.sweep(*self.small)
        version = test_cli.run("--version").stdout.split()[1]
        rows = self.query("SELECT program, commit_id, accuracy, seed, runs, seconds FROM cell")
        for program, commit, accuracy, seed, runs, seconds in rows:
            self.assertEqual((program, accuracy, seed, runs), (version, "double", 0, 0))
            self.assertRegex(commit, r"\A(unknown|[0-9a-f]{12,}(-dirty)?)\Z")
            self.assertGreater(seconds, 0)

    def test_limits_are_brackets_and_redone_when_asked(self):
        words = ["--prior", "1,1", "--instances", "10", "--budget", "80", "--policies", "opt-kg"]
        done = self.sweep(*words, "--time-limit", "0.1", code=3)
        self.assertIn("a limit was reached in 1 of 1 cells", done.stderr)
        value, lower, upper, reason = self.query(
            "SELECT value, lower, upper, reason FROM cell")[0]
        self.assertIsNone(value)
        self.assertEqual(reason, "time limit")
        self.assertLess(lower, upper)
        again = self.sweep(*words, "--time-limit", "0.1", code=3)
        self.assertEqual(self.field(again.stdout, "Computed now"), 0)
        once_more = self.sweep(*words, "--time-limit", "0.15", "--retry", code=3)
        self.assertEqual(self.field(once_more.stdout, "Computed now"), 1)
        self.assertEqual(self.query("SELECT count(*) FROM cell WHERE lower < upper"), [(1,)])


if __name__ == "__main__":
    main()
