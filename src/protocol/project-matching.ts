/** Which project a session belongs to: the one with the longest path around it, else the first with its remote. */
import type { MuxSession } from "./mux-session.ts";
import type { Project, ProjectRule } from "./projects.ts";

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

/** The same for every way to write the same remote: `git@host:a/b.git`, `ssh://host/a/b`, `https://host/a/b/`. */
export function normalizedRemote(address: string): string {
  return address
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/]*@/, "")
    .replace(/^([^/:]+):(?!\d+\/)/, "$1/")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .toLowerCase();
}
