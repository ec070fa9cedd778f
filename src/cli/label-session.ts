/** Tags, stars and names of past sessions: kept in amux's home, the agents' own files stay as they are. */
import { joinUnifiedId } from "../core/unified-id.ts";
import { changeLabel, type SessionLabel } from "../history/session-labels.ts";
import { processEnv } from "../lib/fs/paths.ts";
import type { ArgumentSpec, Invocation } from "./command.ts";
import { localSessions } from "./local-sessions.ts";
import { resolveReference } from "./session-reference.ts";

export const LABELLED_SESSION: ArgumentSpec = {
  name: "session",
  description: "<agent>:<id>, the id alone, a unique prefix of it, or the name of a terminal session",
};

export async function labelSession(
  { arguments: [reference = ""], output }: Invocation,
  change: (label: SessionLabel, runTags: readonly string[]) => SessionLabel,
): Promise<void> {
  const local = localSessions();
  const { agent, sessionId } = await resolveReference(local, [reference]);
  const runTags = local.sessions.runs.of(agent, sessionId).flatMap(({ tags }) => tags);
  const unifiedId = joinUnifiedId(agent, sessionId);
  const label = changeLabel(processEnv(), unifiedId, (known) => change(known, runTags));
  if (output.json) await output.writeJson({ unifiedId, ...label });
}
