// The tree screen: the optimal policy as the program draws it. States open and close with the mouse or the
// keyboard: up and down go to the next node, right opens, left closes; 1 to 9 follow an arrow, u goes back.

import { firstOpen, openPart, textWidth, tree } from "./draw.js";
import { layOut } from "./layout.js";
import { attend, boxWidth, byId, engine, keysOf, narrow, showCommand, showPicture, showProgress, working } from "./page.js";
import { namesIn } from "./names.js";
import { commandLine, questionOf } from "./state.js";

const NODES_FIRST = 60; // as many nodes are open at first; on a narrow screen, as many as its width shows
const SHRINK = 0.75; // as far as letters can be read

let figure = null;
let open = new Set();

// The width of a line on this page, in the letters of its pictures.
let pen = null;
function measure(text, size) {
    pen ??= document.createElement("canvas").getContext("2d");
    if (pen === null) {
        return textWidth(text, size);
    }
    pen.font = `${size}px system-ui, sans-serif`;
    return pen.measureText(text).width;
}

const nodeNamed = (name) => byId("tree-picture").querySelector(`[data-name="${name}"]`);

const size = () => (narrow() ? 12 : 14);

const fits = (part) => part.nodes.length <= NODES_FIRST && (!narrow() || SHRINK * layOut(part, measure, { size: size() }).width <= boxWidth("tree-picture"));

function draw(focus) {
    const svg = tree({ ...openPart(figure, open), title: figure.title }, { measure, size: size(), shrink: SHRINK });
    showPicture("tree-picture", "optgap-tree", svg);
    if (focus !== undefined) {
        nodeNamed(focus)?.focus();
    }
}

function toggle(node) {
    const { name } = node.dataset;
    if (node.hasAttribute("aria-expanded")) {
        if (!open.delete(name)) {
            open.add(name);
        }
        draw(name);
    }
}

function walk(event) {
    const node = event.target.closest("[data-name]");
    if (node === null) {
        return;
    }
    const nodes = [...byId("tree-picture").querySelectorAll("[data-name]")];
    const at = nodes.indexOf(node);
    const expanded = node.getAttribute("aria-expanded");
    const steps = {
        ArrowDown: () => nodes[at + 1]?.focus(),
        ArrowUp: () => nodes[at - 1]?.focus(),
        ArrowRight: () => (expanded === "false" ? toggle(node) : nodes[at + 1]?.focus()),
        ArrowLeft: () => (expanded === "true" ? toggle(node) : nodes[at - 1]?.focus()),
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

// The keys 1 to 9 lead from the node that has the focus, or the root, along its arrows.
function follow(number) {
    const name = document.activeElement.dataset.name ?? figure?.nodes[0].name;
    const to = figure?.arrows.filter(({ from }) => from === name)[number]?.to;
    if (to !== undefined) {
        if (nodeNamed(to) === null) {
            open.add(name);
            draw();
        }
        nodeNamed(to).focus();
    }
}

function back() {
    const from = figure?.arrows.filter(({ to }) => to === document.activeElement.dataset.name).map((arrow) => nodeNamed(arrow.from));
    from?.find((node) => node !== null)?.focus();
}

export function run(values, asked) {
    engine.stop();
    figure = null;
    byId("tree-picture").innerHTML = "";
    byId("tree-note").textContent = "";
    showCommand("tree", commandLine("tree", values));
    working("tree-error", async () => {
        const document = await engine.ask(questionOf("tree", values), { onProgress: showProgress });
        figure = namesIn(document, values.instances, values.names);
        open = firstOpen(figure, fits);
        byId("tree-note").textContent = figure.subtitle;
        draw();
        if (asked || (narrow() && values.lesson !== "")) { // on a phone the form hides what a link of the lesson shows
            attend("tree-note");
        }
    });
}

export function setUp() {
    byId("tree-picture").addEventListener("click", ({ target }) => {
        const node = target.closest("[data-name]");
        if (node !== null) {
            toggle(node);
        }
    });
    byId("tree-picture").addEventListener("keydown", walk);
    keysOf("tree", follow, { u: back });
}
