#!/usr/bin/env python3
"""Debian's packages, and the steps of the Dockerfile, each in a Debian that has nothing else.

    test_clean_root.py [unittest option...]

tools/check --night runs it. mmdebstrap makes the root from this machine's own sources of packages; without it, or without
the rights of root, nothing is tested.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = [pathlib.Path("/etc/apt/sources.list"), *sorted(pathlib.Path("/etc/apt/sources.list.d").glob("*.*"))]
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
               "DEBIAN_FRONTEND": "noninteractive",
               **{name: value for name, value in os.environ.items() if name.lower() in ("http_proxy", "https_proxy", "no_proxy")}}
INSTALL = "apt-get -q -y --no-install-recommends install"
# In the README: two labels, three instances.
QUESTION = "query -T 2 2,1 4,2 4,4"
ANSWER = "2,1           1  0.1536458333  0        optimal"


def codename():
    return re.search(r"(?m)^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())


def sources():
    """The files that name this Debian's packages."""
    name = codename()
    return [str(file) for file in SOURCES if file.is_file() and file.suffix in (".list", ".sources") and name is not None
            and re.search(rf"\b{name[1]}\b.*\bmain\b", re.sub(r"(?m)^#.*", "", file.read_text()), re.DOTALL)]


def missing():
    if os.geteuid() != 0:
        return "needs the rights of root"
    if not shutil.which("mmdebstrap"):
        return "needs mmdebstrap"
    return "" if sources() else "this machine has no sources of Debian's packages"


def succeed(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False, **more)
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def steps_of(dockerfile):
    """(instruction, its text) of each, lines joined."""
    lines = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", dockerfile)).splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


@unittest.skipIf(missing(), missing())
class CleanRoot(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.base = pathlib.Path(cls.folder.name, "base")
        succeed("mmdebstrap", "--variant=minbase", codename()[1], str(cls.base), *sources())

    def root(self, name):
        root = self.base.parent / name
        succeed("cp", "-a", str(self.base), str(root))
        shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
        self.addCleanup(shutil.rmtree, root)
        return root

    def run_in(self, root, script, folder="/"):
        """The script's output; what it mounts and starts ends with it."""
        return succeed("unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={root}/proc", "chroot", str(root),
                       "sh", "-ec", f"cd {shlex.quote(folder)}; {script}", env=ENVIRONMENT)

    def copy_sources(self, root, place):
        """What git has, as it is now."""
        to = root / place.lstrip("/")
        to.mkdir(parents=True)
        files = succeed("git", "-C", str(ROOT), "ls-files", "-z")
        succeed("cp", "-a", "--parents", "-t", str(to), *filter(None, files.split("\0")), cwd=ROOT)

    def build_packages(self):
        """Builds the packages; returns their files."""
        root = self.root("build")
        self.copy_sources(root, "/usr/src/optgap")
        self.run_in(root, f"apt-get -q update; {INSTALL} build-essential; apt-get -q -y --no-install-recommends build-dep ./;"
                          " dpkg-buildpackage -b -us -uc", "/usr/src/optgap")
        return sorted((root / "usr/src").glob("*.deb"))

    def test_packages_are_built_installed_and_removed(self):
        files = self.build_packages()
        names = {file.name.split("_")[0] for file in files}
        self.assertEqual({name for name in names if not name.endswith("-dbgsym")}, {"optgap", "liboptgap1", "liboptgap-dev"})
        root = self.root("installed")
        place = root / "packages"
        place.mkdir()
        for file in files:
            shutil.copy(file, place)
        before = set(self.run_in(root, "find /usr -path '*optgap*'").splitlines())
        self.assertEqual(before, set())
        self.run_in(root, f"apt-get -q update; {INSTALL} ./optgap_*.deb", "/packages")
        self.assertIn(ANSWER, self.run_in(root, f"optgap {QUESTION}"))
        self.assertIn("/usr/bin/optgap", self.run_in(root, "dpkg -L optgap").splitlines())
        self.run_in(root, f"{INSTALL} gcc libc6-dev pkgconf ./liboptgap1_*.deb ./liboptgap-dev_*.deb", "/packages")
        shutil.copy(ROOT / "tools/examples/own-policy.c", place)
        out = self.run_in(root, "cc own-policy.c $(pkg-config --cflags --libs optgap) -o own-policy; ./own-policy 2 2x1,1", "/packages")
        self.assertRegex(out, r"\d\.\d")
        self.run_in(root, "apt-get -q -y purge optgap liboptgap1 liboptgap-dev")
        self.assertEqual(self.run_in(root, "find /usr -path '*optgap*'"), "")

    def test_the_steps_of_the_dockerfile(self):
        steps = steps_of((ROOT / "Dockerfile").read_text())
        self.assertEqual([name for name, _ in steps], ["FROM", "COPY", "RUN", "WORKDIR", "ENTRYPOINT"])
        root = self.root("container")
        folder = "/"
        for name, text in steps:
            if name == "COPY":
                source, place = text.split()
                self.assertEqual(source, ".")
                self.copy_sources(root, place)
            elif name == "RUN":
                self.run_in(root, text, folder)
            elif name == "WORKDIR":
                folder = text.strip()
                (root / folder.lstrip("/")).mkdir(exist_ok=True)
        entry = re.findall(r'"(.*?)"', dict(steps)["ENTRYPOINT"])
        self.assertIn(ANSWER, self.run_in(root, f"{shlex.join(entry)} {QUESTION}", folder))
        self.run_in(root, f"{shlex.join(entry)} tree -T 1 -o tree.png 1,1", folder)
        self.assertTrue((root / folder.lstrip("/") / "tree.png").read_bytes().startswith(b"\x89PNG"))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    if missing():
        print(f"test_clean_root.py: skipped: {missing()}", file=sys.stderr)
    unittest.main()
