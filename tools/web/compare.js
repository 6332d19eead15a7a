// The compare screen; the screen for a user's policy is the same with a function above it. The table for
// the whole budget comes first, then values for smaller budgets as they are computed.

import { heatMap, lines } from "./draw.js";
import { found } from "./lesson.js";
import { attend, boxWidth, byId, engine, keysOf, lossText, narrow, save, showCommand, showError, showPicture, showProgress, table, working } from "./page.js";
import { withoutPayoff } from "./names.js";
import { programOf } from "./policy.js";
import { budgetsOf, commandLine, questionOf } from "./state.js";
import { errorText, escaped, gapText, percentText, plural, valueText } from "./words.js";

const rowName = ({ name, ties }, many) => (many ? `${name}, ties ${ties}` : name);

let names = []; // of the policies on the screen
let picked = null; // the one whose curve is shown alone, beside the optimum

// ---- the table ----

// True if the gap may be only rounding.
const hidden = ({ gap, gap_error_bound: error }) => gap !== null && gap > 0 && gap <= error;

// What is counted.
const unitOf = ({ problem }) => `expected ${problem.instances?.some(({ payoff }) => payoff !== undefined) ? "payoff" : "correct calls"}`;

// Names of bounds, with those of the program below.
export const BOUNDS = {
    lagrangian_scalar: "one price for all labels", lagrangian_vector: "a price for each label", prevailing_charge: "prevailing charges",
    priced_end: "charges, then prices", joint_end: "charges, then joint choices",
};

function gapOf(row) {
    if (row.gap === null) {
        return row.gap_at_most ? `at most ${gapText(row.gap_at_most)}` : "not known";
    }
    return hidden(row) ? `0 (proved to ${errorText(row.gap_error_bound)})` : lossText(row.gap);
}

function policyRows(document) {
    const many = new Set(document.policies.map(({ ties }) => ties)).size > 1;
    return document.policies.map((row, i) => [
        { html: `<button type="button" class="pick" data-pick="${i}">${escaped(rowName(row, many))}${i < 9 ? ` <kbd aria-hidden="true">${i + 1}</kbd>` : ""}</button>` },
        row.value === null ? (row.limit ?? "not known") : `${valueText(row.value)}${row.simulated ? " (simulated)" : ""}`,
        gapOf(row),
        row.gap_percent === null || hidden(row) ? "" : percentText(row.gap_percent),
        row.gain_lost_percent === null || hidden(row) ? "" : percentText(row.gain_lost_percent),
    ]);
}

function summary(document) {
    const { optimal, bracket, call_value: prior } = document;
    if (optimal.value === null) {
        return `Optimal value: between ${valueText(bracket.lower)} and ${valueText(bracket.upper)} (proved; ${optimal.limit ?? "limit reached"}).`;
    }
    return (
        `Optimal value ${valueText(optimal.value)} ${unitOf(document)}, ${valueText(optimal.gain)} more than the ` +
        `${valueText(prior)} without labels. Error at most ${errorText(optimal.error_bound)} (proved); ${plural(optimal.states, "state")}.`
    );
}

function boundRows({ bounds, optimal }) {
    return Object.entries(bounds ?? {}).filter(([, bound]) => bound?.value !== undefined).map(([name, { value, error_bound: error }]) => {
        const above = value - optimal.value;
        const equal = above <= (error ?? 0) + optimal.error_bound; // as far as the error bounds show
        return [{ html: `${BOUNDS[name] ?? ""} <span class="note">${escaped(name)}</span>` }, valueText(value), optimal.value === null || value === null ? "" : lossText(equal ? 0 : above)];
    });
}

function showTable(screen, document) {
    const policies = table("Policies", ["policy", "value", "gap", "gap, % of value", "gain lost, %"], policyRows(document));
    const bounds = boundRows(document);
    byId(`${screen}-answer`).innerHTML =
        `<p>${summary(document)}</p>${policies}` +
        (bounds.length ? table("Upper bounds", ["bound", "value", "above the optimum"], bounds) : "");
}

// ---- where a policy loses ----

function stateText(decision) {
    return decision.words ?? decision.state.map(({ posterior, prior, count }) => `${count > 1 ? `${count}x` : ""}${posterior ?? prior}`).join(" ");
}

function decisionRows(document) {
    const { policies } = withoutPayoff(document);
    const many = new Set(document.policies.map(({ ties }) => ties)).size > 1;
    return policies.flatMap((row) =>
        (row.explain?.decisions ?? []).slice(0, 3).map((decision) => {
            const words = (groups) => groups.map(({ posterior, text }) => text ?? `${posterior}`).join(" or ");
            return [
                rowName(row, many), `${decision.left}`, stateText(decision),
                words(decision.state.filter(({ chosen }) => chosen > 0)),
                words(decision.state.filter(({ optimal }) => optimal)), gapText(decision.contribution),
            ];
        }),
    );
}

function showExplain(screen, document) {
    const many = new Set(document.policies.map(({ ties }) => ties)).size > 1;
    const rows = document.policies.filter(({ explain }) => explain).map((row) => ({
        name: rowName(row, many), cells: row.explain.stages,
    }));
    byId(`${screen}-explain-picture`).innerHTML = "";
    if (rows.length > 0) {
        showPicture(`${screen}-explain-picture`, "optgap-where", heatMap({ title: `Where ${unitOf(document)} ${unitOf(document).endsWith("s") ? "are" : "is"} lost`, rows, width: boxWidth(`${screen}-explain-picture`) }));
        const lost = decisionRows(document);
        const head = ["policy", "labels left", "state", "it labels", "optimal", "lost there"];
        byId(`${screen}-decisions`).innerHTML = lost.length ? table("The decisions that lose most", head, lost) : "";
    } else {
        byId(`${screen}-decisions`).innerHTML = "";
    }
}

// ---- values over budgets ----

// A point of the pictures, from the document for a budget. Infinity if there is no bound.
export function pointOf(budget, document) {
    const { optimal, bracket, bounds, policies } = document;
    const upper = Object.values(bounds ?? {}).map((bound) => bound?.value ?? Infinity);
    return {
        budget,
        optimum: optimal.value,
        lower: optimal.value ?? bracket.lower,
        bound: Math.min(...upper),
        policies: policies.map((row) => ({ name: row.name, ties: row.ties, value: row.value, gap: hidden(row) ? 0 : row.gap })),
        unit: unitOf(document),
    };
}

function seriesOf(points, many, key) {
    const names = points[0].policies.map((row) => rowName(row, many));
    return names.map((name, i) => ({ name, points: points.map((point) => [point.budget, point.policies[i][key] ?? null]) }));
}

function showPictures(screen, points) {
    const sorted = [...points].sort((one, other) => one.budget - other.budget);
    const many = new Set(sorted[0].policies.map(({ ties }) => ties)).size > 1;
    const band = sorted.filter(({ bound }) => Number.isFinite(bound));
    const width = boxWidth(`${screen}-pictures`);
    const values = lines({
        width,
        title: "Values", xName: "labels", yName: sorted[0].unit,
        series: [{ name: "optimum", points: sorted.map(({ budget, optimum }) => [budget, optimum]) }, ...seriesOf(sorted, many, "value")],
        band: band.map(({ budget, lower, bound }) => [budget, lower, Math.max(lower, bound)]),
        bandName: "up to the best upper bound",
    });
    const gaps = lines({
        width, title: "Gaps", xName: "labels", yName: `optimal value minus the policy's, in ${sorted[0].unit}`,
        series: seriesOf(sorted, many, "gap"),
    });
    byId(`${screen}-pictures`).innerHTML = '<div class="picture"></div><div class="picture"></div>';
    const [above, below] = byId(`${screen}-pictures`).querySelectorAll(".picture");
    showPicture(above, "optgap-gaps", gaps);
    showPicture(below, "optgap-values", values);
    names = sorted[0].policies.map((row) => rowName(row, many));
    showPicked(screen);
}

function showPicked(screen) {
    for (const curve of byId(`${screen}-pictures`).querySelectorAll("[data-curve]")) {
        curve.classList.toggle("faint", picked !== null && ![picked, "optimum"].includes(curve.dataset.curve));
    }
}

// The key of a policy's row shows its curve alone, and the same key, or u, all curves again.
function pick(screen, name) {
    picked = name === undefined || name === picked ? null : name;
    showPicked(screen);
}

// ---- the screen ----

function clear(screen) {
    for (const part of ["answer", "explain-picture", "decisions", "pictures"]) {
        byId(`${screen}-${part}`).innerHTML = "";
    }
    picked = null;
}

function checked(values) {
    const budget = Number(values.budget);
    if (!Number.isInteger(budget) || budget < 0 || budget > 1000000) {
        throw new Error("Labels must be a whole number from 0 to 1000000.");
    }
    if (!(Number(values.seconds) >= 0)) {
        throw new Error("Seconds must be a number; 0: no limit.");
    }
    return budget;
}

// What the lesson keeps of an answer: the gap of the user's function, what opt-kg loses, or the optimal value.
function foundIn(screen, values, { optimal, policies }) {
    if (screen === "own") {
        return gapOf(policies[0]);
    }
    const lost = policies.find(({ name }) => name === "opt-kg")?.gain_lost_percent;
    return values.lesson === "5" ? percentText(lost ?? null) : valueText(optimal.value);
}

async function compare(screen, values, budget, asked) {
    const about = { onProgress: showProgress, code: values.code };
    const turn = engine.turn;
    const whole = await engine.ask(questionOf(screen, values), about);
    showTable(screen, whole);
    found(screen, values, foundIn(screen, values, whole));
    if (asked || (narrow() && values.lesson !== "")) { // on a phone the form hides what a link of the lesson shows
        attend(`${screen}-answer`);
    }
    showExplain(screen, whole);
    const points = [pointOf(budget, whole)];
    showPictures(screen, points);
    const quick = { with: { runs: "0" } }; // nothing is simulated for a picture
    for (const at of budgetsOf(budget).filter((smaller) => smaller < budget)) {
        if (engine.turn !== turn) {
            return;
        }
        const part = await engine.ask(questionOf(screen, { ...values, budget: String(at) }, quick), about);
        points.push(pointOf(at, part));
        showPictures(screen, points);
    }
}

export function run(screen, values, asked = false) {
    engine.stop();
    clear(screen);
    showCommand(screen, commandLine(screen, values));
    try {
        const budget = checked(values);
        working(`${screen}-error`, () => compare(screen, values, budget, asked));
    } catch (error) {
        showError(`${screen}-error`, error);
    }
}

export function setUp() {
    for (const screen of ["compare", "own"]) {
        keysOf(screen, (row) => pick(screen, names[row]), { u: () => pick(screen) });
        byId(`${screen}-answer`).addEventListener("click", ({ target }) => {
            const button = target.closest("[data-pick]");
            if (button !== null) {
                pick(screen, names[button.dataset.pick]);
            }
        });
    }
    byId("own-save").addEventListener("click", () => save("mine.mjs", programOf(byId("own-code").value), "text/javascript"));
}
