// The fields of each screen, and the address, command line and engine's question for them. A screen is
// restored from the address alone.

import { quoted, wordsOf } from "./words.js";

export const PLAYERS = ["opt-kg", "kg", "gittins-fh"];

export const OWN_EXAMPLE = `(state) => {
    // Label where the mean is nearest to the threshold; among those, where labels are few.
    return state.instances.map(([a, b], i) =>
        -Math.abs(a / (a + b) - state.thresholds[i]) - 0.001 * (a + b));
}`;

const usual = "uniform,kg,opt-kg,gittins-fh,gittins-inf";

// The fields of each screen with their defaults. A switch is "" or "1"; lesson: a step's number, or none.
export const SCREENS = {
    play: { instances: "2,1 4,2 4,4", budget: "2", seed: "1", names: "", exact: "1", moves: "", lesson: "" },
    crowd: { instances: "2x1,1", workers: "3x4,1", budget: "5", seed: "1", names: "", moves: "", lesson: "" },
    rank: { instances: "4x1", budget: "4", seed: "1", names: "", moves: "", lesson: "" },
    compare: { instances: "5x1,1", budget: "12", workers: "", payoff: "", policies: usual, ties: "random", explain: "1", seconds: "60", lesson: "" },
    tree: { instances: "2,1 4,2 4,4", budget: "2", against: "", payoff: "", names: "", exact: "1", all: "", lesson: "" },
    own: { instances: "5x1,1", budget: "12", policies: "opt-kg,kg", payoff: "", ties: "random", seconds: "60", code: OWN_EXAMPLE, lesson: "" },
};

export const PRESETS = [
    { text: "Garden, sofa and roof, 2 labels", instances: "2,1 4,2 4,4", budget: "2", names: "garden sofa roof" },
    { text: "2,1 4,2 4,4 with 3 labels", instances: "2,1 4,2 4,4", budget: "3", names: "" },
    { text: "Positive means at least 0.7, 3 labels", instances: "1,1@0.7 3,2@0.7 4,2@0.7", budget: "3", names: "" },
    { text: "Five new instances, 8 labels", instances: "5x1,1", budget: "8", names: "" },
];

// {screen, values} from "#compare?budget=12&..."; unknown fields are ignored.
export function readState(hash) {
    const [name, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
    const screen = Object.hasOwn(SCREENS, name) ? name : "play";
    const given = new URLSearchParams(name === screen ? query : "");
    const values = { ...SCREENS[screen] };
    for (const key of Object.keys(values)) {
        values[key] = given.get(key) ?? values[key];
    }
    return { screen, values };
}

// The shortest address: fields with their default are omitted.
export function writeState(screen, values) {
    const query = new URLSearchParams();
    for (const [key, was] of Object.entries(SCREENS[screen])) {
        if (values[key] !== was) {
            query.set(key, values[key]);
        }
    }
    const text = query.toString();
    return `#${screen}${text ? "?" : ""}${text}`;
}

const listOf = (text) => text.split(",").map((word) => word.trim()).filter((word) => word !== "");

// With workers, whose words are priors of their reliability, labels can be wrong.
function problemOf(values) {
    const budget = values.budget.trim();
    const payoff = (values.payoff ?? "").trim();
    const workers = wordsOf(values.workers ?? "");
    const options = { budget, ...(payoff === "" ? {} : { payoff }), ...(workers.length > 0 ? { "workers-prior": workers } : {}) };
    return { family: workers.length > 0 ? "workers" : "independent", options, instances: wordsOf(values.instances) };
}

// The engine's question for a screen; `more` adds to it: with its own options there is no explanation.
export function questionOf(screen, values, more = {}) {
    const problem = problemOf(values);
    if (screen === "tree") {
        const options = { arithmetic: values.exact !== "" ? "exact" : "double", ...(values.all !== "" ? { "all-actions": null } : {}) };
        return { question: "tree", ...problem, with: options, policies: listOf(values.against), ...more };
    }
    const asked = {
        question: "compare",
        ...problem,
        policies: listOf(values.policies),
    };
    const ties = listOf(values.ties).join(",");
    const seconds = Number(values.seconds) || 0;
    const options = { ...(ties !== "" ? { ties } : {}), ...(seconds > 0 ? { "time-limit": String(seconds) } : {}) };
    if (screen === "own") {
        asked.policies = [{ name: "mine", function: 0 }, ...asked.policies];
    }
    if (more.with === undefined && (screen === "own" || values.explain !== "")) {
        options.explain = null;
    }
    return { ...asked, ...more, with: { ...options, ...more.with } };
}

// The question about a game's state: the optimal choices and the policies' choices, in fractions if possible.
export function queryOf(values, words, left, exact) {
    return {
        question: "query",
        family: "independent",
        options: { budget: values.budget.trim(), left: String(left) },
        instances: words,
        policies: PLAYERS,
        with: { arithmetic: exact ? "exact" : "double", "time-limit": "20" },
    };
}

// Budgets up to T at which values are drawn: all of a small one, about sixteen of a large one.
export function budgetsOf(budget, most = 16) {
    const steps = Math.min(budget, most);
    const all = Array.from({ length: steps }, (_, i) => Math.round((budget * (i + 1)) / steps));
    return [...new Set(all)].filter((at) => at > 0);
}

// ---- command lines ----

export function line(...words) {
    return ["optgap", ...words].map(quoted).join(" ");
}

export function queryLine(values, words, left, fractions) {
    const some = String(left) === values.budget.trim() ? [] : ["--left", String(left)];
    const exact = fractions ? ["--arithmetic", "exact"] : [];
    return line("query", "-T", values.budget.trim(), ...some, ...exact, "--policies", PLAYERS.join(","), ...words);
}

export function commandLine(screen, values) {
    const words = wordsOf(values.instances);
    const payoff = (values.payoff ?? "").trim();
    const budget = ["-T", values.budget.trim(), ...(payoff ? ["--payoff", payoff] : [])];
    if (screen === "play") {
        return line("play", ...budget, ...words);
    }
    if (screen === "tree") {
        const exact = values.exact ? ["--arithmetic", "exact"] : [];
        const against = values.against.trim() ? ["--against", values.against.trim()] : [];
        return line("tree", ...budget, ...exact, ...against, ...(values.all ? ["--all-actions"] : []), "-o", "tree.svg", ...words);
    }
    const policies = listOf(values.policies);
    const own = screen === "own" ? ["--policy", "command:node mine.mjs"] : [];
    const named = policies.length ? ["--policies", policies.join(",")] : [];
    const rules = listOf(values.ties).join(",");
    const ties = rules === "" || rules === "random" ? [] : ["--ties", rules];
    const workers = wordsOf(values.workers ?? "").flatMap((word) => ["--workers-prior", word]);
    const limit = Number(values.seconds) > 0 ? ["--time-limit", values.seconds.trim()] : [];
    const explain = screen === "own" || values.explain ? ["--explain"] : [];
    return line("compare", ...budget, ...workers, ...own, ...named, ...ties, ...explain, ...limit, ...words);
}
