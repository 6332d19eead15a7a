// The screens of the crowd and of rankings, two games with the same table: cards with what is known, a
// button for each choice, and the engine's exact value of each choice beside the user's. crowd.js and
// rank.js have the rules, the draws and the beliefs of each.

import { lines } from "./draw.js";
import { OPTIMUM, SEED_MOST, movesOf, movesText, randomFrom, worstOf } from "./game.js";
import { attendGame, boxWidth, byId, engine, keysOf, lossText, showCommand, showError, showPicture, showProgress, table, working } from "./page.js";
import { line } from "./state.js";
import { escaped, gapText, plural, valueText, wordsOf } from "./words.js";

// ---- questions, without a page ----

export function queryOf(kind, values, { history }) {
    return {
        question: "query",
        family: kind.family,
        options: { budget: values.budget.trim(), ...kind.questionOf(values) },
        instances: wordsOf(values.instances),
        policies: kind.PLAYERS,
        with: { "time-limit": "60", ...(history === "" ? {} : { history }) },
    };
}

export function queryLine(kind, values, { history }) {
    const past = history === "" ? [] : ["--history", history];
    return line("query", "-T", values.budget.trim(), ...kind.optionsOf(values), ...past, "--policies", kind.PLAYERS.join(","),
        ...wordsOf(values.instances));
}

// The engine's answer by choices: their values (0 within the proved error), what each loses (0 if it is optimal), which are optimal, and
// what each policy chooses. One of several alike choices of the document stands for all.
export function adviceOf(kind, rules, state, document) {
    const action = kind.placesOf(rules, state, document).map((place) => ({ place, ...document.actions[place] }));
    const chosen = (places) => action.flatMap(({ place }, choice) => (places.includes(place) ? [choice] : []));
    return {
        value: action.map(({ q, error_bound: error }) => (Math.abs(q) <= error ? 0 : q)),
        lost: action.map(({ lost, optimal }) => (optimal ? 0 : lost)),
        best: action.flatMap(({ optimal }, choice) => (optimal ? [choice] : [])),
        picks: Object.fromEntries(kind.PLAYERS.map((name) => [name, chosen(document.policies[name])])),
    };
}

// A whole game of another player on the same draws; ties are drawn. ask(state): the advice.
export async function playedBy(kind, rules, dealt, name, ask) {
    const random = randomFrom([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), rules.seed));
    const moves = [];
    const costs = [];
    while (moves.length < rules.budget) {
        const advice = await ask(kind.stateAfter(rules, dealt, moves));
        const tied = name === OPTIMUM ? advice.best : advice.picks[name];
        const choice = tied[Math.floor(random() * tied.length)];
        costs.push(advice.lost[choice]);
        moves.push(choice);
    }
    return { name, moves, costs, ...kind.scoreOf(rules, dealt, kind.stateAfter(rules, dealt, moves)) };
}

// ---- the screen ----

// screen: its name, with which the names of its elements begin. Returns {run, setUp} as of play.js.
export function gameOn(screen, kind) {
    let game = null; // advice[m] is the engine's before move m
    let remember = () => {};
    const part = (name) => byId(`${screen}-${name}`);

    async function ask(mine, state) {
        if (!mine.known.has(state.history)) {
            const asked = engine.ask(queryOf(kind, mine.values, state), { onProgress: showProgress })
                .then((document) => adviceOf(kind, mine.rules, state, document));
            asked.catch(() => mine.known.delete(state.history));
            mine.known.set(state.history, asked);
        }
        return mine.known.get(state.history);
    }

    // Asks about each state without an answer; at the end, plays the others. False if the user has moved on.
    async function follow(mine, moves) {
        const { rules, dealt } = mine;
        const current = () => game === mine && mine.moves === moves;
        while (mine.advice.length < rules.budget && mine.advice.length <= moves.length) {
            const advice = await ask(mine, kind.stateAfter(rules, dealt, moves.slice(0, mine.advice.length)));
            if (!current()) {
                return false;
            }
            mine.advice.push(advice);
        }
        if (moves.length === rules.budget && mine.others === null) {
            byId("progress").textContent = "The others play …";
            const others = [];
            for (const name of [OPTIMUM, ...kind.PLAYERS]) {
                others.push(await playedBy(kind, rules, dealt, name, (state) => ask(mine, state)));
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
        await working(`${screen}-error`, async () => {
            settled = await follow(mine, moves);
        });
        if (settled) {
            show();
            part("said").textContent = said ?? verdict(moves.length - 1);
            showResults();
            if (mine.moved) { // not as the page opens
                attendGame(screen, mine.others !== null);
            }
        }
    }

    function move(moves, said) {
        game.moves = moves;
        game.others = null;
        game.moved = true;
        game.advice.length = Math.min(game.advice.length, moves.length + 1);
        remember({ moves: movesText(moves) });
        go(said);
    }

    function choose(choice) {
        const { moves, rules, advice } = game;
        if (moves.length < rules.budget && advice.length > moves.length) {
            move([...moves, choice]);
        }
    }

    function undo() {
        if (game !== null && game.moves.length > 0) {
            move(game.moves.slice(0, -1), "The last choice is undone. The same answer follows if you choose it again.");
        }
    }

    // ---- the result of a choice ----

    const now = () => kind.stateAfter(game.rules, game.dealt, game.moves);
    const nameList = (choices) => {
        const all = game.rules.choices;
        const some = choices.length > 3 ? `any of ${choices.length}` : choices.map((choice) => all[choice]).join(" or ");
        return choices.length === all.length ? "any" : some;
    };
    const costs = () => game.moves.map((choice, m) => game.advice[m].lost[choice]);
    const costWords = (lost) => (lost === 0 ? "nothing" : gapText(lost));

    function verdict(m) {
        const { lost, best, picks, value } = game.advice[m];
        const choice = game.moves[m];
        const cost = lost[choice] === 0
            ? `Your choice was optimal, with an expected gain of ${valueText(value[choice])}.`
            : `Your choice had an expected gain of ${valueText(value[choice])} and cost ${gapText(lost[choice])}. Optimal: ${nameList(best)}.`;
        const others = kind.PLAYERS.map((name) => `${name} ${nameList(picks[name])}`).join("; ");
        return `${game.rules.choices[choice]}: ${kind.answerWords(now(), m, game.rules)}. ${cost} They would have chosen: ${others}.`;
    }

    // ---- drawing ----

    function knownCard({ name, share, text }) {
        return (
            `<li class="fact"><span class="name">${escaped(name)}</span>` +
            `<span class="meter" aria-hidden="true"><span style="inline-size:${(100 * share).toFixed(1)}%"></span></span>` +
            `<span class="note">${escaped(text)}</span></li>`
        );
    }

    function choiceButton(name, choice, ready) {
        const before = game.moves.filter((one) => one === choice).length;
        return (
            `<li class="card"><button type="button" data-choice="${choice}"${ready ? "" : ' aria-disabled="true"'}>` +
            `<span>${escaped(name)}${choice < 9 ? ` <kbd aria-hidden="true">${choice + 1}</kbd>` : ""}</span>${before ? `<span class="note">chosen ${plural(before, "time")}</span>` : ""}</button></li>`
        );
    }

    function show() {
        const state = now();
        const focused = document.activeElement?.dataset?.choice;
        const advice = state.left > 0 ? game.advice[game.moves.length] : undefined;
        part("left").textContent = `${plural(state.left, kind.unit)} left`;
        part("known").innerHTML = kind.known(game.rules, state).map(knownCard).join("");
        part("cards").innerHTML = game.rules.choices.map((name, choice) => choiceButton(name, choice, advice !== undefined)).join("");
        if (focused !== undefined) {
            part("cards").querySelector(`[data-choice="${focused}"]`)?.focus();
        }
        part("undo").disabled = game.moves.length === 0;
        part("values").hidden = advice === undefined;
        if (advice !== undefined) {
            const rows = game.rules.choices.map((name, choice) => [name, valueText(advice.value[choice]), costWords(advice.lost[choice])]);
            part("value").innerHTML = table(`In ${kind.metric}, if all later choices are optimal`, ["choice", "expected gain", "cost"], rows);
        }
        showCommand(screen, queryLine(kind, game.values, state));
    }

    function showResults() {
        const state = now();
        const rows = game.moves.map((choice, m) => [
            `${m + 1}`, game.rules.choices[choice], kind.answerWords(state, m, game.rules), valueText(game.advice[m].value[choice]),
            costWords(game.advice[m].lost[choice]), nameList(game.advice[m].best), ...kind.PLAYERS.map((name) => nameList(game.advice[m].picks[name])),
        ]);
        const head = ["choice", "you chose", "the answer", "expected gain", "cost", "optimal", ...kind.PLAYERS];
        part("choices").innerHTML = rows.length ? table("Your choices", head, rows) : "";
        part("picture").innerHTML = "";
        if (rows.length > 0) {
            showPicture(`${screen}-picture`, `optgap-${screen}`, lines({ ...kind.picture(game.rules, state), width: boxWidth(`${screen}-picture`) }));
        }
        part("end").innerHTML = game.others === null ? "" : endText(state);
    }

    function endText(state) {
        const mine = { name: "you", costs: costs(), ...kind.scoreOf(game.rules, game.dealt, state) };
        const players = [mine, ...game.others];
        const { head, rows, more } = kind.truth(game.rules, game.dealt, players);
        const total = (one) => lossText(one.costs.reduce((sum, lost) => sum + lost, 0));
        rows.push(["expected cost", "", "", ...players.map(total)]);
        const worst = worstOf(mine.costs).map(({ number, lost }) =>
            `<li>Choice ${number + 1}: ${escaped(game.rules.choices[game.moves[number]])} cost ${gapText(lost)}; optimal was ` +
            `${escaped(nameList(game.advice[number].best))}.</li>`);
        return (
            `<h3>The truth</h3>${table("Everybody met the same answers", [...head, ...players.map(({ name }) => name)], rows)}<p>${escaped(more)}</p>` +
            `<h3>Where you lost most</h3>${worst.length ? `<ol>${worst.join("")}</ol>` : "<p>Nowhere: every choice was optimal.</p>"}` +
            "<p>One game is mostly luck. What a choice is worth is its expected cost.</p>"
        );
    }

    // ---- for the laboratory ----

    // Begins a game, or continues the one of the address.
    function run(values) {
        engine.stop();
        try {
            const rules = kind.rulesOf(values);
            const moves = movesOf(values.moves, rules, rules.choices.length);
            game = { values, rules, dealt: kind.deal(rules), moves, advice: [], others: null, known: new Map() };
        } catch (error) {
            showError(`${screen}-error`, error);
            part("choose").open = true;
            return;
        }
        part("table").hidden = false;
        go(game.moves.length === 0 ? kind.first : undefined);
    }

    function setUp(onRemember, restart) {
        remember = onRemember;
        part("new").addEventListener("click", () => restart({ seed: String(1 + Math.floor(Math.random() * SEED_MOST)), moves: "" }));
        part("undo").addEventListener("click", undo);
        keysOf(screen, (choice) => game !== null && choice < game.rules.choices.length && choose(choice), { u: undo });
        part("cards").addEventListener("click", ({ target }) => {
            const button = target.closest("[data-choice]");
            if (button !== null) {
                choose(Number(button.dataset.choice));
            }
        });
    }

    return { run, setUp };
}
