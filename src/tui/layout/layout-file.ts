/**
 * The layout of a session's panes in `layouts/<session>.json` of amux's home. The file is validated, because it may be
 * edited or from another version. An empty layout never overwrites another one.
 */
import { dirname, join } from "node:path";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { asArray, asNumber, asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { refOf } from "./pane-id.ts";
import { clamp, panesOf, type SplitNode } from "./split-tree.ts";
import { allPanes, EMPTY_WORKSPACE, LAYOUT_MODES, type Workspace } from "./workspace.ts";
import { makeDirectory } from "../../lib/fs/make-directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

export const WORKSPACES = 9;

export interface Layout {
  /** Counted from 0. */
  active: number;
  workspaces: Workspace[];
}

/** Deeper trees are invalid. */
const MAX_DEPTH = 64;

export function emptyLayout(): Layout {
  return { active: 0, workspaces: Array.from({ length: WORKSPACES }, () => EMPTY_WORKSPACE) };
}

export function readLayout(home: string, sessionId: string): Layout | undefined {
  try {
    return layoutFrom(JSON.parse(readText(layoutPath(home, sessionId))));
  } catch {
    return undefined; // Missing or unreadable: the session gets a new layout.
  }
}

/** False if there was nothing to save. */
export function writeLayout(home: string, sessionId: string, layout: Layout): boolean {
  if (layout.workspaces.every((workspace) => allPanes(workspace).length === 0)) return false;
  const path = layoutPath(home, sessionId);
  makeDirectory(dirname(path));
  writeFileAtomic(path, `${JSON.stringify({ version: 1, ...layout })}\n`);
  return true;
}

function layoutPath(home: string, sessionId: string): string {
  return join(home, "layouts", `${sessionId}.json`);
}

export function layoutFrom(value: unknown): Layout | undefined {
  const fields = asObject(value);
  const workspaces = asArray(fields?.["workspaces"]);
  if (fields === undefined || workspaces === undefined) return undefined;
  const read = Array.from({ length: WORKSPACES }, (_, at) => workspaceFrom(workspaces[at]));
  const active = asNumber(fields["active"]) ?? 0;
  return { active: Number.isInteger(active) && active >= 0 && active < WORKSPACES ? active : 0, workspaces: read };
}

export function workspaceFrom(value: unknown): Workspace {
  const fields = asObject(value);
  if (fields === undefined) return EMPTY_WORKSPACE;
  const mode = LAYOUT_MODES.find((known) => known === fields["mode"]) ?? "vertical";
  const nodes = [nodeFrom(fields["main"]), ...(asArray(fields["stack"]) ?? []).map((node) => nodeFrom(node))];
  const [main, ...stack] = nodes.filter((node) => node !== undefined);
  const focus = asText(fields["focus"]);
  const all = [main, ...stack].flatMap(panesOf);
  return {
    mode,
    ratio: clamp(asNumber(fields["ratio"]) ?? 0.5),
    ...optional("main", main),
    stack,
    ...optional("focus", focus !== undefined && all.includes(focus) ? focus : all[0]),
    zoomed: fields["zoomed"] === true,
  };
}

function nodeFrom(value: unknown, depth = 0): SplitNode | undefined {
  const fields = asObject(value);
  if (fields === undefined || depth > MAX_DEPTH) return undefined;
  if (fields["kind"] === "pane") {
    const pane = asText(fields["pane"]);
    return pane === undefined || refOf(pane) === undefined ? undefined : { kind: "pane", pane };
  }
  const first = nodeFrom(fields["first"], depth + 1);
  const second = nodeFrom(fields["second"], depth + 1);
  if (first === undefined || second === undefined) return first ?? second;
  const direction = fields["direction"] === "column" ? "column" : "row";
  return { kind: "split", direction, ratio: clamp(asNumber(fields["ratio"]) ?? 0.5), first, second };
}
