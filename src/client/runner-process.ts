/** Starts the process that holds a session and waits until it says that it runs. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { AgentMuxError } from "../core/errors.ts";
import { asObject, asText } from "../lib/json/fields.ts";
import { CHILD_VARIABLE_PREFIX, READY_FD_VARIABLE } from "../protocol/launch-spec.ts";

/** A third of the memory for 10 % of the speed. Never --lite-mode: it parses 27 times slower. */
const NODE_FLAGS = [
  "--max-semi-space-size=1",
  "--optimize-for-size",
  "--single-threaded",
  "--v8-pool-size=1",
  "--expose-gc",
];

/**
 * Large blocks (rows waiting to become text) come from the system and go back to it. Left to itself, glibc learns from
 * the first one it frees to keep such blocks, and a session holds on to megabytes it needed for a second.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_ARENA_MAX: "1" };

/** A loaded machine starts Node in a second; this is for one that swaps. */
const READY_WITHIN_MS = 15_000;

const READY_FD = 3;

type Variables = Readonly<Record<string, string | undefined>>;

/** What Node ends with when it does not know an option; the next one may have dropped one of ours. */
const BAD_OPTION = 9;

export async function startRunner(bundle: string, sessionId: string, env: Variables): Promise<void> {
  const first = await start(NODE_FLAGS);
  const answer = first === BAD_OPTION ? await start([]) : first;
  const said = typeof answer === "string" ? parse(answer) : undefined;
  if (said?.["ready"] === true) return;
  const reason = asText(said?.["message"]) ?? "it ended without a word";
  throw new AgentMuxError("SPAWN_ERROR", `The session could not be started: ${reason}`);

  /** What it said, or what it ended with when it said nothing. */
  async function start(flags: readonly string[]): Promise<string | number | null> {
    const child = spawn(process.execPath, [...flags, bundle, "--shim", sessionId], {
      // A session of its own, no terminal, no directory that somebody may want to remove: it outlives us.
      detached: true,
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: { ...runnerEnvironment(env), ...ALLOCATOR, [READY_FD_VARIABLE]: String(READY_FD) },
    });
    const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const signal = child.stdio[READY_FD] as Readable;
    const text = await Promise.race([
      readAll(signal),
      new Promise<string>((resolve) =>
        child.once("error", (error) => resolve(JSON.stringify({ message: error.message }))),
      ),
    ]);
    signal.destroy();
    // One that comes later would be a session that nobody knows of.
    if (parse(text)?.["ready"] !== true) child.kill("SIGKILL");
    if (text === "") return exited;
    child.unref();
    return text;
  }
}

/** Where the build puts the bundle: beside the command, or beside its chunks. */
export function bundledRunner(): string {
  const candidates = ["./runner.cjs", "../runner.cjs", "../../dist/runner.cjs"];
  const paths = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? (paths[0] as string);
}

/** Nothing that would change how the runner's own Node works; the program gets it all. */
function runnerEnvironment(env: Variables): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) result[name.startsWith("NODE_") ? CHILD_VARIABLE_PREFIX + name : name] = value;
  }
  return result;
}

function readAll(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const timer = setTimeout(() => resolve(JSON.stringify({ message: "it did not answer in time" })), READY_WITHIN_MS);
    stream.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    for (const end of ["end", "error"]) {
      stream.once(end, () => {
        clearTimeout(timer);
        resolve(text);
      });
    }
  });
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}
