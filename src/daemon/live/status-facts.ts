/**
 * Writes git facts and tokens into status files, for dashboards. Hooks must be fast, so the daemon does it after each turn;
 * without a daemon `amux details` does.
 */
import type { CostRecord } from "../../core/cost.ts";
import type { SessionReference } from "../../core/diff.ts";
import { asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { tokenFields, withDetails } from "../../status/details.ts";
import { withState } from "../../status/apply-hook.ts";
import type { GitCache } from "../../status/git-cache.ts";
import { agentsWithEvidence, evidenceOf } from "../../status/stored-evidence.ts";
import type { CurrentPbi } from "../../status/tasks/current-pbi.ts";
import { AMUX_SESSION, type StatusFile } from "../../status/status-file.ts";
import type { StatusStore } from "../../status/status-store.ts";
import type { SessionRecord } from "../store/session-record.ts";

/** Slower answers are written at a later look. */
const GIT_WAIT_MS = 1000;

/** A count that was too slow is tried again, but not forever: a very long conversation always is. */
const MAX_LATE = 5;

/** Facts do not wait for a writer's lock. */
const PATIENCE_MS = 200;

/** Sessions silent for longer before the daemon's start are skipped: there may be hundreds. */
const RECENT_SECONDS = 600;

export interface StatusFactsParts {
  statuses: StatusStore;
  git: Pick<GitCache, "within" | "isReadSince">;
  /** The agent whose status is a status file's own. */
  mainAgent: string;
  record(id: string): Readonly<SessionRecord> | undefined;
  costOf(session: SessionReference): Promise<CostRecord | "late" | undefined>;
  /** A directory's current task; null if none, undefined if unknown. */
  pbiOf(cwd: string): CurrentPbi | null | undefined;
}

export class StatusFacts {
  readonly #parts: StatusFactsParts;
  /** Each file's last state, when it was first seen, whether its facts were written since, and how often the count was late. */
  readonly #states = new Map<string, { word: string; seenMs: number; isWritten: boolean; late: number }>();
  readonly #since = Date.now() / 1000 - RECENT_SECONDS;
  #isBusy = false;

  constructor(parts: StatusFactsParts) {
    this.#parts = parts;
  }

  /** Call with the listed files; later changes wait for the next call. */
  async look(files: readonly { name: string; file: StatusFile }[]): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (const { name, file } of files) {
        if (this.#isLost(file)) this.#end(name, file);
        else if (this.#isDue(name, file)) await this.#write(name, file);
      }
      const names = new Set(files.map(({ name }) => name));
      for (const name of this.#states.keys()) if (!names.has(name)) this.#states.delete(name);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Its process was killed and could not report its end. */
  #isLost(file: StatusFile): boolean {
    const id = asText(file[AMUX_SESSION]);
    return id !== undefined && file.status !== "offline" && this.#parts.record(id)?.alive === false;
  }

  #end(name: string, file: StatusFile): void {
    const isSame = (now: StatusFile): boolean => now[AMUX_SESSION] === file[AMUX_SESSION] && now.status === file.status;
    this.#parts.statuses.update(
      name,
      (now) => (isSame(now) ? withState(now, { state: "offline" }, Date.now()) : undefined),
      PATIENCE_MS,
    );
  }

  /** During a turn both change constantly. */
  #isDue(name: string, file: StatusFile): boolean {
    if (file.timestamp < this.#since || file.cwd === "") return false;
    const isMidway = file.status === "working" && file["git"] !== undefined;
    const state = this.#states.get(name);
    return !isMidway && !(state?.word === wordOf(file) && state.isWritten);
  }

  async #write(name: string, file: StatusFile): Promise<void> {
    const { statuses, git, costOf } = this.#parts;
    const word = wordOf(file);
    const before = this.#states.get(name);
    const state = before?.word === word ? before : { word, seenMs: performance.now(), isWritten: false, late: 0 };
    this.#states.set(name, state);
    const session = this.#conversationIn(file);
    // What was read during the turn does not show its last changes.
    const [repository, count] = await Promise.all([
      git.within(file.cwd, GIT_WAIT_MS, state.seenMs),
      session === undefined ? undefined : costOf(session),
    ]);
    if (!git.isReadSince(file.cwd, state.seenMs)) return;
    const written = (): void => {
      if (count === "late") state.late++;
      state.isWritten = count !== "late" || state.late >= MAX_LATE;
    };
    // The rest is there already.
    if (count === "late" && state.late > 0) return written();
    const cost = count === "late" ? undefined : count;
    const pbi = this.#parts.pbiOf(file.cwd);
    const facts = {
      ...optional("git", repository),
      ...optional("tokens", cost && tokenFields(cost)),
      ...optional("pbi", pbi),
    };
    if (repository === undefined && cost === undefined && pbi === undefined) return written();
    const add = (now: StatusFile): StatusFile | undefined => {
      written();
      // A file pruned or moved meanwhile is not restored.
      return now.cwd === file.cwd ? withDetails(now, facts) : undefined;
    };
    statuses.update(name, add, PATIENCE_MS);
  }

  /** Its conversation, from the daemon or from hooks in tmux. */
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
