"""The figures of optgap, on matplotlib: of the program, its studies and the Python package.

A figure is described by a document, as `optgap plot --data FILE` writes it: "figure" says of which kind it is, "curves"
(curves.py), "histograms" (histograms.py) or "tree" (tree.py), whose beginnings say what else it has. save.save(document,
path) writes it as SVG, PDF or PNG, the same bytes for the same document; __main__.py does from a shell.
"""
