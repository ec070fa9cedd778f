/** Lines of a file in the reviewed repository. */
import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { FileRefused, readText } from "../../lib/fs/foreign-file.ts";
import { visibleControls } from "../../core/visible-text.ts";
import { untrustedGit } from "../../status/untrusted-git.ts";
import { linesOf } from "./anchor.ts";

/** The repository's root; outside of one, the directory itself. */
export async function rootOf(cwd: string): Promise<string> {
  const top = (await untrustedGit(cwd, "rev-parse", "--show-toplevel"))?.replace(/\n$/, "");
  if (top !== undefined && top !== "") return top;
  try {
    return realpathSync(cwd);
  } catch (error) {
    throw new AgentMuxError("VALIDATION_ERROR", `The session's directory ${visibleControls(cwd)} is gone.`, {
      cause: error,
    });
  }
}

/**
 * The path relative to the root. `bases`: directories that a relative path may begin in, the first in which the file is counts. One
 * outside of the root does not.
 */
export function pathBelow(root: string, file: string, bases: readonly string[]): string {
  const tries = isAbsolute(file)
    ? [file]
    : bases.filter((base) => isBelow(relative(root, base))).map((base) => join(base, file));
  const there = tries.map(realOf).find((path) => path !== undefined);
  const below = relative(root, there ?? (isAbsolute(file) ? file : join(root, file)));
  if (below === "" || !isBelow(below))
    throw new AgentMuxError("VALIDATION_ERROR", `${visibleControls(file)} is not below ${visibleControls(root)}.`);
  return below;
}

function isBelow(path: string): boolean {
  return path !== ".." && !path.startsWith(`..${sep}`);
}

/** Undefined if there is no such file. Throws for one that cannot be read, or that leads out of the root. */
export function fileLines(root: string, file: string): string[] | undefined {
  const path = join(root, file);
  const shown = visibleControls(file);
  try {
    const real = realpathSync(path);
    if (!real.startsWith(`${realpathSync(root)}${sep}`))
      throw new AgentMuxError("VALIDATION_ERROR", `${shown} leads out of ${visibleControls(root)}.`);
    const text = readText(real);
    if (text.includes("\0")) throw new AgentMuxError("VALIDATION_ERROR", `${shown} is not a text file.`);
    return linesOf(text);
  } catch (error) {
    if (error instanceof AgentMuxError) throw error;
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const reason = error instanceof FileRefused ? error.message : `${shown} cannot be read (${code}).`;
    throw new AgentMuxError("VALIDATION_ERROR", visibleControls(reason), { cause: error });
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // Missing: another one may be meant.
    return undefined;
  }
}
