// The game of the ranking screen: two of at most four items are compared at a time, and in the end all are
// ranked. Item i beats item j with probability score_i / (score_i + score_j). Truth, comparisons and beliefs
// are computed here, the values of choices by the engine.

import { SEED_MOST, gamma, randomFrom, wholeOf } from "./game.js";
import { wordsOf } from "./words.js";

export const MOST = { items: 4, labels: 6, parameter: 9 };
export const PLAYERS = ["akg", "distance", "kg-exact"];
export const family = "ranking";
export const unit = "comparison";
export const metric = "the share of pairs in order";
export const first = "Compare two items. The ranking above changes with each comparison.";

// ---- rules ----

// The form's values, checked. A choice is a pair, in the engine's order: 1 and 2, 1 and 3, ...
export function rulesOf(values) {
    const items = [];
    for (const word of wordsOf(values.instances)) {
        const [, copies = "1", parameter] = /^(?:(\d+)x)?(\d+)$/.exec(word) ?? [];
        if (!(Number(copies) > 0 && Number(parameter) > 0 && Number(parameter) <= MOST.parameter)) {
            throw new Error(`“${word}” is not A or COUNTxA with whole numbers, A from 1 to ${MOST.parameter}.`);
        }
        if (items.length + Number(copies) > MOST.items) {
            throw new Error(`A ranking's game has at most ${MOST.items} items.`);
        }
        items.push(...Array.from({ length: Number(copies) }, () => Number(parameter)));
    }
    if (items.length < 2) {
        throw new Error("Give at least two items, such as 4x1.");
    }
    const names = wordsOf(values.names);
    const name = items.map((_, i) => names[i] ?? `Item ${i + 1}`);
    const pairs = items.flatMap((_, i) => items.slice(i + 1).map((__, k) => [i, i + 1 + k]));
    return {
        items, pairs, name,
        budget: wholeOf(values.budget, 1, MOST.labels, "Comparisons"),
        seed: wholeOf(values.seed, 0, SEED_MOST, "The seed"),
        choices: pairs.map(([i, j]) => `${name[i]} and ${name[j]}`),
    };
}

export const questionOf = () => ({});

export const optionsOf = () => ["--problem", "ranking"];

// ---- chance ----

// The scores, which add up to 1, and for each pair the future comparisons in order: true if its first wins.
export function deal({ items, pairs, budget, seed }) {
    const random = randomFrom(seed);
    const drawn = items.map((parameter) => gamma(random, parameter));
    const total = drawn.reduce((sum, one) => sum + one, 0);
    const score = drawn.map((one) => one / total);
    const answers = pairs.map(([i, j]) => Array.from({ length: budget }, () => random() < score[i] / (score[i] + score[j])));
    return { score, answers };
}

// ---- beliefs ----

export const orders = (all) => (all.length < 2 ? [all] : all.flatMap((one) =>
    orders(all.filter((other) => other !== one)).map((rest) => [one, ...rest])));

// Gauss's rule on [0, 1]: zeros of the Legendre polynomial of this degree, by Newton's method.
function legendre(degree) {
    return Array.from({ length: degree }, (_, k) => {
        let x = Math.cos((Math.PI * (k + 0.75)) / (degree + 0.5));
        let slope = 1;
        for (let step = 0; step < 20; step++) {
            let [before, now] = [1, x];
            for (let n = 2; n <= degree; n++) {
                [before, now] = [now, ((2 * n - 1) * x * now - (n - 1) * before) / n];
            }
            slope = (degree * (x * now - before)) / (x * x - 1);
            x -= now / slope;
        }
        return { at: (1 + x) / 2, weight: 1 / ((1 - x * x) * slope * slope) };
    });
}

// With 16 nodes the error is below 1e-9: the tests compare it with the engine.
const nodes = legendre(16);

// What comparisons [{winner, loser}] teach: above[i][j] is the probability that item i has the larger score;
// evidence: the probability of the comparisons, up to a factor of the prior. For each order of the items,
// an integral over the ratios of neighbours' scores, the largest score being 1; the integral over that
// scale is (sum of scores)^-(sum of parameters).
export function beliefOf({ items }, comparisons) {
    const whole = items.reduce((sum, one) => sum + one, 0);
    const above = items.map(() => items.map(() => 0));
    const score = items.map(() => 0);
    let all = 0;
    function massOf() {
        let mass = score.reduce((sum, one) => sum + one, 0) ** -whole;
        items.forEach((parameter, i) => {
            mass *= score[i] ** (parameter - 1);
        });
        for (const { winner, loser } of comparisons) {
            mass *= score[winner] / (score[winner] + score[loser]);
        }
        return mass;
    }
    // d score = previous score * du
    function sum(order, at) {
        return at === order.length ? massOf() : nodes.reduce((total, { at: ratio, weight }) => {
            const previous = score[order[at - 1]];
            score[order[at]] = previous * ratio;
            return total + weight * previous * sum(order, at + 1);
        }, 0);
    }
    for (const order of orders(items.map((_, i) => i))) {
        score[order[0]] = 1;
        const mass = sum(order, 1);
        all += mass;
        order.forEach((i, k) => order.slice(k + 1).forEach((j) => {
            above[i][j] += mass;
        }));
    }
    return { above: above.map((row) => row.map((mass) => mass / all)), evidence: all };
}

// The order in which most pairs are expected to be right, and that share of pairs.
export function bestOrder(above) {
    const share = (order) => order.reduce((sum, i, k) => order.slice(k + 1).reduce((more, j) => more + above[i][j], sum), 0);
    const count = above.length;
    const best = orders(above.map((_, i) => i)).reduce((one, other) => (share(other) > share(one) + 1e-12 ? other : one));
    return { order: best, share: share(best) / ((count * (count - 1)) / 2) };
}

// ---- states ----

export function stateAfter({ pairs, budget }, dealt, moves) {
    const given = pairs.map(() => 0);
    const labels = moves.map((choice) => {
        const [i, j] = pairs[choice];
        return dealt.answers[choice][given[choice]++] ? { winner: i, loser: j } : { winner: j, loser: i };
    });
    const history = labels.map(({ winner, loser }) => `${winner + 1}>${loser + 1}`).join(" ");
    return { labels, history, left: budget - moves.length };
}

// Every pair is in the engine's document.
export const placesOf = ({ pairs }, _, document) =>
    pairs.map(([i, j]) => document.actions.findIndex(({ pair }) => pair[0] === i && pair[1] === j));

export const answerWords = ({ labels }, m, { name }) => `${name[labels[m].winner]} won`;

export function scoreOf(rules, dealt, state) {
    const { order } = bestOrder(beliefOf(rules, state.labels).above);
    const right = order.flatMap((i, k) => order.slice(k + 1).map((j) => Number(dealt.score[i] >= dealt.score[j])));
    return { order, total: right.reduce((sum, one) => sum + one, 0) / right.length };
}

// ---- what the page shows ----

const percent = (share) => `${Math.round(100 * share)} %`;

// What is known: the ranking now, and for each item with which probability it is above those that follow.
export function known(rules, { labels }) {
    const { above } = beliefOf(rules, labels);
    const { order } = bestOrder(above);
    return order.map((i, k) => {
        const below = order.slice(k + 1).map((j) => `${rules.name[j]} ${percent(above[i][j])}`);
        const share = above[i].reduce((sum, one) => sum + one, 0) / (order.length - 1);
        return { name: `${k + 1}. ${rules.name[i]}`, share, text: below.length ? `above ${below.join(", ")}` : "below all" };
    });
}

// The share of pairs that the best ranking has in order, after each comparison.
export function picture(rules, { labels }) {
    const points = [...labels.keys(), labels.length].map((m) => [m, bestOrder(beliefOf(rules, labels.slice(0, m)).above).share]);
    return { title: "What comparisons teach", xName: "comparisons", yName: "expected share of pairs in order", series: [{ name: "you", points }] };
}

export function truth(rules, dealt, players) {
    const place = (order, i) => `${order.indexOf(i) + 1}`;
    const best = rules.name.map((_, i) => i).sort((i, j) => dealt.score[j] - dealt.score[i]);
    return {
        head: ["item", "score", "its rank"],
        rows: [
            ...best.map((i, k) => [rules.name[i], dealt.score[i].toFixed(3), `${k + 1}`, ...players.map(({ order }) => place(order, i))]),
            ["pairs in order", "", "", ...players.map(({ total }) => percent(total))],
        ],
        more: "",
    };
}
