/** A look at the projects of live sessions, in the process that can be ended. */
import type { ProjectSnapshot } from "../../status/projects/project-snapshot.ts";
import type { SessionView } from "../../status/session-view.ts";
import type { FileService } from "./file-service.ts";

export async function snapshotsOf(
  files: Pick<FileService, "read">,
  sessions: readonly SessionView[],
): Promise<ProjectSnapshot[]> {
  // Without sessions there are no projects to look at.
  if (sessions.length === 0) return [];
  let text = "";
  for await (const piece of files.read({ kind: "projects", sessions })) text += piece;
  return JSON.parse(text) as ProjectSnapshot[];
}
