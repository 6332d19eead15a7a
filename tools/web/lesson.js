// A lesson in five steps. Each step has links that set up a screen; the address holds the step's number, so
// that the lesson stays open while the user changes the screen, and a link can be given to a class. Every
// number in an answer is on a screen of its step; the tests look for it there.

import { byId } from "./page.js";
import { SCREENS, writeState } from "./state.js";
import { escaped } from "./words.js";

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
        title: "Greedy is wrong",
        task: "Which picture needs a label most? The roof is the closest call, and kg, opt-kg and gittins-fh label it. Label the roof, read the cost, undo it, and label the garden.",
        links: [
            { text: "Play with two labels", screen: "play", values: named },
            { text: "See why", screen: "tree", values: { ...three, exact: "" } },
        ],
        answer: "The roof costs 0.01693. If the garden's label is negative, its call is open, and the second label belongs there. If it is positive, the roof is next. So the garden comes first.",
    },
    {
        title: "The budget changes the answer",
        task: "The same pictures with one to four labels. Which first choice is optimal? Guess before you label.",
        links: ["1", "2", "3", "4"].map((budget) => (
            { text: `${budget} label${budget === "1" ? "" : "s"}`, screen: "play", values: { ...named, budget } })),
        answer: "With one label only the roof is optimal, with two only the garden, with three both are, and with four only the garden.",
    },
    {
        title: "Your policy",
        task: "Press “Run it”. The first function labels where the mean is nearest to the threshold. Change it until its gap is 0.",
        links: [
            { text: "A function to change", screen: "own", values: { ...three, budget: "2", policies: "opt-kg" } },
            { text: "One that is optimal here", screen: "own", values: { ...three, budget: "2", policies: "opt-kg", code: MINE } },
        ],
        answer: "The first function has the gap of opt-kg, 0.01693. The second one uses the labels left, and its value is the optimum, 2.216145833.",
    },
    {
        title: "The crowd",
        task: "Now workers can be wrong, each with an unknown reliability, Beta(4,1). A label also informs about its worker. Two pictures, six labels: are more workers better, if the budget stays the same?",
        links: [
            ...["1", "2", "3"].map((count) => (
                { text: `${count} worker${count === "1" ? "" : "s"}`, screen: "compare", values: { ...crowd, workers: `${count}x4,1` } })),
            { text: "Always right", screen: "compare", values: crowd },
        ],
        answer: "The optimal values are 1.403571429, 1.42015873 and 1.425266667: more workers are worth more, with the same budget. If they were always right, it would be 1.625.",
    },
    {
        title: "The exact gap",
        task: "A policy's value means little alone. What does opt-kg lose against the optimum? Compare five new pictures with two that have labels.",
        links: [
            { text: "Five pictures, 12 labels", screen: "compare", values: { policies: "uniform,kg,opt-kg" } },
            { text: "Two pictures, one label", screen: "compare", values: { instances: "3,2 5,5", budget: "1", policies: "uniform,kg,opt-kg" } },
        ],
        answer: "With five pictures opt-kg loses 0.07334 % of the gain, and kg 3.38 %. With two it loses 100 %, and kg nothing. The optimum is computed, with a proved error, so these gaps are facts.",
    },
];

// The address of a link of a step, both from 0.
export function addressOf(step, link = 0) {
    const { screen, values } = STEPS[step].links[link];
    return writeState(screen, { ...SCREENS[screen], ...values, lesson: String(step + 1) });
}

const linkTo = (address, text, more = "") => `<a href="${escaped(address)}"${more}>${escaped(text)}</a>`;

// Shows the lesson's step `number`, a text, next to the screen; nothing if there is no such step. The link
// that leads to `hash` is marked.
export function showLesson(number, hash) {
    const at = Number(number) - 1;
    const step = STEPS[at];
    const place = byId("lesson");
    place.hidden = step === undefined;
    if (step === undefined) {
        return;
    }
    byId("lesson-steps").innerHTML = STEPS.map(({ title }, i) =>
        `<li>${linkTo(addressOf(i), title, i === at ? ' aria-current="step"' : "")}</li>`).join("");
    byId("lesson-links").innerHTML = step.links.map(({ text }, i) =>
        linkTo(addressOf(at, i), text, addressOf(at, i) === hash ? ' aria-current="true"' : "")).join(" ");
    if (place.dataset.step !== number) { // otherwise an open answer stays open
        place.dataset.step = number;
        byId("lesson-title").textContent = `Step ${at + 1} of ${STEPS.length}: ${step.title}`;
        byId("lesson-task").textContent = step.task;
        byId("lesson-answer").textContent = step.answer;
        byId("lesson-found").open = false;
        byId("lesson-all").open = false;
    }
}
