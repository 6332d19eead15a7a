// A class together: everyone plays the game of one link, and the links of their games, pasted into one field, give a table of all
// costs. Nothing is sent anywhere.

import { OPTIMUM, costOf, deal, movesOf, optimaOf, picksOf, playedBy, rulesOf, scoreOf, stateAfter } from "./game.js";
import { askerOf, byId, lossText, table, working } from "./page.js";
import { PLAYERS, readState } from "./state.js";
import { escaped, gapText, minus } from "./words.js";

const SAME = ["instances", "budget", "seed"]; // as far as the links of a class must agree

// The lines that have a link of the play screen, as {name, values}. Without a name it is "Game 1", ...
export function gamesOf(text) {
    const lines = text.split("\n").map((line) => /^(.*?)\S*(#play\S*)\s*(.*)$/.exec(line)).filter((found) => found !== null);
    return lines.map(([, before, hash, after], i) => ({
        name: `${before} ${after}`.replace(/^[\s:;,<]+|[\s:;,<>]+$/g, "") || `Game ${i + 1}`, values: readState(hash).values,
    }));
}

// Each game with its choices and what they cost, the cheapest first, those with all labels before the others. Throws an Error whose message the page shows.
export async function judged(games, ask, rules) {
    const dealt = deal(rules);
    const rows = [];
    for (const { name, values } of games) {
        const moves = movesOf(values.moves, rules);
        const costs = [];
        for (const [m, choice] of moves.entries()) {
            const { words, left } = stateAfter(rules, dealt, moves.slice(0, m));
            costs.push(costOf(await ask(words, left), choice, minus).lost);
        }
        const over = moves.length === rules.budget;
        rows.push({ name, moves, costs, lost: costs.reduce((sum, one) => sum + one, 0), over,
            total: over ? scoreOf(stateAfter(rules, dealt, moves).posteriors, dealt).total : null });
    }
    return rows.sort((one, other) => other.over - one.over || one.lost - other.lost);
}

export function rulesOfClass(games) {
    if (games.length === 0) {
        throw new Error("There is no link of a game. Each line has one, with #play in it.");
    }
    const other = games.find(({ values }) => SAME.some((key) => values[key] !== games[0].values[key]));
    if (other !== undefined) {
        throw new Error(`${other.name} is another game than ${games[0].name}: all links must have the same instances, labels and seed.`);
    }
    return rulesOf(games[0].values);
}

async function show(games) {
    const rules = rulesOfClass(games);
    const ask = askerOf(games[0].values, rules.exact);
    const rows = await judged(games, ask, rules);
    const dealt = deal(rules);
    const line = ({ name, moves, lost, total }) => [name, moves.map((i) => rules.names[i]).join(", "), lossText(lost), total === null ? "not finished" : `${total}`];
    const others = [];
    for (const name of [OPTIMUM, ...PLAYERS]) {
        const { moves, costs, total } = await playedBy(rules, dealt, name, picksOf(name), ask, minus);
        others.push({ name, moves, lost: costs.reduce((sum, one) => sum + one, 0), total });
    }
    const first = rules.names.map((name, i) => ({ name, count: rows.filter(({ moves }) => moves[0] === i).length })).filter(({ count }) => count > 0);
    const { words, left } = stateAfter(rules, dealt, []);
    const best = optimaOf(await ask(words, left)).map((i) => rules.names[i]).join(" or ");
    const whole = rows.filter(({ over }) => over);
    const mean = whole.length > 0 ? ` The ${whole.length} finished cost ${gapText(whole.reduce((sum, { lost }) => sum + lost, 0) / whole.length)} on average.` : "";
    byId("class-answer").innerHTML = table("The class", ["", "choices", "expected cost", "calls right"], rows.map(line)) +
        `<p>${escaped(`First choice: ${first.map(({ name, count }) => `${count} × ${name}`).join(", ") || "none yet"}; optimal: ${best}.${mean}`)}</p>` + table("On the same labels", ["", "choices", "expected cost", "calls right"], others.map(line));
}

export function setUpClass() {
    byId("class-show").addEventListener("click", () => {
        byId("class-answer").innerHTML = "";
        working("class-error", () => show(gamesOf(byId("class-links").value)));
    });
}
