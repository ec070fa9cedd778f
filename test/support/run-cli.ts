/** Runs the built `amux` as a user would, in a process of its own. Where only the command matters, `warmCli` is much faster. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const AMUX = join(import.meta.dirname, "../../dist/amux.cjs");

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface CommandPlace {
  home: string;
  vars?: Record<string, string>;
  cwd?: string;
}

export interface CliOptions extends CommandPlace {
  uid?: number;
  /** Another Node than the one running the tests. */
  node?: string;
}

export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const { home, vars = {}, cwd, uid, node = process.execPath } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(node, [AMUX, ...args], {
      env: cliVars({ home, vars }, uid),
      stdio: ["ignore", "pipe", "pipe"],
      ...(cwd === undefined ? {} : { cwd }),
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Nothing from the developer's environment: an agent's variables would change what is found. */
export function cliVars({ home, vars = {} }: CommandPlace, uid?: number): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: home, TZ: "UTC", ...ownHome(home, uid), ...vars };
}

const ownHomes = new Set<string>();

/** Recorded homes stay unchanged: amux's own files go elsewhere. */
function ownHome(home: string, uid?: number): { AMUX_HOME?: string } {
  if (!home.includes("/fixtures/")) return {};
  const path = join(tmpdir(), `amux-test-kept-${process.pid}-${uid ?? "own"}`);
  if (!ownHomes.has(path)) process.once("exit", () => rmSync(path, { recursive: true, force: true }));
  ownHomes.add(path);
  return { AMUX_HOME: path };
}

export async function runJson<T>(args: readonly string[], options: CliOptions): Promise<T> {
  return jsonOf<T>(args, await runCli([...args, "--json"], options));
}

export function jsonOf<T>(args: readonly string[], { code, stdout, stderr }: CliResult): T {
  if (code !== 0) throw new Error(`amux ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}
