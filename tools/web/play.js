// The play screen: the user labels, and the engine shows the cost of each choice and the choices of the
// policies. At the end it shows the truth, and the policies' results on the same draws.

import {
    OPTIMUM, callOf, costOf, deal, densityOf, movesOf, movesText, optimaOf, picksOf, playedBy, rulesOf, scoreOf, stateAfter, worstOf,
} from "./game.js";
import { density, lines } from "./draw.js";
import { found, guessed, lost } from "./lesson.js";
import { setUpClass } from "./class.js";
import { askerOf, attendGame, boxWidth, byId, engine, hasKeys, keysOf, lossText, showCommand, showError, showPicture, table, working } from "./page.js";
import { PLAYERS, PRESETS, queryLine } from "./state.js";
import { clearWatch, setUpWatch } from "./watch.js";
import { escaped, gapText, minus, plural } from "./words.js";

// The current game: documents[m] is the engine's answer before move m.
let game = null;
let remember = () => {};

const sign = (i, moves, m) => {
    const before = moves.slice(0, m).filter((move) => move === i).length;
    return game.dealt[i].labels[before] ? "positive" : "negative";
};

// ---- the engine's part ----

// Asks about each state of the game without an answer; at the end, plays the policies. False if the user
// has moved on meanwhile, so that the answers are of no use.
async function follow(mine, moves) {
    const current = () => game === mine && mine.moves === moves;
    while (mine.documents.length < mine.rules.budget && mine.documents.length <= moves.length) {
        const { words, left } = stateAfter(mine.rules, mine.dealt, moves.slice(0, mine.documents.length));
        const document = await mine.ask(words, left);
        if (!current()) {
            return false;
        }
        mine.documents.push(document);
    }
    if (moves.length === mine.rules.budget && mine.others === null) {
        byId("progress").textContent = "The others play …";
        const others = [];
        for (const name of [OPTIMUM, ...PLAYERS]) {
            others.push(await playedBy(mine.rules, mine.dealt, name, picksOf(name), mine.ask, minus));
            if (!current()) {
                return false;
            }
        }
        mine.others = others;
    }
    return true;
}

async function go(said) {
    const mine = game;
    const { moves } = mine;
    let settled = false;
    show();
    await working("play-error", async () => {
        settled = await follow(mine, moves);
    });
    if (settled) {
        show();
        if (mine.moved && said === undefined && mine.values.lesson !== "" && !mine.watched) {
            askGuess();
        } else {
            result(said ?? (moves.length > 0 ? verdict(moves.length - 1) : ""));
        }
    }
}

function result(said) {
    const { moves, values, rules, others, moved, watched } = game;
    tell(said);
    if (moves.length > 0 && !watched) {
        found("play", values, `${rules.names[moves[0]]}: ${costWords(0)}`);
    }
    if (others !== null && !watched) {
        lost(values, sum(costs()));
    }
    if (moved) { // not as the page opens
        attendGame("play", others !== null);
    }
}

// In the lesson the verdict on a choice follows the user's guess.
function askGuess() {
    byId("play-said").innerHTML = `${escaped(fellWords(game.moves.length - 1))} Was your choice optimal? ` +
        ["yes", "no"].map((word) => `<button type="button" data-guess="${word}">${word} <kbd aria-hidden="true">${word[0]}</kbd></button>`).join(" ");
    attendGame("play", false);
}

function guess(word) {
    const m = game.moves.length - 1;
    const right = (word === "yes") === game.documents[m].instances[game.moves[m]].optimal;
    guessed(right);
    result(`${right ? "You guessed right." : "You guessed wrong."} ${verdict(m)}`);
}

// ---- moves ----

function move(moves, said) {
    game.moves = moves;
    game.others = null;
    game.moved = true;
    byId("play-said").textContent = "";
    game.documents.length = Math.min(game.documents.length, moves.length + 1);
    remember({ moves: movesText(moves) });
    go(said);
}

// watched: not the user chose, but a policy.
function label(i, watched = false) {
    const { moves, rules, documents } = game;
    if (moves.length < rules.budget && documents.length > moves.length) {
        game.watched ||= watched;
        move([...moves, i]);
    }
}

function undo() {
    if (game !== null && game.moves.length > 0) {
        move(game.moves.slice(0, -1), "The last choice is undone. The same label falls if you choose it again.");
    }
}

// ---- the result of a choice ----

const nameList = (choices) => choices.map((i) => game.rules.names[i]).join(" or ");

function costWords(m) {
    const { lost, exact } = costOf(game.documents[m], game.moves[m], minus);
    return lost === 0 ? "nothing" : `${gapText(lost)}${exact === null ? "" : ` (exactly ${exact})`}`;
}

const fellWords = (m) => `${game.rules.names[game.moves[m]]}: the label is ${sign(game.moves[m], game.moves, m)}.`;

// After each click: the label, the cost of the choice, and the policies' choices.
function verdict(m) {
    const document = game.documents[m];
    const i = game.moves[m];
    const optimal = document.instances[i].optimal;
    const whose = game.watched ? "This" : "Your";
    const cost = optimal
        ? `${whose} choice was optimal.`
        : `${whose} choice cost ${costWords(m)} expected correct calls. Optimal: ${nameList(optimaOf(document))}.`;
    const others = PLAYERS.map((name) => `${name} ${nameList(document.policies[name])}`).join("; ");
    return `${fellWords(m)} ${cost} They would have labelled: ${others}.`;
}

// ---- drawing ----

// An instance's posterior before the last label.
const before = (i) => stateAfter(game.rules, game.dealt, game.moves.slice(0, -1)).posteriors[i];

// The density of a soft label, and in dots the one before the last label.
function pictureOf({ a, b, threshold }, earlier) {
    const curve = (one, look) => ({ points: densityOf(Number(one.a), Number(one.b)), look });
    const curves = [...(earlier === null ? [] : [curve(earlier, "before")]), curve({ a, b }, "now")];
    return density({ title: `Beta(${a},${b})`, curves, threshold: Number(threshold) });
}

function cardOf(i, state) {
    const { names, priors, budget } = game.rules;
    const [positive, negative] = state.counts[i];
    const posterior = state.posteriors[i];
    const { a, b, threshold } = posterior;
    const aim = priors.some((prior) => Number(prior.threshold) !== 0.5)
        ? `<span class="note">positive means at least ${escaped(threshold)}</span>`
        : "";
    const ready = state.left > 0 && game.documents.length > budget - state.left;
    const key = i < 9 ? ` <kbd aria-hidden="true">${i + 1}</kbd>` : "";
    return (
        `<li class="card"><button type="button" data-choice="${i}"${ready ? "" : ' aria-disabled="true"'}>` +
        `<span class="name">${escaped(names[i])}${key}</span>` +
        `<span class="counts">counts ${escaped(a)} : ${escaped(b)}</span>` +
        `<span aria-hidden="true">${pictureOf(posterior, game.moves.at(-1) === i ? before(i) : null)}</span>` +
        `<span class="note">new labels: ${positive} positive, ${negative} negative</span>` +
        `<span>now called <strong>${callOf(posterior)}</strong></span>${aim}</button></li>`
    );
}

function choiceRows() {
    return game.moves.slice(0, game.documents.length).map((i, m) => {
        const document = game.documents[m];
        const picks = PLAYERS.map((name) => nameList(document.policies[name]));
        return [`${m + 1}`, game.rules.names[i], sign(i, game.moves, m), costWords(m), nameList(optimaOf(document)), ...picks];
    });
}

function showChoices() {
    const head = ["choice", "you labelled", "the label", "cost", "optimal", ...PLAYERS];
    byId("play-choices").innerHTML = game.moves.length === 0 ? "" : table("Your choices", head, choiceRows());
}

const costs = () => game.moves.map((i, m) => costOf(game.documents[m], i, minus).lost);

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function showEnd(state) {
    const { rules, dealt, others } = game;
    const mine = scoreOf(state.posteriors, dealt);
    const mark = (point) => (point === 1 ? "right" : point === 0 ? "wrong" : "half");
    const rows = dealt.map(({ soft, positive }, i) => [
        rules.names[i], soft.toFixed(3), positive ? "positive" : "negative",
        `${callOf(state.posteriors[i])}: ${mark(mine.points[i])}`, ...others.map(({ points }) => mark(points[i])),
    ]);
    rows.push(["calls right", "", "", `${mine.total}`, ...others.map(({ total }) => `${total}`)]);
    rows.push(["expected cost", "", "", lossText(sum(costs())), ...others.map((one) => lossText(sum(one.costs)))]);
    const head = ["instance", "soft label", "it is", "you", OPTIMUM, ...PLAYERS];
    const worst = worstOf(costs()).map(({ number, lost }) => {
        const best = nameList(optimaOf(game.documents[number]));
        return `<li>Choice ${number + 1}: ${escaped(rules.names[game.moves[number]])} cost ${gapText(lost)}; optimal was ${escaped(best)}.</li>`;
    });
    byId("play-end").innerHTML =
        `<h3>The truth</h3>${table(`Everybody met the same labels; ${plural(rules.budget, "label")} each`, head, rows)}` +
        `<h3>Where you lost most</h3>${worst.length ? `<ol>${worst.join("")}</ol>` : "<p>Nowhere: every choice was optimal.</p>"}` +
        "<p>One game is mostly luck. What a choice is worth is its expected cost.</p><div id=\"play-picture\"></div>";
    showPicture("play-picture", "optgap-play", costPicture());
}

// The loss so far, by choices.
function costPicture() {
    const running = (lost) => lost.reduce((points, one, m) => [...points, [m + 1, points.at(-1)[1] + one]], [[0, 0]]);
    const series = [{ name: "you", costs: costs() }, ...game.others].map((one) => ({ name: one.name, points: running(one.costs) }));
    return lines({
        width: boxWidth("play-end"), title: "What the choices cost, added up", xName: "labels given", yName: "expected correct calls lost", series,
    });
}

function show() {
    const state = stateAfter(game.rules, game.dealt, game.moves);
    const focused = document.activeElement?.dataset?.choice;
    byId("play-left").textContent = `${plural(state.left, "label")} left`;
    byId("play-cards").innerHTML = game.rules.priors.map((_, i) => cardOf(i, state)).join("");
    if (focused !== undefined) {
        byId("play-cards").querySelector(`[data-choice="${focused}"]`).focus();
    }
    byId("play-undo").disabled = game.moves.length === 0;
    showCommand("play", queryLine(game.values, state.words, state.left, game.rules.exact));
}

// Continues after a choice, once the engine has answered.
function tell(said) {
    byId("play-said").textContent = said;
    showChoices();
    byId("play-end").innerHTML = "";
    if (game.others !== null) {
        showEnd(stateAfter(game.rules, game.dealt, game.moves));
    }
}

// ---- the screen ----

// Begins a game, or continues the one of the address.
export function run(values) {
    engine.stop();
    try {
        const rules = rulesOf(values);
        game = {
            values, rules, dealt: deal(rules), moves: movesOf(values.moves, rules), documents: [], others: null, ask: askerOf(values, rules.exact),
        };
    } catch (error) {
        showError("play-error", error);
        byId("play-choose").open = true;
        return;
    }
    byId("play-table").hidden = false;
    clearWatch();
    go(game.moves.length === 0 ? `Choose what to label first.${hasKeys() ? " You may press its number." : ""}` : undefined);
}

export function setUp(onRemember, restart) {
    remember = onRemember;
    const presets = byId("play-preset");
    presets.innerHTML += PRESETS.map(({ text }, i) => `<option value="${i}">${escaped(text)}</option>`).join("");
    presets.addEventListener("change", () => {
        const { text, ...values } = PRESETS[presets.value] ?? {};
        if (text !== undefined) {
            restart({ ...values, seed: "1", moves: "" });
        }
    });
    byId("play-new").addEventListener("click", () => restart({ seed: String(1 + Math.floor(Math.random() * 999999)), moves: "" }));
    byId("play-undo").addEventListener("click", undo);
    byId("play-cards").addEventListener("click", ({ target }) => {
        const button = target.closest("[data-choice]");
        if (button !== null) {
            label(Number(button.dataset.choice));
        }
    });
    byId("play-said").addEventListener("click", ({ target }) => {
        const word = target.closest("[data-guess]")?.dataset.guess;
        if (word !== undefined) {
            guess(word);
        }
    });
    setUpWatch(() => game, label);
    setUpClass();
    const press = (word) => byId("play-said").querySelector(`[data-guess="${word}"]`)?.click();
    keysOf("play", (choice) => game !== null && choice < game.rules.priors.length && label(choice),
        { u: undo, y: () => press("yes"), n: () => press("no") });
}
