// The laboratory's screens and their addresses. The address holds the values of a screen's form, so that
// the browser's back button restores the earlier screen.

import * as compare from "./compare.js";
import * as crowd from "./crowd.js";
import * as play from "./play.js";
import * as rank from "./rank.js";
import * as trees from "./trees.js";
import { looksStyle, setLooks } from "./draw.js";
import { addressOf, setUpLesson, showLesson } from "./lesson.js";
import { gameOn } from "./match.js";
import { byId, copy, engine } from "./page.js";
import { SCREENS, commandLine, readState, writeState } from "./state.js";
import { withTerms } from "./terms.js";

const screens = Object.keys(SCREENS);

const games = { play, crowd: gameOn("crowd", crowd), rank: gameOn("rank", rank) };

const left = {}; // each screen's form values when it was left

const field = (screen, key) => byId(`${screen}-${key}`);

// The values of a form. Fields without an element (the moves of a game) keep their value from the address.
function valuesOf(screen) {
    const values = { ...readState(location.hash).values };
    for (const [key, usual] of Object.entries(SCREENS[screen])) {
        const element = field(screen, key);
        if (element !== null) {
            values[key] = element.type === "checkbox" ? (element.checked ? "1" : "") : element.value;
        } else if (!Object.hasOwn(values, key)) {
            values[key] = usual;
        }
    }
    return values;
}

function fill(screen, values) {
    for (const [key, value] of Object.entries(values)) {
        const element = field(screen, key);
        if (element?.type === "checkbox") {
            element.checked = value !== "";
        } else if (element !== null) {
            element.value = value;
        }
    }
}

// A function from the address is shown, but runs only when the user starts it: a link must not run
// other people's code.
function run(screen, values, asked) {
    if (Object.hasOwn(games, screen)) {
        games[screen].run(values);
    } else if (screen === "tree") {
        trees.run(values, asked);
    } else if (screen === "compare" || asked) {
        compare.run(screen, values, asked);
    } else {
        byId("own-command").textContent = commandLine(screen, values);
    }
}

function show(asked = false) {
    const { screen, values } = readState(location.hash);
    for (const name of screens) {
        byId(name).hidden = name !== screen;
        const tab = byId(`tab-${name}`);
        tab.setAttribute("aria-selected", String(name === screen));
        tab.tabIndex = name === screen ? 0 : -1;
        if (name === screen) {
            tab.parentElement.scrollLeft = tab.offsetLeft - 12; // a row on a phone
        }
    }
    showLesson(values.lesson, location.hash);
    fill(screen, values);
    run(screen, values, asked);
}

function go(screen, values, asked) {
    history.pushState(null, "", writeState(screen, values));
    show(asked);
}

// ---- events ----

function setUpTabs() {
    for (const name of screens) {
        byId(`tab-${name}`).addEventListener("click", () => {
            const { screen } = readState(location.hash);
            left[screen] = valuesOf(screen);
            engine.stop();
            go(name, { ...(left[name] ?? SCREENS[name]), lesson: left[screen].lesson }, false);
        });
    }
    byId("tabs").addEventListener("keydown", ({ key }) => {
        const at = screens.indexOf(readState(location.hash).screen);
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (step !== undefined) {
            const next = byId(`tab-${screens[(at + step + screens.length) % screens.length]}`);
            next.click();
            next.focus();
        }
    });
}

function setUpForms() {
    for (const name of screens) {
        byId(`${name}-form`).addEventListener("submit", (event) => {
            event.preventDefault();
            go(name, { ...valuesOf(name), ...(Object.hasOwn(games, name) ? { moves: "" } : {}) }, true);
        });
        byId(`${name}-copy`).addEventListener("click", ({ target }) => copy(byId(`${name}-command`).textContent, target));
        byId(`${name}-link`).addEventListener("click", ({ target }) => copy(location.href, target));
    }
}

setLooks(await (await fetch("looks.json")).json());
document.head.append(Object.assign(document.createElement("style"), { textContent: looksStyle() }));
setUpTabs();
setUpForms();
for (const [name, { setUp }] of Object.entries(games)) {
    setUp(
        (changed) => history.replaceState(null, "", writeState(name, { ...readState(location.hash).values, ...changed })),
        (changed) => go(name, { ...valuesOf(name), ...changed }, true),
    );
}
trees.setUp();
byId("lesson-start").href = addressOf(0);
setUpLesson(engine, (hash) => {
    history.pushState(null, "", hash);
    show();
});
for (const place of document.querySelectorAll(".terms")) {
    place.innerHTML = withTerms(place.textContent);
}
byId("lesson-end").addEventListener("click", () => {
    const { screen } = readState(location.hash);
    go(screen, { ...valuesOf(screen), lesson: "" }, false);
});
compare.setUp();
byId("stop").addEventListener("click", () => engine.stop());
addEventListener("popstate", () => show());
show();
