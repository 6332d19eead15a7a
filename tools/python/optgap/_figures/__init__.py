"""Draws the figures of optgap with matplotlib: those of the program, its studies and the Python package.

A document describes a figure, as `optgap plot --data FILE` writes it. Its key "figure" is "curves" (curves.py), "histograms"
(histograms.py) or "tree" (tree.py); the heads of these files list the other keys. save.save(document, path) writes an SVG,
PDF or PNG, the same bytes for the same document; __main__.py does so from a shell. lines.py reads studies, kinds.py makes the
documents of their figures and page.py the report.
"""
# mypy: ignore-errors
