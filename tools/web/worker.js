// The engine in its Worker. It receives {id, question, code}, and sends {id, progress} and finally
// {id, answer} or {id, error}. First it receives {stop}, a shared flag, if the browser allows one.

import createOptgap from "./optgap.mjs";
import { FAILED, answerOf, compiled, errorText, stateOf } from "./policy.js";

let flag = null;
let task = { id: 0, policy: null };

const lab = {
    progress(progress) {
        postMessage({ id: task.id, progress });
        return flag === null || Atomics.load(flag, 0) === 0;
    },
    choose(which, left, budget, count, numbers) {
        const state = stateOf(left, budget, count, numbers);
        try {
            return answerOf(task.policy, state);
        } catch (error) {
            return { kind: FAILED, error: errorText(error, state) };
        }
    },
};

const engine = createOptgap({ lab });

async function answer({ question, code }) {
    const module = await engine;
    task.policy = code === undefined ? null : compiled(code);
    const words = module.ccall("lab_ask", "number", ["string"], [JSON.stringify(question)]);
    if (words === 0) {
        throw new Error("There is not enough memory.");
    }
    const text = module.UTF8ToString(words);
    module._free(words);
    return JSON.parse(text);
}

async function take(message) {
    task = { id: message.id, policy: null };
    try {
        postMessage({ id: message.id, answer: await answer(message) });
    } catch (error) {
        // After a failure of the engine itself, such as memory that cannot grow, it is unusable.
        const broken = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
        postMessage({ id: message.id, error: errorText(error), broken });
    }
}

onmessage = ({ data }) => {
    if (data.stop !== undefined) {
        flag = new Int32Array(data.stop);
    } else {
        take(data);
    }
};
