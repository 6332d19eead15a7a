// A lesson in five steps. Each step has links that set up a screen; the address holds the step's number, so
// that the lesson stays open while the user changes the screen, and a link can be given to a class. The answer
// opens after a guess. What the student found at each link is kept in this browser. Every number in an answer
// is on a screen of its step; the tests look for it there.

import { byId, table } from "./page.js";
import { SCREENS, writeState } from "./state.js";
import { withTerms } from "./terms.js";
import { escaped, gapText, plural } from "./words.js";

const three = { instances: "2,1 4,2 4,4" };
const named = { ...three, names: "garden sofa roof" };
const crowd = { instances: "2x1,1", budget: "6", policies: "uniform,kg,opt-kg", explain: "" };

const MINE = `(state) => {
    // With two labels left: where labels are fewest. Otherwise: where the mean is nearest to 1/2.
    return state.instances.map(([a, b]) =>
        state.left === 2 ? -(a + b) : -Math.abs(a / (a + b) - 0.5) - 0.001 * (a + b));
}`;

export const STEPS = [
    {
        title: "Which picture first?",
        task: "Two labels are left. Which picture should be labelled first? Guess. Then label it, read its cost, undo it, and try the others.",
        guesses: ["garden", "sofa", "roof"],
        found: "cost of your first choice",
        links: [
            { text: "Play with two labels", screen: "play", values: named },
            { text: "See why", screen: "tree", values: { ...named, against: "opt-kg", all: "1" } },
        ],
        hints: ["What would you do with the second label after each outcome of the first?", "The tree shows it: follow the thick lines, then the orange choice."],
        answer: "The garden. The roof is the closest call, and kg, opt-kg and gittins-fh label it, which costs 0.01693. If the garden's label is negative, its call is open, and the second label belongs there. If it is positive, the roof is next.",
    },
    {
        title: "One label, or four",
        task: "The same pictures with one to four labels. Is the same first choice optimal for every budget? Label once at each budget, and compare the costs.",
        guesses: ["the same for all", "it changes once", "it changes several times"],
        found: "cost of your first choice",
        links: ["1", "2", "3", "4"].map((budget) => (
            { text: `${budget} label${budget === "1" ? "" : "s"}`, screen: "play", values: { ...named, budget } })),
        hints: ["Undo, and try another picture: the cost is 0 if the choice is optimal. There may be two such choices."],
        answer: "It changes several times. With one label only the roof is optimal, with two only the garden, with three both are, and with four only the garden.",
    },
    {
        title: "Your policy",
        task: "Press “Run it”. The first function labels where the mean is nearest to the threshold. Change it until its gap is 0. How many lines does it need?",
        guesses: ["one more", "five more", "it is impossible"],
        found: "gap of your function",
        links: [
            { text: "A function to change", screen: "own", values: { ...three, budget: "2", policies: "opt-kg" } },
            { text: "One that is optimal here", screen: "own", values: { ...three, budget: "2", policies: "opt-kg", code: MINE } },
        ],
        hints: ["What did the optimal first choice have that the roof lacked?", "state.left is 2 at the first choice. Which picture has the fewest labels then?"],
        answer: "One more. The first function has the gap of opt-kg, 0.01693. The second one uses the labels left, and its value is the optimum, 2.216145833.",
    },
    {
        title: "One worker, or three",
        task: "Now workers can be wrong, each with an unknown reliability, Beta(4,1). A label also informs about its worker. Two pictures, six labels: are more workers better, if the budget stays the same?",
        guesses: ["yes", "no", "it makes no difference"],
        found: "optimal value",
        links: [
            ...["1", "2", "3"].map((count) => (
                { text: `${count} worker${count === "1" ? "" : "s"}`, screen: "compare", values: { ...crowd, workers: `${count}x4,1` } })),
            { text: "Always right", screen: "compare", values: crowd },
        ],
        hints: ["With one worker, can you find out whether the worker is reliable?"],
        answer: "Yes: the optimal values are 1.403571429, 1.42015873 and 1.425266667, with the same budget. If workers were always right, it would be 1.625.",
    },
    {
        title: "How far from optimal?",
        task: "A policy's value means little alone. What share of the gain does opt-kg lose, with five new pictures and with two that have labels?",
        guesses: ["below 1 % in both", "above 1 % in both", "below 1 % in one, all of it in the other"],
        found: "gain that opt-kg loses",
        links: [
            { text: "Five pictures, 12 labels", screen: "compare", values: { policies: "uniform,kg,opt-kg" } },
            { text: "Two pictures, one label", screen: "compare", values: { instances: "3,2 5,5", budget: "1", policies: "uniform,kg,opt-kg" } },
        ],
        hints: ["Look at the column “gain lost”."],
        answer: "With five pictures opt-kg loses 0.07334 % of the gain, and kg 3.38 %. With two it loses 100 %, and kg nothing. The optimum is computed, with a proved error, so these gaps are facts.",
    },
];

// A quiz: which instance to label first. The engine computes the answers.
export const QUIZ = [
    { text: "One label, counts 3,1 and 3,3: which is labelled?", instances: ["3,1", "3,3"], budget: "1" },
    { text: "One label, counts 1,1 and 5,5: which is labelled?", instances: ["1,1", "5,5"], budget: "1" },
    { text: "Two labels, counts 2,1 and 3,3: which is first?", instances: ["2,1", "3,3"], budget: "2" },
    { text: "One label, counts 1,1 and 4,1: which is labelled?", instances: ["1,1", "4,1"], budget: "1" },
    { text: "Three labels, positive means at least 0.7, counts 1,1 and 3,1: which is first?", instances: ["1,1@0.7", "3,1@0.7"], budget: "3" },
];

export const quizQuestion = ({ instances, budget }) => ({ question: "query", family: "independent", options: { budget }, instances });

// 0 or 1: only this one is optimal; 2: both are.
export const quizAnswer = ({ instances }) => (instances.every(({ optimal }) => optimal) ? 2 : instances.findIndex(({ optimal }) => optimal));

// ---- what the student did ----

const KEY = "optgap-lesson";
const NOTHING = { guess: {}, found: {}, done: {}, lost: {}, guessed: { right: 0, all: 0 } };
let kept = NOTHING;
let shown = null; // {at, hash} of the step on the page

function load() {
    try {
        kept = { ...NOTHING, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
    } catch {
        kept = NOTHING; // a browser may refuse
    }
}

function keep(part, key, value) {
    kept = { ...kept, [part]: { ...kept[part], [key]: value } };
    try {
        localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
        // then it lasts as long as the page
    }
}

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

// What a screen found for its form's values, a text: kept if the values are those of a link of the lesson's step, perhaps with
// another function. The first answer of each link counts, of a function the last.
export function found(screen, values, text) {
    const at = Number(values.lesson) - 1;
    const linkBut = (left) => STEPS[at]?.links.findIndex((one) => one.screen === screen &&
        Object.entries({ ...SCREENS[screen], ...one.values }).every(([key, value]) => left.includes(key) || values[key] === value)) ?? -1;
    const given = ["moves", "lesson", "seed"];
    const link = linkBut(given) >= 0 ? linkBut(given) : linkBut([...given, "code"]);
    if (link >= 0 && (screen === "own" || kept.found[`${at}.${link}`] === undefined)) {
        keep("found", `${at}.${link}`, text);
        showFound(at);
    }
}

// The calls that a finished game of the lesson lost; the first game of each kind counts.
export function lost(values, calls) {
    if (STEPS[Number(values.lesson) - 1] !== undefined) {
        const key = `${values.instances} ${values.budget}`;
        if (kept.lost[key] === undefined) {
            keep("lost", key, calls);
            showFound(Number(values.lesson) - 1);
        }
    }
}

// A guess whether a choice of a game is optimal.
export function guessed(right) {
    keep("guessed", "right", kept.guessed.right + Number(right));
    keep("guessed", "all", kept.guessed.all + 1);
    showFound(shown.at);
}

// ---- on the page ----

// The address of a link of a step, both from 0.
export function addressOf(step, link = 0) {
    const { screen, values } = STEPS[step].links[link];
    return writeState(screen, { ...SCREENS[screen], ...values, lesson: String(step + 1) });
}

const linkTo = (address, text, more = "") => `<a href="${escaped(address)}"${more}>${escaped(text)}</a>`;

function showFound(at) {
    const step = STEPS[at];
    const rows = step.links.map(({ text }, i) => [text, kept.found[`${at}.${i}`]]).filter(([, text]) => text !== undefined);
    const games = Object.values(kept.lost);
    const { right, all } = kept.guessed;
    const score = [
        ...(games.length ? [`Your games of this lesson lost ${gapText(sum(games))} expected correct calls; the optimum loses 0.`] : []),
        ...(all > 0 ? [`${right} of ${plural(all, "guess", "guesses")} right.`] : []),
    ];
    byId("lesson-own").innerHTML = (rows.length ? table("Your numbers", ["", step.found], rows) : "") + (score.length ? `<p>${score.join(" ")}</p>` : "");
}

function showGuess(at) {
    const guess = kept.guess[at];
    byId("lesson-guesses").innerHTML = STEPS[at].guesses.map((text, i) =>
        `<button type="button" data-guess="${i}"${guess === undefined ? "" : ' disabled'}${guess === i ? ' aria-pressed="true"' : ""}>${escaped(text)}</button>`).join(" ");
    byId("lesson-found").hidden = guess === undefined;
}

function showSteps(at) {
    byId("lesson-steps").innerHTML = STEPS.map(({ title }, i) =>
        `<li>${linkTo(addressOf(i), title, i === at ? ' aria-current="step"' : "")}${kept.done[i] ? " ✓ done" : ""}</li>`).join("");
}

// Shows the lesson's step `number`, a text, next to the screen; nothing if there is no such step. The link
// that leads to `hash` is marked.
export function showLesson(number, hash) {
    const at = Number(number) - 1;
    const step = STEPS[at];
    const place = byId("lesson");
    place.hidden = step === undefined;
    shown = step === undefined ? null : { at, hash };
    if (step === undefined) {
        return;
    }
    showSteps(at);
    byId("lesson-links").innerHTML = step.links.map(({ text }, i) =>
        linkTo(addressOf(at, i), text, addressOf(at, i) === hash ? ' aria-current="true"' : "")).join(" ");
    byId("lesson-next").hidden = at + 1 === STEPS.length;
    byId("lesson-quiz").hidden = at + 1 < STEPS.length;
    if (place.dataset.step !== number) { // otherwise an open answer stays open
        place.dataset.step = number;
        byId("lesson-title").textContent = `Step ${at + 1} of ${STEPS.length}: ${step.title}`;
        byId("lesson-task").innerHTML = withTerms(step.task);
        byId("lesson-answer").textContent = step.answer;
        byId("lesson-hints").innerHTML = step.hints.map((hint, i) =>
            `<details><summary>Hint${step.hints.length > 1 ? ` ${i + 1}` : ""}</summary><p>${escaped(hint)}</p></details>`).join("");
        byId("lesson-found").open = false;
        byId("lesson-all").open = false;
        byId("lesson-text").open = true;
    }
    showGuess(at);
    showFound(at);
}

function showQuiz(engine) {
    byId("quiz").innerHTML = QUIZ.map(({ text, instances }, q) =>
        `<fieldset><legend>${q + 1}. ${escaped(text)}</legend>${[...instances.map((word) => word.split("@")[0]), "both are optimal"].map((word, i) =>
            `<button type="button" data-quiz="${q}.${i}">${escaped(word)}</button>`).join(" ")} <span id="quiz-${q}" role="status"></span></fieldset>`).join("");
    byId("quiz").onclick = async ({ target }) => {
        const button = target.closest("[data-quiz]");
        if (button === null) {
            return;
        }
        const [q, choice] = button.dataset.quiz.split(".").map(Number);
        const document = await engine.ask(quizQuestion(QUIZ[q]));
        const right = quizAnswer(document);
        const losses = document.instances.map(({ text, optimal, lost: its }, i) => `${QUIZ[q].instances[i].split("@")[0]} costs ${optimal ? "nothing" : gapText(its)}`);
        byId(`quiz-${q}`).textContent = `${right === choice ? "Right" : "Wrong"}: ${losses.join(", ")}.`;
        button.closest("fieldset").querySelectorAll("button").forEach((one) => {
            one.disabled = true;
        });
        button.closest("fieldset").dataset.right = String(right === choice);
        const answered = byId("quiz").querySelectorAll("[data-right]");
        byId("quiz-score").textContent = `${byId("quiz").querySelectorAll('[data-right="true"]').length} of ${answered.length} right.`;
    };
}

// go(hash): opens an address.
export function setUpLesson(engine, go) {
    load();
    byId("lesson-guesses").addEventListener("click", ({ target }) => {
        const button = target.closest("[data-guess]");
        if (button !== null && shown !== null) {
            keep("guess", shown.at, Number(button.dataset.guess));
            showGuess(shown.at);
        }
    });
    byId("lesson-found").addEventListener("toggle", () => {
        if (byId("lesson-found").open && shown !== null) {
            keep("done", shown.at, true);
            showSteps(shown.at);
        }
    });
    byId("lesson-next").addEventListener("click", () => go(addressOf(shown.at + 1)));
    byId("lesson-links").addEventListener("click", () => {
        byId("lesson-text").open = innerWidth >= 600; // the game is what a phone shows then
    });
    byId("lesson-again").addEventListener("click", () => {
        kept = NOTHING;
        try {
            localStorage.removeItem(KEY);
        } catch {
            // nothing was kept
        }
        showLesson(String(shown.at + 1), shown.hash);
    });
    byId("lesson-quiz").addEventListener("toggle", () => byId("quiz").innerHTML === "" && showQuiz(engine));
}
