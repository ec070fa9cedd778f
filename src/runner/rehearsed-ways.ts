/** The ways that keys come and echoes go, for a rehearsal: each with a keyboard that presses one key and hears its echo. */
import { writeSync } from "node:fs";
import type { Socket } from "node:net";
import { connectQuickly, QuickWriter, readTerminalQuickly, type ByteListener } from "../lib/quick-io.ts";
import { encodeFrame, ReusedFrame } from "../protocol/frame-codec.ts";
import { CAPABILITIES, PROTOCOL_VERSION } from "../protocol/frames.ts";
import { FrameSession } from "./frame-session.ts";
import { LentTerminal } from "./lent-terminal.ts";
import { nativePty } from "./native-pty.ts";
import type { Session } from "./session.ts";
import { SocketServer, type ConnectionHandlers } from "./socket-server.ts";
import { rehearsedLoan } from "./terminal-loan.ts";
import type { Terminal } from "./terminal.ts";

export type KeyWay = "socket" | "lent terminal";

interface Keyboard {
  /** The path is its own, for as long as it takes. */
  open(path: string): Promise<void>;
  press(): Promise<void>;
  close(): void;
}

const KEY = Buffer.from("k");

/** Without a line's end, the end of input is what makes a terminal hand out what was typed. */
const KEY_AND_END = Buffer.from("k\x04");

/** Somebody waits for so many bytes. */
class Hearing implements ByteListener {
  private resolve: () => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;
  private left = 0;

  next(bytes = 1): Promise<void> {
    this.left = bytes;
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  hear(bytes: Buffer): void {
    this.left -= bytes.length;
    if (this.left <= 0) this.resolve();
  }

  fail(error: Error): void {
    this.reject(error);
  }
}

class SocketKeyboard implements Keyboard {
  private readonly session: Session;
  private readonly ptyId: string;
  private readonly hearing = new Hearing();
  private readonly frame: ReusedFrame;
  private server: SocketServer | undefined;
  private client: Socket | undefined;
  private writer: QuickWriter | undefined;

  constructor(session: Session, { id }: Terminal) {
    this.session = session;
    this.ptyId = id;
    this.frame = new ReusedFrame("input", id);
  }

  async open(path: string): Promise<void> {
    this.server = new SocketServer(path, new Serving(this.session), (error) => this.hearing.fail(error as Error));
    await this.server.listen();
    const client = connectQuickly(path);
    this.client = client;
    client.on("data", (bytes: Buffer) => this.hearing.hear(bytes));
    client.once("error", (error) => this.hearing.fail(error));
    client.write(encodeFrame({ _tag: "hello", version: PROTOCOL_VERSION, capabilities: CAPABILITIES }));
    await this.hearing.next();
    const { cols, rows } = this.session.spec;
    for (const frame of [{ _tag: "resize", cols, rows }, { _tag: "attach" }, { _tag: "focus" }])
      client.write(encodeFrame({ ...frame, ptyId: this.ptyId }));
    await this.hearing.next();
    this.writer = new QuickWriter(client);
  }

  press(): Promise<void> {
    const echo = this.hearing.next();
    this.writer?.write(this.frame.of(KEY));
    return echo;
  }

  close(): void {
    this.client?.destroy();
    this.server?.close();
  }
}

class LentKeyboard implements Keyboard {
  private readonly session: Session;
  private readonly terminal: Terminal;
  private readonly hearing = new Hearing();
  private fd = -1;
  private stream: ReturnType<typeof readTerminalQuickly> | undefined;
  private lent: LentTerminal | undefined;

  constructor(session: Session, terminal: Terminal) {
    this.session = session;
    this.terminal = terminal;
  }

  async open(): Promise<void> {
    const { cols, rows } = this.session.spec;
    const { master, slave } = nativePty.open(cols, rows);
    this.fd = master;
    this.stream = readTerminalQuickly(master, this.hearing).resume();
    this.stream.once("error", (error) => this.hearing.fail(error));
    const window = { cols, rows, readOnly: false };
    this.lent = new LentTerminal(this.terminal, rehearsedLoan(slave), window, {
      onTyping: () => this.session.typing("lent terminal"),
      onReturned: () => this.hearing.fail(new Error("The rehearsal's terminal was given back.")),
      onExit: () => undefined,
    });
    const picture = this.hearing.next();
    this.lent.open(window);
    await picture;
  }

  /** The terminal echoes it itself, and then comes the echo of the program. */
  press(): Promise<void> {
    const echo = this.hearing.next(2);
    writeSync(this.fd, KEY_AND_END);
    return echo;
  }

  close(): void {
    this.lent?.giveBack("reclaimed");
    this.stream?.destroy();
  }
}

export const REHEARSED_WAYS = { socket: SocketKeyboard, "lent terminal": LentKeyboard } satisfies Record<
  KeyWay,
  new (session: Session, terminal: Terminal) => Keyboard
>;

/** As a runner does it: what V8 makes of another way to get there would be of no use. */
class Serving implements ConnectionHandlers {
  private readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  frames(socket: Socket, first: Buffer | undefined): FrameSession {
    const connection = new FrameSession(socket, this.session, "", { shell: [], directory: "" });
    if (first !== undefined) connection.hear(first);
    return connection;
  }

  http(socket: Socket): void {
    socket.destroy();
  }
}
