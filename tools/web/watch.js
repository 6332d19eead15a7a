// A policy plays the play screen's game: one step at a time, or a hundred games, of this seed and the following ones, beside the
// optimum, which meets the same labels. Beside the means of these games is what they estimate, computed.

import { lines } from "./draw.js";
import { OPTIMUM, deal, picksOf, playedBy } from "./game.js";
import { askerOf, boxWidth, byId, engine, showPicture, table, working } from "./page.js";
import { PLAYERS, questionOf } from "./state.js";
import { minus, valueText } from "./words.js";

const GAMES = 100;

// The mean of some numbers with its standard error.
export function meanOf(numbers) {
    const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
    const squares = numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0);
    return { mean, error: Math.sqrt(squares / Math.max(1, numbers.length - 1) / numbers.length) };
}

// The games of seeds seed, seed + 1, ...: for each player the calls that were right, and the expected calls that the choices lost.
export async function playMany(rules, names, ask, count = GAMES, told = () => {}) {
    const players = names.map((name) => ({ name, right: [], lost: [] }));
    for (let k = 0; k < count; k++) {
        const its = { ...rules, seed: (rules.seed + k) >>> 0 };
        const dealt = deal(its);
        for (const { name, right, lost } of players) {
            const { total, costs } = await playedBy(its, dealt, name, picksOf(name), ask, minus);
            right.push(total);
            lost.push(costs.reduce((sum, one) => sum + one, 0));
        }
        told(k + 1);
    }
    return players;
}

const meanText = (numbers) => {
    const { mean, error } = meanOf(numbers);
    return error < 1e-12 ? valueText(mean) : `${mean.toPrecision(4)} ± ${error.toPrecision(2)}`;
};

function show(players, { optimal, policies }) {
    const exact = (name) => policies.find((row) => row.name === name) ?? { value: optimal.value, gap: 0 };
    byId("watch-answer").innerHTML = table(`${GAMES} games, each with its own labels, the same for all`, ["", ...players.map(({ name }) => name)], [
        ["calls right, mean", ...players.map(({ right }) => meanText(right))],
        ["expected calls right, computed", ...players.map(({ name }) => valueText(exact(name).value))],
        ["expected cost of the choices, mean", ...players.map(({ lost }) => meanText(lost))],
        ["gap, computed", ...players.map(({ name }) => valueText(exact(name).gap))],
    ]) + "<p>± is one standard error. Luck hides a gap from a hundred games; the costs of the choices show it sooner.</p>";
    const running = (numbers) => {
        let sum = 0;
        return numbers.map((one, k) => [k + 1, (sum += one) / (k + 1)]);
    };
    showPicture("watch-picture", "optgap-games", lines({
        width: boxWidth("watch-picture"), title: "Mean of the games so far", xName: "games", yName: "calls right",
        series: players.map(({ name, right }) => ({ name, points: running(right) })),
    }));
}

export function clearWatch() {
    byId("watch-answer").innerHTML = "";
    byId("watch-picture").innerHTML = "";
}

// now(): the game on the screen; label(i, true): a choice in it that is not the user's.
export function setUpWatch(now, label) {
    const chosen = byId("watch-policy");
    chosen.innerHTML = [...PLAYERS, OPTIMUM].map((name) => `<option>${name}</option>`).join("");
    byId("watch-step").addEventListener("click", () => {
        const { documents, moves } = now();
        if (documents.length > moves.length) {
            const tied = picksOf(chosen.value)(documents[moves.length]);
            label(tied[Math.floor(Math.random() * tied.length)], true);
        }
    });
    byId("watch-many").addEventListener("click", () => {
        const { values, rules } = now();
        const names = chosen.value === OPTIMUM ? [OPTIMUM] : [chosen.value, OPTIMUM];
        working("watch-error", async () => {
            const players = await playMany(rules, names, askerOf(values, false), GAMES, (count) => {
                byId("progress").textContent = `${count} of ${GAMES} games`;
            });
            const policies = names.filter((name) => name !== OPTIMUM).join(",");
            show(players, await engine.ask(questionOf("compare", { ...values, policies, ties: "random", seconds: "20" })));
        });
    });
}
