/**
 * The status line of an agent: reads what the agent says about itself, prints one line, and the user's own status line above it
 * (`--with`). It ends soon and succeeds, whatever it was given.
 */
import { writeSync } from "node:fs";
import { HOOK_EVENTS } from "../agents/hook-events.gen.ts";
import type { HookEvents } from "../core/hooks.ts";
import type { LimitWindow, StatusLine } from "../core/limits.ts";
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { parseObject } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";
import { recordedLimits, recordLimits } from "../limits/limits-file.ts";
import { limitStandings } from "../limits/standing.ts";
import { gitBranch } from "./git-branch.ts";
import { patience } from "./patience.ts";
import { readInput } from "./read-input.ts";
import { STATUS_LINE_FORMATS, statusLineText, type StatusLineFormat } from "./status-line-text.ts";

/** Real input has some kilobytes. */
const MAX_CHARACTERS = 1024 * 1024;

/** Claude Code stops waiting after five seconds. */
const THEIRS_MS = 4000;

/** More lines than anybody's status line has. */
const MAX_THEIRS = 16 * 1024;

export async function runStatusLine(args: readonly string[], vars: NodeJS.ProcessEnv): Promise<void> {
  const input = await readInput(process.stdin, MAX_CHARACTERS);
  const lines = [theirLine(optionOf(args, "with"), input), ownLine(input, formatOf(args, vars), Date.now())];
  writeSync(1, lines.flatMap((line) => (line === "" ? [] : [`${line}\n`])).join(""));
}

function ownLine(input: string, format: StatusLineFormat, now: number): string {
  const reader = Object.values(HOOK_EVENTS).find(({ statusLine }) => statusLine !== undefined);
  const payload = parseObject(input);
  if (payload === undefined || reader?.statusLine === undefined) {
    // Nobody writes to a status line of tmux or a prompt: it shows the limits that are known.
    const limits = input.trim() === "" ? knownLimits(now) : [];
    if (limits.length > 0 || format === "json") return statusLineText({ limits }, format, now);
    return "amux: no data for a status line";
  }
  const line = reader.statusLine(payload);
  keep(reader, line, now);
  const branch = line.cwd === undefined ? undefined : gitBranch(line.cwd);
  return statusLineText({ ...line, ...optional("branch", branch) }, format, now);
}

function knownLimits(now: number): LimitWindow[] {
  try {
    const standings = limitStandings(recordedLimits(amuxHome(processEnv()), now), now);
    return standings.filter(({ isReset }) => !isReset);
  } catch (error) {
    // A status line is one line: what is wrong is said where its program may show it.
    writeSync(2, `amux: limits cannot be read: ${String(error)}\n`);
    return [];
  }
}

function keep({ name, account }: HookEvents, { session, cwd, limits }: StatusLine, now: number): void {
  const env = processEnv();
  const reading = { at: now, agent: name, ...optional("session", session), ...optional("cwd", cwd), windows: limits };
  try {
    recordLimits(amuxHome(env), reading, () => account?.(env.home, env.vars));
  } catch {
    // A full disk or a foreign file in the way must not cost the user the line.
  }
}

/** The command that was there before amux, run as the agent would run it. Nothing if it fails. */
function theirLine(command: string | undefined, input: string): string {
  if (command === undefined || command === "") return "";
  // Loaded only for it: it costs as much as the rest of the program.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync("/bin/sh", ["-c", command], {
    input,
    encoding: "utf8",
    timeout: patience(THEIRS_MS),
    maxBuffer: MAX_THEIRS,
    stdio: ["pipe", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trimEnd() : "";
}

function formatOf(args: readonly string[], vars: NodeJS.ProcessEnv): StatusLineFormat {
  const named = args.includes("--json") ? "json" : optionOf(args, "format");
  return STATUS_LINE_FORMATS.find((format) => format === named) ?? (vars["NO_COLOR"] ? "plain" : "ansi");
}

function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3) : args[at + 1];
}
