/** Directories with sessions and no project. */
import { optional } from "../../lib/values/optional.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { projectFinder } from "../../protocol/project-matching.ts";
import type { DiscoveredProject, Project } from "../../protocol/projects.ts";
import { slugify } from "../../protocol/slug.ts";

/** Directories with running sessions first, then by number. */
export function discover(sessions: readonly MuxSession[], projects: readonly Project[]): DiscoveredProject[] {
  const groups = new Map<string, MuxSession[]>();
  const projectOf = projectFinder(projects);
  for (const session of sessions) {
    if (projectOf(session) !== undefined) continue;
    const path = session.workspace_root ?? session.cwd;
    const group = groups.get(path);
    if (group === undefined) groups.set(path, [session]);
    else group.push(session);
  }
  return [...groups].map(([path, group]) => describe(path, group)).sort(byWeight);
}

function describe(path: string, group: readonly MuxSession[]): DiscoveredProject {
  const remote = group
    .map(({ remotes }) => remotes?.["origin"] ?? Object.values(remotes ?? {})[0])
    .find((address) => address);
  return {
    suggested_slug: slugify(path.slice(path.lastIndexOf("/") + 1)) || "project",
    path,
    ...optional("remote", remote),
    sessions: group.length,
    alive: group.filter(({ alive }) => alive).length,
  };
}

function byWeight(a: DiscoveredProject, b: DiscoveredProject): number {
  return b.alive - a.alive || b.sessions - a.sessions || (a.path < b.path ? -1 : 1);
}
