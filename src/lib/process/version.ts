/** Compares versions like 2.1.325, and finds an installed program's version. */
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { readText } from "../fs/foreign-file.ts";
import { optional } from "../values/optional.ts";

const VERSION = /(\d+)\.(\d+)\.(\d+)/;

/** Agents start slowly, but one that has not answered by then hangs. */
const ANSWER_MS = 10_000;

/** False if the version is unknown. */
export function isAtLeast(version: string | undefined, wanted: string): boolean {
  const [have, need] = [partsOf(version), partsOf(wanted)];
  if (have === undefined || need === undefined) return false;
  for (const [index, part] of need.entries()) {
    if (have[index] !== part) return have[index]! > part;
  }
  return true;
}

function partsOf(version: string | undefined): number[] | undefined {
  const found = VERSION.exec(version ?? "");
  return found === null ? undefined : found.slice(1).map(Number);
}

/** Reads it from the path if possible, since starting an agent takes a second; otherwise runs the program. */
export async function versionOf(program: string): Promise<string | undefined> {
  return installedVersion(program) ?? (await askedVersion(program));
}

function installedVersion(program: string): string | undefined {
  let path: string;
  try {
    path = realpathSync(program);
  } catch {
    return undefined; // Not there.
  }
  // Installers that keep several versions put each under `versions/<version>`.
  const named = /\/versions?\/v?(\d+\.\d+\.\d+)(?:\/|$)/.exec(path)?.[1];
  if (named !== undefined) return named;
  const inPackage = path.lastIndexOf("/node_modules/");
  if (inPackage === -1) return undefined;
  for (let directory = dirname(path); directory.length > inPackage + 1; directory = dirname(directory)) {
    const version = packageVersion(join(directory, "package.json"));
    if (version !== undefined) return version;
  }
  return undefined;
}

function packageVersion(path: string): string | undefined {
  try {
    return VERSION.exec(String((JSON.parse(readText(path)) as { version?: unknown }).version))?.[0];
  } catch {
    return undefined; // No package here; it may be further up.
  }
}

async function askedVersion(program: string): Promise<string | undefined> {
  return VERSION.exec((await printedVersion(program))?.stdout ?? "")?.[0];
}

/** What the program prints for `--version`; undefined if it fails or does not answer. */
export async function printedVersion(
  program: string,
  env?: NodeJS.ProcessEnv,
  answerMs = ANSWER_MS,
): Promise<{ stdout: string; stderr: string } | undefined> {
  try {
    // Loaded on demand: most callers only compare versions.
    const { execFile } = process.getBuiltinModule("node:child_process");
    // Some agents ignore SIGTERM.
    const limits = { timeout: answerMs, killSignal: "SIGKILL" } as const;
    const asked = promisify(execFile)(program, ["--version"], { ...limits, ...optional("env", env) });
    // Some programs wait for the end of a piped input first.
    asked.child.stdin?.end();
    return await asked;
  } catch {
    return undefined; // Installed but does not print a version.
  }
}
