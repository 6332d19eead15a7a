// A user-defined policy: the text of a function, which gets the same state as a command: policy. The
// engine passes the state as numbers (glue.h). It runs in the Worker, so that a function that never
// returns can be stopped.

export const FAILED = 0;
export const INDEX = 1;
export const WEIGHTS = 2;

const COLUMNS = 5; // copies, threshold, kind, parameters, labels
const MIXTURE = 1;
const CLASSES = 2;

// {left, budget, instances, counts, thresholds} from a view of the engine's numbers.
export function stateOf(left, budget, count, numbers) {
    const state = { left, budget, instances: [], counts: [], thresholds: [] };
    let at = 0;
    for (let i = 0; i < count; i++) {
        const [copies, threshold, kind, parameters, labels] = numbers.slice(at, at + COLUMNS);
        at += COLUMNS;
        const own = Array.from(numbers.slice(at, at + parameters));
        at += parameters + labels;
        state.instances.push(kind === MIXTURE ? triples(own) : own);
        state.counts.push(copies);
        state.thresholds.push(kind === CLASSES ? null : threshold);
    }
    return state;
}

function triples(numbers) {
    const parts = [];
    for (let i = 0; i < numbers.length; i += 3) {
        parts.push(numbers.slice(i, i + 3));
    }
    return parts;
}

// Compiles a text to a function. Throws a SyntaxError, or an Error if it is not a function.
export function compiled(code) {
    const made = new Function(`"use strict"; return (${code}\n);`)();
    if (typeof made !== "function") {
        throw new Error("The text is not a function. Begin with: (state) => ...");
    }
    return made;
}

// Calls the function; returns {kind, numbers}. An array is an index. Throws an Error for a wrong answer.
export function answerOf(made, state) {
    const said = made(state);
    const count = state.instances.length;
    if (said !== null && typeof said === "object" && Number.isInteger(said.choose)) {
        if (said.choose < 0 || said.choose >= count) {
            throw new Error(`choose is ${said.choose}, but there are ${count} groups, from 0`);
        }
        return { kind: WEIGHTS, numbers: state.instances.map((_, i) => Number(i === said.choose)) };
    }
    if (said?.stop === true) {
        return { kind: INDEX, numbers: state.instances.map(() => -Infinity) };
    }
    const weights = said?.weights !== undefined;
    const numbers = Array.isArray(said) ? said : (said?.weights ?? said?.index);
    if (!Array.isArray(numbers)) {
        throw new Error("It returned no array, and no object with index, weights or choose.");
    }
    if (numbers.length !== count) {
        throw new Error(`It returned ${numbers.length} numbers for ${count} groups of instances.`);
    }
    const wrong = numbers.findIndex((number) => typeof number !== "number" || Number.isNaN(number));
    if (wrong >= 0) {
        throw new Error(`Its answer for group ${wrong} is ${numbers[wrong]}, which is no number.`);
    }
    return { kind: weights ? WEIGHTS : INDEX, numbers };
}

// One line about an exception, with the line of the function if the browser shows it.
export function errorText(error, state) {
    const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const seen = state === undefined ? "" : ` The state was ${JSON.stringify(state)}`;
    return (words + seen).replaceAll("\n", " ");
}

// The engine's messages name what a program gives it; on this page these are fields.
const OURS = [
    [/^"budget" must be .*, not '(.*)'$/, "Labels must be a whole number, not “$1”."],
    [/; use "arithmetic" double.*/, ". Leave Fractions off: then the numbers have a proved error."],
    [/^"payoff" must be .*, not '(.*)'$/, "Payoff must be TP,FP,FN,TN, or brier, squared or log, not “$1”."],
    [/^unknown option 'payoff' of .*/, "A payoff is for workers who are always right: leave Payoff or Workers empty."],
    [/, too many for a picture; give .*/, ", too many for a picture: give fewer labels or instances."],
    [/^"workers-prior" /, "Workers: "],
    [/^"payoff":/, "Payoff:"],
    [/^unknown tie rule '(.*)';? .*known: (.*)\)$/, "Ties are $2, not “$1”."],
    [/; choose one of 'optgap policies.*/, "; kg, opt-kg and uniform do."],
    [/is not part of this build; omit it$/, "is not on this page; leave it out."],
    [/needs Jansson.*/, "is a program of its own, which a page cannot start; Your policy takes a function."],
    [/^'(.*)' cannot be opened.*/, "“$1” is a file, and this page reads none."],
];

// The engine's message, in words of this page.
export function inOurWords(message) {
    const [, first, again, number, count] = /answers at random: .* answered (\S+) and then (\S+) \(number (\d+) of (\d+)\)/.exec(message) ?? [];
    if (first === undefined) {
        return OURS.reduce((words, [theirs, ours]) => words.replace(theirs, ours), message);
    }
    const what = Number(number) < Number(count) - 1 ? `for group ${number}` : "whether to stop";
    return `Your function answers at random: for the same state it returned ${first} and then ${again} ${what}. ` +
        "Return {weights: [...]} instead, a probability for each group.";
}

// The same policy as a program for "optgap compare --policy 'command:node mine.mjs'".
export function programOf(code) {
    return `// A policy for optgap: optgap compare -T 12 --policy "command:node mine.mjs" 5x1,1
import { createInterface } from "node:readline";

const policy = (${code}
);

for await (const line of createInterface({ input: process.stdin })) {
    const said = policy(JSON.parse(line));
    console.log(JSON.stringify(Array.isArray(said) ? { index: said } : said));
}
`;
}
