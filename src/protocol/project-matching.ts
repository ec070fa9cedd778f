/** Finds a session's project: the longest matching path, otherwise the first matching remote. */
import type { MuxSession } from "./mux-session.ts";
import type { Project } from "./projects.ts";

type Placed = Pick<MuxSession, "cwd" | "workspace_root" | "remotes">;

interface PathRule {
  project: Project;
  path: string;
  /** Prefix of everything inside it; undefined if only the path itself counts. */
  inside: string | undefined;
}

/** Prepares the rules once for thousands of sessions. */
export function projectFinder(projects: readonly Project[]): (session: Placed) => Project | undefined {
  const paths = projects.flatMap(pathRules).sort((a, b) => b.path.length - a.path.length);
  const places = new Map<string, number>();
  for (const [index, { match }] of projects.entries()) {
    for (const { remote } of match) {
      const address = remote === undefined ? undefined : normalizedRemote(remote);
      if (address !== undefined && !places.has(address)) places.set(address, index);
    }
  }
  const known = new Map<string, number>();
  const placeOf = (address: string): number => {
    const place = known.get(address) ?? places.get(normalizedRemote(address)) ?? projects.length;
    known.set(address, place);
    return place;
  };
  return ({ cwd, workspace_root, remotes }) => {
    const around = paths.find((rule) => isIn(cwd, rule) || isIn(workspace_root, rule));
    if (around !== undefined || remotes === undefined || places.size === 0) return around?.project;
    return projects[Math.min(...Object.values(remotes).map(placeOf))];
  };
}

export function projectOf(session: Placed, projects: readonly Project[]): Project | undefined {
  return projectFinder(projects)(session);
}

function pathRules(project: Project): PathRule[] {
  return project.match.flatMap(({ path, exact }) => {
    if (!path) return [];
    const wanted = path.replace(/(?<=.)\/+$/, "");
    const inside = exact === true ? undefined : wanted === "/" ? "/" : `${wanted}/`;
    return [{ project, path: wanted, inside }];
  });
}

function isIn(place: string | undefined, { path, inside }: PathRule): boolean {
  if (place === undefined) return false;
  return place === path || (inside !== undefined && place.startsWith(inside));
}

/** One form for every spelling of a remote: `git@host:a/b.git`, `ssh://host/a/b`, `https://host/a/b/`. */
export function normalizedRemote(address: string): string {
  return address
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/^[^/]*@/, "")
    .replace(/^([^/:]+):(?!\d+\/)/, "$1/")
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .toLowerCase();
}
