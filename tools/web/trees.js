// The tree screen: the optimal policy as a picture. Nodes open and close with the mouse or the keyboard:
// up and down go to the next node, right opens, left closes or goes to the parent.

import { tree } from "./draw.js";
import { byId, engine, showCommand, showPicture, showProgress, working } from "./page.js";
import { commandLine, questionOf } from "./state.js";
import { plural } from "./words.js";

let states = [];
let open = new Set();

function draw(focus) {
    const svg = tree({ title: `Optimal play: ${plural(states.length, "state")}`, states, open });
    showPicture("tree-picture", "optgap-tree", svg);
    if (focus !== undefined) {
        byId("tree-picture").querySelector(`[data-path="${focus}"]`)?.focus();
    }
}

function toggle(node) {
    const { path } = node.dataset;
    if (node.hasAttribute("aria-expanded")) {
        if (!open.delete(path)) {
            open.add(path);
        }
        draw(path);
    }
}

function walk(event) {
    const node = event.target.closest("[data-path]");
    if (node === null) {
        return;
    }
    const nodes = [...byId("tree-picture").querySelectorAll("[data-path]")];
    const at = nodes.indexOf(node);
    const parent = node.dataset.path.split(".").slice(0, -1).join(".");
    const expanded = node.getAttribute("aria-expanded");
    const steps = {
        ArrowDown: () => nodes[at + 1]?.focus(),
        ArrowUp: () => nodes[at - 1]?.focus(),
        ArrowRight: () => (expanded === "true" ? nodes[at + 1]?.focus() : toggle(node)),
        ArrowLeft: () => (expanded === "true" ? toggle(node) : nodes.find(({ dataset }) => dataset.path === parent)?.focus()),
        Home: () => nodes[0].focus(),
        End: () => nodes.at(-1).focus(),
        Enter: () => toggle(node),
        " ": () => toggle(node),
    };
    if (Object.hasOwn(steps, event.key)) {
        event.preventDefault();
        steps[event.key]();
    }
}

export function run(values) {
    engine.stop();
    byId("tree-picture").innerHTML = "";
    byId("tree-note").textContent = "";
    showCommand("tree", commandLine("tree", values));
    working("tree-error", async () => {
        const document = await engine.ask(questionOf("tree", values), { onProgress: showProgress });
        states = document.states;
        open = new Set(["0"]);
        byId("tree-note").textContent = document.gains
            ? "Values are gains still to come."
            : `Values count all expected ${document.unit} in the end.`;
        draw();
    });
}

export function setUp() {
    byId("tree-picture").addEventListener("click", ({ target }) => {
        const node = target.closest("[data-path]");
        if (node !== null) {
            toggle(node);
        }
    });
    byId("tree-picture").addEventListener("keydown", walk);
}
