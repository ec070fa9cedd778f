/**
 * Forks that end at a message. No agent's command line can say where a copy ends, so amux writes a new file that ends there, and
 * the agent opens or copies it. The session itself is only read.
 */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { CapabilityError, AgentMuxError } from "../core/errors.ts";
import { AtomicFile } from "../lib/fs/atomic-file.ts";
import { asText } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";
import type { AgentAdapter, AgentEnv, ForkAt, ForkByAsking, SessionReader, SessionSource } from "./adapter.ts";
import { cutPoint } from "./cut-point.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";

/** By then the agent has made its own copy of the file. */
const KEPT_MS = 86_400_000;

const LOADED_WITHIN_MS = 60_000;

/** Placeholder for a copy that has no name yet. */
const COPY = "\0copy";

/** A prepared copy. Plain data: it is passed between threads. */
export interface ForkCopy {
  /** The command that opens it. */
  command: string[];
  /** The command that imports it into the agent's store, or has the agent make it. */
  load?: string[];
  /** The field of that command's JSON output that names the copy; it replaces `COPY` in the command. */
  namedBy?: string;
  /** The id of the new session, if known before the agent starts. */
  sessionId?: string;
  /** Absent if the agent makes the copy itself. */
  file?: string;
  /** The last message it holds, counted from 0: the requested one, or the nearest one that a model can continue from. */
  lastMessage: number;
}

export interface ForkRequest {
  source: SessionSource;
  reader: Pick<SessionReader, "messages" | "copyUpTo" | "promptAfter">;
  /** The message to fork at, counted from 0; default: the end. */
  message?: number;
  /** Directory for copies that are only handed over. */
  scratch: string;
}

/** Synchronous, like all readers. */
export function makeForkCopy(adapter: AgentAdapter, env: AgentEnv, wish: ForkRequest): ForkCopy {
  const { source, reader, message = Number.MAX_SAFE_INTEGER } = wish;
  const { forkAt: how, forkByAsking } = adapter.launch ?? {};
  if (forkByAsking !== undefined) return askedCopy(adapter, forkByAsking, wish);
  if (how === undefined) throw cannot(adapter, adapter.launch?.whyNoForkAt ?? "It cannot be told where to end.");
  const lastMessage = cutPoint(reader.messages(), message);
  if (lastMessage === undefined) throw nothingBefore(wish);
  const id = how.newId?.() ?? "";
  const at = new Date();
  const text = reader.copyUpTo?.(lastMessage, { id, at });
  if (text === undefined) throw cannot(adapter, `The format of ${source.path} cannot be copied in part.`);
  const file = how.place?.(source, { id, at }, env) ?? join(newFolder(wish.scratch), nameOf(how, source));
  writeNew(file, text);
  return {
    command: how.open({ id, file }),
    ...optional("load", how.load?.(file)),
    ...optional("sessionId", how.newId && id),
    file,
    lastMessage,
  };
}

/** For a copy that the agent makes. */
function askedCopy(adapter: AgentAdapter, how: ForkByAsking, { source, reader, message }: ForkRequest): ForkCopy {
  const whole = cutPoint(reader.messages(), Number.MAX_SAFE_INTEGER);
  const lastMessage = message === undefined ? whole : cutPoint(reader.messages(), message);
  if (lastMessage === undefined) throw nothingBefore(optional("message", message));
  const prompt = reader.promptAfter?.(lastMessage);
  if (prompt === undefined && lastMessage !== whole) {
    throw cannot(adapter, "It copies up to a prompt only: choose a prompt, or the last answer before one.");
  }
  const asked = how.ask(source, prompt);
  if (asked === undefined) throw cannot(adapter, `${source.path} is not where it keeps sessions today.`);
  const command = how.open(source, COPY);
  return { command, load: asked.command, namedBy: asked.field, lastMessage };
}

/** Imports the copy into the agent's store, or has the agent make it, if needed. Returns the copy as it can be opened. */
export async function loadForkCopy(copy: ForkCopy, cwd: string, vars: NodeJS.ProcessEnv): Promise<ForkCopy> {
  const [program, ...args] = copy.load ?? [];
  if (program === undefined) return copy;
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env: vars, timeout: LOADED_WITHIN_MS });
    if (copy.namedBy === undefined) return copy;
    const name = asText(parseObject(stdout)?.[copy.namedBy]);
    if (name === undefined || name.startsWith("-"))
      throw new Error(`it named no copy but said: ${stdout.slice(0, 300)}`);
    return { ...copy, command: copy.command.map((word) => (word === COPY ? name : word)) };
  } catch (error) {
    const { stderr = "", stdout = "" } = error as { stderr?: string; stdout?: string };
    const told = `${stdout}\n${stderr}`.trim() || String(error);
    throw new AgentMuxError("SPAWN_ERROR", `${program} did not make the copy: ${told.slice(-500)}`, {
      cause: error,
    });
  } finally {
    removeForkCopy(copy);
  }
}

/** Removes the copy of a failed start. */
export function removeForkCopy({ file }: Pick<ForkCopy, "file">): void {
  if (file === undefined) return;
  rmSync(file, { force: true });
  try {
    rmdirSync(dirname(file));
  } catch {
    // Other sessions are in the directory.
  }
}

function nothingBefore({ message }: Pick<ForkRequest, "message">): AgentMuxError {
  const where = message === undefined ? "in this session" : "before that message";
  return new AgentMuxError("VALIDATION_ERROR", `Nothing was answered ${where}: start a new session instead.`);
}

function cannot(adapter: AgentAdapter, why: string): CapabilityError {
  return new CapabilityError(adapter.name, "forkAt", `${adapter.displayName} cannot fork this at a message. ${why}`);
}

/** Writes the whole file or nothing, and never replaces another file. */
function writeNew(path: string, text: Iterable<string>): void {
  makeDirectory(dirname(path));
  const file = new AtomicFile(path);
  try {
    for (const piece of text) file.write(piece);
  } catch (error) {
    file.abort();
    throw error;
  }
  file.commitNew();
}

/** The name of a copy records what it is a copy of. */
function nameOf(how: ForkAt, source: SessionSource): string {
  return how.fileName?.(source) ?? basename(source.path);
}

function newFolder(scratch: string): string {
  makeDirectory(scratch);
  for (const name of readdirSync(scratch)) {
    const folder = join(scratch, name);
    const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > KEPT_MS) rmSync(folder, { recursive: true, force: true });
  }
  return join(scratch, randomBytes(6).toString("hex"));
}
