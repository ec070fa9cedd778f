/** What is known of a session beyond its row. */
import { joinUnifiedId } from "../../core/unified-id.ts";
import { optional } from "../../lib/optional.ts";
import type { SessionDetails } from "../../protocol/daemon-api.ts";
import type { SessionMeta } from "../../protocol/runner-api.ts";
import { GitCache } from "../../status/git-cache.ts";
import { usageOfTrees } from "../../status/process-usage.ts";
import { viewOfRunner } from "../../status/runner-view.ts";
import type { SessionRecord } from "../store/session-record.ts";
import type { RunnerCalls } from "./runner-calls.ts";

export class Details {
  readonly #runners: RunnerCalls;
  readonly #git = new GitCache();

  constructor(runners: RunnerCalls) {
    this.#runners = runners;
  }

  async of(id: string): Promise<SessionDetails> {
    const record = this.#runners.recordOf(id);
    const [meta, git, usage] = await Promise.all([
      record.alive ? this.#runners.meta(id) : undefined,
      this.#git.get(record.cwd),
      record.alive && record.pid !== undefined ? usageOf(record.pid) : undefined,
    ]);
    return {
      ...fromRecord(record),
      ...(meta === undefined ? {} : fromRunner(meta)),
      ...optional("git", git === undefined ? undefined : { ...git }),
      ...optional("usage", usage),
    };
  }
}

function fromRecord(record: Readonly<SessionRecord>): SessionDetails {
  const { id, kind, resume_key, conversation, unread_token, incarnation, runner_pid } = record;
  return {
    id,
    ...optional("unified_id", resume_key === undefined ? undefined : joinUnifiedId(kind, resume_key)),
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
