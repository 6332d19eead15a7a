// Pictures as SVG text: lines over a budget, a heat map, a tree. In the page they use its colours; `alone`
// uses light ones, for files. No information depends on colour: lines have dashes, marks and names at
// their ends, cells show numbers, and optimal branches are thick.

import { escaped, gapText, percentText, valueText } from "./words.js";

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: var(--ink, #1a1a1a); }
.title { font-weight: 600; }
.small { font-size: 11px; }
.axis, .grid { stroke: var(--line, #777); fill: none; }
.grid { stroke-opacity: 0.35; }
.band { fill: var(--band, #d8dee8); stroke: none; }
.band-edge { stroke: var(--line, #777); stroke-dasharray: 1 3; fill: none; }
.node { fill: var(--paper, #fff); stroke: var(--line, #777); }
.node.shut { stroke-width: 2.5; }
.edge { stroke: var(--line, #777); fill: none; stroke-dasharray: 4 3; }
.beside-edge { paint-order: stroke; stroke: var(--paper, #fff); stroke-width: 4px; }
.edge.best { stroke: var(--ink, #1a1a1a); stroke-width: 2.5; stroke-dasharray: none; }
</style>`;

// Okabe and Ito's colours, dark enough on white and light enough on black, each with a dash and a mark.
const looks = [
    { colour: "#0072b2", dash: "none", mark: "circle" },
    { colour: "#d55e00", dash: "7 3", mark: "square" },
    { colour: "#009e73", dash: "2 3", mark: "triangle" },
    { colour: "#b05a8c", dash: "9 3 2 3", mark: "diamond" },
    { colour: "#b07d00", dash: "4 2", mark: "cross" },
    { colour: "#3a8fc0", dash: "1 2", mark: "plus" },
];

// For other programs, many of which do not support CSS variables.
export function alone(svg) {
    return svg.replace(/var\(--\w+, ([^)]*)\)/g, "$1");
}

const number = (x) => String(Math.round(x * 100) / 100);

function picture(width, height, title, inside, attributes = 'role="img"') {
    return (
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${number(width)} ${number(height)}" ` +
        `width="${number(width)}" height="${number(height)}" ${attributes} aria-label="${escaped(title)}">` +
        `<title>${escaped(title)}</title>${style}${inside}</svg>`
    );
}

function markAt(mark, x, y) {
    const r = 4;
    const path = {
        square: `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
        triangle: `M${x} ${y - r}l${r} ${2 * r}h${-2 * r}z`,
        diamond: `M${x} ${y - r - 1}l${r + 1} ${r + 1}l${-r - 1} ${r + 1}l${-r - 1} ${-r - 1}z`,
        cross: `M${x - r} ${y - r}l${2 * r} ${2 * r}m0 ${-2 * r}l${-2 * r} ${2 * r}`,
        plus: `M${x} ${y - r}v${2 * r}m${-r} ${-r}h${2 * r}`,
        circle: `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
    };
    return path[mark];
}

// ---- lines ----

// Steps of 1, 2 or 5 times a power of ten, about `wanted` of them.
export function ticksOf(low, high, wanted = 5) {
    if (!(high > low)) {
        return [low];
    }
    const rough = (high - low) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
    const ticks = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) {
        ticks.push(Number((at * step).toPrecision(12)));
    }
    return ticks;
}

// Names at the ends of lines, moved apart where they would overlap: y of each, in the given order.
export function apart(wanted, height, low, high) {
    const order = wanted.map((_, i) => i).sort((i, j) => wanted[i] - wanted[j]);
    const at = [...wanted];
    let last = low - height;
    for (const i of order) {
        last = at[i] = Math.max(at[i], last + height);
    }
    let next = high + height;
    for (const i of order.reverse()) {
        next = at[i] = Math.min(at[i], next - height);
    }
    return at;
}

// series: [{name, points: [[x, y]]}], y null if unknown; band: [[x, low, high]].
export function lines({ title, xName, yName, series, band = [], bandName = "", width = 680, height = 370 }) {
    const left = 70;
    const right = width - 150;
    const top = 40;
    const bottom = height - 58;
    const known = series.flatMap(({ points }) => points).filter(([, y]) => y !== null && Number.isFinite(y));
    if (known.length === 0) {
        return picture(width, 60, title, `<text x="10" y="30">${escaped(title)}: nothing is known yet.</text>`);
    }
    const xs = [...known.map(([x]) => x), ...band.map(([x]) => x)];
    const ys = [...known.map(([, y]) => y), ...band.flatMap(([, low, high]) => [low, high])];
    const [xLow, xHigh] = [Math.min(...xs), Math.max(...xs)];
    const yLow = Math.min(...ys);
    const yHigh = Math.max(...ys, yLow + 1e-9);
    const x = (value) => left + ((right - left) * (value - xLow)) / (xHigh - xLow || 1);
    const y = (value) => bottom - ((bottom - top) * (value - yLow)) / (yHigh - yLow);
    const frame = frameOf({ left, right, top, bottom, width }, [xLow, xHigh, yLow, yHigh], x, y, { title, xName, yName });
    const area = bandOf(band, x, y);
    const ends = series.map(({ points }) => points.filter(([, value]) => value !== null).at(-1));
    const heights = apart(ends.map((end) => (end === undefined ? bottom : y(end[1]))), 16, top, bottom);
    const drawn = series.map((one, i) => lineOf(one, looks[i % looks.length], x, y, right, heights[i])).join("");
    const words = band.length ? `<text class="small" x="${left}" y="${height - 4}">Shaded: ${escaped(bandName)}</text>` : "";
    return picture(width, height, title, frame + area + drawn + words);
}

function frameOf({ left, right, top, bottom, width }, [xLow, xHigh, yLow, yHigh], x, y, { title, xName, yName }) {
    const across = ticksOf(yLow, yHigh).map(
        (at) =>
            `<path class="grid" d="M${left} ${number(y(at))}H${right}"/>` +
            `<text class="small" text-anchor="end" x="${left - 6}" y="${number(y(at) + 4)}">${at}</text>`,
    );
    const along = ticksOf(xLow, xHigh).filter(Number.isInteger).map(
        (at) =>
            `<path class="axis" d="M${number(x(at))} ${bottom}v5"/>` +
            `<text class="small" text-anchor="middle" x="${number(x(at))}" y="${bottom + 18}">${at}</text>`,
    );
    return (
        `<text class="title" x="10" y="18">${escaped(title)}</text>` +
        `<text class="small" x="10" y="34">${escaped(yName)}</text>` +
        `<text class="small" text-anchor="end" x="${Math.min(right, width - 4)}" y="${bottom + 33}">${escaped(xName)}</text>` +
        `<path class="axis" d="M${left} ${top}V${bottom}H${right}"/>${across.join("")}${along.join("")}`
    );
}

function bandOf(band, x, y) {
    if (band.length === 0) {
        return "";
    }
    const point = (at, value) => `${number(x(at))} ${number(y(value))}`;
    const upper = band.map(([at, , high]) => point(at, high)).join("L");
    const lower = [...band].reverse().map(([at, low]) => point(at, low)).join("L");
    return `<path class="band" d="M${upper}L${lower}z"/><path class="band-edge" d="M${upper}"/>`;
}

function lineOf({ name, points }, { colour, dash, mark }, x, y, right, nameY) {
    const known = points.filter(([, value]) => value !== null);
    if (known.length === 0) {
        return "";
    }
    const at = known.map(([px, py]) => [Number(number(x(px))), Number(number(y(py)))]);
    const path = `M${at.map((point) => point.join(" ")).join("L")}`;
    const marks = at.map(([px, py]) => markAt(mark, px, py)).join("");
    const [endX, endY] = at.at(-1);
    return (
        `<g stroke="${colour}" fill="none"><path d="${path}" stroke-width="2" stroke-dasharray="${dash}"/>` +
        `<path d="${marks}"/><path d="M${endX} ${endY}L${right + 8} ${number(nameY)}" stroke-opacity="0.5"/>` +
        `<path d="${markAt(mark, right + 14, Number(number(nameY)))}"/></g>` +
        `<text class="small" x="${right + 24}" y="${number(nameY + 4)}">${escaped(name)}</text>`
    );
}

// ---- heat map ----

// rows: [{name, cells: [{left, loss}]}], all with the same labels left.
export function heatMap({ title, rows, width = 680 }) {
    const columns = rows[0]?.cells.map(({ left }) => left) ?? [];
    const most = Math.max(0, ...rows.flatMap(({ cells }) => cells.map(({ loss }) => loss)));
    const nameWidth = 150;
    const cell = Math.max(56, Math.min(80, (width - nameWidth - 10) / Math.max(1, columns.length)));
    const whole = Math.max(width, nameWidth + cell * columns.length + 10);
    const head = columns.map(
        (left, i) => `<text class="small" text-anchor="middle" x="${number(nameWidth + cell * (i + 0.5))}" y="52">${left}</text>`,
    );
    const body = rows.map(({ name, cells }, row) => {
        const y = 60 + 30 * row;
        const boxes = cells.map(({ loss }, i) => heatCell(nameWidth + cell * i, y, cell, loss, most));
        return `<text class="small" x="10" y="${y + 19}">${escaped(name)}</text>${boxes.join("")}`;
    });
    const inside =
        `<text class="title" x="10" y="18">${escaped(title)}</text>` +
        `<text class="small" x="10" y="36">Columns: labels left. Darker: more is lost there. Empty: nothing.</text>` +
        head.join("") + body.join("");
    return picture(whole, 70 + 30 * rows.length, title, inside);
}

function heatCell(x, y, width, loss, most) {
    const share = most > 0 ? loss / most : 0;
    const ink = share > 0.55 ? "#fff" : "#1a1a1a";
    const fill = `rgb(${[222 - 190 * share, 230 - 170 * share, 240 - 140 * share].map(Math.round).join(",")})`;
    const words = loss > 0 ? Number(loss.toPrecision(2)).toString() : "";
    return (
        `<rect x="${number(x)}" y="${y}" width="${number(width - 2)}" height="28" fill="${fill}"/>` +
        `<text class="small" text-anchor="middle" style="fill:${ink}" x="${number(x + width / 2 - 1)}" y="${y + 18}">${words}</text>`
    );
}

// ---- tree ----

// The open part of a tree, as boxes. states: the engine's, each once; open: paths ("0", "0.1")
// whose children are shown. A box: {path, state, level, row, label, chance, best, parent}, rows from 0,
// a parent in the middle of its children.
export function treeBoxes(states, open) {
    const boxes = [];
    let rows = 0;
    function place(path, number, level, edge) {
        const box = { path, state: number, level, row: 0, ...edge };
        boxes.push(box);
        const children = childrenOf(states[number]);
        box.leaf = children.length === 0;
        if (box.leaf || !open.has(path)) {
            box.row = rows++;
            return box.row;
        }
        const at = children.map((child, i) => place(`${path}.${i}`, child.to, level + 1, { ...child, parent: box }));
        box.row = (at[0] + at.at(-1)) / 2;
        return box.row;
    }
    if (states.length > 0) {
        place("0", 0, 0, { label: "", best: true, parent: null });
    }
    return { boxes, rows };
}

export function childrenOf(state) {
    return state.actions.flatMap((action) =>
        action.outcomes.map(({ text, probability, to }) => ({
            to,
            best: action.optimal,
            label: `${action.text}: ${text}`,
            probability,
        })),
    );
}

// "2,1   4,2; 2 labels left; worth 1.625; label 2,1": a node's text, also for screen readers.
export function nodeText(state) {
    const best = state.actions.filter(({ optimal }) => optimal).map(({ text }) => text.trim());
    const does = state.chance ? "somebody is at work" : best.length ? `label ${best.join(" or ")}` : "nothing changes";
    return `${state.text}; ${state.left} left; worth ${state.value_exact ?? valueText(state.value)}; ${does}`;
}

const box = { width: 210, height: 50, gapX: 130, gapY: 12 };

export function tree({ title, states, open }) {
    const { boxes, rows } = treeBoxes(states, open);
    const levels = Math.max(...boxes.map(({ level }) => level)) + 1;
    const width = levels * (box.width + box.gapX) - box.gapX + 20;
    const height = rows * (box.height + box.gapY) + 50;
    const x = ({ level }) => 10 + level * (box.width + box.gapX);
    const y = ({ row }) => 34 + row * (box.height + box.gapY);
    const edges = boxes.filter(({ parent }) => parent !== null).map((one) => edgeOf(one, x, y));
    const nodes = boxes.map((one) => nodeOf(one, states[one.state], open.has(one.path), x(one), y(one)));
    const inside = `<text class="title" x="10" y="18">${escaped(title)}</text>${edges.join("")}${nodes.join("")}`;
    return picture(width, height, title, inside, 'role="tree"');
}

function edgeOf(one, x, y) {
    const from = [x(one.parent) + box.width, y(one.parent) + box.height / 2];
    const to = [x(one), y(one) + box.height / 2];
    const middle = (from[0] + to[0]) / 2;
    const below = to[1] > from[1] ? 16 : -6; // off the line
    const words = `${one.label.slice(0, 14)} ${percentText(100 * one.probability)}`;
    return (
        `<path class="edge${one.best ? " best" : ""}" d="M${from.join(" ")}C${middle} ${number(from[1])} ${middle} ${number(to[1])} ${to.map(number).join(" ")}"/>` +
        `<text class="small beside-edge" text-anchor="end" x="${number(to[0] - 6)}" y="${number(to[1] + below)}">${escaped(words)}</text>`
    );
}

function nodeOf(one, state, opened, x, y) {
    const best = state.actions.filter(({ optimal }) => optimal).map(({ text }) => text.trim());
    const told = one.leaf ? "" : ` aria-expanded="${opened}"`;
    const sign = one.leaf ? "" : opened ? "− " : "+ ";
    const does = best.length ? `label ${best.join(" or ")}` : "nothing left to gain";
    const edge = one.parent === null ? "" : `after ${one.label}: `;
    return (
        `<g role="treeitem" tabindex="${one.path === "0" ? 0 : -1}" data-path="${one.path}" aria-level="${one.level + 1}"${told} ` +
        `aria-label="${escaped(edge + nodeText(state))}">` +
        `<rect class="node${one.leaf || opened ? "" : " shut"}" x="${x}" y="${number(y)}" width="${box.width}" height="${box.height}" rx="6"/>` +
        `<text x="${x + 8}" y="${number(y + 20)}">${escaped(sign + state.text.slice(0, 26))}</text>` +
        `<text class="small" x="${x + 8}" y="${number(y + 39)}">${escaped(`${state.value_exact ?? gapText(state.value)}; ${does}`.slice(0, 36))}</text></g>`
    );
}
