// Pictures as SVG text: lines over a budget, a heat map, densities, a tree. In the page they use its colours; `alone`
// uses light ones, for files. No information depends on colour: lines have dashes, marks and names at
// their ends, cells show numbers, and optimal choices are thick.

import { isEllipse, layOut } from "./layout.js";
import { escaped } from "./words.js";

const style = `<style>
text { font: 13px system-ui, sans-serif; fill: var(--ink, #1a1a1a); }
.title { font-weight: 600; }
.small { font-size: 11px; }
.axis, .grid { stroke: var(--line, #777); fill: none; }
.grid { stroke-opacity: 0.35; }
.band { fill: var(--band, #d8dee8); stroke: none; }
.band-edge { stroke: var(--line, #777); stroke-dasharray: 1 3; fill: none; }
.edge { stroke: var(--ink, #1a1a1a); fill: none; }
.head { fill: var(--ink, #1a1a1a); }
.density { fill: none; stroke-width: 1.8; stroke: var(--ink, #1a1a1a); }
.density.before { stroke: var(--line, #777); stroke-dasharray: 3 2; }
.threshold { stroke: var(--line, #777); stroke-dasharray: 1 2; }
</style>`;

// The looks of policies and trees: tools/python/optgap/_figures/looks.json, which the program's figures read too. Colours are
// variables of the page, so that a dark screen has others.
let table = { optimum: {}, looks: [], policies: {}, nodes: {}, arrows: {} };

export function setLooks(given) {
    table = given;
}

// The page's variables for light and dark screens.
export function looksStyle() {
    const rows = (key) => [
        ...table.looks.map((look, i) => `--look-${i}: ${look[key]};`), `--optimum: ${table.optimum[key]};`,
        ...Object.entries(table.nodes).filter(([, { fill }]) => fill).map(([kind, node]) => `--${kind}: ${key === "dark" ? node.dark : node.fill};`),
    ].join(" ");
    return `:root { ${rows("colour")} } @media (prefers-color-scheme: dark) { :root { ${rows("dark")} } }`;
}

const OPTIMUM = "optimum";

// The number of a policy's look: "bbta:1" has its own, "gittins-fh:3" and "kg, ties first" have that of their first word.
function numberOf(name) {
    return table.policies[name] ?? table.policies[name.split(/[:, ]/)[0]];
}

// The look of each curve, by name: the table's, if no earlier curve has it, otherwise the first free one. The optimum has its own.
export function looksOf(names) {
    const taken = new Map();
    const used = () => [...taken.values()];
    for (const name of names.filter((one) => one !== OPTIMUM)) {
        const wanted = numberOf(name);
        if (wanted !== undefined && !used().includes(wanted)) {
            taken.set(name, wanted);
        }
    }
    return names.map((name) => {
        if (name === OPTIMUM) {
            return { stroke: `var(--optimum, ${table.optimum.colour})`, width: 3.5, dash: "none", mark: "circle" };
        }
        if (!taken.has(name)) {
            taken.set(name, Array.from({ length: names.length + used().length }, (_, k) => k).find((k) => !used().includes(k)));
        }
        return lookOf(taken.get(name));
    });
}

// As _figures/looks.py: after the last one the colours repeat, with other dashes and marks.
export function lookOf(number) {
    const { looks } = table;
    const again = Math.floor(number / looks.length);
    const at = (step) => looks[(number + step * again) % looks.length];
    const { dashes } = at(3);
    return {
        stroke: `var(--look-${number % looks.length}, ${at(0).colour})`, width: 2,
        dash: dashes.length ? dashes.map((dash) => 2 * dash).join(" ") : "none", mark: at(5).mark,
    };
}

// For other programs, many of which do not support CSS variables.
export function alone(svg) {
    return svg.replace(/var\(--[\w-]+, ([^)]*)\)/g, "$1");
}

// The width of a text, about: where no browser measures it.
export const textWidth = (text, size) => 0.56 * size * String(text).length;

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
        "point-down": `M${x} ${y + r}l${r} ${-2 * r}h${-2 * r}z`,
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

const MARKS_MOST = 40; // of a line; more would be a band

// series: [{name, points: [[x, y]]}], y null if unknown; band: [[x, low, high]].
export function lines({ title, xName, yName, series, band = [], bandName = "", width = 680, height = 370 }) {
    const left = 58;
    const right = width - 34 - Math.max(...series.map(({ name }) => textWidth(name, 11)));
    const top = 46;
    const bottom = height - 58;
    const known = series.flatMap(({ points }) => points).filter(([, y]) => y !== null && Number.isFinite(y));
    if (known.length === 0) {
        return picture(width, 60, title, `<text x="10" y="30">${escaped(title)}: nothing is known yet.</text>`);
    }
    const xs = [...known.map(([x]) => x), ...band.map(([x]) => x)];
    const ys = [...known.map(([, y]) => y), ...band.flatMap(([, low, high]) => [low, high])];
    const [xLow, xHigh] = [Math.min(...xs), Math.max(...xs)];
    const yLow = Math.min(...ys);
    const most = Math.max(...ys);
    const yHigh = most - yLow > 1e-12 * Math.abs(most) ? most : yLow + 1; // no ticks between roundings
    const x = (value) => left + ((right - left) * (value - xLow)) / (xHigh - xLow || 1);
    const y = (value) => bottom - ((bottom - top) * (value - yLow)) / (yHigh - yLow);
    const frame = frameOf({ left, right, top, bottom }, [xLow, xHigh, yLow, yHigh], x, y, { title, xName, yName });
    const area = bandOf(band, x, y);
    const ends = series.map(({ points }) => points.filter(([, value]) => value !== null).at(-1));
    const heights = apart(ends.map((end) => (end === undefined ? bottom : y(end[1]))), 16, top, bottom);
    const looks = looksOf(series.map(({ name }) => name));
    const drawn = series.map((one, i) => lineOf(one, looks[i], x, y, right, heights[i])).join("");
    const words = band.length ? `<text class="small" x="10" y="${height - 4}">Shaded: ${escaped(bandName)}</text>` : "";
    return picture(width, height, title, frame + area + drawn + words);
}

function frameOf({ left, right, top, bottom }, [xLow, xHigh, yLow, yHigh], x, y, { title, xName, yName }) {
    const across = ticksOf(yLow, yHigh).map(
        (at) =>
            `<path class="grid" d="M${left} ${number(y(at))}H${right}"/>` +
            `<text class="small" text-anchor="end" x="${left - 6}" y="${number(y(at) + 4)}">${at}</text>`,
    );
    const along = ticksOf(xLow, xHigh, (right - left) / 60).filter(Number.isInteger).map(
        (at) =>
            `<path class="axis" d="M${number(x(at))} ${bottom}v5"/>` +
            `<text class="small" text-anchor="middle" x="${number(x(at))}" y="${bottom + 18}">${at}</text>`,
    );
    return (
        `<text class="title" x="10" y="18">${escaped(title)}</text>` +
        `<text class="small" x="10" y="34">${escaped(yName)}</text>` +
        `<text class="small" text-anchor="end" x="${number(right)}" y="${bottom + 33}">${escaped(xName)}</text>` +
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

function lineOf({ name, points }, { stroke, width, dash, mark }, x, y, right, nameY) {
    const known = points.filter(([, value]) => value !== null);
    if (known.length === 0) {
        return "";
    }
    const at = known.map(([px, py]) => [Number(number(x(px))), Number(number(y(py)))]);
    const path = `M${at.map((point) => point.join(" ")).join("L")}`;
    const marks = at.length > MARKS_MOST ? "" : at.map(([px, py]) => markAt(mark, px, py)).join("");
    const [endX, endY] = at.at(-1);
    return (
        `<g data-curve="${escaped(name)}"><g style="stroke:${stroke}" fill="none"><path d="${path}" stroke-width="${width}" stroke-dasharray="${dash}"/>` +
        `<path d="${marks}"/><path d="M${endX} ${endY}L${right + 8} ${number(nameY)}" stroke-opacity="0.5"/>` +
        `<path d="${markAt(mark, right + 14, Number(number(nameY)))}"/></g>` +
        `<text class="small" x="${right + 24}" y="${number(nameY + 4)}">${escaped(name)}</text></g>`
    );
}

// ---- heat map ----

// rows: [{name, cells: [{left, loss}]}], all with the same labels left, which are columns; on a narrow screen they are rows.
export function heatMap({ title, rows, width = 680 }) {
    const lefts = rows[0]?.cells.map(({ left }) => left) ?? [];
    const names = rows.map(({ name }) => name);
    const most = Math.max(0, ...rows.flatMap(({ cells }) => cells.map(({ loss }) => loss)));
    const beside = 20 + Math.max(0, ...names.map((name) => textWidth(name, 11)));
    const flat = beside + 46 * lefts.length <= width;
    const [down, across] = flat ? [names, lefts] : [lefts, names];
    const first = flat ? beside : 30;
    const cell = Math.min(90, Math.max(46, (width - first - 4) / Math.max(1, across.length)));
    const turned = !flat && across.some((word) => textWidth(word, 11) > cell - 4);
    const head = across.map((word, i) => {
        const [x, y] = [number(first + cell * (i + 0.5)), flat ? 52 : 56];
        return turned
            ? `<text class="small" transform="translate(${x} 92) rotate(-45)">${escaped(word)}</text>`
            : `<text class="small" text-anchor="middle" x="${x}" y="${flat ? y : 92}">${escaped(word)}</text>`;
    });
    const top = flat ? 60 : 100;
    const body = down.map((word, row) => {
        const y = top + 30 * row;
        const boxes = across.map((_, i) => heatCell(first + cell * i, y, cell, (flat ? rows[row].cells[i] : rows[i].cells[row]).loss, most));
        return `<text class="small" x="10" y="${y + 19}">${escaped(word)}</text>${boxes.join("")}`;
    });
    const inside =
        `<text class="title" x="10" y="18">${escaped(title)}</text>` +
        `<text class="small" x="10" y="36">${flat ? "Columns" : "Rows"}: labels left. Darker: more is lost there.</text>` +
        head.join("") + body.join("");
    const turn = !turned ? 0 : 0.71 * Math.max(0, textWidth(names.at(-1) ?? "", 11) - cell / 2);
    return picture(Math.max(first + cell * across.length + turn + 4, 20 + textWidth(title, 13)), top + 10 + 30 * down.length, title, inside);
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

// ---- densities ----

// curves: [{points: [[x, y]], look: "now" or "before"}] of a density over 0 .. 1, and the threshold. For a card, without numbers.
export function density({ title, curves, threshold, width = 150, height = 44 }) {
    const most = Math.max(...curves.flatMap(({ points }) => points.map(([, y]) => y)));
    const at = ([x, y]) => `${number(2 + (width - 4) * x)} ${number(height - 2 - ((height - 6) * y) / most)}`;
    const drawn = curves.map(({ points, look }) => `<path class="density ${look}" d="M${points.map(at).join("L")}"/>`);
    const middle = number(2 + (width - 4) * threshold);
    const inside = `<path class="axis" d="M2 ${height - 2}H${width - 2}"/><path class="threshold" d="M${middle} 2V${height - 2}"/>${drawn.join("")}`;
    return picture(width, height, title, inside);
}

// ---- tree ----

// The part of a tree's figure that is open: its root, and what the states in `open` lead to. A closed state that leads further is
// marked. Arrows have the same order as in the whole.
export function openPart({ nodes, arrows }, open) {
    const leads = new Map(nodes.map(({ name }) => [name, []]));
    arrows.forEach((arrow) => leads.get(arrow.from).push(arrow));
    const seen = new Set([nodes[0].name]);
    const shut = new Set();
    for (const name of seen) { // it grows meanwhile
        const closed = name.startsWith("s") && leads.get(name).length > 0 && !open.has(name);
        if (closed) {
            shut.add(name);
        } else {
            leads.get(name).forEach(({ to }) => seen.add(to));
        }
    }
    return {
        nodes: nodes.filter(({ name }) => seen.has(name)).map((node) => ({
            ...node, opens: shut.has(node.name) ? "false" : node.name.startsWith("s") && leads.get(node.name).length > 0 ? "true" : undefined,
            text: shut.has(node.name) ? `${node.text}\n+` : node.text,
        })),
        arrows: arrows.filter(({ from }) => seen.has(from) && !shut.has(from)),
    };
}

// The states to open at first: as many, in the tree's order, as a part that fits.
export function firstOpen(figure, fits) {
    const open = new Set([figure.nodes[0].name]);
    for (const { name, opens } of openPart(figure, new Set(figure.nodes.map((node) => node.name))).nodes) {
        if (opens !== undefined && !open.has(name)) {
            open.add(name);
            if (!fits(openPart(figure, open))) {
                open.delete(name);
                break;
            }
        }
    }
    return open;
}

// figure: nodes and arrows, perhaps the open part. measure(text, size): the width of a line.
export function tree(figure, { measure = textWidth, size = 14, shrink = 0.75 } = {}) {
    const opens = new Map(figure.nodes.map((node) => [node.name, node.opens]));
    const { places, ways, width, height } = layOut(figure, measure, { size });
    const inside = ways.map(arrowOf).join("") + places.map((place) => nodeOf(place, opens.get(place.name), place === places[0])).join("");
    return picture(width, height + 8, figure.title ?? "Tree", inside,
        `role="tree" style="min-inline-size:${number(shrink * width)}px"`);
}

const dashesOf = ({ width = 1, dashes = [] }) => (dashes.length ? ` stroke-dasharray="${dashes.map((dash) => dash * width).join(" ")}"` : "");

// From place to place, curved only between columns; texts interrupt it.
function arrowOf({ arrow, way }) {
    const style = table.arrows[arrow.kind] ?? {};
    let path = "";
    let pen = false;
    way.slice(1).forEach((other, k) => {
        const one = way[k];
        const [left, right, end] = [one.right, other.left, other.x - other.width / 2];
        const middle = number((left + right) / 2);
        path += `${pen ? "L" : `M${number(one.x + one.width / 2)} ${number(one.y)}L`}${number(left)} ${number(one.y)}` +
            `C${middle} ${number(one.y)} ${middle} ${number(other.y)} ${number(right)} ${number(other.y)}${end > right + 0.5 ? `L${number(end)} ${number(other.y)}` : ""}`;
        pen = other.kind !== "words";
    });
    const last = way.at(-1);
    const [x, y] = [number(last.x - last.width / 2), number(last.y)];
    const head = arrow.kind === "outcome" ? `<path class="head" d="M${x} ${y}l-8 -4v8z"/>` : "";
    return `<path class="edge" stroke-width="${style.width ?? 1}"${dashesOf(style)} d="${path}"/>${head}`;
}

function nodeOf(place, opens, first) {
    const { kind, x, y, width, height, lines: words, line, size, name } = place;
    const top = y - (line * words.length) / 2;
    const text = words.map((word, k) =>
        `<text style="font-size:${size}px" text-anchor="middle" x="${number(x)}" y="${number(top + (k + 0.5) * line + 0.35 * size)}">${escaped(word)}</text>`).join("");
    if (kind === "words" || kind === "point") {
        return text;
    }
    const style = table.nodes[kind] ?? {};
    const paint = `style="fill:${style.fill ? `var(--${kind}, ${style.fill})` : "var(--paper, #fff)"};stroke:${style.line ?? "var(--ink, #1a1a1a)"}" ` +
        `stroke-width="${(style.width ?? 1) + (opens === "false" ? 1 : 0)}"${dashesOf(style)}`;
    const shape = isEllipse(place)
        ? `<ellipse cx="${number(x)}" cy="${number(y)}" rx="${number(width / 2)}" ry="${number(height / 2)}" ${paint}/>`
        : `<rect x="${number(x - width / 2)}" y="${number(y - height / 2)}" width="${number(width)}" height="${number(height)}" rx="${style.round ?? 0}" ${paint}/>`;
    const told = opens === undefined ? "" : ` aria-expanded="${opens}"`;
    return `<g role="treeitem" tabindex="${first ? 0 : -1}" data-name="${name}"${told} aria-label="${escaped(words.filter((word) => word !== "+").join("; "))}">${shape}${text}</g>`;
}
