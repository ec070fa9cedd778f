/** Which project a session belongs to: the one with the longest path around it, else the first with its remote. */
import { optional } from "../../lib/optional.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import type { DiscoveredProject, Project, ProjectRule } from "../../protocol/projects.ts";
import { slugify } from "../store/slugs.ts";
import { normalizedRemote } from "./remotes.ts";

type Placed = Pick<MuxSession, "cwd" | "workspace_root" | "remotes">;

export function projectOf(session: Placed, projects: readonly Project[]): Project | undefined {
  let best: { project: Project; length: number } | undefined;
  for (const project of projects) {
    for (const rule of project.match) {
      const length = pathMatch(session, rule);
      if (length > (best?.length ?? 0)) best = { project, length };
    }
  }
  return best?.project ?? projects.find(({ match }) => match.some((rule) => hasRemote(session, rule)));
}

/** The length of the rule's path, or 0 when the session is elsewhere. */
function pathMatch({ cwd, workspace_root }: Placed, { path, exact }: ProjectRule): number {
  if (path === undefined) return 0;
  const wanted = path.replace(/(?<=.)\/+$/, "");
  const isHere = (place: string | undefined): boolean =>
    place !== undefined &&
    (place === wanted || (exact !== true && place.startsWith(wanted === "/" ? "/" : `${wanted}/`)));
  return isHere(cwd) || isHere(workspace_root) ? wanted.length : 0;
}

function hasRemote({ remotes = {} }: Placed, { remote }: ProjectRule): boolean {
  if (remote === undefined) return false;
  const wanted = normalizedRemote(remote);
  return Object.values(remotes).some((address) => normalizedRemote(address) === wanted);
}

/** Places with sessions and no project: those with something alive first, then the fullest. */
export function discover(sessions: readonly MuxSession[], projects: readonly Project[]): DiscoveredProject[] {
  const groups = new Map<string, MuxSession[]>();
  for (const session of sessions) {
    if (projectOf(session, projects) !== undefined) continue;
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
