// Names in a tree: the engine's states hold posteriors, and which instance each is follows from the way from the root.

import { betaOf, plus, wordsOf } from "./words.js";

// "2x1,1 2,1" as {"1,1": 2, "2,1": 1}.
function countsOf(text) {
    const counts = new Map();
    for (const word of wordsOf(text)) {
        const [, copies, posterior] = /^(?:(\d+)x)?(.*)$/.exec(word);
        counts.set(posterior, (counts.get(posterior) ?? 0) + Number(copies ?? 1));
    }
    return counts;
}

// The instances' words, each copy separately, as the engine's states write them.
function allWords(instances) {
    return wordsOf(instances).flatMap((word) => {
        const { copies, a, b, threshold } = betaOf(word);
        return Array(copies).fill(`${plus(a, 0)},${plus(b, 0)}${Number(threshold) === 0.5 ? "" : `@${threshold}`}`);
    });
}

function add(names, posterior, more) {
    names.set(posterior, new Set([...(names.get(posterior) ?? []), ...more]));
}

// For each state the names that a posterior may stand for, from the root on: a label changes one instance, the others stay.
export function namesByState({ states }, words, names) {
    const known = states.map(() => new Map());
    words.forEach((word, i) => add(known[0], word, [names[i]]));
    states.forEach((state, s) => {
        const here = countsOf(state.text);
        for (const { text, outcomes } of state.actions) {
            for (const { to } of outcomes) {
                const there = countsOf(states[to].text);
                const kept = new Map([...here].map(([word, count]) => [word, count - (word === text ? 1 : 0)]));
                for (const [word, count] of there) {
                    const stay = Math.min(count, kept.get(word) ?? 0);
                    add(known[to], word, [...(stay > 0 ? known[s].get(word) ?? [] : []), ...(count > stay ? known[s].get(text) ?? [] : [])]);
                }
            }
        }
    });
    return known;
}

// A document whose texts lack the payoff that all instances share, "2,1=5,0,0,1".
export function withoutPayoff(document) {
    const [payoff, ...others] = new Set(document.problem.instances?.map((one) => /=\S*$/.exec(one.text)?.[0]));
    return payoff === undefined || others.length > 0 ? document : JSON.parse(JSON.stringify(document).replaceAll(payoff, ""));
}

// The document's figure with names before posteriors, where a name is certain; as it is without names.
export function namesIn(document, instances, text) {
    const names = wordsOf(text);
    const { figure, states } = withoutPayoff(document);
    const words = names.length > 0 ? allWords(instances) : [];
    if (names.length === 0 || words.some((word) => !countsOf(states[0].text).has(word))) {
        return figure;
    }
    const known = namesByState({ states }, words, words.map((_, i) => names[i] ?? `instance ${i + 1}`));
    const nameOf = (s, word) => (known[s].get(word)?.size === 1 && countsOf(states[s].text).get(word) === 1 ? [...known[s].get(word)][0] : null);
    const stateOf = states.flatMap(({ actions }, s) => actions.map(() => s)); // of each action of all
    const named = ({ name, text: was, ...node }) => {
        const number = Number(name.slice(1));
        const lines = was.split("\n").flatMap((line, k) =>
            name.startsWith("s") ? (k > 0 ? [line] : wordsOf(line).map((word) => [nameOf(number, word), word].filter((part) => part !== null).join(" ")))
                : [/^(label|or) /.test(line) ? line.split(" ").map((word) => nameOf(stateOf[number], word) ?? word).join(" ") : line]);
        return { ...node, name, text: lines.join("\n") };
    };
    return { ...figure, nodes: figure.nodes.map(named) };
}
