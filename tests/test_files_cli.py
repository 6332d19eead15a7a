"""Files that users name, also by mistake.

    test_files_cli.py PROGRAM [unittest option...]

Every option that takes a file gets things that are not files; one file gets two roles; names and files
hold any bytes. The program must answer at once, with one line, and must not damage a file.
"""

import codecs
import contextlib
import glob
import html.parser
import json
import itertools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest.mock
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
import test_cli  # noqa: E402
from cli import PROGRAM, FolderCase, main, run  # noqa: E402
from test_cli import COMMANDS, SAMPLE, run_with_small_files  # noqa: E402

GRID = ["--for", "T=1:3", "compare", "-T", "%T", "--policies", "kg", "2x1,1"]
# A command line for each option and word that takes a file, with @ in its place.
LINES = {
    ("compare", "--checkpoint"): ["-T", "3", "1,1", "--checkpoint=@"],
    ("compare", "--features"): ["-T", "3", "--features", "@"],
    ("solve", "--checkpoint"): ["-T", "3", "1,1", "--checkpoint", "@"],
    ("solve", "--export-policy"): ["-T", "3", "1,1", "--export-policy", "@"],
    ("solve", "--features"): ["-T", "3", "--features", "@"],
    ("solve", "--export-model"): ["-T", "3", "1,1", "--export-model", "@.drn"],
    ("query", "--features"): ["-T", "3", "--features", "@"],
    ("tree", "--features"): ["-T", "1", "--features", "@"],
    ("tree", "--output"): ["-T", "1", "1,1", "-o", "@.svg"],
    ("find", "--checkpoint"): ["kg", "--instances", "2", "-T", "1", "--parameter", "2", "--checkpoint", "@"],
    ("play", "--features"): ["-T", "1", "--features", "@"],
    ("simulate", "--features"): ["-T", "1", "--runs", "2", "--features", "@"],
    ("fit", "LABELS.tsv"): ["@"],
    ("verify", "FILE"): ["@"],
    ("sweep", "FILE.jsonl"): ["@", *GRID],
    ("plot", "STUDY.jsonl"): ["@", "value", "-o", "OUT.svg"],
    ("plot", "--output"): ["STUDY", "value", "-o", "@.svg"],
    ("plot", "--data"): ["STUDY", "value", "--data", "@"],
    ("report", "STUDY.jsonl"): ["@", "-o", "OUT.html"],
    ("report", "--output"): ["STUDY", "-o", "@"],
    ("replay", "--labels"): ["--labels", "@", "--gold", "GOLD", "--runs", "2"],
    ("replay", "--pairs"): ["--pairs", "@", "--gold", "GOLD", "--runs", "2"],
    ("next", "--labels"): ["--labels", "@", "--budget", "3"],
    ("next", "--output"): ["--labels", "SAMPLE", "--budget", "3", "-o", "@"],
    ("next", "--tasks"): ["--labels", "SAMPLE", "--budget", "3", "--tasks", "@"],
    ("next", "--closed"): ["--labels", "SAMPLE", "--budget", "3", "--closed", "@"],
    ("next", "--workers-free"): ["--labels", "SAMPLE", "--budget", "3", "--workers-free", "@"],
    ("next", "--gold"): ["--labels", "SAMPLE", "--final", "--gold", "@"],
    ("next", "--pairs"): ["--pairs", "@"],
    ("labels", "--gold"): ["SAMPLE", "--gold", "@"],
    ("labels", "--output"): ["SAMPLE", "-o", "@"],
    ("replay", "--gold"): ["--labels", "SAMPLE", "--gold", "@", "--runs", "2"],
}
ASSIGNMENT = ["-T", "1", "--problem", "assignment"]
LINES["compare", "--regret-on"] = [*ASSIGNMENT, "--workers-prior", "2x4,1", "2x1", "--regret-on", "@"]
_words = [*ASSIGNMENT, "--runs", "2", "--crowd", "one-coin:2"]
LINES["simulate", "--gold"] = [*_words, "--gold", "@"]
LINES["simulate", "--data"] = [*_words, "--gold", "GOLD", "--kmeans", "2", "--data", "@"]
_words = [*ASSIGNMENT, "--runs", "2", "--labels", "SAMPLE", "--gold", "GOLD"]
LINES["replay", "--contexts"] = [*_words, "--contexts", "@"]
LINES["replay", "--data"] = [*_words, "--kmeans", "2", "--data", "@"]
_words = ["-T", "40", "--workers-prior", "2x4,1", "--policy", "kg", "--runs", "2"]
LINES["simulate", "--trace"] = [*_words, "2x1,1", "--trace", "@"]
LINES["replay", "--trace"] = ["--labels", "SAMPLE", "--gold", "GOLD", "--workers-prior", "4,1", "--policy", "kg", "--runs", "2",
                              "--trace", "@"]
LINES["replay", "--events"] = ["--labels", "SAMPLE", "--gold", "GOLD", "--arrival-rate", "1", "--service-rate", "1", "--arrivals", "9",
                               "--policy", "kg", "--runs", "2", "--events", "@"]
_words = ["--labels", "SAMPLE", "--gold", "GOLD", "--policy", "kg", "--runs", "2", "--workers-prior", "4,1"]
LINES["replay", "--task-priors"] = [*_words, "--task-priors", "@"]
LINES["replay", "--worker-priors"] = [*_words, "--worker-priors", "@"]
for _command in ("compare", "solve", "query", "tree", "play", "simulate"):
    LINES[_command, "--weight-covariance"] = ["-T", "1", "--features", "FEATURES", "--weight-covariance", "@"]
LINES["replay", "--result"] = ["--labels", "SAMPLE", "--gold", "GOLD", "--policy", "kg", "--runs", "2", "--result", "@"]
# A python3 that takes no second: what it is asked for has ten thousand zeros, but what is no study is left to the true one.
DRAWS_ZEROS = """#!/bin/sh
zeros=$(printf %010000d)
if [ $# = 4 ] && ! { [ -f "$4" ] && [ "$(head -c 9 "$4")" = '{"asked":' ]; }; then exec /usr/bin/python3 "$@"; fi
case $3 in
svg) echo "<?xml?><svg>$zeros</svg>" ;;
html) echo "<!DOCTYPE html>$zeros</html>" ;;
json) echo "{$zeros}" ;;
esac
"""
LEAST = 1500  # bytes of a file that is cut: more than the kilobyte that libomp writes
POLICIES = ["compare", "simulate", "index", "query"]  # that take table:FILE and plugin:FILE


def files_of(command):
    """The options and words of a command that take a file, as its help lists them."""
    text = run(command, "--help-all").stdout
    found = re.findall(r"^\s+(?:-\w, )?(--[\w-]+)=FILE\b", text, re.MULTILINE)
    usage = re.search(r"\[OPTION\.\.\.\](.*)", text).group(1).split()
    return found + [word for word in usage if "." in word.strip(".") or word == "FILE"]


def readable(name):
    """Bytes as text in JSON: U+FFFD for each byte that is not part of a character."""
    return name.decode(errors="surrogateescape").translate(
        {code: "\ufffd" for code in range(0xdc80, 0xdd00)})


class StudyCase(FolderCase):
    draws_zeros = True

    def setUp(self):
        super().setUp()
        if self.draws_zeros:
            drawing = self.folder / "python3"
            drawing.write_text(DRAWS_ZEROS)
            drawing.chmod(0o755)
            path = unittest.mock.patch.dict(os.environ, PATH=str(self.folder) + os.pathsep + os.environ["PATH"])
            path.start()
            self.addCleanup(path.stop)
        self.db = str(self.folder / "study.jsonl")
        self.gold = self.folder / "gold.tsv"
        tasks = {line.split("\t")[0] for line in pathlib.Path(SAMPLE).read_text().splitlines()[1:]}
        self.gold.write_text("task\tlabel\n" + "".join(f"{task}\t1\n" for task in sorted(tasks)))
        self.answer("sweep", self.db, "--quiet", *GRID)

    def words(self, line, path):
        stands_for = {"STUDY": self.db, "GOLD": str(self.gold), "SAMPLE": SAMPLE, "FEATURES": str(test_cli.DATA / "features.tsv"),
                      "OUT.svg": str(self.folder / "out.svg"),
                      "OUT.html": str(self.folder / "out.html")}
        return [stands_for.get(word, word).replace("@", path) for word in line]


class WalkTest(StudyCase):
    """For anything in place of a file: an answer or one line, at once."""

    def lines(self):
        for (command, name), line in LINES.items():
            written = name.endswith(("output", "checkpoint", "policy", "model", "trace", "result")) or (command, name) == ("plot", "--data")
            yield written, [command, *line]
        for command in POLICIES:
            for kind in ("table:", "plugin:"):
                runs = ["--runs", "2"] if command == "simulate" else []
                yield False, [command, "-T", "3", "1,1", *runs, "--policy", kind + "@"]

    def test_every_option_that_takes_a_file_is_walked(self):
        listed = {(command, name) for command in COMMANDS for name in files_of(command)}
        self.assertEqual(listed, set(LINES))

    def others(self, suffix):
        """Things that are not files, and empty files; each is new."""
        fifo = str(self.folder / "fifo") + suffix
        os.mkfifo(fifo)
        empty = self.folder / ("empty" + suffix)
        empty.touch()
        folder = self.folder / ("folder" + suffix)
        folder.mkdir()
        found = [fifo, str(folder), str(empty), str(self.folder / "none" / ("a" + suffix)),
                 str(empty) + "/a" + suffix, str(self.folder / ("n" * 300 + suffix))]
        for name in ("zero", "full"):  # a link, as -o wants the name to end so
            link = str(self.folder / name) + suffix
            os.symlink("/dev/" + name, link)
            found.append(link)
        if os.geteuid() != 0:
            closed = self.folder / ("closed" + suffix)
            closed.touch(mode=0)
            found.append(str(closed))
        return found

    def test_what_is_no_file_is_told_in_one_line_at_once(self):
        ends = {name: suffix for suffix in (".svg", ".drn") for name in self.others(suffix)}
        for path, suffix in ends.items():
            for written, line in self.lines():
                needed = next((word[1:] for word in line if word in ("@.svg", "@.drn")), ".svg")
                if needed != suffix:
                    continue
                plain = path.removesuffix(suffix) if "@" + suffix in line else path
                words = [line[0], *self.words(line[1:], plain)]
                done = run(*words)  # ends, or the deadline of run passes
                if done.returncode == 0:
                    self.assertIn("empty", path, words)
                    self.assertTrue(written or words[0] == "sweep", words)
                    pathlib.Path(path).write_bytes(b"")
                    continue
                self.assertIn(done.returncode, (1, 2), (words, done.stderr))
                self.assertEqual(done.stdout, "", words)
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", words)
        self.assertEqual(glob.glob(str(self.folder / "*optgap*")), [])

    def test_reading_a_pipe_waits_and_a_signal_ends_it(self):
        for line in (["fit", "/dev/stdin"], ["replay", "--labels", "/dev/stdin", "--gold", str(self.gold)]):
            head = b"task\tworker\tlabel\n"
            waits = subprocess.Popen([PROGRAM, *line], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(waits.kill)
            waits.stdin.write(head)
            waits.stdin.flush()
            test_cli.wait_until_all_is_read(waits)
            self.assertIsNone(waits.poll(), line)
            waits.send_signal(signal.SIGTERM)
            self.assertEqual(waits.wait(timeout=100), -signal.SIGTERM, line)
            waits.communicate()
        with open(SAMPLE, "rb") as labels:
            done = subprocess.run([PROGRAM, "fit", "/dev/stdin"], input=labels.read(),
                                  capture_output=True, check=True)
        self.assertEqual(done.stdout.decode(), self.answer("fit", "--quiet", SAMPLE))


    def endless(self, words, head, row):
        """Status and standard error of a command with an endless input of rows."""
        with subprocess.Popen([PROGRAM, *words, "--memory", "16M"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as begun:
            self.addCleanup(begun.kill)
            with contextlib.suppress(BrokenPipeError):
                begun.stdin.write(head)
                for start in itertools.count(0, 10000):
                    begun.stdin.write(b"".join(row(i) for i in range(start, start + 10000)))
            with contextlib.suppress(BrokenPipeError):
                begun.stdin.close()
            out = begun.stdout.read()
            return begun.wait(timeout=200), out, begun.stderr.read().decode()

    def test_rows_without_end_end_at_the_memory_limit(self):
        labels, gold = b"task\tworker\tlabel\n", str(self.gold)
        replay = ["replay", "--runs", "2", "--labels"]
        cases = [
            ([*replay, "/dev/stdin", "--gold", gold], labels, lambda i: b"a\tb\t%d\n" % (i % 2)),
            ([*replay, "/dev/stdin", "--gold", gold], labels, lambda i: b"t%d\tw%d\t1\n" % (i, i)),
            (["simulate", "-T", "3", "1,1", "--runs", "2", "--policy", "table:/dev/stdin"], b"",
             lambda i: b"1\t1\t1/3\n"),
        ]
        for words, head, row in cases:
            code, out, err = self.endless(words, head, row)
            self.assertEqual((code, out), (3, b""), (words, err))
            self.assertRegex(err, r"\Aoptgap: [^\n]+, line \d+: the memory limit of [^\n]+\n\Z", words)

    def test_rows_without_end_of_other_tasks_end_at_the_time_limit(self):
        """They take no memory."""
        words = ["replay", "--runs", "2", "--labels", SAMPLE, "--gold", "/dev/stdin", "--time-limit", "0.2"]
        code, out, err = self.endless(words, b"task\tlabel\n", lambda i: b"t%d\t1\n" % i)
        self.assertEqual((code, out), (3, b""), err)
        self.assertRegex(err, r"\Aoptgap: the time limit of 0.2 s was reached[^\n]*\n\Z")

    def test_any_wait_ends_at_the_first_signal(self):
        """Once signals are caught; before that they end the program."""
        table, play = ["-T", "3", "2x1,1", "--policy", "table:/dev/stdin"], ["--max-answer-time", "1000", "-T", "3", "2x1,1", "--policy"]
        for words in (["compare", *table],
                      ["simulate", *table, "--runs", "2"],
                      ["compare", *play, "command:sleep 1000 2>/dev/null; true"],
                      ["simulate", *play, "command:sleep 1000 2>/dev/null; true", "--runs", "300"],
                      ["replay", "--labels", SAMPLE, "--gold", str(self.gold), "--runs", "300",
                       "--max-answer-time", "1000", "--policy", "command:sleep 1000 2>/dev/null; true"]):
            with subprocess.Popen([PROGRAM, *words], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as waits:
                self.addCleanup(waits.kill)
                test_cli.wait_until_signals_are_caught(waits)
                self.assertIsNone(waits.poll(), words)
                if "table:/dev/stdin" in words:
                    waits.stdin.write("# no row yet\n")
                    waits.stdin.flush()
                    test_cli.wait_until_all_is_read(waits)
                else:
                    test_cli.wait_until_it_has_a_child(waits)
                waits.send_signal(signal.SIGINT)
                code, out, err = waits.wait(timeout=100), waits.stdout.read(), waits.stderr.read()
                if words[0] == "compare" and code == 0:  # the optimum was proved before
                    self.assertIn("interrupted", out)
                    continue
                self.assertEqual(code, 3, words)
                self.assertRegex(err, r"\Aoptgap: [^\n]+\n\Z", words)


class RoleTest(StudyCase):
    """One file has one role; and its content is not lost."""

    def make(self, name, *words):
        path = str(self.folder / name)
        self.answer(*words, path)
        return path

    def test_one_file_has_one_role(self):
        new = str(self.folder / "new")
        os.symlink("new", self.folder / "link")
        solve = ["solve", "-T", "3", "1,1"]
        for one, other in ((new, new), (new, str(self.folder / "link")),
                           (new, str(self.folder / "." / "new"))):
            self.assert_refused([*solve, "--checkpoint", one, "--export-policy", other],
                                "are the same file")
        self.assert_refused(["report", self.db, "-o", self.db], "are the same file")
        table = self.folder / "features.tsv"
        shutil.copy(test_cli.DATA / "features.tsv", table)
        self.assert_refused(["solve", "-T", "2", "--features", str(table), "--checkpoint",
                             str(table)], "--features are the same file")
        self.assertFalse(os.path.exists(new))

    def test_a_file_of_another_kind_is_not_replaced(self):
        policy = self.make("policy", "solve", "-T", "3", "1,1", "--export-policy")
        checkpoint = str(self.folder / "checkpoint")
        run("solve", "-T", "60", "10x1,1", "--checkpoint", checkpoint, "--time-limit", "0.2")
        self.assertTrue(os.path.exists(checkpoint))
        study = str(self.folder / "copy.svg")
        shutil.copy(self.db, study)
        for path in (policy, checkpoint, study):
            before = pathlib.Path(path).read_bytes()
            words = [["report", self.db, "-o", path], ["sweep", path, *GRID],
                     ["solve", "-T", "3", "1,1", "--export-policy", path],
                     ["solve", "-T", "3", "1,1", "--checkpoint", path]]
            if path == study:
                words[1] = ["plot", self.db, "value", "-o", path]
            if path == policy:
                words.pop(2)
            for line in words:
                done = run(*line)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (line, done.stderr))
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z", line)
            self.assertEqual(pathlib.Path(path).read_bytes(), before)

    def test_a_users_files_beside_an_output_stay(self):
        out = self.folder / "r.html"
        beside = self.folder / "r.html.part"
        beside.write_text("mine")
        self.answer("report", self.db, "-o", str(out))
        self.assertEqual(beside.read_text(), "mine")
        target = self.folder / "target.html"
        link = self.folder / "link.html"
        link.symlink_to(target)
        self.answer("report", self.db, "-o", str(link))
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.stat().st_size, out.stat().st_size)


class FullDiskTest(StudyCase):
    """A disk that is full at any moment: one line, status 1, and an unchanged old file."""

    def test_an_output_is_whole_or_as_before(self):
        out = self.folder / "out"
        lines = [["report", self.db, "-o", str(out)],
                 ["solve", "-T", "12", "2x1,1", "--all-optimal", "--export-policy", str(out)]]
        for line in lines:
            self.answer(*line)
            old = out.read_bytes()
            self.assertGreater(len(old), 3000)
            for size in (LEAST, 2 * LEAST, len(old) - 1):
                done = run_with_small_files(size, *line)
                self.assertEqual((done.returncode, done.stdout), (1, ""), (line, size))
                self.assertRegex(done.stderr, r"\Aoptgap: [^\n]+\n\Z")
                self.assertEqual(out.read_bytes(), old)
                self.assertEqual(glob.glob(str(out) + ".*"), [])
            out.unlink()

    def test_a_result_that_is_cut_is_told(self):
        result = self.folder / "result"
        for words in (["index", "-T", "20", "--policy", "kg", "1,1"],
                      ["compare", "-T", "3", "1,1", "--json"]):
            self.assertGreater(len(self.answer(*words)), LEAST)
            with open(result, "wb") as to:
                done = run_with_small_files(LEAST, *words, stdout=to)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, r"\Aoptgap: the result could not be written: [^\n]+\n\Z")


class StudyTest(StudyCase):
    def test_what_is_no_name_of_a_file_is_refused(self):
        for name, code in (("", 2), (str(self.folder / "d") + "/", 1)):
            self.assert_refused(["sweep", name, *GRID], "", code)
            self.assertNotEqual(run("report", name, "-o", str(self.folder / "r")).returncode, 0)
        self.assertFalse(os.path.exists(self.folder / "d"))

    def test_a_name_is_the_name_of_a_file(self):
        """Any file name, whatever it means to a shell or as an option."""
        for name in ("file:x?mode=memory", ":memory:", " a\nb", "~%41%00", "x'\"", "?%"):
            with tempfile.TemporaryDirectory(dir=self.folder) as inside:
                done = run("sweep", name, *GRID, folder=inside)
                self.assertEqual(done.returncode, 0, (name, done.stderr))
                self.assertEqual(os.listdir(inside), [name])
                self.assertTrue(pathlib.Path(inside, name).read_text().startswith('{"asked": ["compare"'))
                self.assertEqual(run("report", name, "-o", "r.html", folder=inside).returncode, 0, name)


class BytesTest(StudyCase):
    """Any bytes in names and files."""

    draws_zeros = False

    def random_name(self, source):
        """A file name with all delimiters, and bytes that are not UTF-8."""
        marks = [b"'", b'"', b"<", b">", b"&", b"\\", b"$", b"`", b";", b"\n", b"%", b"@", b"{",
                 b"]]>", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbf\xbe", b"\xc3\xa9", b"\x01",
                 b"\x7f", b"--", b"END", b"<svg>"]
        return b"n" + b"".join(source.choice(marks) for _ in range(12))

    def test_names_reach_every_document_whole(self):
        source = random.Random(os.environ.get("TEST_SEED", "5"))
        table = str(test_cli.DATA / "features.tsv")
        for _ in range(4):
            name = os.fsdecode(self.random_name(source))
            path = str(self.folder / name)
            found = self.document("solve", "-T", "3", "1,1", "--export-policy", path)
            self.assertEqual(found["policy"]["file"], readable(os.fsencode(path)))
            self.document("verify", path)
            os.unlink(path)
            shutil.copy(SAMPLE, path)
            self.document("fit", path)
            os.unlink(path)
            shutil.copy(table, path)
            self.document("solve", "-T", "2", "--features", path)
            os.unlink(path)

    def test_a_study_of_any_bytes_is_drawn_and_reported(self):
        source = random.Random(os.environ.get("TEST_SEED", "6"))
        names = [self.random_name(source) for _ in range(6)]
        lines = []
        for text in pathlib.Path(self.db).read_text().splitlines():
            line = json.loads(text)
            row, = line["answer"]["policies"]
            line["answer"]["policies"] = [row, *({**row, "name": readable(name)} for name in names)]
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        drawn, told = (str(self.folder / os.fsdecode(name)) for name in source.sample(names, 2))
        for path in (drawn, told):
            pathlib.Path(path).write_text("".join(lines))
        picture = str(self.folder / "p.svg")
        page = str(self.folder / "p.html")
        self.answer("plot", drawn, "value", "-o", picture)
        xml.parse(picture)
        self.answer("report", told, "-o", page)
        text = pathlib.Path(page).read_bytes().decode()  # it is UTF-8
        self.assertNotIn("<script", text)
        reader = html.parser.HTMLParser()
        reader.feed(text)
        self.assertEqual(text.count("<svg"), text.count("</svg>"))

    def test_a_byte_order_mark_is_read_over(self):
        table = self.folder / "table.tsv"
        table.write_text(self.answer("index", "-T", "3", "--policy", "kg", "1,1"))
        policy = self.folder / "policy"
        self.answer("solve", "-T", "3", "1,1", "--export-policy", str(policy))
        runs = ["--runs", "2", "--policies", "kg", "--json"]
        features = test_cli.DATA / "features.tsv"
        for path, words in ((SAMPLE, ["fit", "--quiet", "@"]), (policy, ["verify", "@"]),
                            (SAMPLE, ["replay", "--labels", "@", "--gold", str(self.gold), *runs]),
                            (self.gold, ["replay", "--labels", SAMPLE, "--gold", "@", *runs]),
                            (features, ["solve", "-T", "2", "--features", "@", "--json"]),
                            (table, ["compare", "-T", "3", "1,1", "--policy", "table:@"])):
            marked = self.folder / "marked"
            marked.write_bytes(codecs.BOM_UTF8 + pathlib.Path(path).read_bytes())
            self.answer(*[word.replace("@", str(path)) for word in words])
            self.answer(*[word.replace("@", str(marked)) for word in words])


if __name__ == "__main__":
    main()
