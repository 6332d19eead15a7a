"""The files of 'meson install': headers, library, pkg-config, manual, completion.

    test_install.py PROGRAM [unittest option...]

Everything is installed in an empty folder and used only from there; PROGRAM's folder is the build.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from cli import PROGRAM, main, succeed  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parent.parent
SIZES = {"10x1,1": 12, "3x1,1": 8}


class Build:
    """How the library was built: a program that uses it must be built the same way."""

    def __init__(self, folder):
        options = json.loads(succeed(["meson", "introspect", "--buildoptions", folder]))
        values = {option["name"]: option["value"] for option in options}
        makefile = pathlib.Path(folder, "build.ninja").read_text()
        rule = re.search(r"(?s)^rule c_COMPILER\n command = (.*?) \$ARGS", makefile, re.M)
        self.folder = folder
        self.compiler = shlex.split(rule[1])
        self.prefix = values["prefix"]
        sanitizer = values["b_sanitize"]
        self.sanitize = [] if sanitizer == "none" else ["-fsanitize=" + sanitizer]
        if sanitizer == "thread":  # what tells it of OpenMP looks for the program's own
            self.sanitize += ["-fopenmp"]
        self.counter = ["-lgcov"] if values["b_coverage"] else []  # after the libraries that need it


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.scratch.name, "root")
        cls.build = Build(os.path.dirname(PROGRAM))
        succeed(["meson", "install", "-C", cls.build.folder, "--no-rebuild", "--destdir", str(cls.root)])
        cls.prefix = cls.root / cls.build.prefix.lstrip("/")
        (package,) = cls.root.rglob("optgap.pc")
        cls.library = package.parent.parent
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(package.parent),
                           "PKG_CONFIG_SYSROOT_DIR": str(cls.root),
                           "LD_LIBRARY_PATH": str(cls.library)}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def package(self, *words):
        return shlex.split(succeed(["pkg-config", *words, "optgap"], env=self.environment))

    def compile(self, *words):
        """Compiles in an empty folder, with the strictest flags that users of C set."""
        strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wstrict-prototypes",
                  "-Werror"]
        with tempfile.TemporaryDirectory() as folder:
            succeed([*self.build.compiler, *self.build.sanitize, *strict, *words, *self.build.counter],
                cwd=folder)

    def own_policy(self, *link):
        example = self.root / "own-policy"
        self.compile(str(SOURCE / "tools/examples/own-policy.c"), *self.package("--cflags"),
                     "-o", str(example), *link)
        for problem, budget in SIZES.items():
            with self.subTest(problem=problem):
                printed = succeed([str(example), str(budget), problem], env=self.environment)
                rows = dict(line.split("\t") for line in printed.splitlines())
                optimal, own = float(rows["optimal value"]), float(rows["fewest labels"])
                self.assertAlmostEqual(optimal, self.solved(problem, budget), delta=1e-9)
                self.assertAlmostEqual(float(rows["gap"]), optimal - own, delta=1e-9)
                self.assertGreater(own, float(re.match(r"\d+", problem)[0]) / 2)
                self.assertLess(own, optimal)

    def solved(self, problem, budget):
        words = ["solve", "-T", str(budget), "--json", problem]
        return json.loads(succeed([str(self.prefix / "bin/optgap"), *words]))["optimal"]["value"]

    def test_own_policy_builds_with_the_shared_library(self):
        self.own_policy(*self.package("--libs"))

    def test_own_policy_finds_the_library_where_it_is_installed(self):
        """Under another prefix than the configured one: pkg-config gets the new prefix, or finds it from its place."""
        if self.build.prefix == "/usr":
            self.skipTest("the loader knows /usr")
        link = shlex.split(succeed(["pkg-config", f"--define-variable=prefix={self.prefix}", "--cflags", "--libs",
                                "optgap"], env={**os.environ, "PKG_CONFIG_PATH": str(self.library / "pkgconfig")}))
        example = self.root / "own-policy"
        self.compile(str(SOURCE / "tools/examples/own-policy.c"), *link, "-o", str(example))
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        self.assertIn("optimal value", succeed([str(example), "4", "3x1,1"], env=environment))

    def test_program_draws_with_what_is_installed(self):
        """From another folder than the one that it was built for, and without a build beside it."""
        picture = self.root / "tree.svg"
        succeed([str(self.prefix / "bin/optgap"), "tree", "-T", "1", "-o", str(picture), "1,1"])
        self.assertIn("Optimal policy for 1,1 with 1 label", picture.read_text())
        self.assertTrue((self.prefix / "share/optgap/figures/__main__.py").exists())

    def test_program_needs_no_library_of_ours(self):
        dynamic = succeed(["readelf", "-d", str(self.prefix / "bin/optgap")])
        self.assertNotIn("liboptgap", dynamic)

    def test_own_policy_builds_with_the_static_library(self):
        libraries = self.package("--static", "--libs")
        self.own_policy(*["-l:liboptgap.a" if word == "-loptgap" else word for word in libraries])

    def test_example_of_the_manual(self):
        page = (SOURCE / "tools/manual/library.md").read_text()
        blocks = re.findall(r"(?ms)^```(c?)\n(.*?)^```$", page)
        self.assertEqual([kind for kind, _ in blocks], ["c", ""])
        example = self.root / "ask"
        source = self.root / "ask.c"
        source.write_text(blocks[0][1])
        self.compile(str(source), *self.package("--cflags", "--libs"), "-o", str(example))
        printed = succeed([str(example)], env=self.environment)
        self.assertEqual(printed, blocks[1][1].split("./ask\n")[1])

    def test_own_plugin_builds_with_the_installed_header(self):
        plugin = self.root / "own-plugin.so"
        self.compile("-shared", "-fPIC", str(SOURCE / "tools/examples/own-plugin.c"),
                     *self.package("--cflags"), "-o", str(plugin))
        words = ["compare", "-T", "8", "--json", "--policy", f"plugin:{plugin}", "3x1,1"]
        found = json.loads(succeed([str(self.prefix / "bin/optgap"), *words]))
        self.assertGreater(found["policies"][0]["gap"], 0)

    def test_one_header_is_installed(self):
        include = self.prefix / "include"
        headers = [str(path.relative_to(include)) for path in include.rglob("*") if path.is_file()]
        self.assertEqual(headers, ["optgap.h"])

    def test_header_stands_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder, "unit.c")
            unit.write_text("#include <optgap.h>\n#include <optgap.h>\nextern int unused;\n")
            self.compile("-fsyntax-only", *self.package("--cflags"), str(unit))

    @unittest.skipUnless(shutil.which("c++"), "no compiler of C++")
    def test_header_is_cplusplus_too(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder, "unit.cc")
            unit.write_text("#include <optgap.h>\nint main() { return og_version() == nullptr; }\n")
            succeed(["c++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only",
                 *self.package("--cflags"), str(unit)])

    def test_library_exports_what_the_header_declares(self):
        symbols = succeed(["nm", "-D", "--defined-only", str(self.library / "liboptgap.so")])
        names = {line.split()[-1] for line in symbols.splitlines()}
        header = (SOURCE / "optgap.h").read_text()
        declared = re.findall(r"(?m)^OG_API [^;(]*?\b(og_\w+)\(", header)
        self.assertEqual(len(declared), len(re.findall(r"(?m)^OG_API ", header)))
        self.assertLessEqual(len(declared), 56)  # a new one wants a reason
        if not self.build.sanitize and not self.build.counter:
            self.assertEqual(names, set(declared))

    def test_library_has_a_version(self):
        dynamic = succeed(["readelf", "-d", str(self.library / "liboptgap.so")])
        self.assertIn("[liboptgap.so.1]", dynamic)

    def test_package_has_the_programs_version(self):
        version = succeed([str(self.prefix / "bin/optgap"), "--version"]).split()[1]
        self.assertEqual(self.package("--modversion"), [version])

    def commands(self):
        printed = succeed([str(self.prefix / "bin/optgap"), "--help"])
        return re.findall(r"(?m)^  (?!optgap)([a-z-]+) +\S", printed.partition("An INSTANCE")[0])

    def test_every_command_has_a_manual_page(self):
        folder = self.prefix / "share/man/man1"
        pages = {"optgap"} | {"optgap-" + command for command in self.commands()}
        self.assertEqual({path.stem for path in folder.iterdir()}, pages)
        for page in pages:
            text = (folder / (page + ".1")).read_text()
            self.assertIn(f".TH {page.upper()} \"1\"", text)
            self.assertRegex(text, r"(?m)^\.SH NAME\n" + page.replace("-", r"\\-") + r" \\- \w", page)
            self.assertIn(".SH SYNOPSIS", text)
            self.assertRegex(text, r"(?m)^\.nf\n.*optgap ", page)
            self.assertIn(".SH \"SEE ALSO\"", text)
            self.assertNotIn("--", text.replace("\\-", ""), page)

    def test_every_topic_has_a_manual_page(self):
        folder = self.prefix / "share/man/man7"
        pages = {"optgap-" + page.stem for page in (SOURCE / "tools/manual").glob("*.md")}
        self.assertEqual({path.stem for path in folder.iterdir()}, pages)
        text = (folder / "optgap-workers.7").read_text()
        for part in ('.TH OPTGAP-WORKERS "7"', ".SH NAME\noptgap\\-workers \\- Workers and sources",
                     '.SH "Sources with prices"', '.SS "Crowds and recorded labels"', "T{\nexpected share",
                     "\\fBkg\\fR compares", "optgap compare \\-T 6"):
            self.assertIn(part, text)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_manual_pages_are_formatted(self):
        for path in (self.prefix / "share/man").rglob("*.[17]"):
            done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-Tutf8", "-l", str(path)],
                                  env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            wrong = [line for line in done.stderr.splitlines() if "break line" not in line]
            self.assertEqual((done.returncode, wrong), (0, []), path)
            self.assertIn("SEE ALSO", re.sub(".\b", "", done.stdout))

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_mandoc_has_no_warning(self):
        pages = [str(path) for path in (self.prefix / "share/man").rglob("*.[17]")]
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_installed_pages_lead_somewhere(self):
        folder = self.prefix / "share/doc/optgap"
        pages = list(folder.rglob("*.md"))
        self.assertIn(folder / "README.md", pages)
        for page in pages:
            for target in re.findall(r"\]\(([^)\s#]+)[^)\s]*\)", page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), (page, target))


class CompletionTest(unittest.TestCase):
    def complete(self, *words):
        script = 'eval "$("$PROGRAM" completion bash)"\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n' \
                 '_optgap\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
        printed = succeed(["bash", "-c", script, "bash", "optgap", *words],
                      env={**os.environ, "PROGRAM": PROGRAM})
        return printed.split()

    def test_commands(self):
        self.assertEqual(self.complete("com"), ["compare", "completion"])
        self.assertIn("--version", self.complete("--"))

    def test_options_of_the_command(self):
        self.assertEqual(self.complete("compare", "--pol"),
                         ["--policy", "--policies"])
        self.assertEqual(self.complete("fit", "--pol"), [])
        self.assertEqual(self.complete("compare", "10x"), [])

    def test_values_of_options(self):
        self.assertEqual(self.complete("solve", "--arithmetic", "e"), ["exact"])
        self.assertEqual(self.complete("solve", "-T", ""), [])
        self.assertEqual(self.complete("compare", "--ties", "="),
                         ["random", "first", "best", "worst"])
        self.assertEqual(self.complete("compare", "--ties", "=", "w"), ["worst"])
        self.assertEqual(self.complete("replay", "--final-ties", ""), ["half", "positive"])
        self.assertEqual(self.complete("compare", "--policies", "kg,pess-"), ["kg,pess-kg", "kg,pess-kg-exact"])
        self.assertEqual(self.complete("compare", "--policy", "cv"), ["cvar-kg:", "cvar-kg-exact:"])

    def test_every_policy_and_no_other(self):
        rows = json.loads(succeed([PROGRAM, "policies", "--json"]))["policies"]
        offered = [word.rstrip(":") for word in self.complete("compare", "--policy", "")]
        self.assertEqual(offered, [row["name"] for row in rows])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "labels.tsv")
            pathlib.Path(name).touch()
            self.assertEqual(self.complete("fit", name[:-4]), [name])
            self.assertEqual(self.complete("compare", "--checkpoint", name[:-4]), [name])
            self.assertEqual(self.complete("plot", name[:-4]), [name])
            self.assertEqual(self.complete("plot", name, "gap-b"), ["gap-budget"])

    def test_names_that_are_no_policies(self):
        self.assertEqual(self.complete("next", "--source", "k"), [])
        self.assertEqual(self.complete("plot", "--font", "k"), [])
        self.assertEqual(self.complete("next", "--encoding", "lat"), ["latin1"])

    def test_help_has_commands_and_topics(self):
        self.assertEqual(self.complete("help", "so"), ["solve", "sources"])

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_script_is_clean(self):
        with tempfile.NamedTemporaryFile("w") as script:
            script.write(succeed([PROGRAM, "completion", "bash"]))
            script.flush()
            succeed(["shellcheck", "-s", "bash", script.name])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        script = succeed([PROGRAM, "completion", "zsh"])
        succeed(["zsh", "-n", "-c", script])
        head = 'compdef() {}\n_arguments() { print -rl -- "$@" }\n_describe() { print -rl -- $rows }\n'
        ask = head + script + '\nwords=("$@") CURRENT=$#\n_optgap\n'

        def offered(*words):
            return succeed(["zsh", "-f", "-c", ask, "zsh", "optgap", *words]).splitlines()

        self.assertEqual([row.split(":")[0] for row in offered("")][:-1], self.commands())
        rows = offered("compare", "--")
        self.assertIn("*--policy=[one policy; may be repeated]:NAME:_optgap_policies", rows)
        self.assertIn(r"*-T+[number of labels, 0 to 1000000; or 8each]:N\[each\]:", rows)
        self.assertIn("*:LABELS.tsv:_files", offered("fit", ""))
        self.assertIn("1:FILE:_files", offered("plot", ""))
        self.assertIn(" sources ", " ".join(offered("help", "")))
        for command in self.commands():
            names = {found[1] for found in map(re.compile(r"\*--([a-z-]+)").match, offered(command, "--")) if found}
            self.assertEqual(names | {"help", "help-all"}, self.options(command), command)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = succeed([PROGRAM, "completion", "fish"])
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "optgap.fish").write_text(script)
            pathlib.Path(folder, "labels.tsv").touch()
            succeed(["fish", "-n", "optgap.fish"], cwd=folder)

            def offered(line):
                printed = succeed(["fish", "--no-config", "-c", f"source optgap.fish; complete -C '{line}'"],
                              cwd=folder, env={**os.environ, "HOME": folder})
                return [row.split("\t")[0] for row in printed.splitlines()]

            self.assertEqual(sorted(offered("optgap ")), sorted([*self.commands(), "help"]))
            self.assertEqual(offered("optgap compare --policy cv"), ["cvar-kg:", "cvar-kg-exact:"])
            self.assertEqual(offered("optgap compare --policies kg,pess-"), ["kg,pess-kg", "kg,pess-kg-exact"])
            self.assertEqual(offered("optgap plot la"), ["labels.tsv"])
            self.assertEqual(offered("optgap plot labels.tsv gap-b"), ["gap-budget"])
            self.assertEqual(offered("optgap help so"), ["solve", "sources"])
            self.assertEqual(offered("optgap compare --ties random,w"), ["random,worst"])
            self.assertEqual(offered("optgap completion z"), ["zsh"])
            self.assertEqual(offered("optgap fit la"), ["labels.tsv"])
            self.assertEqual(offered("optgap compare la"), [])
            for command in self.commands():
                names = {word[2:] for word in offered(f"optgap {command} --")}
                self.assertEqual(names, self.options(command), command)

    def commands(self):
        return self.complete("")[:-3]  # and help, --help, --version

    def options(self, command):
        return {word[2:] for word in self.complete(command, "--")}


if __name__ == "__main__":
    main()
