/** Recorded edits of linked machines, and of an archive, for `amux blame`. */
import { foreignSource, type ForeignSession, type ForeignView } from "../../changes/blame/foreign-source.ts";
import type { BlameSource } from "../../changes/blame/blame.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Session, SessionMessage } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import { machineName } from "../format/machines.ts";
import type { Invocation } from "../command.ts";
import type { QueryClient } from "../archive-options.ts";
import { askDaemonRaw } from "../mux/remote.ts";
import { fleetApi } from "./fleet-options.ts";

const WITHIN_MS = 120_000;
const MAX_LISTED = 5000;

/** Secrets are redacted in an archive: a line with one is not found there. */
export function archivedEdits(sessions: QueryClient["sessions"]): BlameSource {
  return foreignSource({
    async list() {
      const rows = await sessions.listAll({ limit: MAX_LISTED, counts: false });
      return { sessions: rows.map((row) => ({ ...row, machine: "archive" })) };
    },
    open: ({ agent, sessionId }) => sessions.open(agent, sessionId),
  });
}

/** Machines that do not answer are added to `missing`. */
export async function peerEdits(invocation: Invocation, missing: string[]): Promise<BlameSource> {
  const api = await fleetApi(invocation);
  return foreignSource({
    async list() {
      const { sessions, machines } = await api.fleetHistory({ limit: MAX_LISTED, counts: false });
      const notes = machines.flatMap(({ machine, error }) => {
        if (error === undefined) return [];
        missing.push(machine);
        return [`Without ${machineName(machine)}: ${error}`];
      });
      const elsewhere = sessions.filter((row) => !row.machines.includes(""));
      return { sessions: elsewhere.map((row) => ({ ...row, ...dated(row), machine: row.machines[0]! })), notes };
    },
    open: remoteView,
  });
}

function dated({ createdAt, updatedAt }: { createdAt: string; updatedAt: string }): {
  createdAt: Date;
  updatedAt: Date;
} {
  return { createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}

async function remoteView({ agent, sessionId, machine }: ForeignSession): Promise<ForeignView> {
  const query = new URLSearchParams({ format: "json", peer: machine });
  const path = `/v1/history/${encodeURIComponent(joinUnifiedId(agent, sessionId))}?${query.toString()}`;
  const { body } = await askDaemonRaw({ method: "GET", path, timeoutMs: WITHIN_MS });
  const session = JSON.parse(body.toString("utf8")) as Session;
  const messages = (session.messages ?? []).map(withDate);
  return {
    summary: { title: session.title, ...optional("model", session.model), ...optional("cost", session.cost) },
    messages: () => messages,
    subagents: () =>
      (session.subagents ?? []).map((helper) => ({ ...helper, messages: helper.messages.map(withDate) })),
  };
}

function withDate(message: SessionMessage): SessionMessage {
  return message.timestamp === undefined ? message : { ...message, timestamp: new Date(message.timestamp) };
}
