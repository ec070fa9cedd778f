/** A remote session with all its runner's evidence. */
import { asObject } from "../../lib/json/fields.ts";
import { SessionMeta } from "../../protocol/runner-api.ts";
import { readEvidence } from "../../status/stored-evidence.ts";
import { viewOfRunner } from "../../status/runner-view.ts";
import type { SessionView } from "../../status/session-view.ts";
import { askDaemon } from "../mux/remote.ts";

export async function remoteView(id: string, peer: string, now: number): Promise<SessionView> {
  const { meta, evidence } = await askDaemon<{ meta: unknown; evidence?: unknown }>(
    "GET",
    `/v1/sessions/${id}/account`,
  );
  const kept = asObject(evidence);
  const view = viewOfRunner(SessionMeta.parse(meta), now, kept === undefined ? undefined : readEvidence(kept));
  return { ...view, ref: id, peer };
}
