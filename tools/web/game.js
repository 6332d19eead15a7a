// The game of the play screen: future labels, posteriors after each label, and the final score. One label is
// drawn for each instance and each number of earlier labels, so that all players with the same seed get
// the same labels, in any order.

import { betaOf, plus, wordsOf } from "./words.js";

export const INSTANCES_MAX = 12;
export const LABELS_MAX = 40;

// ---- chance ----

// Mulberry32: numbers from 0 to 1, the same for the same seed everywhere.
export function randomFrom(seed) {
    let at = seed >>> 0;
    return () => {
        at = (at + 0x6d2b79f5) >>> 0;
        let mixed = Math.imul(at ^ (at >>> 15), at | 1);
        mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
}

function normal(random) {
    return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

// Marsaglia and Tsang (2000); below 1 by a power of a uniform number.
export function gamma(random, shape) {
    if (shape < 1) {
        return gamma(random, shape + 1) * (1 - random()) ** (1 / shape);
    }
    const d = shape - 1 / 3;
    for (;;) {
        const x = normal(random);
        const v = (1 + x / Math.sqrt(9 * d)) ** 3;
        if (v > 0 && Math.log(1 - random()) < (x * x) / 2 + d - d * v + d * Math.log(v)) {
            return d * v;
        }
    }
}

export function betaDraw(random, a, b) {
    const x = gamma(random, a);
    const y = gamma(random, b);
    return x + y > 0 ? x / (x + y) : Number(random() < a / (a + b)); // both too small for a double
}

// ---- calls ----

// The probability that a Beta(a, b) is below x, with a continued fraction (Lentz); accurate to about 1e-14.
export function betaBelow(x, a, b) {
    if (x > (a + 1) / (a + b + 2)) {
        return 1 - betaBelow(1 - x, b, a);
    }
    const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / a;
    const tiny = 1e-300;
    let c = 1;
    let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny);
    let f = d;
    for (let m = 1; m <= 100000; m++) {
        const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + even * d || tiny);
        c = 1 + even / c || tiny;
        f *= c * d;
        const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + odd * d || tiny);
        c = 1 + odd / c || tiny;
        f *= c * d;
        if (Math.abs(c * d - 1) < 1e-15) {
            break;
        }
    }
    return front * f;
}

// Points of the density of a Beta(a, b), [x, y]; y ends at `most`, because some densities are infinite at 0 or 1.
export function densityOf(a, b, most = 8, steps = 60) {
    return Array.from({ length: steps }, (_, i) => {
        const x = (i + 0.5) / steps;
        return [x, Math.min(most, Math.exp((a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x) - logBeta(a, b)))];
    });
}

function logBeta(a, b) {
    return logGamma(a) + logGamma(b) - logGamma(a + b);
}

// Stirling's series, after shifting the argument above 15: an error below 1e-15.
function logGamma(x) {
    let shift = 0;
    while (x < 15) {
        shift += Math.log(x);
        x += 1;
    }
    const y = 1 / (x * x);
    const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
    return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}

// The call of an instance: "positive", "negative", or "undecided" if both are equally probable. At the
// threshold 1/2, a and b are compared; at others, nearly equal probabilities count as equal.
export function callOf({ a, b, threshold }) {
    const difference =
        Number(threshold) === 0.5 ? Number(a) - Number(b) : 0.5 - betaBelow(Number(threshold), Number(a), Number(b));
    const even = Number(threshold) === 0.5 ? 0 : 1e-12;
    return Math.abs(difference) <= even ? "undecided" : difference > 0 ? "positive" : "negative";
}

// ---- the game ----

export const wordOf = ({ a, b, threshold }) => `${a},${b}${Number(threshold) === 0.5 ? "" : `@${threshold}`}`;

// A whole number of a form. Throws an Error whose message the page shows.
export function wholeOf(text, least, most, what) {
    const number = Number(text);
    if (text.trim() === "" || !Number.isInteger(number) || number < least || number > most) {
        throw new Error(`${what} must be a whole number from ${least} to ${most}.`);
    }
    return number;
}

export const SEED_MOST = 4294967295;

// The form's values, checked. Throws an Error whose message the page shows.
export function rulesOf(values) {
    const all = [];
    for (const word of wordsOf(values.instances)) {
        const { copies, ...prior } = betaOf(word);
        if (all.length + copies > INSTANCES_MAX) {
            throw new Error(`A game has at most ${INSTANCES_MAX} instances. Compare takes more.`);
        }
        all.push(...Array.from({ length: copies }, () => prior));
    }
    const budget = Number(values.budget);
    if (all.length === 0) {
        throw new Error("Give at least one instance, such as 2,1.");
    }
    if (!Number.isInteger(budget) || budget < 1 || budget > LABELS_MAX) {
        throw new Error(`A game must have 1 to ${LABELS_MAX} labels.`);
    }
    const seed = wholeOf(values.seed, 0, SEED_MOST, "The seed");
    const names = wordsOf(values.names ?? "");
    const whole = all.every(({ a, b }) => /^\d+$/.test(a) && /^\d+$/.test(b)); // else there are no exact fractions
    const exact = whole && Boolean(values.exact);
    return { priors: all, budget, seed, exact, names: all.map((_, i) => names[i] ?? `Instance ${i + 1}`) };
}

// The soft labels, and for each instance its future labels in order.
export function deal({ priors, budget, seed }) {
    const random = randomFrom(seed);
    return priors.map(({ a, b, threshold }) => {
        const soft = betaDraw(random, Number(a), Number(b));
        const labels = Array.from({ length: budget }, () => random() < soft);
        return { soft, positive: soft >= Number(threshold), labels };
    });
}

// The state of a game after these choices (instances from 0): posteriors, labels so far, labels left.
export function stateAfter({ priors, budget }, dealt, moves) {
    const counts = priors.map(() => [0, 0]);
    for (const i of moves) {
        const [positive, negative] = counts[i];
        counts[i][dealt[i].labels[positive + negative] ? 0 : 1]++;
    }
    const posteriors = priors.map(({ a, b, threshold }, i) => ({
        a: plus(a, counts[i][0]),
        b: plus(b, counts[i][1]),
        threshold,
    }));
    return { posteriors, counts, words: posteriors.map(wordOf), left: budget - moves.length };
}

// "1,3,3" as [0, 2, 2]; an impossible choice ends the list.
export function movesOf(text, { priors, budget }, count = priors.length) {
    const moves = [];
    for (const word of text.split(",").slice(0, budget)) {
        const number = Number(word);
        if (word === "" || !Number.isInteger(number) || number < 1 || number > count) {
            break;
        }
        moves.push(number - 1);
    }
    return moves;
}

export const movesText = (moves) => moves.map((i) => i + 1).join(",");

// The loss of a choice, from the engine's answer to the query: {lost, exact}. `lost` is exactly 0 if the
// choice is optimal; `exact` is a fraction or null.
export function costOf(document, choice, minus) {
    const { instances } = document;
    const best = instances.reduce((one, other) => (other.q > one.q ? other : one));
    const chosen = instances[choice];
    const exact = chosen.q_exact && best.q_exact ? minus(best.q_exact, chosen.q_exact) : null;
    return chosen.optimal ? { lost: 0, exact: exact === null ? null : "0" } : { lost: chosen.lost, exact };
}

export const optimaOf = (document) => document.instances.flatMap((row, i) => (row.optimal ? [i] : []));

export const OPTIMUM = "optimum";

// The choices of a player, from the engine's answer.
export const picksOf = (name) => (name === OPTIMUM ? optimaOf : (document) => document.policies[name]);

// An undecided call is worth half a point.
export function scoreOf(posteriors, dealt) {
    const points = posteriors.map((posterior, i) => {
        const call = callOf(posterior);
        return call === "undecided" ? 0.5 : Number((call === "positive") === dealt[i].positive);
    });
    return { points, total: points.reduce((sum, point) => sum + point, 0) };
}

// Plays a whole game of another policy on the same draws. pick(document): the tied choices, of which one
// is drawn. ask(words, left): the engine's query. Returns the moves and the loss of each.
export async function playedBy(rules, dealt, name, pick, ask, minus) {
    const random = randomFrom([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), rules.seed));
    const moves = [];
    const costs = [];
    while (moves.length < rules.budget) {
        const { words, left } = stateAfter(rules, dealt, moves);
        const document = await ask(words, left);
        const tied = pick(document);
        const choice = tied[Math.floor(random() * tied.length)];
        costs.push(costOf(document, choice, minus).lost);
        moves.push(choice);
    }
    const { posteriors } = stateAfter(rules, dealt, moves);
    return { name, moves, costs, ...scoreOf(posteriors, dealt) };
}

// The choices that lost most, largest first: [{number, lost}], numbers from 0.
export function worstOf(costs, most = 3) {
    return costs
        .map((lost, number) => ({ number, lost }))
        .filter(({ lost }) => lost > 0)
        .sort((one, other) => other.lost - one.lost || one.number - other.number)
        .slice(0, most);
}
