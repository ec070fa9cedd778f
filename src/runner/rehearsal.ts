/**
 * Keys and echoes that nobody typed, through all that real ones go through: a terminal in which nothing runs, its record, a
 * viewer, and a socket or a terminal that is lent. V8 optimises what was used often; an echo through code that it has not
 * takes half as long again, and one in whose midst it does so takes milliseconds. So that is over soon after somebody has
 * begun to type.
 */
import { setFlagsFromString } from "node:v8";
import { compileLater } from "../lib/compile-later.ts";
import { launchSpec } from "../protocol/launch-spec.ts";
import { SILENT } from "./direct-pty.ts";
import { REHEARSED_WAYS, type KeyWay } from "./rehearsed-ways.ts";
import { ScreenRecord } from "./screen-record.ts";
import { Session } from "./session.ts";

/**
 * A runner starts with V8 told to wait longer, and what V8 has looked at by then keeps that time, however it is hurried later. So
 * when the start is over, and nobody has typed yet, it is as usual.
 */
const USUAL_AFTER_MS = 300;

/** After the first key: who only looks needs none of it, and the first answer comes before it. */
const REHEARSE_AFTER_MS = 250;

/**
 * And once more: at real keys V8 meets objects that the first rehearsal had not (a client's connection, a timer of another
 * kind), and drops what it had optimised for those it knew. The second time it knows both.
 */
const AGAIN_AFTER_MS = 4000;

/** After so many V8 has optimised all of it, hurried as it is meanwhile; those after a pause are for what follows an echo. */
const ROUNDS = 3;
const QUICK_KEYS = 500;
const SLOW_KEYS = 20;
const SLOWLY_MS = 20;
const TIMES_SOONER = 1 / 60;

const WAYS = Object.keys(REHEARSED_WAYS) as KeyWay[];

const SIZE = { cols: 80, rows: 24 };

/** What a key does not need is optimised four times later than V8 would, when a flood needs it: never while somebody types. */
const TIMES_LATER = 4;

/** V8 of Node 20 would optimise small functions at the first look all the same. */
const NOT_EARLY = Number.parseInt(process.versions.v8, 10) < 12 ? ["--max-bytecode-size-for-early-opt=0"] : [];

export interface RehearsalPlace {
  /** Paths of its own, for as long as it takes. */
  socket: string;
  record: string;
}

export class Rehearsal {
  private readonly place: RehearsalPlace;
  private readonly onFailure: (error: unknown) => void;
  private running: Promise<void> | undefined;
  private readonly timers = new Map<KeyWay, NodeJS.Timeout>();
  private readonly started: NodeJS.Timeout;
  private cut = false;

  constructor(place: RehearsalPlace, onFailure: (error: unknown) => void) {
    this.place = place;
    this.onFailure = onFailure;
    this.started = setTimeout(() => setFlags(compileLater(1)), USUAL_AFTER_MS).unref();
  }

  /** Somebody types. Twice for every way it takes a second or two, a third of one work, in which everything else goes on. */
  typed(way: KeyWay): void {
    if (this.timers.has(way)) return;
    this.schedule(way, REHEARSE_AFTER_MS);
  }

  /** Resolves when it has left nothing behind. */
  async end(): Promise<void> {
    this.cut = true;
    clearTimeout(this.started);
    for (const timer of this.timers.values()) clearTimeout(timer);
    await this.running;
  }

  private schedule(way: KeyWay, afterMs: number, then = AGAIN_AFTER_MS): void {
    const begin = (): void => {
      this.running = (this.running ?? Promise.resolve())
        .then(() => this.run(way))
        .catch(this.onFailure)
        .then(() => {
          if (then !== 0 && !this.cut) this.schedule(way, then, 0);
        });
    };
    this.timers.set(way, setTimeout(begin, afterMs).unref());
  }

  private async run(way: KeyWay): Promise<void> {
    clearTimeout(this.started);
    setFlags(compileLater(TIMES_SOONER));
    try {
      // What V8 sees once only it takes for granted, and would have to think again when it sees the real one.
      for (let round = 0; round < ROUNDS && !this.cut; round++) {
        for (const one of way === "socket" ? ["socket" as const] : WAYS) await this.once(one);
      }
    } finally {
      setFlags([...compileLater(TIMES_LATER), ...NOT_EARLY]);
    }
  }

  private async once(way: KeyWay): Promise<void> {
    const spec = launchSpec({ id: "rehearsal", command: ["none"], cwd: "/", created_at: new Date(0).toISOString() });
    const session = new Session(spec, {}, SILENT, this.onFailure);
    const terminal = session.create({ command: [], cwd: "/", ...SIZE });
    const record = new ScreenRecord(terminal, this.place.record, 0, this.onFailure);
    terminal.record = record;
    const keyboard = new REHEARSED_WAYS[way](session, terminal);
    try {
      await keyboard.open(this.place.socket);
      for (let key = 0; key < QUICK_KEYS + SLOW_KEYS && !this.cut; key++) {
        await keyboard.press();
        if (key >= QUICK_KEYS) await new Promise((resolve) => setTimeout(resolve, SLOWLY_MS));
      }
    } finally {
      keyboard.close();
      terminal.record = undefined;
      terminal.pty.hangUp();
      terminal.dispose();
      session.state.close();
      record.discard();
    }
  }
}

function setFlags(flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}
