/** What an adapter is made of: it joins a system to `mayhap test SPEC --sut 'stdio:node ADAPTER.mjs'`.
 *
 *     import { Client, serve } from "./mayhap_adapter.mjs";
 *
 *     const values = new Map();
 *     class Store extends Client {
 *         async Put({ key, value }) {          // the request {"Put": {"key": "a", "value": 1}}
 *             values.set(key, value);
 *             return "Done";                   // its answer, as JSON
 *         }
 *         async Get({ key }) { return { Value: values.get(key) ?? null }; }
 *     }
 *     serve(Store, () => values.clear());
 *
 * A client of the tester is one object. Its requests are answered one after another, those of several clients at once. Where a
 * client has a connection, `open` makes it and `close` ends it; a client opens before its first request, and again after its
 * connection has ended. All methods may be asynchronous.
 *
 * What a request returns is its answer. It may also return or throw a `Lost` (no answer came; it may have happened), a `Refused`
 * (it surely did not happen) or a `Closed` (the system ended the connection); an ECONNRESET or EPIPE is a `Closed`. Any other
 * exception is a mistake: it is shown, and ends the adapter.
 *
 * `serve(Store, reset, { closes: true })` promises that `close` is done only when the system has taken notice that the connection has
 * ended: `socket.end()`, and then waiting for the event "end". Then the tester ends connections now and then, if the specification has
 * an `on close` or `on open`.
 *
 * `this.answer(message)` tells a client what it did not ask for. A client whose requests do not wait for each other sends them in
 * `ask`, returns `LATER`, and calls `this.answer(answer)` when an answer comes, in the order of the requests.
 * `this.answer(new Closed())` says that the system ended the connection.
 *
 * An integer that a number of JavaScript cannot hold is a BigInt. `console.log` is for people: it writes to standard error as
 * soon as this module is imported. A program that the adapter starts must not get standard output (`stdio: ["ignore", 2, 2]`).
 *
 * This file is all there is: copy it, or `npm install` its directory. It needs Node 18 and nothing else.
 */
const PATIENCE = 1000; // milliseconds for the requests under way at a reset
const output = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
process.stdout.on("error", () => process.exit(1)); // the tester is gone

/** Returned by a request whose answer is given later, by `this.answer`. */
export const LATER = Symbol("later");
/** No answer came; the request may have happened. Its connection is over. */
export class Lost extends Error {}
/** The request surely did not happen, and is as if never sent. */
export class Refused extends Error {}
/** The system ended the connection of this client. */
export class Closed extends Error {}

/** A client of the system. Its subclass has a method for each request, or its own `ask`. */
export class Client {
    /** The tester counts its clients from 1. */
    number = 0;
    _link = null;

    /** Connects. */
    async open() {}

    /** Ends the connection; if a request is under way, it ends the request. */
    async close() {}

    /** Answers a request: calls the method of its name with what it carries. */
    async ask(request) {
        const isCarrier = typeof request === "object" && request !== null && Object.keys(request).length === 1;
        const [name, carried] = isCarrier ? Object.entries(request)[0] : [request, []];
        if (typeof name !== "string" || name in Client.prototype || typeof this[name] !== "function") {
            throw new Error(`${this.constructor.name} has no method for this request; ask(request) could answer it`);
        }
        return Array.isArray(carried) ? this[name](...carried) : this[name](carried);
    }

    /** Tells the client something: an answer that is given later, or what it did not ask for; or a `Lost`, `Refused`, `Closed`. */
    answer(answer) {
        if (answer instanceof Lost) this._link.end("lost");
        else if (answer instanceof Closed) this._link.end("closed");
        else this._link.say(answer instanceof Refused ? { refused: true } : { a: answer });
    }
}

/** What a value of type `bytes` is: as JSON it is a text, or {"$bytes": base64}. Answers may have a Buffer as it is. */
export function toBytes(value) {
    return typeof value === "string" ? Buffer.from(value) : Buffer.from(value.$bytes, "base64");
}

/** Answers requests until the tester ends. `client` is a subclass of `Client`; `reset` brings the system to its first state, and is
 * null if the tester does that, with `--start` or `--reset`. `closes` promises that the system has taken notice of the end of a
 * connection when `close` is done. */
export async function serve(client, reset, { closes = false } = {}) {
    const links = new Map();
    for await (const line of lines(process.stdin)) {
        const message = parsed(line);
        if ("q" in message) {
            passOn(client, links, message);
        } else if ("close" in message) {
            links.get(message.c)?.giveUp(closes);
        } else if ("end" in message) {
            break;
        } else {
            if ("reset" in message) {
                await finish(links, PATIENCE);
                await asynchronous(reset).catch((error) => fail("the reset failed", error));
            }
            write(closes ? { ready: true, closes } : { ready: true });
        }
    }
    await finish(links, PATIENCE / 5);
    setTimeout(() => process.exit(), PATIENCE / 10).unref(); // whatever is still open
}

/** Passes a request to its client. After a connection has ended, the tester numbers those that follow it: what was sent on a
 * connection before its client knew that it had ended is lost. */
function passOn(client, links, message) {
    const [number, connection] = [message.c, message.connection ?? 1];
    let link = links.get(number);
    if (!link || (link.isOver && link.connection !== connection)) {
        link = new Link(client, number, connection, link);
        links.set(number, link);
    }
    link.take(message.q);
}

/** Ends all connections. */
async function finish(links, patience) {
    const all = [...links.values()];
    all.forEach((link) => link.leave());
    await within(patience, Promise.all(all.map((link) => link.turn)));
    all.forEach((link) => link.finish());
    links.clear();
}

async function asynchronous(action) {
    await action?.();
}

async function within(milliseconds, promise) {
    let timer;
    await Promise.race([promise, new Promise((done) => (timer = setTimeout(done, milliseconds)))]);
    clearTimeout(timer);
}

async function* lines(stream) {
    let begun = "";
    stream.setEncoding("utf8");
    for await (const text of stream) {
        const parts = (begun + text).split("\n");
        begun = parts.pop();
        yield* parts.filter((line) => line.trim());
    }
}

/** Shows a mistake, the most important line last, and ends the adapter. */
function fail(what, error) {
    console.error(error?.stack ?? error);
    console.error(`${what}: ${error}`.replaceAll("\n", " "));
    process.exit(1);
}

function write(line) {
    output(text(line) + "\n");
}

/** JSON of what may have BigInts and Buffers. */
function text(value) {
    if (typeof value === "bigint") return `${value}`;
    if (value instanceof Uint8Array) {
        const [bytes, string] = [Buffer.from(value), Buffer.from(value).toString()];
        return text(Buffer.from(string).equals(bytes) ? string : { $bytes: bytes.toString("base64") });
    }
    if (Array.isArray(value)) return `[${value.map(text)}]`;
    if (typeof value === "object" && value !== null) {
        const members = Object.entries(value).filter(([, member]) => member !== undefined);
        return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${text(member)}`)}}`;
    }
    const json = JSON.stringify(value);
    const isInexact = typeof value === "number" && (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER);
    if (json === undefined || isInexact) throw new TypeError(`an answer is exact JSON, and this is not: ${String(value)}`);
    return json;
}

const MARK = `${process.hrtime.bigint()}-`;

/** What JSON says, with a BigInt for each integer that a number cannot hold. */
function parsed(json) {
    if (!/\d{16}/.test(json)) return JSON.parse(json);
    const marked = json.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (part) =>
        /^-?\d{16,}$/.test(part) && !Number.isSafeInteger(Number(part)) ? `"${MARK}${part}"` : part,
    );
    const unmarked = (_, value) =>
        typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
    return JSON.parse(marked, unmarked);
}

/** A connection of a client. */
class Link {
    constructor(kind, number, connection, before) {
        Object.assign(this, { kind, number, connection, client: null, unanswered: 0, isOver: false, isBusy: false });
        const opened = async () => {
            await within(PATIENCE, before?.turn);
            const client = Object.assign(new kind(), { number, _link: this });
            await client.open();
            this.client = client;
        };
        this.turn = opened().catch((error) => fail(`client ${number} cannot open its connection`, error));
    }

    /** Takes a request, unless the connection is over: then it is lost. */
    take(request) {
        if (this.isOver) return this.write({ lost: true });
        this.unanswered += 1;
        const failed = (error) => fail(`client ${this.number} failed at the request ${text(request)}`, error);
        this.turn = this.turn.then(() => this.serve(request)).catch(failed);
    }

    async serve(request) {
        if (this.isOver) return;
        this.isBusy = true;
        let answer;
        try {
            answer = await this.client.ask(request);
        } catch (error) {
            const isSaid = error instanceof Lost || error instanceof Refused || error instanceof Closed;
            const isEnd = ["ECONNRESET", "EPIPE"].includes(error?.code) || this.isOver;
            if (!isSaid && !isEnd) throw error;
            answer = isSaid ? error : new Closed();
        }
        if (answer !== LATER) this.client.answer(answer);
        this.isBusy = false;
    }

    write(what) {
        write({ c: this.number, connection: this.connection, ...what });
    }

    say(what) {
        if (this.isOver) return;
        this.write(what);
        this.unanswered = Math.max(0, this.unanswered - 1);
    }

    /** Says that the connection has ended, and with it all that was sent on it. */
    end(how) {
        if (this.isOver) return;
        this.write({ [how]: true });
        for (let lost = 1; lost < this.unanswered; lost++) this.write({ lost: true });
        this.leave();
    }

    /** Says nothing more, and closes when the request under way has ended. */
    leave() {
        this.isOver = true;
        this.turn = this.turn.then(() => this.close());
    }

    /** Ends the connection as its client gives it up, and perhaps says so; the end of a connection is said once. */
    giveUp(isSaid) {
        const isFirst = isSaid && !this.isOver;
        this.finish();
        if (isFirst) this.turn = this.turn.then(() => this.write({ closed: true }));
    }

    /** Ends the connection for the tester; a request under way ends with it. */
    finish() {
        this.leave();
        if (this.isBusy) this.close();
    }

    close() {
        this.ending ??= asynchronous(() => this.client.close()).catch((error) => fail(`client ${this.number} cannot close its connection`, error));
        return this.ending;
    }
}
