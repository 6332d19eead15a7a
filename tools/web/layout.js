// The layout of decision trees, from left to right, with the rules of tools/python/optgap/_figures/tree.py: the same figure with
// letters as wide has the same places (tests/test_web.py). The text of an arrow has a place like a node; an arrow that passes a
// column of nodes has a place there too, so that nothing overlaps.

const BOXES = ["state", "end", "chance", "cut"];
const ELLIPSES = ["best", "other", "agreed", "losing"];
const LINE = 1.25;
const BESIDE = 12; // pixels between nodes of a column,
const BETWEEN = 13; // and between columns
const SWEEPS = 12;

export const isEllipse = ({ kind }) => ELLIPSES.includes(kind);

// measure(line, size): the width of a line of text. A place of a node, of an arrow's text, or of a point of an arrow (no text).
function placeOf(measure, kind, text, size, name) {
    const lines = text ? text.split("\n").map((line) => line.trim()) : [];
    const place = { kind, name, lines, size, line: LINE * size, before: [], after: [], column: 0, left: 0, right: 0, x: 0, y: 0 };
    place.width = Math.max(0, ...lines.map((line) => measure(line, size)));
    place.height = place.line * lines.length;
    if (ELLIPSES.includes(kind)) {
        place.width = 1.3 * place.width + 6;
        place.height = 1.3 * place.height + 8;
    } else if (BOXES.includes(kind)) {
        place.width += 10;
        place.height += 8;
    } else if (text) {
        place.width += 6;
    }
    return place;
}

function join(one, other) {
    one.after.push(other);
    other.before.push(one);
}

// Puts each place to the right of all places that lead to it.
function findColumns(places) {
    const waits = new Map(places.map((place) => [place, place.before.length]));
    const ready = places.filter((place) => place.before.length === 0);
    for (const place of ready) { // it grows meanwhile
        for (const other of place.after) {
            other.column = Math.max(other.column, place.column + 1);
            waits.set(other, waits.get(other) - 1);
            if (waits.get(other) === 0) {
                ready.push(other);
            }
        }
    }
}

// All places, and arrows as {arrow, way}: its places from start to end.
function placeAll({ nodes, arrows }, measure, size) {
    const named = new Map(nodes.map(({ name, kind, text }) => [name, placeOf(measure, kind, text, size, name)]));
    const places = [...named.values()];
    const ways = arrows.map((arrow) => {
        const way = [named.get(arrow.from), named.get(arrow.to)];
        if (arrow.text) {
            way.splice(1, 0, placeOf(measure, "words", arrow.text, size));
            places.push(way[1]);
        }
        way.slice(1).forEach((other, k) => join(way[k], other));
        return { arrow, way };
    });
    findColumns(places);
    for (const { way } of ways) {
        for (let k = way.length - 2; k >= 0; k--) { // a point in each column that it passes
            const [one, other] = [way[k], way[k + 1]];
            if (other.column > one.column + 1) {
                one.after.splice(one.after.indexOf(other), 1);
                other.before.splice(other.before.indexOf(one), 1);
                const points = Array.from({ length: other.column - one.column - 1 }, () => placeOf(measure, "point", "", size));
                points.forEach((point, i) => {
                    point.column = one.column + 1 + i;
                });
                places.push(...points);
                const all = [one, ...points, other];
                all.slice(1).forEach((next, i) => join(all[i], next));
                way.splice(k + 1, 0, ...points);
            }
        }
    }
    return { places, ways };
}

// The columns in the order in which the root leads to them, depth first.
function firstOrder(places) {
    const columns = Array.from({ length: Math.max(...places.map(({ column }) => column)) + 1 }, () => []);
    const seen = new Set();
    const stack = [...places].reverse().filter((place) => place.before.length === 0);
    while (stack.length > 0) {
        const place = stack.pop();
        if (!seen.has(place)) {
            seen.add(place);
            columns[place.column].push(place);
            stack.push(...[...place.after].reverse());
        }
    }
    return columns;
}

const rankOf = (column) => new Map(column.map((place, k) => [place, k]));

// The number of crossings of arrows.
function crossings(columns) {
    let count = 0;
    columns.slice(0, -1).forEach((column, i) => {
        const rank = rankOf(columns[i + 1]);
        const ends = [];
        for (const place of column) {
            const to = place.after.map((other) => rank.get(other));
            count += to.reduce((sum, k) => sum + ends.filter((end) => end > k).length, 0);
            ends.push(...to);
        }
    });
    return count;
}

// Sorts each column by the mean of the neighbours, forwards and backwards; keeps the best order found.
function uncross(first) {
    let best = first;
    let columns = first;
    let least = crossings(first);
    for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
        columns = columns.map((column) => [...column]);
        const forth = sweep % 2 === 0;
        for (const column of forth ? columns.slice(1) : columns.slice(0, -1).reverse()) {
            const rank = rankOf(columns[column[0].column + (forth ? -1 : 1)]);
            const now = rankOf(column);
            const mean = new Map(column.map((place) => {
                const joined = (forth ? place.before : place.after).map((other) => rank.get(other));
                return [place, joined.length > 0 ? joined.reduce((sum, k) => sum + k, 0) / joined.length : now.get(place)];
            }));
            column.sort((one, other) => mean.get(one) - mean.get(other));
        }
        const count = crossings(columns);
        if (count < least) {
            [best, least] = [columns, count];
        }
    }
    return best;
}

// Heights as near to the wanted ones as possible without overlaps, by least squares: neighbours that would overlap are pooled.
function settle(column, wanted) {
    const apart = (k) => (column[k - 1].height + column[k].height) / 2 + BESIDE;
    const pools = [];
    let offset = 0;
    wanted.forEach((want, k) => {
        offset += k > 0 ? apart(k) : 0;
        pools.push([want - offset, 1]);
        while (pools.length > 1 && pools.at(-2)[0] > pools.at(-1)[0]) {
            const [mean, size] = pools.pop();
            const [above, count] = pools.pop();
            pools.push([(above * count + mean * size) / (count + size), count + size]);
        }
    });
    const heights = pools.flatMap(([mean, size]) => Array(size).fill(mean));
    offset = 0;
    column.forEach((place, k) => {
        offset += k > 0 ? apart(k) : 0;
        place.y = heights[k] + offset;
    });
}

function findHeights(columns) {
    columns.forEach((column) => settle(column, column.map(() => 0)));
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
        const forth = sweep % 2 === 1;
        for (const column of forth ? columns.slice(1) : columns.slice(0, -1).reverse()) {
            settle(column, column.map(({ before, after, y }) => {
                const [first, second] = forth ? [before, after] : [after, before];
                const joined = first.length > 0 ? first : second;
                return joined.length > 0 ? joined.reduce((sum, other) => sum + other.y, 0) / joined.length : y;
            }));
        }
    }
}

// {places, ways, width, height} of a figure, with a margin `left` at both sides and `top` above.
export function layOut(figure, measure, { size = 14, left = 8, top = 8 } = {}) {
    const { places, ways } = placeAll(figure, measure, size);
    const columns = uncross(firstOrder(places));
    findHeights(columns);
    let x = left;
    for (const column of columns) {
        const width = Math.max(...column.map((place) => place.width));
        for (const place of column) {
            place.x = x + width / 2;
            [place.left, place.right] = [x, x + width]; // of the whole column
        }
        x += width + BETWEEN;
    }
    const all = columns.flat();
    const highest = Math.min(...all.map(({ y, height }) => y - height / 2));
    all.forEach((place) => {
        place.y += top - highest;
    });
    return { places, ways, width: x - BETWEEN + left, height: Math.max(...all.map(({ y, height }) => y + height / 2)) };
}
