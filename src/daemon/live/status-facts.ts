/**
 * Git facts and tokens in status files, where dashboards look for them. A hook must not take the time to find them out, so
 * the daemon does: once after each turn, in the files in which something was said. Where no daemon runs, `amux details` does.
 */
import type { CostRecord } from "../../core/cost.ts";
import type { SessionReference } from "../../core/diff.ts";
import { asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { tokenFields, withDetails } from "../../status/details.ts";
import { withWord } from "../../status/apply-hook.ts";
import type { GitCache } from "../../status/git-cache.ts";
import { agentsWithEvidence, evidenceOf } from "../../status/kept-evidence.ts";
import type { CurrentPbi } from "../../status/tasks/current-pbi.ts";
import { AMUX_SESSION, type StatusFile } from "../../status/status-file.ts";
import type { StatusStore } from "../../status/status-store.ts";
import type { SessionRecord } from "../store/session-record.ts";

/** What is slower than this is told after the next turn. */
const GIT_WAIT_MS = 1000;

/** Nobody waits behind a writer's lock for facts. */
const PATIENCE_MS = 200;

/** Sessions that last spoke longer before the daemon's start are not looked at: there may be hundreds of them. */
const RECENT_SECONDS = 600;

export interface StatusFactsParts {
  statuses: StatusStore;
  git: Pick<GitCache, "within">;
  /** Whose status is a status file's own. */
  mainAgent: string;
  record(id: string): Readonly<SessionRecord> | undefined;
  costOf(session: SessionReference): Promise<CostRecord | undefined>;
  /** What is being worked on in a directory; null when nothing, undefined when nobody has looked yet. */
  pbiOf(cwd: string): CurrentPbi | null | undefined;
}

export class StatusFacts {
  readonly #parts: StatusFactsParts;
  /** What each file said when its facts were written. */
  readonly #written = new Map<string, string>();
  readonly #since = Date.now() / 1000 - RECENT_SECONDS;
  #isBusy = false;

  constructor(parts: StatusFactsParts) {
    this.#parts = parts;
  }

  /** To be called when the files were listed; what comes meanwhile is for the next time. */
  async look(files: readonly { name: string; file: StatusFile }[]): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (const { name, file } of files) {
        if (this.#isLost(file)) this.#end(name, file);
        else if (this.#isDue(name, file)) await this.#write(name, file);
      }
      const names = new Set(files.map(({ name }) => name));
      for (const name of this.#written.keys()) if (!names.has(name)) this.#written.delete(name);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Its process was killed, and could not say that it is over. */
  #isLost(file: StatusFile): boolean {
    const id = asText(file[AMUX_SESSION]);
    return id !== undefined && file.status !== "offline" && this.#parts.record(id)?.alive === false;
  }

  #end(name: string, file: StatusFile): void {
    const isSame = (now: StatusFile): boolean => now[AMUX_SESSION] === file[AMUX_SESSION] && now.status === file.status;
    this.#parts.statuses.update(
      name,
      (now) => (isSame(now) ? withWord(now, { state: "offline" }, Date.now()) : undefined),
      PATIENCE_MS,
    );
  }

  /** In the middle of a turn both change all the time. */
  #isDue(name: string, file: StatusFile): boolean {
    if (file.timestamp < this.#since || file.cwd === "") return false;
    const isMidway = file.status === "working" && file["git"] !== undefined;
    return !isMidway && this.#written.get(name) !== wordOf(file);
  }

  async #write(name: string, file: StatusFile): Promise<void> {
    const { statuses, git, costOf } = this.#parts;
    const session = this.#conversationIn(file);
    const [repository, cost] = await Promise.all([
      git.within(file.cwd, GIT_WAIT_MS),
      session === undefined ? undefined : costOf(session),
    ]);
    this.#written.set(name, wordOf(file));
    const pbi = this.#parts.pbiOf(file.cwd);
    const facts = {
      ...optional("git", repository),
      ...optional("tokens", cost && tokenFields(cost)),
      ...optional("pbi", pbi),
    };
    if (repository === undefined && cost === undefined && pbi === undefined) return;
    // One that was pruned meanwhile, or moved to another directory, is not brought back.
    statuses.update(name, (now) => (now.cwd === file.cwd ? withDetails(now, facts) : undefined), PATIENCE_MS);
  }

  /** What its session writes, as the daemon knows it or as hooks in tmux have told. */
  #conversationIn(file: StatusFile): SessionReference | undefined {
    const { mainAgent, record } = this.#parts;
    const id = asText(file[AMUX_SESSION]);
    if (id !== undefined) {
      const { kind = "", agent = kind, resume_key: sessionId } = record(id) ?? {};
      return sessionId === undefined ? undefined : { agent, sessionId };
    }
    for (const agent of [mainAgent, ...agentsWithEvidence(file)]) {
      const sessionId = evidenceOf(file, agent).evidence.session;
      if (sessionId !== undefined) return { agent, sessionId };
    }
    return undefined;
  }
}

function wordOf({ status, timestamp, cwd }: StatusFile): string {
  return `${status} ${timestamp} ${cwd}`;
}
