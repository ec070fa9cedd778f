/** Platform directories, computed from an injected environment rather than from this process. */
import { isAbsolute, join, sep } from "node:path";

export interface PathEnv {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly vars: Readonly<Record<string, string | undefined>>;
}

/** The environment of this process. */
export function processEnv(): PathEnv {
  const vars = process.env;
  return { home: homeOf(process.platform, vars), platform: process.platform, vars };
}

function homeOf(platform: NodeJS.Platform, vars: Readonly<Record<string, string | undefined>>): string {
  const home = platform === "win32" ? (vars["USERPROFILE"] ?? vars["HOME"]) : vars["HOME"];
  return home !== undefined && home !== "" ? home : "/";
}

/** The working directory; the root if it was removed. */
export function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return "/";
  }
}

/** Resolves `~`, `~/x` and relative paths against the home directory, the only meaningful base for a store. */
export function resolveHome(env: PathEnv, path: string): string {
  if (path === "~") return env.home;
  if (path.startsWith("~/")) return join(env.home, path.slice(2));
  return isAbsolute(path) ? path : join(env.home, path);
}

/** The value of a variable that names a directory, or undefined when unset or empty. */
export function directoryFrom(env: PathEnv, variable: string): string | undefined {
  const value = env.vars[variable];
  return value === undefined || value === "" ? undefined : resolveHome(env, value);
}

/** Per-user data: XDG_DATA_HOME when set, else the platform's place. */
export function dataHome(env: PathEnv): string {
  const set = directoryFrom(env, "XDG_DATA_HOME");
  if (set !== undefined) return set;
  if (env.platform === "win32") return directoryFrom(env, "LOCALAPPDATA") ?? join(env.home, "AppData", "Local");
  return join(env.home, ".local", "share");
}

/** Per-user configuration: XDG_CONFIG_HOME when set, else the platform's place. */
export function configHome(env: PathEnv): string {
  const set = directoryFrom(env, "XDG_CONFIG_HOME");
  if (set !== undefined) return set;
  if (env.platform === "win32") return directoryFrom(env, "APPDATA") ?? join(env.home, "AppData", "Roaming");
  return join(env.home, ".config");
}

/** amux's own directory. */
export function amuxHome(env: PathEnv): string {
  return directoryFrom(env, "AMUX_HOME") ?? join(env.home, ".agent-mux");
}

/** The name of a file from a listing. Faster than `basename`, which scans the whole path. */
export function lastPart(path: string): string {
  return path.slice(Math.max(path.lastIndexOf(sep), path.lastIndexOf("/")) + 1);
}
