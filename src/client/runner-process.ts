/** Starts a session's process and waits until it reports that it runs. */
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
 * Keeps large blocks in mmap, so that they return to the system. By default glibc raises its threshold after the first one and
 * holds on to megabytes.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_ARENA_MAX: "1" };

/** A loaded machine starts Node in a second; this allows for one that swaps. */
const READY_WITHIN_MS = 15_000;

const READY_FD = 3;

type Variables = Readonly<Record<string, string | undefined>>;

/** Node's exit code for an unknown option; a later Node may drop one of ours. */
const BAD_OPTION = 9;

export async function startRunner(bundle: string, sessionId: string, env: Variables): Promise<void> {
  const first = await start(NODE_FLAGS);
  const answer = first === BAD_OPTION ? await start([]) : first;
  const said = typeof answer === "string" ? parse(answer) : undefined;
  if (said?.["ready"] === true) return;
  const reason = asText(said?.["message"]) ?? "it exited without a message";
  throw new AgentMuxError("SPAWN_ERROR", `The session could not be started: ${reason}`);

  /** Its output, or its exit code if it printed nothing. */
  async function start(flags: readonly string[]): Promise<string | number | null> {
    const child = spawn(process.execPath, [...flags, bundle, "--shim", sessionId], {
      // A session of its own, no terminal, no directory that may be removed: it outlives us.
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
    // A runner that starts later would be a session nobody knows of.
    if (parse(text)?.["ready"] !== true) child.kill("SIGKILL");
    if (text === "") return exited;
    child.unref();
    return text;
  }
}

/** The build puts the bundle beside the command, or beside its chunks. */
export function bundledRunner(): string {
  const candidates = ["./runner.cjs", "../runner.cjs", "../../dist/runner.cjs"];
  const paths = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return paths.find((path) => existsSync(path)) ?? (paths[0] as string);
}

/** Without variables that would affect the runner's own Node; the program gets them all. */
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
