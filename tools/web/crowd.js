// The game of the crowd screen: workers of unknown reliability. A worker's label follows the soft label with
// the probability of the reliability, and is its opposite otherwise. Truth, labels and beliefs are computed
// here, the values of choices by the engine.

import { SEED_MOST, betaBelow, betaDraw, randomFrom, wholeOf } from "./game.js";
import { betaOf, wordsOf } from "./words.js";

export const MOST = { instances: 3, workers: 3, labels: 6 };
export const PLAYERS = ["opt-kg", "kg", "opt-kg-exact"];
export const family = "workers";
export const unit = "label";
export const metric = "correct calls";
export const first = "Ask a worker about an instance. The estimates above change with each label.";

// ---- rules ----

// [a, b, number of the word] of each.
function priorsOf(text, what, most) {
    const all = [];
    for (const [number, word] of wordsOf(text).entries()) {
        const { copies, a, b, threshold } = betaOf(word);
        if (threshold !== "0.5") {
            throw new Error("A crowd has the threshold 0.5 only.");
        }
        if (all.length + copies > most) {
            throw new Error(`A crowd's game has at most ${most} ${what}s. Compare takes more.`);
        }
        all.push(...Array.from({ length: copies }, () => [Number(a), Number(b), number]));
    }
    if (all.length === 0) {
        throw new Error(`Give at least one ${what}, such as 2,1.`);
    }
    return all;
}

// The form's values, checked. Choice i * workers + w asks worker w about instance i.
export function rulesOf(values) {
    const instances = priorsOf(values.instances, "instance", MOST.instances);
    const workers = priorsOf(values.workers, "worker", MOST.workers);
    const names = wordsOf(values.names);
    const name = instances.map((_, i) => names[i] ?? `Instance ${i + 1}`);
    return {
        instances, workers, name,
        budget: wholeOf(values.budget, 1, MOST.labels, "Labels"),
        seed: wholeOf(values.seed, 0, SEED_MOST, "The seed"),
        choices: name.flatMap((one) => workers.map((_, w) => `${one}, worker ${w + 1}`)),
    };
}

export const questionOf = (values) => ({ "workers-prior": wordsOf(values.workers) });

export const optionsOf = (values) => wordsOf(values.workers).flatMap((word) => ["--workers-prior", word]);

// ---- chance ----

// The truth, and for each instance and worker the future labels in order.
export function deal({ instances, workers, budget, seed }) {
    const random = randomFrom(seed);
    const soft = instances.map(([a, b]) => betaDraw(random, a, b));
    const reliability = workers.map(([a, b]) => betaDraw(random, a, b));
    const answers = soft.flatMap((one) => reliability.map((right) =>
        Array.from({ length: budget }, () => (random() < one) === (random() < right))));
    return { soft, reliability, answers };
}

// ---- beliefs ----

const rising = (from, count) => Array.from({ length: count }, (_, k) => from + k).reduce((product, factor) => product * factor, 1);

// Moments of a Beta: E[x^p (1-x)^n].
const moment = ([a, b], p, n) => (rising(a, p) * rising(b, n)) / rising(a + b, p + n);

// What labels [{instance, worker, positive}] teach: the probability that each instance is positive, and the
// mean of each worker's reliability; evidence: the probability of these labels. By definition: the sum over
// all ways in which each label is right, or the opposite.
export function beliefOf({ instances, workers }, labels) {
    const sum = { all: 0, positive: instances.map(() => 0), reliability: workers.map(() => 0) };
    for (let ways = 0; ways < 2 ** labels.length; ways++) {
        const votes = instances.map(() => [0, 0]);
        const works = workers.map(() => [0, 0]);
        labels.forEach(({ instance, worker, positive }, k) => {
            const right = Math.floor(ways / 2 ** k) % 2 === 0;
            votes[instance][positive === right ? 0 : 1]++;
            works[worker][right ? 0 : 1]++;
        });
        const weight = [...instances.map((prior, i) => moment(prior, ...votes[i])), ...workers.map((prior, w) => moment(prior, ...works[w]))]
            .reduce((product, factor) => product * factor, 1);
        sum.all += weight;
        instances.forEach(([a, b], i) => {
            sum.positive[i] += weight * (1 - betaBelow(0.5, a + votes[i][0], b + votes[i][1]));
        });
        workers.forEach(([a, b], w) => {
            sum.reliability[w] += (weight * (a + works[w][0])) / (a + b + works[w][0] + works[w][1]);
        });
    }
    const mean = (sums) => sums.map((one) => one / sum.all);
    return { positive: mean(sum.positive), reliability: mean(sum.reliability), evidence: sum.all };
}

// ---- states ----

// The state after these choices: labels so far in order, the history in the engine's words.
export function stateAfter({ instances, workers, budget }, dealt, moves) {
    const given = dealt.answers.map(() => 0);
    const labels = moves.map((choice) => ({
        instance: Math.floor(choice / workers.length),
        worker: choice % workers.length,
        positive: dealt.answers[choice][given[choice]++],
    }));
    const counts = instances.map((_, i) => workers.map((__, w) => {
        const own = labels.filter(({ instance, worker }) => instance === i && worker === w);
        const positive = own.filter((label) => label.positive).length;
        return [positive, own.length - positive];
    }));
    const history = labels.map(({ instance, worker, positive }) => `${instance + 1}@${worker + 1}${positive ? "+" : "-"}`).join(" ");
    return { labels, counts, history, left: budget - moves.length };
}

// Of choices that are alike, of one word and with the same labels, the engine lists the first: its place in the
// document, for each choice.
export function placesOf({ instances, workers }, { counts }) {
    const first = (all, labelled) => all.map(([, , word], i) =>
        all.findIndex((other, k) => word === other[2] && labelled(i) === labelled(k)));
    const instance = first(instances, (i) => counts[i].join(" "));
    const worker = first(workers, (w) => counts.map((row) => row[w]).join(" "));
    const place = (firsts, one) => [...new Set(firsts)].indexOf(one);
    return instance.flatMap((i) => worker.map((w) => place(instance, i) * new Set(worker).size + place(worker, w)));
}

export const answerWords = ({ labels }, m) => (labels[m].positive ? "positive" : "negative");

// An undecided call is worth half a point.
const even = 1e-12; // nearly equal probabilities count as equal
export const callOf = (positive) => (Math.abs(positive - 0.5) <= even ? "undecided" : positive > 0.5 ? "positive" : "negative");

export function scoreOf(rules, dealt, state) {
    const { positive } = beliefOf(rules, state.labels);
    const points = positive.map((one, i) => {
        const call = callOf(one);
        return call === "undecided" ? 0.5 : Number((call === "positive") === dealt.soft[i] >= 0.5);
    });
    return { points, total: points.reduce((sum, point) => sum + point, 0) };
}

// ---- what the page shows ----

const percent = (share) => `${Math.round(100 * share)} %`;

// What is known: a share between 0 and 1 for each instance and worker, with words.
export function known(rules, { labels }) {
    const belief = beliefOf(rules, labels);
    const start = beliefOf(rules, []);
    return [
        ...rules.name.map((name, i) => ({
            name, share: belief.positive[i], text: `positive with ${percent(belief.positive[i])}: called ${callOf(belief.positive[i])}`,
        })),
        ...rules.workers.map((_, w) => ({
            name: `Worker ${w + 1}`, share: belief.reliability[w],
            text: `reliability about ${percent(belief.reliability[w])}, at first ${percent(start.reliability[w])}`,
        })),
    ];
}

// The estimated reliability of each worker, after each label.
export function picture(rules, { labels }) {
    const after = [...labels.keys(), labels.length].map((m) => beliefOf(rules, labels.slice(0, m)).reliability);
    return {
        title: "What labels teach about workers", xName: "labels given", yName: "expected reliability",
        series: rules.workers.map((_, w) => ({ name: `worker ${w + 1}`, points: after.map((means, m) => [m, means[w]]) })),
    };
}

// The truth: rows of a table for the user and the others, [{name, points, total}].
export function truth(rules, dealt, players) {
    const mark = (point) => (point === 1 ? "right" : point === 0 ? "wrong" : "half");
    return {
        head: ["instance", "soft label", "it is"],
        rows: [
            ...rules.name.map((name, i) => [
                name, dealt.soft[i].toFixed(3), dealt.soft[i] >= 0.5 ? "positive" : "negative", ...players.map(({ points }) => mark(points[i]))]),
            ["calls right", "", "", ...players.map(({ total }) => `${total}`)],
        ],
        more: `Workers' reliabilities: ${dealt.reliability.map((right) => right.toFixed(3)).join(", ")}.`,
    };
}
