/**
 * The environment of a new terminal, from the user's login shell: the daemon's own may be weeks old or a service manager's. Falls
 * back to the daemon's own.
 */
import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import { asObject } from "../../lib/json/fields.ts";
import { inputDeadline } from "../../lib/process/input-deadline.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AgentEnv } from "../../agents/adapter.ts";
import { PUBLIC_VARIABLES } from "../../protocol/launch-spec.ts";

/** Start-up files that use the network are slow; a launch must not be. */
const ANSWER_WITHIN_MS = 5000;

/** Several launches at once, as after a reboot, share one answer. */
const FRESH_MS = 10_000;

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Start-up files may print anything; our output is between the marks. */
const MARK = "amux-environment";
/** Without our own variables, which contain the marks. */
const PRINT = `const {AMUX_ASK_NODE,AMUX_ASK_PRINT,...env}=process.env;process.stdout.write("${MARK}"+JSON.stringify(env)+"${MARK}")`;

/** A constant: no foreign text becomes part of a shell command. Fish understands it too. */
const SCRIPT = 'exec "$AMUX_ASK_NODE" -e "$AMUX_ASK_PRINT"';

type Variables = Record<string, string>;

export class LoginEnvironment {
  readonly #env: AgentEnv;
  #asked: { at: number; answer: Promise<Variables> } | undefined;

  constructor(env: AgentEnv) {
    this.#env = env;
  }

  get(): Promise<Variables> {
    const now = performance.now();
    if (this.#asked === undefined || now - this.#asked.at > FRESH_MS) {
      this.#asked = { at: now, answer: this.#ask() };
    }
    return this.#asked.answer;
  }

  async #ask(): Promise<Variables> {
    const own = withoutSecrets(this.#env.vars);
    const shell = own["SHELL"];
    if (shell === undefined || !shell.startsWith("/")) return own;
    const answer = await answerOf(shell, {
      ...own,
      AMUX_ASK_NODE: process.execPath,
      AMUX_ASK_PRINT: PRINT,
    });
    return withoutSecrets({ ...own, ...answer, ...optional("PATH", bothPaths(answer["PATH"], own["PATH"])) });
  }
}

/** Programs are found on a new terminal's path first, then on the daemon's. */
function bothPaths(fresh: string | undefined, own: string | undefined): string | undefined {
  if (fresh === undefined || own === undefined) return fresh ?? own;
  return [...new Set([...fresh.split(delimiter), ...own.split(delimiter)])]
    .filter((path) => path !== "")
    .join(delimiter);
}

/** Removes our own variables and those that describe our terminal. */
function withoutSecrets(vars: Readonly<Record<string, string | undefined>>): Variables {
  const result: Variables = {};
  for (const [name, value] of Object.entries(vars)) {
    const isOurs = /^(AMUX|GMUX)_/.test(name) && !PUBLIC_VARIABLES.has(name);
    if (value !== undefined && !isOurs && !["SHLVL", "_", "PWD", "OLDPWD"].includes(name)) result[name] = value;
  }
  return result;
}

function answerOf(shell: string, env: Variables): Promise<Variables> {
  return new Promise((resolve) => {
    // In its own session: an interactive shell must not take our terminal.
    const child = spawn(shell, ["-l", "-i", "-c", SCRIPT], {
      env,
      cwd: "/",
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let output = "";
    const done = (): void => {
      cancel();
      resolve(variablesIn(output));
    };
    const giveUp = (): void => {
      if (child.pid !== undefined) end(child.pid);
      done();
    };
    const cancel = inputDeadline(ANSWER_WITHIN_MS, giveUp);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > MAX_OUTPUT_BYTES) giveUp();
    });
    child.once("error", done);
    child.once("close", done);
  });
}

/** Including everything its start-up files started. */
function end(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function variablesIn(output: string): Variables {
  const start = output.indexOf(`${MARK}{`) + MARK.length;
  const end = output.lastIndexOf(`}${MARK}`) + 1;
  if (start < MARK.length || end <= start) return {};
  try {
    const entries = Object.entries(asObject(JSON.parse(output.slice(start, end))) ?? {});
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  } catch {
    return {};
  }
}
