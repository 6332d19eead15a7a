// Words that explain themselves: a dotted line, and a text as long as the word has the focus or the mouse.

import { escaped } from "./words.js";

export const TERMS = {
    "soft label": "An instance's own probability that a label is positive. It is never shown during a game.",
    "counts": "Positive and negative labels so far, plus one each at the start: the numbers A and B of a Beta distribution.",
    "threshold": "An instance is positive if its soft label is at least this; usually 1/2.",
    "value": "The expected number of correct calls at the end.",
    "gap": "The optimal value minus the policy's value, in expected correct calls.",
    "gain": "The value minus the value without labels.",
    "upper bounds": "Proved numbers that no policy can exceed. They need no optimum.",
    "optimum": "The largest value that any policy can have. It is computed, not estimated.",
    "opt-kg": "The policy that labels where one label gains most if it turns out well.",
    "gittins-fh": "The policy that labels where an instance alone gains most per label, if labelling may stop at any time.",
    "kg": "The policy that labels where one label is expected to gain most.",
    "policy": "A rule that chooses what to label next.",
    "reliability": "The probability that a worker's label agrees with the instance.",
};

const term = (word) => `<span class="term" tabindex="0" data-says="${escaped(TERMS[word])}" aria-label="${escaped(`${word}: ${TERMS[word]}`)}">${word}</span>`;

// The first of each term in a plain text, as HTML.
export function withTerms(text) {
    const words = Object.keys(TERMS).filter((word) => new RegExp(`\\b${word}\\b`).test(text));
    let html = escaped(text);
    words.forEach((word, i) => {
        html = html.replace(new RegExp(`\\b${word}\\b`), `\u0000${i}\u0000`);
    });
    return html.replace(/\u0000(\d+)\u0000/g, (_, i) => term(words[i]));
}
