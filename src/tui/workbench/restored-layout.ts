/** A saved layout, updated for panes that were added or removed since. */
import type { Layout } from "../layout/layout-file.ts";
import { allPanes, focused, withoutPane, withPane } from "../layout/workspace.ts";

/** Removes panes that are gone, and adds the session's `own` terminals that no workspace has. */
export function restoredLayout(saved: Layout, own: readonly string[], isThere: (pane: string) => boolean): Layout {
  const workspaces = saved.workspaces.map((workspace) =>
    allPanes(workspace).reduce((kept, id) => (isThere(id) ? kept : withoutPane(kept, id)), workspace),
  );
  const shown = new Set(workspaces.flatMap(allPanes));
  const missing = own.filter((id) => !shown.has(id));
  const filled = workspaces.map((workspace, at) => {
    if (at !== saved.active || missing.length === 0) return workspace;
    const all = missing.reduce(withPane, workspace);
    return workspace.focus === undefined ? focused(all, missing[0] as string) : { ...all, focus: workspace.focus };
  });
  return { active: saved.active, workspaces: filled };
}
