"""The kinds of columns: a name has one kind in all tables of a class, whether its rows have values or not.

Kinds: "text", "whole", "truth" (yes or no) and "number", for all other names. Whole numbers that identify something, as seeds, are texts.
"""
# mypy: ignore-errors

KINDS = {name: kind for kind, names in {
    "text": "policy name ties status limit truth_limit believed_limit explain_limit reason engine bound text set action act file format "
            "property command claim search_policy search_against search_ties task item left_item right_item call source gold "
            "prior truth cell_status cell_reason version commit seed asked certificate certified summary note unit "
            "accuracy_kind policy_from prior_from item_name against found_text method objective",
    "whole": "states forgotten memory_bytes table_bytes memory_limit_bytes bytes_per_state bytes count runs budget left instances actions choices "
             "transitions near_ties rank positive negative state instance worker tolerance_ties votes testers agreements disagreements wins "
             "losses tasks workers comparisons items number smaller parameter settled more_than optimal_states constant_labels "
             "optimality_states bought labels_given labels_new labels_right cells finished labelled hypotheses batch each",
    "truth": "simulated optimal near_tie chance cut converged lower_simulated complete worst within_error settled_call tester used "
             "loss_is_share optimality_certified once turn_away",
}.items() for name in names.split()}
EXACT = "_exact"


def kind_of(name, own=(), values=()):
    """The kind of a column. own: {name: kind} of the table's class. values: texts, and parts of whole numbers, are kept also
    where the kind has none."""
    kind = dict(own).get(name) or ("text" if name.endswith(EXACT) else KINDS.get(name, "number"))
    if kind != "text" and any(isinstance(value, str) for value in values):
        return "text"
    return "number" if kind == "whole" and any(value is not None and value != int(value) for value in values) else kind


def converted(value, kind):
    """A value of a row as one of its kind; None is missing."""
    if value is None or kind == "text" and isinstance(value, str):
        return value
    if kind == "text":
        return str(value)
    return bool(value) if kind == "truth" else float(value) if kind == "number" else int(value)


def series(values, kind):
    """A column of pandas: missing numbers are NaN, and whole numbers with some missing are floats; missing texts are None."""
    import pandas

    if kind == "number" or kind == "whole" and None in values:
        return pandas.Series([float("nan") if value is None else value for value in values], dtype="float64")
    if kind == "whole":
        return pandas.Series(values, dtype="int64")
    if kind == "truth" and None not in values:
        return pandas.Series(values, dtype="bool")
    return pandas.Series(values, dtype="object")
