/**
 * Keys and echoes that nobody typed, through all that real ones go through: a terminal in which nothing runs, its record, a
 * viewer, a socket. V8 optimises what was used often; an echo through code that it has not takes half as long again, and
 * one in whose midst it does so takes milliseconds. So that is over soon after somebody has begun to type.
 */
import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { compileLater } from "../lib/compile-later.ts";
import { connectQuickly, quicken, QuickWriter } from "../lib/quick-io.ts";
import { encodeFrame, ReusedFrame } from "../protocol/frame-codec.ts";
import { CAPABILITIES, PROTOCOL_VERSION } from "../protocol/frames.ts";
import { launchSpec } from "../protocol/launch-spec.ts";
import { SILENT } from "./direct-pty.ts";
import { FrameSession } from "./frame-session.ts";
import { ScreenRecord } from "./screen-record.ts";
import { Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";

/** After so many V8 has optimised all of it, hurried as it is meanwhile; those after a pause are for what follows an echo. */
const ROUNDS = 3;
const QUICK_KEYS = 300;
const SLOW_KEYS = 20;
const SLOWLY_MS = 20;
const TIMES_SOONER = 1 / 60;

const KEY = Buffer.from("k");
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
  private cut = false;

  constructor(place: RehearsalPlace, onFailure: (error: unknown) => void) {
    this.place = place;
    this.onFailure = onFailure;
  }

  /** Once; it takes a second or two, a third of a second of it work, in which everything else goes on. */
  begin(): void {
    this.running ??= this.run().catch(this.onFailure);
  }

  /** Resolves when it has left nothing behind. */
  async end(): Promise<void> {
    this.cut = true;
    await this.running;
  }

  private async run(): Promise<void> {
    for (const flag of compileLater(TIMES_SOONER)) setFlagsFromString(flag);
    try {
      // What V8 sees once only it takes for granted, and would have to think again when it sees the real one.
      for (let round = 0; round < ROUNDS && !this.cut; round++) await this.once();
    } finally {
      for (const flag of [...compileLater(TIMES_LATER), ...NOT_EARLY]) setFlagsFromString(flag);
    }
  }

  private async once(): Promise<void> {
    const spec = launchSpec({ id: "rehearsal", command: ["none"], cwd: "/", created_at: new Date(0).toISOString() });
    const session = new Session(spec, {}, SILENT, this.onFailure);
    const terminal = session.create({ command: [], cwd: "/", ...SIZE });
    const record = new ScreenRecord(terminal, this.place.record, 0, this.onFailure);
    terminal.record = record;
    let server: Server | undefined;
    let client: Socket | undefined;
    try {
      server = await listen(this.place.socket, (socket) => serve(socket, session));
      client = connectQuickly(this.place.socket);
      await this.type(client, terminal);
    } finally {
      client?.destroy();
      server?.close();
      terminal.record = undefined;
      terminal.pty.hangUp();
      terminal.dispose();
      session.state.close();
      record.discard();
    }
  }

  private async type(client: Socket, { id: ptyId }: Terminal): Promise<void> {
    let heard: () => void = () => undefined;
    let failed: (error: Error) => void = () => undefined;
    client.on("data", () => heard());
    client.once("error", (error) => failed(error));
    const next = (): Promise<void> =>
      new Promise((resolve, reject) => {
        heard = resolve;
        failed = reject;
      });
    const frame = new ReusedFrame("input", ptyId);
    const writer = new QuickWriter(client);
    client.write(encodeFrame({ _tag: "hello", version: PROTOCOL_VERSION, capabilities: CAPABILITIES }));
    await next();
    for (const frame of [{ _tag: "resize", ...SIZE }, { _tag: "attach" }, { _tag: "focus" }])
      client.write(encodeFrame({ ...frame, ptyId }));
    await next();
    for (let key = 0; key < QUICK_KEYS + SLOW_KEYS && !this.cut; key++) {
      const echo = next();
      writer.write(frame.of(KEY));
      await echo;
      if (key >= QUICK_KEYS) await new Promise((resolve) => setTimeout(resolve, SLOWLY_MS));
    }
  }
}

function serve(accepted: Socket, session: Session): void {
  let hear: (bytes: Buffer) => void = () => undefined;
  const socket = quicken(accepted, (bytes) => hear(bytes));
  socket.on("error", () => socket.destroy());
  const connection = new FrameSession(socket, session, "", []);
  hear = (bytes) => connection.hear(bytes);
}

function listen(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ pauseOnConnect: true }, onConnection);
  rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => resolve(server));
  });
}
