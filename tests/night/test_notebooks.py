#!/usr/bin/env python3
"""The notebooks of tools/examples, executed: their texts and tables are the stored ones, and each has a picture where one is stored.

    test_notebooks.py [--write]     --write stores the new outputs

It needs Debian's python3-nbclient, python3-ipykernel and python3-matplotlib, and the package on PYTHONPATH.
"""

import importlib.util
import pathlib
import sys
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/examples"
NOTEBOOKS = ("tour", "class")
MISSING = [name for name in ("nbclient", "ipykernel", "matplotlib", "pandas", "optgap") if importlib.util.find_spec(name) is None]


def executed(name):
    """The stored notebook, and the same with the outputs of now."""
    import nbclient
    import nbformat

    stored, new = (nbformat.read(EXAMPLES / f"{name}.ipynb", 4) for _ in range(2))
    nbclient.NotebookClient(new, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    for number, cell in enumerate(new.cells, 1):
        cell.metadata.clear()  # when it ran
        cell["id"] = f"cell-{number}"
        for output in cell.get("outputs", []):
            if "png" in str(list(output.get("data", {}))):
                output.data.pop("text/plain", None)  # where the figure lies in memory
    return stored, new


def texts(notebook):
    """Outputs without pictures, which differ with fonts. What is printed may come in any parts."""
    found = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        found.append(["".join(output.get("text", "") for output in outputs),
                      *({kind: "picture" if kind == "image/png" else text for kind, text in output["data"].items()}
                        for output in outputs if "data" in output)])
    return found


@unittest.skipIf(MISSING, f"{' and '.join(MISSING)} are not installed")
class NotebookTest(unittest.TestCase):
    def test_outputs_are_the_stored_ones(self):
        for name in NOTEBOOKS:
            with self.subTest(name=name):
                stored, new = executed(name)
                self.assertEqual(texts(new), texts(stored))
                self.assertIn("picture", str(texts(stored)))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        import nbformat

        for name in NOTEBOOKS:
            nbformat.write(executed(name)[1], EXAMPLES / f"{name}.ipynb")
    else:
        unittest.main()
