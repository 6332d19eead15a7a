"""A map of losses: a row for each policy, a column for each number of labels left."""
# mypy: ignore-errors


def draw_losses(frame, ax=None):
    """Draws Explanation.stages as `optgap plot` does; numbers are printed in few fields. Returns the axes."""
    import matplotlib.pyplot as plt
    from optgap._figures.kinds import losses_panel
    from optgap._figures.panel import draw_map, draw_panel, find_range, read_panel

    if frame.empty:
        raise ValueError("there are no losses to draw: the report needs compare(..., explain=True)")
    many = frame["ties"].nunique() > 1
    found = [(name + (f" ({ties})" if many else ""), rows.to_dict("records"))
             for (name, ties), rows in frame.groupby(["policy", "ties"], sort=False)]
    panel = read_panel(losses_panel(found).document())
    if ax is None:
        ax = plt.subplots(figsize=(6.3, 1.4 + 0.35 * len(found)), layout="constrained")[1]
    fields = draw_map(ax, panel, len(found[0][1]) <= 12, 8)
    draw_panel(ax, panel, {}, find_range([panel], 0))
    ax.set_xlabel(panel["x_label"])
    ax.figure.colorbar(fields, ax=ax, label=panel["scale_label"], format="%.2g")
    return ax
