// Parts that all screens share: elements, messages, the command line, pictures to save, and the progress
// line.

import { alone } from "./draw.js";
import { Engine, Stopped } from "./engine.js";
import { inOurWords } from "./policy.js";
import { queryOf } from "./state.js";
import { escaped, gapText } from "./words.js";

export const byId = (id) => document.getElementById(id);

export const engine = new Engine(() => new Worker(new URL("./worker.js", import.meta.url), { type: "module" }));

// True on a phone: one column.
export const narrow = () => innerWidth < 600;

// False if there are only fingers.
export const hasKeys = () => !matchMedia("(hover: none) and (pointer: coarse)").matches;

// Asks the engine about states of games of the play screen; what was asked before is remembered.
export function askerOf(values, exact) {
    const known = new Map();
    return (words, left) => {
        const key = `${left} ${words.join(" ")}`;
        if (!known.has(key)) {
            const asked = engine.ask(queryOf(values, words, left, exact), { onProgress: showProgress });
            asked.catch(() => known.delete(key));
            known.set(key, asked);
        }
        return known.get(key);
    };
}

// Moves the focus to what a reader looks at now, which need not be a control.
export function attend(id) {
    byId(id).tabIndex = -1;
    byId(id).focus({ preventScroll: true });
    byId(id).scrollIntoView({ block: narrow() ? "start" : "nearest" });
}

// After a choice of a game the verdict is in sight, and the focus stays on the card; after the last one it goes to the result.
export function attendGame(screen, over) {
    if (over) {
        attend(`${screen}-end`);
    } else {
        byId(`${screen}-said`).scrollIntoView({ block: "nearest" });
    }
}

// The width of a picture that fills its box, in pixels.
export const boxWidth = (id, most = 760) => Math.min(most, Math.max(300, byId(id).closest("section").clientWidth || most));

// The keys of a screen: 1 to 9 choose, others do what they name, unless the user types in a field.
export function keysOf(screen, choose, others) {
    document.addEventListener("keydown", (event) => {
        const typing = event.target.closest("input, textarea, select");
        if (typing || event.ctrlKey || event.altKey || event.metaKey || byId(screen).hidden) {
            return;
        }
        if (/^[1-9]$/.test(event.key)) {
            choose(Number(event.key) - 1);
        } else {
            others[event.key]?.();
        }
    });
}

// ---- messages ----

export function showError(id, error) {
    const place = byId(id);
    place.textContent = error === null ? "" : inOurWords(error.message);
    place.hidden = error === null;
}

// Runs a question of a screen, with Stop enabled; shows errors next to its form.
export async function working(errorId, work) {
    showError(errorId, null);
    byId("stop").disabled = false;
    byId("progress").textContent = "Working …";
    try {
        await work();
        byId("progress").textContent = "";
    } catch (error) {
        byId("progress").textContent = error instanceof Stopped ? "Stopped." : "";
        if (!(error instanceof Stopped)) {
            showError(errorId, error);
        }
    } finally {
        byId("stop").disabled = !engine.busy;
    }
}

export function showProgress({ settled, states, memoryBytes, seconds }) {
    const megabytes = Math.round(memoryBytes / 1e6);
    const share = settled >= 0.005 ? `${Math.round(100 * settled)} %, ` : "";
    byId("progress").textContent =
        `${share}${Math.round(states).toLocaleString("en")} states, ${megabytes} MB, ${seconds.toFixed(1)} s so far`;
}

// ---- tables ----

// A table as HTML; {html} cells are inserted unescaped. The first cell of a row is its header.
export function table(caption, head, rows) {
    const cell = (value, tag, scope) => {
        const inside = value !== null && typeof value === "object" ? value.html : escaped(value);
        return `<${tag}${scope ? ` scope="${scope}"` : ""}>${inside}</${tag}>`;
    };
    const lines = rows.map((row) => {
        const cells = row.map((value, i) => (i === 0 ? cell(value, "th", "row") : cell(value, "td")));
        return `<tr>${cells.join("")}</tr>`;
    });
    return (
        `<div class="wide" role="region" tabindex="0" aria-label="${escaped(caption)}"><table><caption>${escaped(caption)}</caption>` +
        `<thead><tr>${head.map((word) => cell(word, "th", "col")).join("")}</tr></thead>` +
        `<tbody>${lines.join("")}</tbody></table></div>`
    );
}

// The loss of a choice or policy; a word if it is 0.
export const lossText = (loss) => (loss === 0 ? "0" : gapText(loss));

// ---- to copy and save ----

export function showCommand(screen, text) {
    byId(`${screen}-command`).textContent = text;
}

export async function copy(text, button) {
    const was = button.textContent;
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
    } catch {
        button.textContent = "Not allowed: select and copy it";
    }
    setTimeout(() => {
        button.textContent = was;
    }, 1500);
}

export function save(name, text, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Inserts a picture, with a button below that saves it.
export function showPicture(place, name, svg) {
    const figure = typeof place === "string" ? byId(place) : place;
    figure.innerHTML = `<div class="wide" role="region" tabindex="0" aria-label="Picture">${svg}</div>`;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Save this picture";
    button.addEventListener("click", () => save(`${name}.svg`, alone(svg), "image/svg+xml"));
    figure.append(button);
}
