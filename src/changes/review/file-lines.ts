/** Lines of a file in the reviewed repository. */
import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { ANSWERING } from "../../lib/fs/answering-directories.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { FileRefused, readText } from "../../lib/fs/foreign-file.ts";
import { visibleControls } from "../../core/visible-text.ts";
import { untrustedGit } from "../../status/untrusted-git.ts";
import { unlinkedFile } from "../worktree/inside-file.ts";
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
export async function pathBelow(root: string, file: string, bases: readonly string[]): Promise<string> {
  const tries = isAbsolute(file)
    ? [file]
    : bases.filter((base) => isBelow(relative(root, base))).map((base) => join(base, file));
  for (const path of tries) {
    if (!(await ANSWERING.has(path)))
      throw new AgentMuxError("VALIDATION_ERROR", `${visibleControls(path)} leads to a place that does not answer.`);
  }
  const there = tries.map(realOf).find((path) => path !== undefined);
  const below = relative(root, there ?? (isAbsolute(file) ? file : join(root, file)));
  if (below === "" || !isBelow(below))
    throw new AgentMuxError("VALIDATION_ERROR", `${visibleControls(file)} is not below ${visibleControls(root)}.`);
  return below;
}

function isBelow(path: string): boolean {
  return path !== ".." && !path.startsWith(`..${sep}`);
}

/** Undefined if there is no such file. Throws for one that cannot be read, or that leads through a link. */
export function fileLines(root: string, file: string): string[] | undefined {
  const shown = visibleControls(file);
  if (!isBelow(relative(root, join(root, file))))
    throw new AgentMuxError("VALIDATION_ERROR", `${shown} leads out of ${visibleControls(root)}.`);
  const found = unlinkedFile(root, file);
  if ("problem" in found) {
    if (found.isMissing === true) return undefined;
    throw new AgentMuxError("VALIDATION_ERROR", `${shown} ${found.problem}.`);
  }
  try {
    const text = readText(found.path);
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
