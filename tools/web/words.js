// Text that users read or type: INSTANCE words, fractions, numbers, and words of a command line.

// Instances as typed, separated by blanks.
export function wordsOf(text) {
    return text.split(/\s+/).filter((word) => word !== "");
}

const decimal = "(\\d+\\.?\\d*|\\.\\d+)";
const beta = new RegExp(`^(?:(\\d+)x)?${decimal},${decimal}(?:@${decimal})?$`);

// "3x2,1@0.3" as {copies, a, b, threshold}; a, b and the threshold stay text, so that no digit is lost.
// Throws an Error whose message the page shows.
export function betaOf(word) {
    const found = beta.exec(word);
    if (found === null) {
        throw new Error(`“${word}” is not A,B, A,B@D or COUNTxA,B with numbers above 0.`);
    }
    const [, copies = "1", a, b, threshold = "0.5"] = found;
    if (!(Number(a) > 0 && Number(b) > 0 && Number(copies) > 0)) {
        throw new Error(`“${word}”: a prior's numbers are above 0.`);
    }
    if (!(Number(threshold) > 0 && Number(threshold) < 1)) {
        throw new Error(`“${word}”: a threshold is between 0 and 1.`);
    }
    return { copies: Number(copies), a, b, threshold };
}

// A decimal text plus a whole number: no rounding. "0.1" and 2 make "2.1".
export function plus(text, whole) {
    const [before, after] = text.split(".");
    const sum = (BigInt(before || "0") + BigInt(whole)).toString();
    return after ? `${sum}.${after}` : sum;
}

// "121/16" as [121n, 16n].
function fractionOf(text) {
    const [top, bottom = "1"] = text.split("/");
    return [BigInt(top), BigInt(bottom)];
}

const divisor = (a, b) => (b === 0n ? (a < 0n ? -a : a) : divisor(b, a % b));

// Of two fractions, exactly, as a fraction.
export function minus(one, other) {
    const [a, b] = fractionOf(one);
    const [c, d] = fractionOf(other);
    const top = a * d - c * b;
    const common = divisor(top, b * d) || 1n;
    return b * d === common ? `${top / common}` : `${top / common}/${(b * d) / common}`;
}

// As the program prints them: ten digits of a value, four of a gap.
export function valueText(value) {
    return value === null || Number.isNaN(value) ? "not known" : String(Number(value.toPrecision(10)));
}

export function gapText(gap) {
    return gap === null || Number.isNaN(gap) ? "not known" : String(Number(gap.toPrecision(4)));
}

// A proved error: two digits, rounded up.
export function errorText(error) {
    const text = error.toExponential(1);
    const [digits, power] = text.split("e");
    return String(Number(text) < error ? Number(`${(Number(digits) + 0.1).toFixed(1)}e${power}`) : Number(text));
}

export function percentText(share) {
    return share === null ? "not known" : `${gapText(share)} %`;
}

export function plural(count, thing, things = `${thing}s`) {
    return `${count} ${count === 1 ? thing : things}`;
}

// Quotes a word for a POSIX shell.
export function quoted(word) {
    return /^[\w@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// Escapes text for HTML and SVG.
export function escaped(text) {
    const entity = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
    return String(text).replace(/[&<>"']/g, (character) => entity[character]);
}
