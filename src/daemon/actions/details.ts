/** Details of a session beyond its row. */
import { conversationOf } from "../../client/conversation.ts";
import type { CostRecord } from "../../core/cost.ts";
import type { SessionReference } from "../../core/diff.ts";
import { asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionDetails } from "../../protocol/daemon-api.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import { gitFields, tokenFields } from "../../status/details.ts";
import type { GitCache } from "../../status/git-cache.ts";
import { usageOfTrees } from "../../status/process-usage.ts";
import { viewOfRunner } from "../../status/runner-view.ts";
import { agentsOf, AMUX_SESSION, metricsUntil, teamOf } from "../../status/status-file.ts";
import type { SnoozeFile } from "../../status/snooze.ts";
import type { StatusStore } from "../../status/status-store.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { RunnerCalls } from "./runner-calls.ts";

/** A repository answers in milliseconds and GitHub in less than this; later answers are shown next time. */
const GIT_WAIT_MS = 1000;

export interface DetailsParts {
  git: GitCache;
  runners: RunnerCalls;
  statuses: StatusStore;
  costOf: (session: SessionReference) => Promise<CostRecord | "late" | undefined>;
  snoozes: Pick<SnoozeFile, "read">;
}

export class Details {
  readonly #runners: RunnerCalls;
  readonly #statuses: StatusStore;
  readonly #costOf: DetailsParts["costOf"];
  readonly #git: GitCache;
  readonly #snoozes: Pick<SnoozeFile, "read">;

  constructor({ git, runners, statuses, costOf, snoozes }: DetailsParts) {
    this.#snoozes = snoozes;
    this.#git = git;
    this.#runners = runners;
    this.#statuses = statuses;
    this.#costOf = costOf;
  }

  async of(id: string): Promise<SessionDetails> {
    const record = this.#runners.recordOf(id);
    const { kind, agent = kind, resume_key: sessionId } = record;
    const [meta, git, usage, cost] = await Promise.all([
      record.alive ? this.#runners.meta(id) : undefined,
      record.cwd === "" ? undefined : this.#git.within(record.cwd, GIT_WAIT_MS),
      record.alive && record.pid !== undefined ? usageOf(record.pid) : undefined,
      sessionId === undefined ? undefined : this.#costOf({ agent, sessionId }),
    ]);
    const snooze = this.#snoozes.read(Date.now()).get(id);
    return {
      ...fromRecord(record),
      ...optional("snoozed_until", snooze && new Date(snooze.until).toISOString()),
      ...(meta === undefined ? {} : fromRunner(meta)),
      ...optional("git", git && gitFields(git)),
      ...optional("usage", usage),
      ...(cost === undefined || cost === "late" ? {} : { tokens: tokenFields(cost), cost: { ...cost } }),
      ...this.#fromFile(id),
    };
  }

  /** Facts that only its status file has. */
  #fromFile(id: string): Partial<SessionDetails> {
    const { name, file } = this.#statuses.list().find((each) => each.file[AMUX_SESSION] === id) ?? {};
    if (name === undefined || file === undefined) return {};
    const agents: NonNullable<SessionDetails["agents"]> = {};
    for (const [type, fields] of Object.entries(agentsOf(file))) agents[type] = { ...fields };
    return {
      status_file: name,
      status: file.status,
      message: file.message,
      timestamp: file.timestamp,
      ...optional("metrics", metricsUntil(file, Date.now())),
      ...optional("team", teamOf(file)),
      ...(Object.keys(agents).length === 0 ? {} : { agents }),
      ...optional("current_pbi", asText(file["current_pbi"])),
      ...optional("current_pbi_title", asText(file["current_pbi_title"])),
    };
  }
}

function fromRecord(record: Readonly<SessionRecord>): SessionDetails {
  const { id, conversation, unread_token, incarnation, runner_pid } = record;
  return {
    id,
    ...optional("unified_id", conversationOf(record)),
    ...optional("conversation", conversation),
    ...optional("unread_token", unread_token),
    ...optional("incarnation", incarnation),
    ...optional("runner_pid", runner_pid),
  };
}

function fromRunner(meta: SessionMeta): Partial<SessionDetails> {
  const { reports, ptys, runner_version, last_activity_at } = meta;
  const { state = "idle", label, message, since, verdict } = viewOfRunner(meta, Date.now()).top;
  return {
    state: {
      state,
      since: new Date(since).toISOString(),
      ...optional("label", label),
      ...optional("message", message),
      ...optional("source", verdict?.by.source),
    },
    reports,
    terminals: ptys,
    runner_version,
    ...optional("last_activity_at", last_activity_at),
  };
}

async function usageOf(pid: number): Promise<SessionDetails["usage"]> {
  const usage = (await usageOfTrees([pid])).get(pid);
  return usage && { processes: usage.processes, rss_bytes: usage.rssBytes, cpu_seconds: usage.cpuSeconds };
}
