/**
 * The terminal a client sits on, opened by the runner: output and keys then take one process less, as with tmux. A socket
 * tells nothing of who is at its other end (it may be a relay for another machine), so the claim is proven: by a note in
 * the session's directory, where only its owner can put one, and by what the system says of the process: that it
 * sits on this very device, which controls it, in the foreground. Where the system does not tell, nothing is lent.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  type Stats,
} from "node:fs";
import { isatty } from "node:tty";
import { loanNote } from "../protocol/session-files.ts";

export interface LoanClaim {
  /** The client's process. */
  pid: number;
  note: string;
}

export interface TerminalLoan {
  /** Does not block, and is not our controlling terminal. */
  readonly fd: number;
  /** Whether the client still is the one this terminal is there for: it may have been stopped, and its shell have it. */
  isInFront(): boolean;
  /** The client was killed, and did not put the terminal right. */
  hasEnded(): boolean;
  /** The descriptor is closed by whoever uses it. */
  end(): void;
}

const DEVICE = /^\/dev\/[\w./-]{1,64}$/;
const STANDARD_FDS = [0, 1];

/** Undefined when it cannot be had. `isForbidden`: devices that would feed on themselves. */
export function openLoan(
  directory: string,
  { pid, note }: LoanClaim,
  isForbidden: (device: number) => boolean,
): TerminalLoan | undefined {
  if (process.platform !== "linux") return undefined;
  let client: ClientProcess | undefined;
  let fd: number | undefined;
  try {
    const path = takeNote(loanNote(directory, note));
    if (!DEVICE.test(path)) return undefined;
    const device = statSync(path);
    if (!isOwnTerminal(device) || isForbidden(device.rdev)) return undefined;
    if (!STANDARD_FDS.every((number) => isSame(device, statSync(`/proc/${pid}/fd/${number}`)))) return undefined;
    client = new ClientProcess(pid, device.rdev);
    if (client.isInFront()) {
      fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
      if (isSame(device, fstatSync(fd)) && isatty(fd)) {
        const lent = client;
        return { fd, isInFront: () => lent.isInFront(), hasEnded: () => lent.hasEnded(), end: () => lent.forget() };
      }
    }
  } catch {
    // No note, no such process, or another user's: it is not lent, and the client is told.
  }
  client?.forget();
  if (fd !== undefined) closeSync(fd);
  return undefined;
}

/** One that nobody lent, for a rehearsal. */
export function rehearsedLoan(fd: number): TerminalLoan {
  const self = new ClientProcess(process.pid, -1);
  return { fd, isInFront: () => !self.isInFront(), hasEnded: () => false, end: () => self.forget() };
}

function takeNote(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } finally {
    rmSync(path, { force: true });
  }
}

function isOwnTerminal(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.uid === process.getuid?.();
}

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.rdev === b.rdev;
}

/** More than any such line has up to the field that is looked at. */
const STAT_BYTES = 512;
const statLine = Buffer.allocUnsafeSlow(STAT_BYTES);

const CLOSING = ")".charCodeAt(0);
const SPACE = " ".charCodeAt(0);
const ZERO = "0".charCodeAt(0);
const NINE = "9".charCodeAt(0);

/** States of a process that goes on when it gets its turn; not among them: stopped, traced, ended. */
const GOING_ON: ReadonlySet<number> = new Set(Buffer.from("RSDI"));

/** It is still there for its parent to look at. */
const ENDED: ReadonlySet<number> = new Set(Buffer.from("ZX"));

/** What the system says of a process, asked again and again: the file stays open, and no text is made of it. */
class ClientProcess {
  private readonly terminal: number;
  private fd: number;

  constructor(pid: number, terminal: number) {
    this.terminal = terminal;
    this.fd = openSync(`/proc/${pid}/stat`, "r");
  }

  /** It is not stopped, and its job is the one that has the terminal. */
  isInFront(): boolean {
    let length: number;
    try {
      length = readSync(this.fd, statLine, 0, STAT_BYTES, 0);
    } catch {
      return false; // It has ended.
    }
    // The name, in parentheses, may hold spaces and parentheses itself; the fields after it do not.
    let at = statLine.lastIndexOf(CLOSING, length) + 2;
    if (!GOING_ON.has(statLine[at] as number)) return false;
    at = nextField(at);
    const group = numberAt((at = nextField(at)));
    at = nextField(at);
    const terminal = numberAt((at = nextField(at)));
    return terminal === this.terminal && numberAt(nextField(at)) === group;
  }

  hasEnded(): boolean {
    try {
      const length = readSync(this.fd, statLine, 0, STAT_BYTES, 0);
      return ENDED.has(statLine[statLine.lastIndexOf(CLOSING, length) + 2] as number);
    } catch {
      return true;
    }
  }

  forget(): void {
    if (this.fd !== -1) closeSync(this.fd);
    this.fd = -1;
  }
}

function nextField(at: number): number {
  return statLine.indexOf(SPACE, at) + 1;
}

/** -1 when it is none, as a minus is. */
function numberAt(at: number): number {
  let value = -1;
  for (let byte = statLine[at] ?? 0; byte >= ZERO && byte <= NINE; byte = statLine[++at] ?? 0) {
    value = Math.max(value, 0) * 10 + byte - ZERO;
  }
  return value;
}
