/** Files that a session's tool calls edited. */
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { SessionMessage } from "../../core/session.ts";
import { editsOf, type Edit } from "../../core/tool-edits.ts";

const PATCHED = /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\+\+\+ b\/|--- a\/)(.+)$/gm;

/** Relative to the root; files outside of it are left out. */
export function editedFiles(messages: Iterable<SessionMessage>, cwd: string, root: string): string[] {
  const found = new Set<string>();
  for (const { toolCalls = [] } of messages) {
    for (const { input } of toolCalls) {
      for (const path of editsOf(input).flatMap(pathsOf)) {
        const place = relative(root, resolve(cwd, path));
        if (place !== "" && place !== ".." && !place.startsWith(`..${sep}`) && !isAbsolute(place)) found.add(place);
      }
    }
  }
  return [...found];
}

function pathsOf(edit: Edit): string[] {
  const named = edit.path === "" ? [] : [edit.path];
  return edit.kind === "patch"
    ? [...named, ...[...edit.patch.matchAll(PATCHED)].map(([, path]) => path!.trim())]
    : named;
}
