// The laboratory in a real browser: tools/check --web builds it, serves it and runs this.
//
//   node tests/web_browser.mjs PROGRAM ADDRESS PLAYWRIGHT CHROMIUM [FOLDER]
//   node tests/web_browser.mjs PROGRAM ADDRESS PLAYWRIGHT CHROMIUM --picture FILE
//
// PROGRAM is the native optgap, whose numbers the page must give bit for bit; PLAYWRIGHT the folder of
// the npm package playwright-core; FOLDER gets screenshots, to be looked at. With --picture there are no
// tests: FILE is the manual's picture, tools/manual/laboratory.png.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { STEPS, addressOf } from "../tools/web/lesson.js";
import { programOf } from "../tools/web/policy.js";
import { OWN_EXAMPLE } from "../tools/web/state.js";

const [program, address, playwright, chromiumPath, ...rest] = process.argv.slice(2);
const pictureFile = rest[0] === "--picture" ? rest[1] : undefined;
const folder = rest[0] === "--picture" ? undefined : rest[0];
const { chromium } = createRequire(import.meta.url)(playwright);

// As texts, so that each digit counts; without what tells of a run and not of a problem.
function essence(document, more = []) {
    const left = new Set(["command", "seconds", "version", "commit", "threads", "memory_bytes", "memory_limit_bytes", ...more]);
    return JSON.stringify(document, (key, value) => (left.has(key) || key.endsWith("_seconds") ? undefined : value), 1);
}

const native = (...words) => JSON.parse(execFileSync(program, [...words, "--json"], { encoding: "utf8", maxBuffer: 1 << 28 }));

const usual = "uniform,kg,opt-kg,gittins-fh";

// The words of the command line, and the question that stands for them.
const PROBLEMS = [
    ["compare", "12", "5x1,1"],
    ["compare", "8", "2x3,2 2x1,1"],
    ["compare", "6", "1,1@0.3 2,1@0.7"],
    ["compare", "5", "2x0.123456789012,2.5 1,1@0.333333333333"],
    ["compare", "4", "3x1,1,1"],
    ["compare", "4", "2x2.5,1.25,1"],
    ["compare", "20", "3x1,1"],
    ["compare", "10", "2,1 4,2 4,4"],
    ["compare", "6", "1000000,1 1,1000000"],
    ["compare", "5", "2x1,1@0.999999 3,2@0.000001"],
    ["solve", "30", "10x1,1"],
    ["solve", "15", "4x1,1 3,2 2,3"],
    ["solve", "6", "3x1,1 2,1@0.123456789", "exact"],
    ["solve", "5", "2x1,1,1 2,1,1", "exact"],
    ["query", "6", "2,1 4,2 4,4", "exact"],
    ["query", "12", "6x1,1 2,2"],
    ["query", "4", "2x0.7,0.2 1,1"],
    ["bound", "10", "4x1,1 2,1"],
    ["bound", "6", "4x1,1 2,1", "exact"],
    ["tree", "3", "2,1 4,2 4,4", "exact"],
];

// The same of workers and rankings, with options and a history. If items have different parameters, the last digit of a
// ranking's error bound depends on the C library's logarithms.
const MORE = [
    { question: "query", family: "workers", options: { budget: "4", "workers-prior": ["2x4,1", "2,1"] }, with: { history: "1@1+ 1@2- 2@3+" }, instances: ["2x1,1"], policies: ["opt-kg", "kg", "opt-kg-exact"] },
    { question: "compare", family: "workers", options: { budget: "4", "workers-prior": ["2x4,1"] }, instances: ["2x1,1"], policies: ["opt-kg", "kg"] },
    { question: "query", family: "ranking", options: { budget: "4" }, with: { history: "1>2" }, instances: ["4x1"], policies: ["akg", "distance", "kg-exact"] },
    { question: "query", family: "ranking", options: { budget: "3" }, instances: ["2", "1", "3"], policies: ["akg", "distance", "kg-exact"], but: ["error_bound"] },
];

function moreWordsOf({ question, family, options, with: asked, instances, policies }) {
    const workers = (options["workers-prior"] ?? []).flatMap((word) => ["--workers-prior", word]);
    return [question, "-T", options.budget, "--problem", family === "ranking" ? family : "labels", ...workers,
        ...(asked ? ["--history", asked.history] : []), "--policies", policies.join(","), ...instances];
}

function questionOf([question, budget, instances, exact]) {
    const asked = { question, options: { budget }, instances: instances.split(" ") };
    if (exact) {
        asked.with = { arithmetic: "exact" };
    }
    if (question === "compare" || question === "query") {
        asked.policies = usual.split(",");
    }
    return asked;
}

function wordsOf([question, budget, instances, exact]) {
    const policies = question === "compare" || question === "query" ? ["--policies", usual] : [];
    return [question, "-T", budget, ...(exact ? ["--arithmetic", "exact"] : []), ...policies, ...instances.split(" ")];
}

let page;
const ask = (question) => page.evaluate(async (asked) => (await import("./page.js")).engine.ask(asked), question);
const text = (selector) => page.locator(selector).innerText();
const idle = () => page.waitForFunction(() => document.getElementById("stop").disabled && document.getElementById("progress").textContent === "",
    undefined, { timeout: 300000 });

async function open(hash) {
    await page.goto("about:blank");
    await page.goto(address + hash);
}

const tests = {
    async "the same numbers as the native program"() {
        await open("#tree");
        await idle();
        for (const problem of PROBLEMS) {
            const mine = await ask(questionOf(problem));
            assert.equal(essence(mine), essence(native(...wordsOf(problem), ...(problem[0] === "tree" ? [] : ["--threads", "1", "--memory", "1G"]))),
                wordsOf(problem).join(" "));
        }
        for (const { but, ...question } of MORE) {
            const theirs = native(...moreWordsOf(question), "--threads", "1", "--memory", "1G");
            assert.equal(essence(await ask(question), but), essence(theirs, but), JSON.stringify(question));
        }
    },

    async "a first answer soon after loading"() {
        const began = Date.now();
        await open("#play");
        await page.locator('[data-choice="0"]:not([aria-disabled])').waitFor({ timeout: 60000 });
        console.log(`    the first question was answered after ${Date.now() - began} ms`);
    },

    async "a full game"() {
        await open("#play?instances=2%2C1+4%2C2+4%2C4&budget=3&seed=5");
        await idle();
        let lost = 0;
        for (let m = 0; m < 3; m++) {
            const command = await text("#play-command");
            const words = command.match(/(?:[^\s']+|'[^']*')+/g).slice(1).map((word) => word.replaceAll("'", ""));
            const { instances } = native(...words);
            lost += instances[m].lost;
            await page.locator(`[data-choice="${m}"]:not([aria-disabled])`).click();
            await page.waitForFunction((left) => document.getElementById("play-left").textContent.startsWith(left) &&
                document.getElementById("play-said").textContent.includes("The label is".toLowerCase()), String(2 - m));
            await idle();
            const said = await text("#play-said");
            assert.equal(said.includes("Your choice was optimal"), instances[m].lost === 0, said);
            assert.match(said, /They would have labelled: opt-kg .*; kg .*; gittins-fh /);
        }
        await page.locator("#play-end table").first().waitFor();
        const end = await text("#play-end");
        assert.match(end, /calls right/);
        assert.match(end, /soft label/);
        const cost = await page.locator("#play-end tr", { hasText: "expected cost" }).locator("td").nth(2).innerText();
        assert.ok(Math.abs(Number(cost) - lost) < 1e-3 * lost + 1e-12, `${cost} and ${lost}`);
        const where = page.url();
        assert.match(where, /moves=1%2C2%2C3/);
        await open(where.slice(where.indexOf("#")));
        await page.locator("#play-end table").first().waitFor();
        assert.equal(await text("#play-end"), end, "the address brings the game back");
    },

    async "games of crowds and rankings, with the program's values"() {
        for (const [screen, hash, first, cards] of [
            ["crowd", "#crowd?instances=2%2C1+1%2C1&workers=2x4%2C1&budget=3&seed=5&names=garden+sofa", [1, 3, 0], 4],
            ["rank", "#rank?budget=3&seed=2", [0, 5, 2], 4],
        ]) {
            await open(hash);
            await idle();
            let lost = 0;
            for (const [m, choice] of first.entries()) {
                const command = await text(`#${screen}-command`);
                assert.match(command, m === 0 ? /^optgap query(?!.*--history)/ : /^optgap query.*--history /);
                const { actions } = native(...command.replaceAll("'", "\0").split("\0").flatMap((part, i) => (i % 2 ? [part] : part.split(" "))).filter((word) => word !== "").slice(1));
                assert.equal(await page.locator(`#${screen}-known li`).count(), cards);
                await page.locator(`#${screen}-values summary`).click();
                const shown = await page.locator(`#${screen}-value tbody tr`).nth(choice).locator("td").first().innerText();
                await page.locator(`#${screen}-values summary`).click();
                const { q, lost: its } = actions.find((one) => String(Number(one.q.toPrecision(10))) === shown || (shown === "0" && one.q <= one.error_bound)) ??
                    assert.fail(`${shown} ${JSON.stringify(actions)}`);
                lost += its;
                const before = await text(`#${screen}-known`);
                await page.locator(`#${screen}-cards [data-choice="${choice}"]:not([aria-disabled])`).click();
                await page.waitForFunction(([id, value]) => document.getElementById(`${id}-said`).textContent.includes(value), [screen, shown]);
                await idle();
                assert.notEqual(await text(`#${screen}-known`), before, "an answer teaches");
                assert.equal((await text(`#${screen}-said`)).includes("Your choice was optimal"), its === 0, `${q}`);
            }
            await page.locator(`#${screen}-end table`).first().waitFor();
            await idle();
            const end = await text(`#${screen}-end`);
            const cost = await page.locator(`#${screen}-end tr`, { hasText: "expected cost" }).locator("td").nth(2).innerText();
            assert.ok(Math.abs(Number(cost) - lost) < 1e-3 * lost + 1e-12, `${cost} and ${lost}`);
            assert.equal(await page.locator(`#${screen}-choices tbody tr`).count(), 3);
            const where = page.url();
            await open(where.slice(where.indexOf("#")));
            await page.locator(`#${screen}-end table`).first().waitFor();
            assert.equal(await text(`#${screen}-end`), end, "the address brings the game back");
            await page.locator(`#${screen}-undo`).click();
            await page.waitForFunction((id) => document.getElementById(`${id}-left`).textContent.startsWith("1"), screen);
            await idle();
        }
    },

    async "a policy that plays, and a class"() {
        await open("#play?names=garden+sofa+roof");
        await idle();
        await page.locator("#watch summary").click();
        await page.locator("#watch-step").click();
        await page.waitForFunction(() => document.getElementById("play-said").textContent.includes("This choice cost 0.01693"));
        await page.locator("#watch-many").click();
        await page.locator("#watch-picture svg").waitFor();
        const row = (words) => page.locator("#watch-answer tr", { hasText: words }).locator("td").allInnerTexts();
        const [policy] = native("compare", "-T", "2", "--policies", "opt-kg", "2,1", "4,2", "4,4").policies;
        assert.deepEqual(await row("gap, computed"), [String(Number(policy.gap.toPrecision(10))), "0"]);
        assert.deepEqual(await row("expected cost of the choices"), await row("gap, computed"), "it loses at the first choice alone");
        await page.locator("#class summary").click();
        await page.locator("#class-links").fill(`Ana ${page.url()}%2C1\nBo ${page.url().replace("moves=3", "moves=1%2C3")}`);
        await page.locator("#class-show").click();
        await page.locator("#class-answer table").first().waitFor();
        assert.match(await text("#class-answer"), /Ana\s+roof, garden\s+0\.01693.*\n.*First choice: 1 × garden, 1 × roof; optimal: garden/s);
        await page.locator("#class-links").fill("Ana #play\nBo #play?seed=3");
        await page.locator("#class-show").click();
        await page.locator("#class-error").waitFor();
    },

    async "the keyboard plays too"() {
        await open("#play?seed=3");
        await idle();
        await page.keyboard.press("2");
        await page.waitForFunction(() => document.getElementById("play-left").textContent.startsWith("1"));
        await idle();
        await page.keyboard.press("u");
        await page.waitForFunction(() => document.getElementById("play-left").textContent.startsWith("2"));
        for (const left of ["1", "0"]) {
            await idle();
            await page.keyboard.press("1");
            await page.waitForFunction((count) => document.getElementById("play-left").textContent.startsWith(count), left);
        }
        await page.locator("#play-end table").first().waitFor();
        await page.waitForFunction(() => document.activeElement.id === "play-end");
    },

    async "compare shows the table, the pictures and where it loses"() {
        await open("#compare?instances=5x1%2C1&budget=8&policies=uniform%2Ckg%2Copt-kg");
        await idle();
        const table = await text("#compare-answer");
        const rows = native("compare", "-T", "8", "--policies", "uniform,kg,opt-kg", "5x1,1").policies;
        for (const { name, value } of rows) {
            assert.ok(table.includes(name) && table.includes(String(Number(value.toPrecision(10)))), `${name} ${value}: ${table}`);
        }
        assert.equal(await page.locator("#compare-pictures svg").count(), 2);
        assert.equal(await page.locator("#compare-explain-picture svg").count(), 1);
        assert.match(await text("#compare-command"), /^optgap compare -T 8 --policies uniform,kg,opt-kg --explain/);
        const faint = () => page.locator("#compare-pictures .faint").evaluateAll((all) => all.map((one) => one.dataset.curve));
        await page.keyboard.press("2");
        assert.deepEqual(await faint(), ["uniform", "opt-kg", "uniform", "opt-kg"], "the second policy's curve alone, and the optimum");
        await page.keyboard.press("u");
        assert.deepEqual(await faint(), []);
    },

    async "a tree opens"() {
        await open("#tree?instances=2%2C1+4%2C2+4%2C4&budget=3");
        await idle();
        const whole = await page.locator("#tree-picture [data-name]").count();
        await page.locator('#tree-picture [data-name="s1"]').focus();
        await page.keyboard.press("ArrowLeft");
        assert.ok((await page.locator("#tree-picture [data-name]").count()) < whole);
        assert.equal(await page.evaluate(() => document.activeElement.dataset.name), "s1");
        await page.keyboard.press("ArrowRight");
        assert.equal(await page.locator("#tree-picture [data-name]").count(), whole);
        const way = [];
        for (const key of ["u", "1", "1", "2", "u", "u", "ArrowLeft", "1"]) { // the last one opens the state again
            await page.keyboard.press(key);
            way.push(await page.evaluate(() => document.activeElement.dataset.name));
        }
        assert.deepEqual(way, ["a0", "s1", "a3", "s6", "a3", "s1", "s1", "a3"]);
        await open("#tree?against=opt-kg&all=1&names=garden+sofa+roof");
        await idle();
        assert.equal(await page.locator("#tree-picture [data-name='a2'] text").nth(3).textContent(), "loses 13/768");
        const { figure } = native("tree", "-T", "2", "--arithmetic", "exact", "--against", "opt-kg", "--all-actions", "2,1", "4,2", "4,4");
        assert.equal(await page.locator("#tree-picture [data-name]").count(), figure.nodes.length);
    },

    async "a function of one's own"() {
        await open("#own?instances=3x1%2C1&budget=6");
        assert.equal(await page.locator("#own-answer table").count(), 0, "a link runs no code");
        await page.locator('#own-form button[type="submit"]').click();
        await page.locator("#own-answer table").first().waitFor();
        await idle();
        const mine = await page.locator("#own-answer tr", { hasText: "mine" }).first().locator("td").first().innerText();
        const scratch = mkdtempSync(join(tmpdir(), "optgap-"));
        writeFileSync(join(scratch, "mine.mjs"), programOf(OWN_EXAMPLE));
        const [row] = native("compare", "-T", "6", "--policy", `command:node ${join(scratch, "mine.mjs")}`, "3x1,1").policies;
        rmSync(scratch, { recursive: true });
        assert.equal(mine, String(Number(row.value.toPrecision(10))));
        await page.locator("#own-code").fill("(state) => state.instances.map(() => nothing)");
        await page.locator('#own-form button[type="submit"]').click();
        await page.locator("#own-error").waitFor();
        assert.match(await text("#own-error"), /nothing is not defined/);
        await page.locator("#own-code").fill("(state) => { for (;;) {} }");
        await page.locator('#own-form button[type="submit"]').click();
        await page.locator("#stop:not([disabled])").click();
        await page.waitForFunction(() => document.getElementById("progress").textContent === "Stopped.", undefined, { timeout: 10000 });
    },

    async "the lesson leads from step to step"() {
        await open("");
        await page.locator("#lesson-start").click();
        let guesses = 0;
        for (const [at, { title, links, answer }] of STEPS.entries()) {
            await page.waitForFunction((words) => document.getElementById("lesson-title").textContent === words, `Step ${at + 1} of 5: ${title}`);
            const seen = [];
            for (const [i, { screen, values }] of links.entries()) {
                await page.locator("#lesson-links a").nth(i).click();
                assert.equal(await page.locator('#lesson-links [aria-current="true"]').innerText(), links[i].text);
                assert.ok(await page.locator(`#${screen}`).isVisible());
                for (const [key, value] of Object.entries(values)) {
                    const field = page.locator(`#${screen}-${key}`);
                    assert.equal(["explain", "exact", "all"].includes(key) ? String(Number(await field.isChecked())).replace("0", "") : await field.inputValue(), value);
                }
                if (screen === "own") {
                    await page.locator('#own-form button[type="submit"]').click();
                }
                await page.waitForTimeout(100);
                await idle();
                if (screen === "play") {
                    await page.locator('[data-choice="2"]:not([aria-disabled])').click();
                    await page.locator('[data-guess="yes"]').waitFor();
                    assert.doesNotMatch(await text("#play"), /Your choice (cost|was optimal\.)|They would/, "no verdict before the guess");
                    await page.keyboard.press("y");
                    await page.waitForFunction(() => /You guessed .*(cost|was optimal)/.test(document.getElementById("play-said").textContent));
                    guesses++;
                    await idle();
                }
                seen.push(await text(`#${screen}`));
                assert.deepEqual(seen.at(-1).replace(/(proved to|Error at most) \S+/g, "").match(/.*e-1\d.*/g) ?? [], [], "no rounding is told as a loss");
            }
            for (const number of answer.match(/\d+\.\d+/g) ?? []) {
                assert.ok(seen.some((words) => words.includes(number)), `${number} is on no screen of step ${at + 1}`);
            }
            if (guesses > 0) {
                assert.match(await text("#lesson-own"), new RegExp(`[0-9] of ${guesses} guess(es)? right`));
            }
            assert.equal(await page.locator("#lesson-found").isVisible(), false, "an answer is not shown before a guess");
            assert.ok(await page.locator("#lesson-own tbody tr").count() >= (at === 0 ? 1 : links.length), "the student's numbers");
            await page.locator("#lesson-guesses button").first().click();
            await page.locator("#lesson-found summary").click();
            assert.equal(await text("#lesson-answer"), answer);
            if (at + 1 < STEPS.length) {
                await page.locator("#lesson-next").click();
            }
        }
        await page.locator("#lesson-quiz summary").click();
        for (const q of ["0", "1", "2", "3", "4"]) {
            await page.locator(`[data-quiz="${q}.1"]`).click();
            await page.locator(`#quiz-${q}`, { hasText: "costs" }).waitFor();
        }
        assert.match(await text("#quiz-score"), /of 5 right/);
        assert.equal(await page.locator("#lesson-steps li", { hasText: "done" }).count(), 5);
        await page.locator("#lesson-end").click();
        assert.equal(await page.locator("#lesson").isVisible(), false);
        assert.equal(page.url().includes("lesson"), false);
    },

    async "workers who can be wrong"() {
        await open("#compare?instances=2x1%2C1&budget=4&workers=4%2C1+1%2C1&policies=kg%2Copt-kg-exact");
        await page.locator("#compare-answer table").first().waitFor();
        await idle();
        const { optimal } = native("compare", "-T", "4", "--workers-prior", "4,1", "--workers-prior", "1,1", "--policies", "kg", "2x1,1");
        assert.ok((await text("#compare-answer")).includes(String(Number(optimal.value.toPrecision(10)))));
    },

    async "wrong input is told beside the form"() {
        for (const [hash, screen, words] of [
            ["#play?instances=2%2C", "play", /“2,” is not/], ["#play?instances=20x1%2C1", "play", /at most 12 instances/],
            ["#play?budget=x", "play", /1 to 40 labels/], ["#compare?instances=1%2C1%402", "compare", /threshold/],
            ["#compare?budget=-1", "compare", /whole number/], ["#compare?policies=kgg", "compare", /kgg/],
            ["#crowd?workers=5x4%2C1", "crowd", /at most 3 workers/], ["#crowd?budget=9", "crowd", /1 to 6/],
            ["#rank?instances=4x1.5", "rank", /whole numbers/], ["#rank?instances=6x1", "rank", /at most 4 items/],
            ["#tree?instances=1.5%2C1", "tree", /Leave Fractions off/], ["#tree?instances=5x1%2C1+2%2C3&budget=9", "tree", /fewer labels/],
            ["#tree?payoff=log", "tree", /log is not rational\. Leave Fractions off/], ["#compare?payoff=5", "compare", /Payoff must be/],
            ["#compare?payoff=table%3Ax", "compare", /reads none/], ["#compare?payoff=brier&workers=2%2C1", "compare", /leave Payoff or Workers empty/],
            ["#compare?workers=x", "compare", /Workers: x/], ["#compare?ties=frist", "compare", /Ties are/], ["#tree?payoff=0,1,1,0", "tree", /Payoff: a wrong/],
            ["#compare?policies=gittins-fh&workers=2,1", "compare", /uniform do/], ["#compare?policies=command%3Ax", "compare", /cannot start/],
            ["#compare?policies=top-two", "compare", /not on this page/],
            ["#tree?instances=1%2C", "tree", /1,/], ["#tree?budget=x", "tree", /Labels must be a whole number, not “x”/],
        ]) {
            await open(hash);
            await page.locator(`#${screen}-error`).waitFor();
            assert.match(await text(`#${screen}-error`), words);
            assert.doesNotMatch(await text(`#${screen}-error`), /exact=|[a-z]_[a-z]|"[a-z-]+"|--|this build/, "the page's words, not those of programs");
        }
        await page.locator("#tree-budget").fill("2");
        await page.locator('#tree-form button[type="submit"]').click();
        await page.locator("#tree-picture svg").waitFor();
    },

    async "a problem too large can be stopped"() {
        await open("#compare?instances=30x1%2C1&budget=300&seconds=0");
        await page.waitForFunction(() => /states/.test(document.getElementById("progress").textContent), undefined, { timeout: 60000 });
        const began = Date.now();
        await page.locator("#stop:not([disabled])").click();
        await page.waitForFunction(() => document.getElementById("stop").disabled, undefined, { timeout: 20000 });
        console.log(`    stopped after ${Date.now() - began} ms: ${await text("#progress")}`);
        await page.locator("#compare-budget").fill("4");
        await page.locator("#compare-instances").fill("2x1,1");
        await page.locator('#compare-form button[type="submit"]').click();
        await page.locator("#compare-answer table").first().waitFor();
    },

    async "a time limit gives the bracket"() {
        await open("#compare?instances=10x1%2C1&budget=80&seconds=1&policies=kg");
        await page.locator("#compare-answer table").first().waitFor({ timeout: 120000 });
        assert.match(await text("#compare-answer"), /Optimal value: between [\d.]+ and [\d.]+ \(proved/);
    },
};

// What a finger is to reach lies within the window's width, is high enough, and nothing covers it.
function outOfReach() {
    const shown = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")].filter((one) => one.checkVisibility());
    return shown.filter((one) => {
        one.scrollIntoView({ block: "center" });
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        const small = one.matches("button, .links a") && bottom - top < 40;
        return left < 0 || right > innerWidth || small || !(one.contains(there) || one.labels?.[0]?.contains(there));
    }).map((one) => one.outerHTML.slice(0, 120));
}

// A small phone: no sideways scrolling, and a game with the finger.
async function phone(browser) {
    const context = await browser.newContext({ viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true });
    page = await context.newPage();
    const hashes = [...Object.values(HASHES), ...STEPS.flatMap(({ links }, at) => links.map((_, i) => addressOf(at, i)))];
    for (const hash of hashes) {
        await open(hash);
        if (hash.startsWith("#own")) {
            await page.locator('#own-form button[type="submit"]').tap();
        }
        await page.waitForTimeout(200);
        await idle();
        await page.evaluate(() => document.querySelectorAll("details").forEach((one) => one.setAttribute("open", "")));
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375, `${hash} scrolls sideways`);
        assert.deepEqual(await page.evaluate(outOfReach), [], hash);
        const wide = await page.evaluate(() => [...document.querySelectorAll(".term")].filter((one) => {
            one.focus();
            return document.documentElement.scrollWidth > innerWidth;
        }).map((one) => one.textContent));
        assert.deepEqual(wide, [], `${hash}: explanations beside the page`);
    }
    await open("#tree?budget=3");
    await idle();
    assert.ok(await page.evaluate(() => document.querySelector("#tree-picture .wide").scrollWidth <= innerWidth), "a tree begins as wide as the phone");
    await open(addressOf(0, 1));
    await page.waitForFunction(() => document.activeElement.id === "tree-note" && document.getElementById("tree-picture").getBoundingClientRect().top < innerHeight / 2);
    await open("#compare?instances=5x1%2C1&budget=4");
    await page.locator('[data-pick="1"]').tap();
    await page.locator('#compare-pictures [data-curve="uniform"].faint').first().waitFor({ state: "attached" });
    await open("#play?seed=3");
    await idle();
    assert.ok((await page.locator("#play-cards").boundingBox()).y < 420, "the cards are on the first screen");
    assert.deepEqual(await page.locator("kbd:visible, .keys:visible").count(), 0, "a phone has no keys");
    assert.doesNotMatch(await text("#play"), /press/);
    await page.locator('[data-choice="2"]').tap();
    await page.waitForFunction(() => document.getElementById("play-said").textContent.includes("cost"));
    await page.locator("#play-undo").tap();
    await page.waitForFunction(() => document.getElementById("play-left").textContent.startsWith("2"));
    for (const screen of ["crowd", "rank"]) {
        await open(`#${screen}?budget=2`);
        for (const left of ["1", "0"]) {
            await page.locator(`#${screen}-cards [data-choice="1"]:not([aria-disabled])`).tap();
            await page.waitForFunction(([id, count]) => document.getElementById(`${id}-left`).textContent.startsWith(count), [screen, left]);
            await idle();
        }
        await page.locator(`#${screen}-end table`).first().waitFor();
    }
    await context.close();
}

const HASHES = {
    play: "#play?instances=2%2C1+4%2C2+4%2C4&budget=3&seed=5&names=garden+sofa+roof&moves=1%2C2%2C3",
    crowd: "#crowd?seed=5&names=garden+sofa&moves=1%2C2%2C4%2C1%2C3", rank: "#rank?seed=5&names=tea+milk+juice+water&moves=1%2C6%2C2%2C3",
    compare: "#compare?instances=5x1%2C1&budget=8", tree: "#tree?instances=2%2C1+4%2C2+4%2C4&budget=3", own: "#own?instances=3x1%2C1&budget=6",
    error: "#play?instances=2%2C", lesson: addressOf(0),
};

// The manual's picture: a game after its first, wrong choice, as wide as a page of a repository.
async function manualPicture(browser, file) {
    page = await browser.newPage({ viewport: { width: 800, height: 700 }, colorScheme: "light" });
    await open("#play?names=garden+sofa+roof&seed=1&moves=3");
    await page.locator("#play-choices table").waitFor();
    await idle();
    const end = await page.locator("#play-choices").boundingBox();
    await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width: 800, height: Math.ceil(end.y + end.height) + 10 } });
}

// Nothing may be wider than the window but what scrolls by itself.
async function pictures(browser) {
    for (const width of [375, 1280]) {
        for (const colorScheme of ["light", "dark"]) {
            const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
            page = await context.newPage();
            for (const [name, hash] of Object.entries(HASHES)) {
                await open(hash);
                if (name === "own") {
                    await page.locator('#own-form button[type="submit"]').click();
                }
                await page.waitForTimeout(200);
                await idle();
                const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
                assert.ok(over <= 0, `${name} at ${width}: ${over} pixels too wide`);
                if (folder !== undefined) {
                    await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
                }
            }
            await context.close();
        }
    }
}

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox"] });
if (pictureFile !== undefined) {
    await manualPicture(browser, pictureFile);
    await browser.close();
    process.exit();
}
let failed = 0;
const all = { ...tests, "nothing is too wide, light or dark": () => pictures(browser), "a phone shows and reaches all": () => phone(browser) };
const only = process.env.ONLY;
let count = 0;
for (const [name, test] of Object.entries(all)) {
    if (only !== undefined && !new RegExp(only).test(name)) {
        continue;
    }
    const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    page = await context.newPage();
    page.setDefaultTimeout(60000);
    const thrown = [];
    page.on("pageerror", (error) => thrown.push(error));
    page.on("console", (message) => message.type() === "error" && thrown.push(new Error(message.text())));
    count++;
    try {
        await test();
        assert.deepEqual(thrown, [], "nothing is thrown, nothing on the console");
        console.log(`ok ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAILED ${name}\n${error.stack}\n${thrown.join("\n")}`);
    }
    await context.close();
}
await browser.close();
console.log(`${count - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
