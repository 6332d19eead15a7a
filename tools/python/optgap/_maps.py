"""A map of losses: a row for each policy, a column for each number of labels left."""
# mypy: ignore-errors


def draw_losses(frame, ax=None):
    """Draws Explanation.stages: darker fields lose more; numbers are printed in few fields. Returns the axes."""
    import matplotlib.pyplot as plt
    import numpy as np
    from optgap_figures.panel import SCALE

    if frame.empty:
        raise ValueError("there are no losses to draw: the report needs compare(..., explain=True)")
    many = frame["ties"].nunique() > 1
    names = frame["policy"] + (" (" + frame["ties"] + ")" if many else "")
    table = frame.assign(name=names, loss=frame["loss"].astype(float)).pivot(index="name", columns="left", values="loss")
    table = table.loc[list(dict.fromkeys(names)), sorted(table.columns, reverse=True)]
    if ax is None:
        ax = plt.subplots(figsize=(6.3, 1.4 + 0.35 * len(table)), layout="constrained")[1]
    values, most = table.to_numpy(), max(float(table.to_numpy().max()), 1e-300)
    picture = ax.pcolormesh(np.ma.masked_invalid(values), cmap=SCALE, vmin=0, vmax=most, edgecolors="white", linewidth=0.5)
    if len(table.columns) <= 12:
        for i, row in enumerate(values):
            for j, loss in enumerate(row):
                ax.text(j + 0.5, i + 0.5, "0" if loss < 1e-12 else f"{loss:.2g}", ha="center", va="center", size=8,
                        color="white" if loss > 0.55 * most else "black")
    every = max(1, len(table.columns) // 12)
    ax.set_xticks([j + 0.5 for j in range(0, len(table.columns), every)], table.columns[::every])
    ax.set_yticks([i + 0.5 for i in range(len(table))], table.index)
    ax.invert_yaxis()
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel("labels left")
    ax.figure.colorbar(picture, ax=ax, label="loss (correct calls)", format="%.2g")
    return ax
