/**
 * Forks that end at a message. No agent's command line says where a copy is to end, so the copy is made here: a new file
 * that ends there, which the agent then opens or copies. The session itself is only read.
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

/** By then the agent has long made its own copy of what was handed over. */
const KEPT_MS = 86_400_000;

const LOADED_WITHIN_MS = 60_000;

/** Stands for a copy that has no name yet. */
const COPY = "\0copy";

/** A copy that lies ready. Plain data: it crosses from one thread to another. */
export interface ForkCopy {
  /** What opens it. */
  command: string[];
  /** What takes it into the agent's store first, or has the agent make it. */
  load?: string[];
  /** Of what that prints as JSON, the field that names the copy: it takes the place of `COPY` in the command. */
  namedBy?: string;
  /** The session it will be, where that is known before the agent has started. */
  sessionId?: string;
  /** Absent where the agent makes the copy itself. */
  file?: string;
  /** The last message it holds, counted from 0: the one asked for, or the nearest a model can go on from. */
  lastMessage: number;
}

export interface ForkWish {
  source: SessionSource;
  reader: Pick<SessionReader, "messages" | "copyUpTo" | "promptAfter">;
  /** Where to go on from, counted from 0; at the end when left out. */
  message?: number;
  /** Where copies lie that are only handed over. */
  scratch: string;
}

/** Reads synchronously, as all readers do. */
export function makeForkCopy(adapter: AgentAdapter, env: AgentEnv, wish: ForkWish): ForkCopy {
  const { source, reader, message = Number.MAX_SAFE_INTEGER } = wish;
  const { forkAt: how, forkByAsking } = adapter.launch ?? {};
  if (forkByAsking !== undefined) return askedCopy(adapter, forkByAsking, wish);
  if (how === undefined) throw cannot(adapter, adapter.launch?.whyNoForkAt ?? "It cannot be told where to end.");
  const lastMessage = cutPoint(reader.messages(), message);
  if (lastMessage === undefined) throw nothingBefore(wish);
  const id = how.newId?.() ?? "";
  const at = new Date();
  const text = reader.copyUpTo?.(lastMessage, { id, at });
  if (text === undefined) throw cannot(adapter, `What ${source.path} is written in cannot be copied in part.`);
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

/** Of one that the agent makes. */
function askedCopy(adapter: AgentAdapter, how: ForkByAsking, { source, reader, message }: ForkWish): ForkCopy {
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

/**
 * Has the agent take the copy into its store, or make it, where that has to come first. Answers the copy as it can be opened
 * then.
 */
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

/** What was made for a start that failed goes again. */
export function removeForkCopy({ file }: Pick<ForkCopy, "file">): void {
  if (file === undefined) return;
  rmSync(file, { force: true });
  try {
    rmdirSync(dirname(file));
  } catch {
    // Other sessions lie there.
  }
}

function nothingBefore({ message }: Pick<ForkWish, "message">): AgentMuxError {
  const where = message === undefined ? "in this session" : "before that message";
  return new AgentMuxError("VALIDATION_ERROR", `Nothing was answered ${where}: start a new session instead.`);
}

function cannot(adapter: AgentAdapter, why: string): CapabilityError {
  return new CapabilityError(adapter.name, "forkAt", `${adapter.displayName} cannot fork this at a message. ${why}`);
}

/** Whole or not there, and never in place of another file. */
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

/** By its name a copy tells later what it is a copy of. */
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
