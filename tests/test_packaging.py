#!/usr/bin/env python3
"""Files for packagers and software indices: they name the same version and packages as the tree, and no
local path."""

import pathlib
import re
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
import cli  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = ["CHANGELOG.md", "CITATION.cff", "Dockerfile", ".dockerignore", "tools/manpage",
         *(str(path.relative_to(ROOT)) for path in (ROOT / "debian").glob("*") if path.is_file())]


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


class Packaging(unittest.TestCase):
    def test_versions_agree(self):
        version = re.search(r"version: '([\d.]+)'", text_of("meson.build"))[1]
        self.assertTrue(text_of("debian/changelog").startswith(f"optgap ({version}) "))
        self.assertIn(f"\nversion: {version}\n", text_of("CITATION.cff"))
        self.assertIn(f" {version}", text_of("CHANGELOG.md"))

    def test_the_library_package_has_its_version(self):
        soversion = re.search(r"soversion: '(\d+)'", text_of("meson.build"))[1]
        self.assertIn(f"\nPackage: liboptgap{soversion}\n", text_of("debian/control"))

    def test_packages_are_those_of_the_scripts(self):
        words = subprocess.run(
            ["bash", "-c", '. tools/packages.sh; echo "${build_packages[@]}"; echo "${run_packages[@]}"'],
            cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        build = set(words[0].split()) - {"gcc", "libc6-dev"}  # which every Debian package may count on
        fields = dict(re.findall(r"(?ms)^([A-Z][\w-]+):\s+(.*?)(?=^\S|\Z)", text_of("debian/control")))
        needed = {name.split()[0].rstrip(",") for name in fields["Build-Depends"].splitlines()}
        self.assertEqual(needed - {"debhelper-compat"}, build)
        self.assertIn(f"\nRecommends: {', '.join(words[1].split())}\n", text_of("debian/control"))

    def test_citation_has_what_the_format_asks_for(self):
        text = text_of("CITATION.cff")
        for key in ("cff-version: 1.2.0", "message: ", "title: ", "authors:"):
            self.assertRegex(text, rf"(?m)^{re.escape(key)}")

    def test_no_place_is_named(self):
        for name in FILES:
            text = text_of(name).replace("https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/", "")
            self.assertNotRegex(text, r"https?://|/(work|tmp|root|home)/", name)


if __name__ == "__main__":
    cli.main(asks=False)
