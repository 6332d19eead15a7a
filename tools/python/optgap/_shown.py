"""Tables of words as text, HTML and LaTeX. The first row of a table holds the names of its columns."""
# mypy: ignore-errors

LINES = 25  # of printed text
NOTES = 6  # of these, below the table
HTML_ROWS = 2000
LATEX = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"$\sim$", "^": r"\textasciicircum{}",
         "<": r"$<$", ">": r"$>$", **{mark: "\\" + mark for mark in "&%$#_"}}


def plain(value):
    """A value as a word. Fractions are exact."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:.9g}" if isinstance(value, float) else str(value).replace("\n", " ")


def words_of_rows(rows, *lists):
    """A table of all plain values of the rows, dicts, and of the named lists."""
    names = dict.fromkeys(name for row in rows for name, value in row.items()
                          if name in lists or not isinstance(value, (dict, list)))
    return [list(names), *([plain(row.get(name)) for name in names] for row in rows)] if rows else []


def is_number(word):
    try:
        float(word.removeprefix("~"))
    except ValueError:
        return not word
    return True


def numeric(table):
    """For each column: True if all words are numbers."""
    return [all(is_number(row[i]) for row in table[1:]) for i in range(len(table[0]))]


def cut(lines, most, what):
    """At most `most` lines; the last one then counts the others."""
    return lines if len(lines) <= most else [*lines[:most - 1], f"... and {len(lines) - most + 1} more {what}"]


def text_of_table(above, table, below):
    """At most LINES lines."""
    right = numeric(table) if table else []
    wide = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    rows = ["  ".join(word.rjust(width) if number else word.ljust(width)
                      for word, width, number in zip(row, wide, right)).rstrip() for row in table]
    below = cut(list(dict.fromkeys(below)), NOTES, "notes")
    above = cut(list(above), LINES - NOTES - 4, "lines")
    return "\n".join([*above, *cut(rows, LINES - len(above) - len(below), "rows; .table has all"), *below])


def html_of_table(above, table, below):
    from html import escape

    def line(row, kind):
        return "<tr>" + "".join(f"<{kind}>{escape(word)}</{kind}>" for word in row) + "</tr>"

    below = list(dict.fromkeys(below))
    if len(table) > HTML_ROWS + 1:
        below.append(f"the first {HTML_ROWS} of {len(table) - 1} rows; .table has all")
    body = "".join(line(row, "td") for row in table[1:HTML_ROWS + 1])
    above, below = ("".join(f"<p>{escape(text)}</p>" for text in lines) for lines in (above, below))
    return above + (f"<table>{line(table[0], 'th')}{body}</table>" if table else "") + below


def latex_of_table(table, columns=None):
    """A tabular of booktabs. columns: {name: heading} or names; None: all. KeyError: no such column."""
    heads = {name: name.replace("_", " ") for name in columns or table[0]}
    heads.update(columns if isinstance(columns, dict) else {})
    for name in heads:
        if name not in table[0]:
            raise KeyError(f"there is no column '{name}'; there are: {', '.join(table[0])}")
    place = [table[0].index(name) for name in heads]
    right = numeric(table)
    lines = [[escaped(word) for word in heads.values()],
             *([escaped(row[i]) for i in place] for row in table[1:])]
    head, *rows = (" & ".join(words) + r" \\" for words in lines)
    return "\n".join([rf"\begin{{tabular}}{{{''.join('r' if right[i] else 'l' for i in place)}}}", r"\toprule", head,
                      r"\midrule", *rows, r"\bottomrule", r"\end{tabular}", ""])


def escaped(word):
    return "".join(LATEX.get(mark, mark) for mark in word)
