// What of the browser laboratory needs no browser: the game, addresses and command lines, the layout of
// trees, pictures, functions of one's own, and the queue before the Worker.
//
//   node test_web.mjs WEB_GLUE
//
// WEB_GLUE is the glue with the page's part in C (web_glue.c): a whole game is played against it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";

import { gamesOf, judged, rulesOfClass } from "../tools/web/class.js";
import { BOUNDS } from "../tools/web/compare.js";
import * as crowd from "../tools/web/crowd.js";
import * as draw from "../tools/web/draw.js";
import { Engine, Stopped } from "../tools/web/engine.js";
import * as game from "../tools/web/game.js";
import * as lesson from "../tools/web/lesson.js";
import * as match from "../tools/web/match.js";
import * as policy from "../tools/web/policy.js";
import * as rank from "../tools/web/rank.js";
import * as state from "../tools/web/state.js";
import { layOut } from "../tools/web/layout.js";
import { namesIn, withoutPayoff } from "../tools/web/names.js";
import { withTerms } from "../tools/web/terms.js";
import { meanOf, playMany } from "../tools/web/watch.js";
import * as words from "../tools/web/words.js";

draw.setLooks(JSON.parse(readFileSync(new URL("../tools/python/optgap/_figures/looks.json", import.meta.url), "utf8")));

const near = (one, other, most) => assert.ok(Math.abs(one - other) <= most, `${one} and ${other}`);

// ---- words ----

test("instances are read without losing a digit", () => {
    assert.deepEqual(words.betaOf("3x1.50,0.1@.3"), { copies: 3, a: "1.50", b: "0.1", threshold: ".3" });
    for (const wrong of ["", "1", "1,", "1,1,1", "0,1", "1,1@1", "1,1@0", "0x1,1", "-1,1", "x1,1", "1e3,1"]) {
        assert.throws(() => words.betaOf(wrong), Error, wrong);
    }
    assert.equal(words.plus("0.1", 2), "2.1");
    assert.equal(words.plus("1.25598715532", 3), "4.25598715532");
    assert.equal(words.plus(".5", 1), "1.5");
    assert.equal(words.plus("7", 1), "8");
    assert.deepEqual(words.wordsOf("  2,1\n4,2 "), ["2,1", "4,2"]);
});

test("fractions are subtracted exactly", () => {
    assert.equal(words.minus("1/6", "1/10"), "1/15");
    assert.equal(words.minus("3", "1/2"), "5/2");
    assert.equal(words.minus("1/3", "1/3"), "0");
    assert.equal(words.minus("1/12345678901234567890", "0"), "1/12345678901234567890");
});

test("a proved error is rounded up", () => {
    for (const [error, text] of [[1.288e-14, "1.3e-14"], [4.43e-14, "4.5e-14"], [9.96e-3, "0.01"], [0.02, "0.02"], [0, "0"]]) {
        assert.equal(words.errorText(error), text);
        assert.ok(Number(text) >= error);
    }
});

test("words are quoted for a shell and for a page", () => {
    assert.equal(words.quoted("5x1,1@0.3"), "5x1,1@0.3");
    assert.equal(words.quoted("it's"), "'it'\\''s'");
    assert.equal(words.quoted(""), "''");
    assert.equal(words.escaped(`<a href="x">'&`), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
});

// ---- addresses and command lines ----

test("an address brings a screen back", () => {
    for (const screen of Object.keys(state.SCREENS)) {
        const usual = state.SCREENS[screen];
        assert.equal(state.writeState(screen, usual), `#${screen}`);
        const values = Object.fromEntries(Object.keys(usual).map((key, i) => [key, i % 2 ? "" : `a b&c=${key}#?\n"é`]));
        assert.deepEqual(state.readState(state.writeState(screen, values)), { screen, values });
    }
    assert.equal(state.readState("#nothing?budget=9").values.budget, state.SCREENS.play.budget);
    assert.equal(state.readState("").screen, "play");
    assert.equal(state.readState("#__proto__").screen, "play");
    assert.equal(state.readState("#tree?budget=3&other=1").values.other, undefined);
});

test("command lines say what is asked", () => {
    const compare = { ...state.SCREENS.compare, policies: "kg, opt-kg", ties: "random,worst" };
    assert.equal(state.commandLine("compare", compare),
        "optgap compare -T 12 --policies kg,opt-kg --ties random,worst --explain --time-limit 60 5x1,1");
    assert.equal(state.commandLine("tree", state.SCREENS.tree),
        "optgap tree -T 2 --arithmetic exact -o tree.svg 2,1 4,2 4,4");
    assert.equal(state.queryLine(state.SCREENS.play, ["3,1", "4,2"], 1, false),
        "optgap query -T 2 --left 1 --policies opt-kg,kg,gittins-fh 3,1 4,2");
    assert.match(state.commandLine("own", state.SCREENS.own), /--policy 'command:node mine.mjs'/);
    assert.deepEqual(state.questionOf("own", state.SCREENS.own).policies[0], { name: "mine", function: 0 });
    assert.equal(state.commandLine("compare", { ...compare, policies: "", ties: "", seconds: "0", explain: "", budget: " 3 " }),
        "optgap compare -T 3 5x1,1");
    const crowd = { ...compare, workers: "2x4,1 1,1", ties: "" };
    assert.equal(state.commandLine("compare", crowd),
        "optgap compare -T 12 --workers-prior 2x4,1 --workers-prior 1,1 --policies kg,opt-kg --explain --time-limit 60 5x1,1");
    assert.deepEqual(state.questionOf("compare", crowd).options, { budget: "12", "workers-prior": ["2x4,1", "1,1"] });
    assert.deepEqual(state.budgetsOf(3), [1, 2, 3]);
    assert.deepEqual(state.budgetsOf(0), []);
    const many = state.budgetsOf(100);
    assert.equal(many.length, 16);
    assert.equal(many.at(-1), 100);
});

// ---- the game ----

test("chances are those of sums of binomials", () => {
    const choose = (n, k) => (k === 0 ? 1 : (choose(n, k - 1) * (n - k + 1)) / k);
    for (const [x, a, b] of [[0.5, 3, 4], [0.3, 1, 1], [0.7, 9, 2], [0.01, 2, 5], [0.99, 12, 30], [0.4, 40, 1]]) {
        let above = 0;
        for (let k = 0; k < a; k++) {
            above += choose(a + b - 1, k) * x ** k * (1 - x) ** (a + b - 1 - k);
        }
        near(game.betaBelow(x, a, b), 1 - above, 1e-13);
    }
    near(game.betaBelow(0.25, 0.5, 0.5), 1 / 3, 1e-13);
    near(game.betaBelow(0.2, 0.001, 3) + game.betaBelow(0.8, 3, 0.001), 1, 1e-13);
});

test("calls are even only where they are", () => {
    const call = (a, b, threshold = "0.5") => game.callOf({ a, b, threshold });
    assert.equal(call("2", "2"), "undecided");
    assert.equal(call("2.1", "2"), "positive");
    assert.equal(call("1", "1", "0.7"), "negative");
    assert.equal(call("1", "1", "0.5000000001"), "negative");
    assert.equal(call("1", "2", "0.29289321881345254"), "undecided"); // its median
});

test("draws have the prior's mean and spread", () => {
    const random = game.randomFrom(1);
    for (const [a, b] of [[1, 1], [0.3, 2], [5, 2]]) {
        const count = 20000;
        const drawn = Array.from({ length: count }, () => game.betaDraw(random, a, b));
        const mean = drawn.reduce((sum, x) => sum + x, 0) / count;
        const square = drawn.reduce((sum, x) => sum + x * x, 0) / count;
        near(mean, a / (a + b), 0.01);
        near(square, (a * (a + 1)) / ((a + b) * (a + b + 1)), 0.01);
    }
    assert.ok([0, 1].includes(Math.round(game.betaDraw(random, 1e-5, 1e-5))));
});

const values = { ...state.SCREENS.play, instances: "2,1 2x4,2@0.3", budget: "5", seed: "7", names: "garden" };

test("rules are checked", () => {
    const rules = game.rulesOf(values);
    assert.deepEqual(rules.names, ["garden", "Instance 2", "Instance 3"]);
    assert.equal(rules.exact, true);
    assert.equal(game.rulesOf({ ...values, instances: "1.5,1" }).exact, false);
    for (const wrong of [{ instances: "" }, { instances: "1," }, { instances: "13x1,1" }, { budget: "0" }, { budget: "41" },
        { budget: "1.5" }, { seed: "-1" }, { seed: "x" }]) {
        assert.throws(() => game.rulesOf({ ...values, ...wrong }), Error);
    }
});

test("labels do not depend on the order in which they are asked for", () => {
    const rules = game.rulesOf(values);
    const dealt = game.deal(rules);
    assert.deepEqual(game.deal(rules), dealt);
    const one = game.stateAfter(rules, dealt, [0, 1, 0, 2]);
    assert.deepEqual(game.stateAfter(rules, dealt, [2, 0, 0, 1]), one);
    assert.equal(one.left, 1);
    assert.equal(one.counts.flat().reduce((sum, n) => sum + n, 0), 4);
    assert.match(one.words[1], /^\d,\d@0\.3$/);
    assert.deepEqual(game.movesOf("1,3,3", rules), [0, 2, 2]);
    assert.deepEqual(game.movesOf("1,4,3", rules), [0]);
    assert.deepEqual(game.movesOf("", rules), []);
    assert.deepEqual(game.movesOf("1,1,1,1,1,1,1", rules).length, 5);
    assert.equal(game.movesText([0, 2]), "1,3");
});

test("scores and the choices that lost most", () => {
    const dealt = [{ positive: true }, { positive: true }, { positive: false }];
    const posteriors = [["3", "1"], ["2", "2"], ["3", "1"]].map(([a, b]) => ({ a, b, threshold: "0.5" }));
    assert.deepEqual(game.scoreOf(posteriors, dealt), { points: [1, 0.5, 0], total: 1.5 });
    assert.deepEqual(game.worstOf([0, 0.1, 0.3, 0.1, 0.05]), [
        { number: 2, lost: 0.3 }, { number: 1, lost: 0.1 }, { number: 3, lost: 0.1 }]);
});

// The glue as a process: questions one after the other, answers in this order.
function glue() {
    const child = spawn(process.argv[2], { stdio: ["pipe", "pipe", "inherit"] });
    const waiting = [];
    let text = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
        if (line === "--") {
            waiting.shift()(JSON.parse(text));
            text = "";
        } else {
            text += `${line}\n`;
        }
    });
    return {
        ask: (question) => new Promise((resolve) => {
            waiting.push(resolve);
            child.stdin.write(`${JSON.stringify(question)}\n`);
        }),
        end: () => child.kill(),
    };
}

test("a whole game against the engine", { skip: process.argv[2] === undefined }, async (t) => {
    const native = glue();
    t.after(() => native.end());
    const played = { ...state.SCREENS.play, instances: "2,1 4,2 4,4", budget: "2" };
    const rules = game.rulesOf(played);
    const dealt = game.deal(rules);
    async function ask(now, left) {
        const { status, message, document } = await native.ask(state.queryOf(played, now, left, rules.exact));
        assert.equal(status, "ok", message);
        return document;
    }
    const first = await ask(["2,1", "4,2", "4,4"], 2);
    assert.deepEqual(game.optimaOf(first), [0]);
    assert.deepEqual(game.costOf(first, 0, words.minus), { lost: 0, exact: "0" });
    const cost = game.costOf(first, 2, words.minus);
    assert.equal(cost.exact, "13/768"); // 59/384 - 35/256
    near(cost.lost, 13 / 768, 1e-15);
    const optimum = await game.playedBy(rules, dealt, "optimum", game.optimaOf, ask, words.minus);
    assert.deepEqual(optimum.costs, [0, 0]);
    assert.equal(optimum.moves[0], 0);
    for (const name of state.PLAYERS) {
        const other = await game.playedBy(rules, dealt, name, (document) => document.policies[name], ask, words.minus);
        assert.equal(other.moves[0], 2);
        near(other.costs[0], 13 / 768, 1e-15);
        assert.ok(other.total >= 0 && other.total <= 3);
    }
    for (const screen of ["compare", "tree"]) {
        const { status, message } = await native.ask(state.questionOf(screen, state.SCREENS[screen]));
        assert.equal(status, "ok", message);
    }
    const { document } = await native.ask(state.questionOf("own", state.SCREENS.own));
    assert.equal(document.policies[0].name, "mine");
    for (const preset of state.PRESETS) {
        const its = game.rulesOf({ ...state.SCREENS.play, ...preset });
        const now = game.stateAfter(its, game.deal(its), []);
        const { status, message } = await native.ask(state.queryOf({ ...state.SCREENS.play, ...preset }, now.words, now.left, its.exact));
        assert.equal(status, "ok", message);
    }
});

test("a class is judged, and many games have the engine's values", { skip: process.argv[2] === undefined }, async (t) => {
    const native = glue();
    t.after(() => native.end());
    const games = gamesOf("Ana: https://there/#play?budget=2&moves=3%2C1\nnothing\nhttps://there/index.html#play?moves=1%2C3 Bo\n#play?moves=2\n");
    assert.deepEqual(games.map(({ name }) => name), ["Ana", "Bo", "Game 3"]);
    const rules = rulesOfClass(games);
    const ask = async (now, left) => (await native.ask(state.queryOf(games[0].values, now, left, true))).document;
    const rows = await judged(games, ask, rules);
    assert.deepEqual(rows.map(({ name }) => name), rows[0].lost <= rows[1].lost && rows[0].name === "Bo" ? ["Bo", "Ana", "Game 3"] : ["Ana", "Bo", "Game 3"]);
    near(rows.find(({ name }) => name === "Ana").costs[0], 13 / 768, 1e-15);
    assert.equal(rows.find(({ name }) => name === "Bo").costs[0], 0);
    assert.equal(rows[2].total, null, "it is not finished");
    assert.throws(() => rulesOfClass([]), /no link/);
    assert.throws(() => rulesOfClass(gamesOf("#play\nBo #play?seed=2")), /Bo is another game/);
    const players = await playMany(rules, ["opt-kg", "optimum"], ask, 100);
    const { document } = await native.ask(state.questionOf("compare", { ...state.SCREENS.compare, ...games[0].values, policies: "opt-kg", seconds: "9" }));
    for (const [i, exact] of [document.policies[0].value, document.optimal.value].entries()) {
        const { mean, error } = meanOf(players[i].right);
        near(mean, exact, 4 * error);
        assert.ok(error > 0 && error < 0.1);
    }
    near(meanOf(players[0].lost).mean, document.policies[0].gap, 1e-12); // it loses at the first choice alone
    assert.ok(Object.keys(document.bounds).every((name) => document.bounds[name] === null || Object.hasOwn(BOUNDS, name)), "each bound has a name for people");
});

test("a payoff is asked for, told, and not repeated in a tree", { skip: process.argv[2] === undefined }, async (t) => {
    const native = glue();
    t.after(() => native.end());
    const values = { ...state.SCREENS.tree, instances: "2,1 1,1", payoff: "2,0,0,1" };
    assert.equal(state.commandLine("tree", values), "optgap tree -T 2 --payoff 2,0,0,1 --arithmetic exact -o tree.svg 2,1 1,1");
    const { document } = await native.ask(state.questionOf("tree", values));
    assert.match(document.figure.nodes[0].text, /=2,0,0,1/);
    assert.doesNotMatch(JSON.stringify(withoutPayoff(document)), /=2/);
    assert.match(namesIn(document, values.instances, "garden sofa").nodes[0].text, /^garden 2,1\nsofa 1,1/);
    assert.deepEqual(withoutPayoff({ problem: { instances: [{ text: "2,1=2,0,0,1" }, { text: "1,1" }] } }).problem.instances[0].text, "2,1=2,0,0,1");
});

// ---- the crowd and rankings ----

const valuesOf = (screen, more) => ({ ...state.SCREENS[screen], ...more });

test("rules of the crowd and of rankings are checked", () => {
    const rules = crowd.rulesOf(valuesOf("crowd", { instances: "2,1 1,1", workers: "2x4,1", names: "garden" }));
    assert.deepEqual(rules.choices, ["garden, worker 1", "garden, worker 2", "Instance 2, worker 1", "Instance 2, worker 2"]);
    assert.deepEqual(rank.rulesOf(valuesOf("rank", { instances: "2x1 3" })).pairs, [[0, 1], [0, 2], [1, 2]]);
    for (const wrong of [{ instances: "" }, { instances: "4x1,1" }, { instances: "1,1@0.3" }, { workers: "" }, { workers: "4x1,1" },
        { budget: "0" }, { budget: "7" }, { budget: "" }, { seed: "x" }]) {
        assert.throws(() => crowd.rulesOf(valuesOf("crowd", wrong)), Error, JSON.stringify(wrong));
    }
    for (const wrong of [{ instances: "1" }, { instances: "5x1" }, { instances: "1.5 1" }, { instances: "0 1" }, { instances: "10 1" }, { budget: "1.5" }]) {
        assert.throws(() => rank.rulesOf(valuesOf("rank", wrong)), Error, JSON.stringify(wrong));
    }
});

test("beliefs by hand", () => {
    // Beta(1,1) and one comparison: the winner's share x of the two scores has the density 2 x.
    near(rank.beliefOf({ items: [1, 1] }, [{ winner: 0, loser: 1 }]).above[0][1], 3 / 4, 1e-12);
    near(rank.beliefOf({ items: [1, 1, 1, 1] }, []).above[2][3], 1 / 2, 1e-12);
    assert.deepEqual(rank.bestOrder([[0, 0.2, 0.6], [0.8, 0, 0.7], [0.4, 0.3, 0]]), { order: [1, 0, 2], share: (0.8 + 0.7 + 0.6) / 3 });
    // A label is positive with x r + (1 - x) (1 - r): 1/2 for x of Beta(1,1) and r of Beta(4,1), and then the density of
    // x is 2 (0.8 x + 0.2 (1 - x)), of which 0.65 lies above 1/2.
    const rules = { instances: [[1, 1]], workers: [[4, 1]] };
    const { positive, reliability, evidence } = crowd.beliefOf(rules, [{ instance: 0, worker: 0, positive: true }]);
    near(evidence, 1 / 2, 1e-14);
    near(positive[0], 0.65, 1e-13);
    near(reliability[0], 0.8, 1e-14); // nothing is learnt of a worker from an instance that can be either
    // With an instance that is surely positive, the next label is right as often as the reliability expects.
    const sure = { instances: [[2, 1], [1e9, 1e-9]], workers: [[4, 1], [1, 1]] };
    const labels = [[0, 0, true], [0, 1, false], [0, 1, false]].map(([instance, worker, is]) => ({ instance, worker, positive: is }));
    const before = crowd.beliefOf(sure, labels);
    for (const worker of [0, 1]) {
        near(crowd.beliefOf(sure, [...labels, { instance: 1, worker, positive: true }]).evidence / before.evidence, before.reliability[worker], 1e-9);
    }
});

// With one choice left, its value is what the beliefs of this page expect to gain.
function gainOf(kind, rules, labels, answers) {
    const worth = (belief) => (kind === rank ? rank.bestOrder(belief.above).share
        : belief.positive.reduce((sum, share) => sum + Math.max(share, 1 - share), 0));
    const before = kind.beliefOf(rules, labels);
    const after = answers.map((one) => kind.beliefOf(rules, [...labels, one]));
    return after.reduce((sum, belief) => sum + (worth(belief) * belief.evidence) / before.evidence, -worth(before));
}

test("games of crowds and rankings against the engine", { skip: process.argv[2] === undefined }, async (t) => {
    const native = glue();
    t.after(() => native.end());
    for (const [kind, given] of [
        [crowd, valuesOf("crowd", { budget: "4" })],
        [crowd, valuesOf("crowd", { budget: "4", instances: "2,1 2x1,1", workers: "2,1 2x4,1" })],
        [crowd, valuesOf("crowd", { budget: "3", instances: "1,1 2,1 1,1", workers: "4,1 4,1" })],
        [rank, valuesOf("rank", {})], [rank, valuesOf("rank", { instances: "2 1 3", budget: "3", seed: "4" })],
    ]) {
        const rules = kind.rulesOf(given);
        const dealt = kind.deal(rules);
        assert.deepEqual(kind.deal(rules), dealt);
        const ask = async (now) => {
            const { status, message, document } = await native.ask(match.queryOf(kind, given, now));
            assert.equal(status, "ok", message);
            const advice = match.adviceOf(kind, rules, now, document);
            assert.equal(advice.value.length, rules.choices.length);
            assert.equal(new Set(kind.placesOf(rules, now, document)).size, document.actions.length);
            for (const [choice, value] of now.left === 1 ? advice.value.entries() : []) {
                const [i, j] = kind === rank ? rules.pairs[choice] : [Math.floor(choice / rules.workers.length), choice % rules.workers.length];
                const answers = kind === rank ? [{ winner: i, loser: j }, { winner: j, loser: i }]
                    : [true, false].map((positive) => ({ instance: i, worker: j, positive }));
                near(value, gainOf(kind, rules, now.labels, answers), 1e-9);
            }
            return advice;
        };
        const optimum = await match.playedBy(kind, rules, dealt, "optimum", ask);
        assert.deepEqual(optimum.costs, Array(rules.budget).fill(0));
        for (const name of kind.PLAYERS) {
            const other = await match.playedBy(kind, rules, dealt, name, ask);
            assert.ok(other.costs.every((cost) => cost >= 0) && other.total >= 0);
        }
        const now = kind.stateAfter(rules, dealt, optimum.moves);
        assert.equal(now.left, 0);
        assert.equal(now.history.split(" ").length, rules.budget);
        assert.equal(kind.known(rules, now).length, rules.name.length + (kind === crowd ? rules.workers.length : 0));
        assert.match(draw.lines(kind.picture(rules, now)), /^<svg/);
    }
});

test("command lines of the crowd and of rankings", () => {
    assert.equal(match.queryLine(crowd, valuesOf("crowd", { workers: "4,1 2x2,1" }), { history: "1@1+ 1@2-" }),
        "optgap query -T 5 --workers-prior 4,1 --workers-prior 2x2,1 --history '1@1+ 1@2-' --policies opt-kg,kg,opt-kg-exact 2x1,1");
    assert.equal(match.queryLine(rank, valuesOf("rank", {}), { history: "" }),
        "optgap query -T 4 --problem ranking --policies akg,distance,kg-exact 4x1");
});

// ---- the lesson ----

// Every number of a document as the page writes it.
function numbersIn(document, found = new Set()) {
    for (const value of Object.values(document)) {
        if (typeof value === "number") {
            found.add(words.valueText(value)).add(words.gapText(value));
        } else if (value !== null && typeof value === "object") {
            numbersIn(value, found);
        }
    }
    return found;
}

// The engine's question about a screen of the lesson, as the screen asks it first.
function askedFirst(screen, values) {
    if (screen !== "play") {
        return state.questionOf(screen, values);
    }
    const rules = game.rulesOf(values);
    const { words: now, left } = game.stateAfter(rules, game.deal(rules), []);
    return state.queryOf(values, now, left, rules.exact);
}

test("a link of the lesson sets up a screen and keeps the step", () => {
    assert.equal(lesson.STEPS.length, 5);
    lesson.STEPS.forEach(({ links }, at) => links.forEach(({ screen, values }, i) => {
        const found = state.readState(lesson.addressOf(at, i));
        assert.deepEqual(found, { screen, values: { ...state.SCREENS[screen], ...values, lesson: `${at + 1}` } });
    }));
    assert.equal(state.readState("#play?lesson=1&budget=3").values.lesson, "1");
});

test("the lesson's answers are the engine's", { skip: process.argv[2] === undefined }, async (t) => {
    const native = glue();
    t.after(() => native.end());
    const seen = [];
    for (const [at, { links, answer }] of lesson.STEPS.entries()) {
        const found = new Set();
        for (const [i] of links.entries()) {
            const { screen, values } = state.readState(lesson.addressOf(at, i));
            const { status, message, document } = await native.ask(askedFirst(screen, values));
            assert.equal(status, "ok", message);
            numbersIn(document, found);
            seen.push(document);
        }
        const claims = answer.match(/\d+\.\d+/g) ?? [];
        const runsMine = (number) => at === 2 && number === "0.01693"; // of a function, which only a browser runs
        assert.deepEqual(claims.filter((number) => !found.has(number) && !runsMine(number)), [], answer);
    }
    // The roof, the garden, both, the garden.
    assert.deepEqual(seen.slice(2, 6).map(game.optimaOf), [[2], [0], [0, 2], [0]]);
    assert.deepEqual(seen.slice(2, 6).map(({ policies }) => policies["opt-kg"]), [[2], [2], [2], [2]]);
    const [, both] = seen.slice(-2);
    assert.deepEqual(both.policies.map(({ name, gain_lost_percent: lost }) => [name, lost]), [["uniform", 50], ["kg", 0], ["opt-kg", 100]]);
    for (const [label, best] of [["2,2", 0], ["3,1", 2]]) {
        const { document } = await native.ask(state.queryOf({ budget: "2" }, [label, "4,2", "4,4"], 1, true));
        assert.deepEqual(game.optimaOf(document), [best]);
    }
});

// ---- a function of one's own ----

test("states are decoded as programs see them", () => {
    const numbers = Float64Array.of(3, 0.5, 0, 2, 0, 1, 2, /* mixture */ 1, 0.3, 1, 6, 2, 0.25, 1, 2, 0.75, 3, 4, 9, 8,
        /* classes */ 2, 0.5, 2, 3, 0, 1, 1, 2, /* beyond */ NaN);
    assert.deepEqual(policy.stateOf(4, 9, 3, numbers), {
        left: 4, budget: 9, counts: [3, 1, 2], thresholds: [0.5, 0.3, null],
        instances: [[1, 2], [[0.25, 1, 2], [0.75, 3, 4]], [1, 1, 2]],
    });
});

test("answers are an index, weights or a choice, and anything else is said", () => {
    const now = { left: 1, budget: 2, instances: [[1, 1], [2, 1]], counts: [1, 1], thresholds: [0.5, 0.5] };
    const said = (code) => policy.answerOf(policy.compiled(code), now);
    assert.deepEqual(said("(s) => s.instances.map(([a, b]) => a - b)"), { kind: policy.INDEX, numbers: [0, 1] });
    assert.deepEqual(said("() => ({ weights: [1, 3] })"), { kind: policy.WEIGHTS, numbers: [1, 3] });
    assert.deepEqual(said("() => ({ choose: 1 })"), { kind: policy.WEIGHTS, numbers: [0, 1] });
    assert.deepEqual(said("() => ({ index: [1, Infinity] })"), { kind: policy.INDEX, numbers: [1, Infinity] });
    assert.deepEqual(said("function (s) { return [1, 2]; } // with a comment"), { kind: policy.INDEX, numbers: [1, 2] });
    assert.equal(said(state.OWN_EXAMPLE).numbers.length, 2);
    for (const [code, word] of [["() => 3", "array"], ["() => undefined", "array"], ["() => null", "array"],
        ["() => [1]", "1 numbers for 2"], ["() => [1, NaN]", "group 1"], ["() => [1, '2']", "group 1"],
        ["() => ({ choose: 2 })", "2 groups"], ["() => x", "x is not defined"], ["3", "not a function"], ["(", ""]]) {
        assert.throws(() => said(code), (error) => policy.errorText(error, now).includes(word), code);
    }
    assert.doesNotMatch(policy.errorText(new Error("a\nb"), now), /\n/);
});

test("the same function is a program", () => {
    const program = policy.programOf(state.OWN_EXAMPLE);
    assert.ok(program.includes(state.OWN_EXAMPLE));
    assert.match(program, /process\.stdin/);
});

// ---- pictures ----

// Every tag that opens closes.
function wellFormed(svg) {
    const open = [];
    for (const [, shut, name, self] of svg.replace(/<style>.*?<\/style>/s, "").matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
        if (shut) {
            assert.equal(open.pop(), name);
        } else if (!self) {
            open.push(name);
        }
    }
    assert.deepEqual(open, []);
    assert.doesNotMatch(draw.alone(svg), /var\(/);
    assert.doesNotMatch(svg, /NaN|undefined|Infinity|null/);
}

test("lines and heat maps are drawn, also with little in them", () => {
    const about = { title: "a < b", xName: "labels", yName: "calls" };
    for (const series of [[], [{ name: "x", points: [[1, null]] }], [{ name: "x", points: [[1, 2]] }],
        [{ name: "x", points: [[1, 0], [2, 0]] }, { name: "<y>", points: [[1, 1], [2, null]] }]]) {
        wellFormed(draw.lines({ ...about, series }));
        wellFormed(draw.lines({ ...about, series, band: [[1, 0, 3], [2, 1, 4]], bandName: "a & b" }));
    }
    const cells = (losses) => losses.map((loss, i) => ({ left: losses.length - i, loss }));
    wellFormed(draw.heatMap({ title: "where", rows: [{ name: "kg", cells: cells([0, 1e-3, 2]) }] }));
    wellFormed(draw.heatMap({ title: "where", rows: [{ name: "kg", cells: cells([0]) }] }));
    assert.deepEqual(draw.ticksOf(0, 10), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(draw.ticksOf(0.1, 0.3, 2), [0.1, 0.2, 0.3]);
    assert.deepEqual(draw.ticksOf(3, 3), [3]);
});

test("names at lines' ends keep their order and do not overlap", () => {
    for (const wanted of [[10, 10, 10], [0, 100, 50], [100, 99, 98, 97], [5]]) {
        const at = draw.apart(wanted, 16, 0, 100);
        const sorted = [...at].sort((one, other) => one - other);
        assert.ok(sorted.every((y, i) => i === 0 || y - sorted[i - 1] >= 16 - 1e-9), `${at}`);
        assert.ok(sorted.at(-1) <= 100);
        wanted.forEach((y, i) => wanted.forEach((z, j) => assert.ok(!(y < z) || at[i] < at[j])));
    }
});

test("looks are the table's, and the optimum has its own", () => {
    const looks = draw.looksOf(["optimum", "opt-kg", "kg", "something else", "kg, ties first"]);
    assert.match(looks[0].stroke, /--optimum/);
    assert.match(looks[1].stroke, /--look-2, #0072B2/);
    assert.match(looks[2].stroke, /--look-1, #D55E00/);
    assert.equal(new Set(looks.map((look) => JSON.stringify(look))).size, 5);
    assert.deepEqual(draw.looksOf(["kg"]), draw.looksOf(["uniform", "kg"]).slice(1));
    assert.match(draw.looksStyle(), /--look-6: #48365A;.*prefers-color-scheme: dark.*--look-6: #8B5397;/);
});

// Two labels: a figure as the engine makes it, with a state that two choices lead to.
const figure = {
    nodes: [["s0", "state", "2,1   4,2\n2 left"], ["s1", "state", "3,1   4,2\n1 left"], ["s2", "end", "2,2   4,2"], ["s3", "end", "3,1   5,2 & <"],
        ["a0", "best", "label 2,1\n1"], ["a1", "losing", "label 4,2\nkg"], ["a2", "best", "label 4,2"]].map(([name, kind, text]) => ({ name, kind, text })),
    arrows: [["s0", "a0", "best"], ["a0", "s1", "outcome", " +  2/3 "], ["a0", "s2", "outcome", " -  1/3 "], ["s0", "a1", "other"],
        ["a1", "s3", "outcome", " + "], ["s1", "a2", "best"], ["a2", "s3", "outcome", " +  2/3 \n - "]].map(([from, to, kind, text = null]) => ({ from, to, kind, text })),
};

test("a tree is drawn as far as it is open, and nothing overlaps", () => {
    const shut = draw.openPart(figure, new Set(["s0"]));
    assert.deepEqual(shut.nodes.map(({ name }) => name), ["s0", "s1", "s2", "s3", "a0", "a1"]);
    assert.deepEqual(shut.nodes.map(({ opens }) => opens), ["true", "false", undefined, undefined, undefined, undefined]);
    const whole = draw.openPart(figure, new Set(["s0", "s1"]));
    assert.equal(whole.arrows.length, figure.arrows.length);
    assert.deepEqual([...draw.firstOpen(figure, ({ nodes }) => nodes.length <= 6)], ["s0"]);
    assert.deepEqual([...draw.firstOpen(figure, ({ nodes }) => nodes.length <= 7)], ["s0", "s1"]);
    const svg = draw.tree({ ...shut, title: "t" });
    wellFormed(svg);
    assert.equal(svg.match(/role="treeitem"/g).length, 6);
    assert.equal(svg.match(/aria-expanded="true"/g).length, 1);
    const { places, width, height } = layOut(whole, draw.textWidth);
    for (const [i, one] of places.entries()) {
        assert.ok(one.x - one.width / 2 >= 0 && one.x + one.width / 2 <= width && one.y - one.height / 2 >= 0 && one.y + one.height / 2 <= height);
        for (const other of places.slice(i + 1)) {
            assert.ok(Math.abs(one.x - other.x) >= (one.width + other.width) / 2 || Math.abs(one.y - other.y) >= (one.height + other.height) / 2);
        }
    }
});

test("names are kept in a tree where they are certain", { skip: process.argv[2] === undefined }, async (t) => {
    const native = glue();
    t.after(() => native.end());
    const treeOf = async (instances) => {
        const values = { ...state.SCREENS.tree, instances, all: "1", against: "opt-kg" };
        return (await native.ask(state.questionOf("tree", values))).document;
    };
    const text = (figure, name) => figure.nodes.find((node) => node.name === name).text;
    const three = await treeOf("2,1 4,2 4,4");
    const named = namesIn(three, "2,1 4,2 4,4", "garden sofa roof");
    assert.match(text(named, "s0"), /^garden 2,1\nsofa 4,2\nroof 4,4\n2 left\nvalue 851\/384$/);
    assert.match(text(named, "a2"), /^label roof\n563\/256\nopt-kg\nloses 13\/768$/);
    assert.match(text(named, "s2"), /^garden 2,2\nsofa 4,2\nroof 4,4/);
    assert.ok(named.nodes.every(({ name, text: words }) => !name.startsWith("a") || /label (garden|sofa|roof)/.test(words)));
    assert.deepEqual(namesIn(three, "2,1 4,2 4,4", ""), three.figure);
    // Of two alike, and where both ways lead to 2,2, no name is certain.
    const two = namesIn(await treeOf("2x1,1 3,1"), "2x1,1 3,1", "one two three");
    assert.match(text(two, "s0"), /^2x1,1\nthree 3,1\n/);
});

test("a density has area 1, and a random answer is told in words of the page", () => {
    for (const [a, b] of [[1, 1], [2, 1], [4, 4], [5.5, 2]]) {
        const points = game.densityOf(a, b, 100, 2000);
        near(points.reduce((sum, [, y]) => sum + y, 0) / 2000, 1, 1e-4);
    }
    assert.ok(game.densityOf(0.1, 0.1).every(([, y]) => y <= 8));
    const told = policy.inOurWords("policy 'mine' answers at random: asked twice about the same state, it answered 0.5 and then 0.25 (number 1 of 3); return weights instead, the probability of each choice (*weights = true, in Python optgap.weights)");
    assert.match(told, /^Your function answers at random: .* returned 0.5 and then 0.25 for group 1\. Return \{weights/);
    assert.equal(policy.inOurWords("other"), "other");
});

test("terms explain themselves once each", () => {
    const html = withTerms("A gap & a gap of a policy's soft label");
    assert.equal(html.match(/class="term"/g).length, 3);
    assert.match(html, /&amp; a gap of/);
});

test("the quiz is answered by the engine", { skip: process.argv[2] === undefined }, async (t) => {
    const native = glue();
    t.after(() => native.end());
    const answers = [];
    for (const question of lesson.QUIZ) {
        const { status, message, document } = await native.ask(lesson.quizQuestion(question));
        assert.equal(status, "ok", message);
        answers.push(lesson.quizAnswer(document));
    }
    assert.equal(answers.length, 5);
    assert.ok(new Set(answers).size > 1, `${answers}`);
    // One label of 3,1 changes no call; one of 3,3 gains 1/14.
    assert.equal(answers[0], 1);
});

// ---- the queue before the Worker ----

// A Worker that answers with what it was asked, when told to.
class Fake {
    static made = [];
    sent = [];
    ended = false;
    constructor() {
        Fake.made.push(this);
    }
    postMessage(message) {
        this.sent.push(message);
    }
    terminate() {
        this.ended = true;
    }
    say(more, id = this.sent.at(-1).id) {
        this.onmessage({ data: { id, ...more } });
    }
    ok(document) {
        this.say({ answer: { status: "ok", message: "", document } });
    }
}

function fakes() {
    Fake.made = [];
    return new Engine(() => new Fake(), 10);
}

test("questions are asked one at a time, in order", async () => {
    const engine = fakes();
    const told = [];
    const one = engine.ask("a", { code: "f", onProgress: (progress) => told.push(progress) });
    const two = engine.ask("b");
    const [worker] = Fake.made;
    assert.deepEqual(worker.sent, [{ id: 1, question: "a", code: "f" }]);
    worker.say({ progress: { states: 5 } });
    worker.say({ progress: { states: 6 } }, 9); // of nobody
    worker.ok("A");
    assert.equal(await one, "A");
    worker.say({ answer: { status: "bad_input", message: "no such policy", document: null } });
    await assert.rejects(two, (error) => error.message === "no such policy" && error.status === "bad_input");
    assert.deepEqual(told, [{ states: 5 }]);
    assert.equal(engine.busy, false);
    assert.equal(Fake.made.length, 1);
});

test("stop ends the worker where there is no shared flag, and the next question gets a new one", async () => {
    const engine = fakes();
    const asked = [engine.ask("a"), engine.ask("b")];
    engine.stop();
    for (const one of asked) {
        await assert.rejects(one, Stopped);
    }
    assert.equal(Fake.made[0].ended, true);
    assert.equal(engine.turn, 1);
    const next = engine.ask("c");
    Fake.made[1].ok("C");
    assert.equal(await next, "C");
    engine.stop();
    assert.equal(Fake.made[1].ended, false);
});

test("a shared flag stops softly, and a worker that does not look at it is ended", async () => {
    globalThis.crossOriginIsolated = true;
    try {
        const engine = fakes();
        const one = engine.ask("a");
        const [worker] = Fake.made;
        const flag = new Int32Array(worker.sent[0].stop);
        engine.stop();
        assert.equal(flag[0], 1);
        worker.ok("bracket");
        assert.equal(await one, "bracket");
        const two = engine.ask("b");
        assert.equal(flag[0], 0);
        engine.stop();
        await assert.rejects(two, Stopped);
        assert.equal(worker.ended, true);
    } finally {
        delete globalThis.crossOriginIsolated;
    }
});

// Any order of questions, stops, answers and passing time: each question ends, with its own answer or as stopped,
// and no worker is ended but for the question that it answers.
test("what is asked after any stops is answered", async (t) => {
    const { setTimeout, clearTimeout } = globalThis;
    let now = 0, timers = [];
    globalThis.setTimeout = (run, wait) => (timers.push({ run, at: now + wait }), timers.at(-1));
    globalThis.clearTimeout = (timer) => (timers = timers.filter((one) => one !== timer));
    globalThis.crossOriginIsolated = true;
    t.after(() => {
        Object.assign(globalThis, { setTimeout, clearTimeout });
        delete globalThis.crossOriginIsolated;
    });
    const pass = (time) => {
        now += time;
        for (const one of timers.filter(({ at }) => at <= now)) {
            globalThis.clearTimeout(one);
            one.run();
        }
    };
    let seed = 7;
    const below = (n) => ((seed = (seed * 48271) % 2147483647) >> 8) % n;
    const worker = () => Fake.made.at(-1);
    const asks = () => worker() !== undefined && !worker().ended && worker().sent.at(-1).id > (worker().told ?? 0);
    const answer = () => {
        const { id, question } = worker().sent.at(-1);
        worker().told = id;
        worker().ok(question);
    };
    for (let round = 0; round < 100; round++) {
        const engine = fakes();
        const ends = [];
        for (let step = 0; step < 12; step++) {
            const move = below(4);
            if (move === 0) {
                const name = `q${step}`;
                ends.push(engine.ask(name).then((found) => assert.equal(found, name), (error) => assert.ok(error instanceof Stopped)));
            } else if (move === 1) {
                engine.stop();
            } else if (move === 2 && asks()) {
                answer();
            } else if (move === 3) {
                pass(6);
            }
        }
        pass(20);
        const last = engine.ask("last");
        pass(20);
        while (asks()) {
            answer();
        }
        assert.equal(engine.busy, false, `round ${round}`);
        await Promise.all(ends);
        assert.equal(await last, "last");
    }
});

test("a worker that breaks is replaced", async () => {
    const engine = fakes();
    const one = engine.ask("a");
    Fake.made[0].say({ error: "RuntimeError: unreachable", broken: true });
    await assert.rejects(one, /unreachable/);
    const two = engine.ask("b");
    assert.equal(Fake.made.length, 2);
    Fake.made[1].onerror({ message: "" });
    await assert.rejects(two, /tools\/web\/build/);
});
