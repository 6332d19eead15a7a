#!/usr/bin/env python3
"""Many states in one process, INSTANCE words from files, and threads only if they save time.

    test_lines_cli.py PROGRAM [unittest option...]
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
from cli import PROGRAM, SANITIZED, FolderCase, main  # noqa: E402

KG = ["--policies", "kg,opt-kg"]


def run_on_bytes(*words, given=b""):
    done = subprocess.run([PROGRAM, *words], input=given, capture_output=True, timeout=200)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def lines(*words, given):
    status, printed, said = run_on_bytes("query", *words, "-", given=given.encode())
    return status, [json.loads(line) for line in printed.splitlines()], said


class Lines(unittest.TestCase):
    def test_each_line_is_what_query_says_of_the_state(self):
        states = ["2x2,1 3,3", "1,1", "2,5@0.3 4,1@0.3 7x1,1"]
        for more in ([], ["--arithmetic", "exact"], ["--left", "1"]):
            status, found, said = lines("-T", "3", *KG, *more, given="\n".join(states))
            self.assertEqual((status, said), (0, ""))
            for number, (state, answer) in enumerate(zip(states, found, strict=True), 1):
                alone = json.loads(run_on_bytes("query", "--json", "-T", "3", *KG, *more, *state.split())[1])
                self.assertEqual(answer.pop("line"), number)
                for key in ("version", "commit", "command"):
                    del alone[key]
                self.assertEqual(answer, alone)

    def test_a_bad_line_is_told_and_the_others_are_answered(self):
        given = "\ufeff# states\r\n2,1\r\n\r\n1;1 2,1\n  \n2,1 x\n3,1"
        status, found, said = lines("-T", "1", *KG, given=given)
        self.assertEqual([answer["line"] for answer in found], [2, 4, 5, 6, 7])
        self.assertEqual(["error" in answer for answer in found], [False, True, True, True, False])
        self.assertIn("1;1", found[1]["error"])
        self.assertEqual(status, 2)
        self.assertEqual(said, "optgap: 3 of 5 states are not answered; the first is line 4\n")

    def test_the_first_error_gives_the_status(self):
        status, found, _ = lines("-T", "500", *KG, "--memory", "1M", "--arithmetic", "exact",
                                 given="200x1,1 3,7\n1;1\n")
        self.assertEqual((status, ["error" in answer for answer in found]), (3, [True, True]))

    def test_what_is_no_text_ends_the_lines(self):
        status, found, _ = lines("-T", "1", *KG, given="2,1\n\0\n3,1\n")
        self.assertEqual([status, "error" in found[0], found[1]["line"], len(found)], [2, False, 2, 2])

    def test_an_answer_is_there_before_the_next_line(self):
        with subprocess.Popen([PROGRAM, "query", "-T", "2", *KG, "-"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as process:
            for state in ("2,1 3,3", "1;1", "2x1,1"):
                process.stdin.write(state + "\n")
                process.stdin.flush()
                answer = json.loads(process.stdout.readline())
                self.assertEqual("error" in answer, state == "1;1")
            process.stdin.close()
            self.assertEqual(process.wait(timeout=100), 2)

    def test_a_warning_is_in_its_line(self):
        _, found, said = lines("-T", "1", "--policies", "kg", given="10x1.5,2,5\n2,1\n")
        self.assertEqual(["warning" in answer for answer in found], [True, False])
        self.assertEqual(said, "")

    def test_no_line_is_no_error_and_other_words_are(self):
        self.assertEqual(lines("-T", "1", given=""), (0, [], ""))
        for words in (["-", "1,1"], ["1,1", "-"], ["--csv", "-"], ["--latex", "-"]):
            status, printed, said = run_on_bytes("query", "-T", "1", *words, given=b"1,1\n")
            self.assertEqual((status, printed, said.count("\n")), (2, "", 1), words)

    def test_nothing_is_lost_without_a_word_where_output_fails(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "query", "-T", "1", *KG, "-"], input=b"1,1\n2,1\n",
                                  stdout=full, stderr=subprocess.PIPE, timeout=100)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"\n"), 1)


class Files(FolderCase):
    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text)
        return path

    def test_instances_come_from_files(self):
        text = "\ufeff# two kinds\r\n3x1,1 2,1@0.3\r\n\r\n  4,4\t".encode()
        for content in (text, gzip.compress(text)):
            path = self.file("states", content)
            for command in (["solve"], ["bound"], ["compare", *KG], ["query", *KG],
                            ["simulate", "--runs", "10", *KG], ["tree"]):
                words = [command[0], "-T", "2", *command[1:]]
                plain = run_on_bytes(*words, "3x1,1", "2,1@0.3", "4,4")
                self.assertEqual(plain[0], 0, plain)
                mine = run_on_bytes(*words, "@" + path)
                self.assertEqual(len(mine[1].splitlines()), len(plain[1].splitlines()), command)
        one = json.loads(run_on_bytes("bound", "--json", "-T", "2", "1,2", "@" + path, "7,7")[1])
        self.assertEqual([row["text"] for row in one["problem"]["instances"]],
                         ["1,2", "3x1,1", "2,1@0.3", "4,4", "7,7"])
        piped = json.loads(run_on_bytes("bound", "--json", "-T", "2", "@-", given=b"2,1\n3,1\n")[1])
        self.assertEqual(len(piped["problem"]["instances"]), 2)

    def test_a_file_without_instances_is_refused(self):
        for word, what in (("@", "name of a file"), ("@" + self.file("empty", b"# none\n"), "no INSTANCE"),
                           (f"@{self.folder}", "directory"), ("@/no/such", "No such file"),
                           ("@" + self.file("bad", b"1;1\n"), "1;1"),
                           ("@" + self.file("utf16", "1,1\n".encode("utf-16")), "UTF-16"),
                           ("@" + self.file("large", b"1,1 " * 250001 + b"\n" + b"1,1\n" * 750001),
                            "1000000")):
            status, printed, said = run_on_bytes("solve", "-T", "1", word)
            self.assertEqual((status, printed, said.count("\n")), (2, "", 1), word)
            self.assertIn(what, said)

    def test_a_file_of_instances_is_not_written_over(self):
        path = self.file("states", b"2x1,1\n")
        status, _, said = run_on_bytes("solve", "-T", "1", "--export-policy", path, "@" + path)
        self.assertEqual(status, 2)
        self.assertIn("same file", said)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"2x1,1\n")


@unittest.skipIf(SANITIZED, "threads are started for everything there")
@unittest.skipUnless(shutil.which("strace"), "strace: not installed")
class Threads(unittest.TestCase):
    """Decisions that depend on counts; without the recursion, which uses the clock."""

    def started(self, *words):
        done = subprocess.run(["strace", "-f", "-qq", "-e", "trace=clone,clone3", PROGRAM, *words,
                               "--threads", "2"], capture_output=True, text=True, timeout=200)
        if "ptrace" in done.stderr:
            self.skipTest("strace may not trace here")
        self.assertEqual(done.returncode, 0, done.stderr)
        return len(re.findall(r"clone3?\(", done.stderr))

    def test_small_tables_are_made_by_one_thread(self):
        for words in (["bound", "-T", "8", "2x1,1", "3,1", "2,2"],
                      ["index", "-T", "8", "--policy", "opt-kg", "1,1", "2,1"],
                      ["index", "-T", "8", "--policy", "gittins-fh", "1,1"],
                      ["index", "-T", "3", "--policy", "gittins-inf", "1,1", "2,1"]):
            self.assertEqual(self.started(*words), 0, words)

    def test_large_ones_by_all(self):
        self.assertEqual(self.started("index", "-T", "200", "--policy", "opt-kg", "1,1", "2,1"), 1)


if __name__ == "__main__":
    main()
