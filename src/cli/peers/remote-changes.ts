/** What a session of another machine changed, from that machine's daemon. */
import type { ChangesOptions } from "../../changes/diff/subject.ts";
import type { SessionChanges } from "../../core/changes.ts";
import { usageError } from "../command.ts";
import { askDaemon, chooseRemote } from "../mux/remote.ts";
import { remoteReference, unifiedIdOf } from "./remote-history.ts";

/** A large comparison, and the way. */
const WITHIN_MS = 120_000;

/** Undefined if no peer is meant. */
export async function remoteChanges(ref: string, options: ChangesOptions): Promise<SessionChanges | undefined> {
  const reference = remoteReference([ref]);
  if (reference === undefined) return undefined;
  const { paths = [] } = options;
  if (paths.length > 1) throw usageError("Of another machine's repository, one path can be shown at a time.");
  const query = new URLSearchParams(
    Object.entries({
      staged: options.staged,
      committed: options.committed,
      since_look: options.sinceLook,
      mine: options.mine,
      hunks: options.hunks,
    }).flatMap(([name, value]): [string, string][] => (value === true ? [[name, "1"]] : [])),
  );
  if (paths.length === 1) query.set("path", paths[0]!);
  if (reference.agent === "") {
    const { id } = await chooseRemote(ref);
    return askDaemon("GET", `/v1/sessions/${id}/changes?${query.toString()}`, undefined, WITHIN_MS);
  }
  query.set("peer", reference.peer);
  const unifiedId = encodeURIComponent(await unifiedIdOf(reference));
  return askDaemon("GET", `/v1/history/${unifiedId}/changes?${query.toString()}`, undefined, WITHIN_MS);
}
