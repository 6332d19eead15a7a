// The Worker as promises. It answers one question at a time; others wait. Stop ends the current question
// and drops the waiting ones. It first sets a shared flag, and the engine answers with the bounds proved
// so far. If there is no flag (the page is not cross-origin isolated), or the engine does not react, the
// Worker is ended and replaced.

export class Stopped extends Error {}

const graceMilliseconds = 1500;

export class Engine {
    #make;
    #grace;
    #worker = null;
    #flag = null;
    #waiting = [];
    #current = null;
    #count = 0;
    turn = 0; // grows with each stop, so that work of several questions can see that it was stopped

    // make: returns a new Worker.
    constructor(make, grace = graceMilliseconds) {
        this.#make = make;
        this.#grace = grace;
    }

    get busy() {
        return this.#current !== null;
    }

    // Resolves to the answer's document. Rejects with Stopped, or an Error with the engine's message and status.
    ask(question, { code, onProgress } = {}) {
        return new Promise((resolve, reject) => {
            this.#waiting.push({ id: ++this.#count, question, code, onProgress, resolve, reject });
            this.#next();
        });
    }

    stop() {
        const stopped = this.#current;
        this.turn++;
        for (const { reject } of this.#waiting.splice(0)) {
            reject(new Stopped("Stopped."));
        }
        if (stopped === null) {
            return;
        }
        if (this.#flag !== null) {
            Atomics.store(this.#flag, 0, 1);
            stopped.timer ??= setTimeout(() => this.#end(stopped), this.#grace);
        } else {
            this.#end(stopped);
        }
    }

    #end(stopped) {
        this.#drop();
        this.#finish(stopped, (one) => one.reject(new Stopped("Stopped.")));
    }

    #drop() {
        this.#worker?.terminate();
        this.#worker = null;
        this.#flag = null;
    }

    #start() {
        this.#worker = this.#make();
        this.#worker.onmessage = ({ data }) => this.#take(data);
        this.#worker.onerror = (event) => this.#fail(event);
        if (globalThis.crossOriginIsolated) {
            this.#flag = new Int32Array(new SharedArrayBuffer(4));
            this.#worker.postMessage({ stop: this.#flag.buffer });
        }
    }

    #next() {
        if (this.#current !== null || this.#waiting.length === 0) {
            return;
        }
        if (this.#worker === null) {
            this.#start();
        }
        this.#current = this.#waiting.shift();
        if (this.#flag !== null) {
            Atomics.store(this.#flag, 0, 0);
        }
        const { id, question, code } = this.#current;
        this.#worker.postMessage({ id, question, code });
    }

    #finish(one, how) {
        if (this.#current === one) {
            clearTimeout(one.timer);
            this.#current = null;
            how(one);
            this.#next();
        }
    }

    #take({ id, progress, answer, error, broken }) {
        const one = this.#current;
        if (one === null || one.id !== id) {
            return;
        }
        if (progress !== undefined) {
            one.onProgress?.(progress);
            return;
        }
        if (broken) {
            this.#drop();
        }
        this.#finish(one, ({ resolve, reject }) => {
            if (answer !== undefined && answer.status === "ok") {
                resolve(answer.document);
            } else {
                const words = error ?? answer.message;
                reject(Object.assign(new Error(words), { status: answer?.status ?? "failed" }));
            }
        });
    }

    // The Worker could not be loaded: reject the question.
    #fail(event) {
        const words = event.message || "The engine could not be loaded. Was it built? See tools/web/build.";
        event.preventDefault?.();
        this.#drop();
        if (this.#current !== null) {
            this.#finish(this.#current, ({ reject }) => reject(new Error(words)));
        }
    }
}
