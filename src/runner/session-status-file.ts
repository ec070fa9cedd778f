/**
 * The session's status file, for dashboards: the runner's derived state, written on change. A session without any report has
 * none.
 */
import type { TeamUpdate } from "../core/hooks.ts";
import { stateFrom } from "../core/state.ts";
import { asObject, asObjects, asText, type Json } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import type { RunnerEvent } from "../protocol/runner-api.ts";
import { withoutStoppedMembers, withTeamNews, withState } from "../status/apply-hook.ts";
import { AMUX_SESSION, withKnownFields, type StatusFile } from "../status/status-file.ts";
import type { StatusStore } from "../status/status-store.ts";
import type { Session } from "./session.ts";

/** Terminals block while this waits: if another process holds the lock, the file is written later. */
const PATIENCE_MS = 2;
const TRY_AGAIN_MS = 100;

/** There is no later chance after the final state. */
const LAST_PATIENCE_MS = 200;

export class SessionStatusFile {
  private readonly session: Session;
  private readonly store: StatusStore;
  private readonly onFailure: (error: unknown) => void;
  private key: string | undefined;
  private news: Json[] = [];
  private pending: NodeJS.Immediate | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(session: Session, store: StatusStore, onFailure: (error: unknown) => void) {
    this.session = session;
    this.store = store;
    this.onFailure = onFailure;
  }

  follow(): void {
    this.session.hub.subscribe((event) => this.heard(event));
  }

  private heard({ name, data }: RunnerEvent): void {
    const isSpokenOf = ["hook", "agent"].includes(this.session.state.verdict?.source ?? "");
    if (name === "hook") {
      const message = asObject(data) ?? {};
      if (this.key === undefined && !isSpokenOf && message["agent"] === undefined) return;
      this.news.push(message);
      // Written before the caller gets its answer.
      this.write(PATIENCE_MS);
    } else if (name === "exit") {
      if (this.key !== undefined) this.write(LAST_PATIENCE_MS);
    } else if (name === "state") {
      if (this.key !== undefined || isSpokenOf) this.pending ??= setImmediate(() => this.write(PATIENCE_MS));
    } else if (name === "meta" && data.slug !== undefined && this.key !== undefined) this.move();
  }

  /** Moves the file to its new name, with other writers' fields. */
  private move(): void {
    const before = this.key!;
    const kept = this.store.read(before);
    this.key = this.freeKey();
    if (this.key === before) return;
    this.store.remove(before, (file) => this.isOwn(file));
    this.write(PATIENCE_MS, kept);
  }

  private write(patienceMs: number, kept?: StatusFile): void {
    clearImmediate(this.pending);
    clearTimeout(this.retry);
    this.pending = undefined;
    try {
      this.key ??= this.freeKey();
      const { key } = this;
      const written = this.store.update(key, (file) => this.after(kept ?? file, key), patienceMs);
      if (written !== undefined) this.news = [];
      else if (this.session.state.exit === undefined)
        this.retry = setTimeout(() => this.write(PATIENCE_MS, kept), TRY_AGAIN_MS).unref();
    } catch (error) {
      // An unwritable directory affects dashboards only, not the session.
      this.news = [];
      this.onFailure(error);
    }
  }

  /** Content from an earlier session of that name does not belong to this one. */
  private after(file: StatusFile, key: string): StatusFile {
    const now = Date.now();
    const { state, spec } = this.session;
    const { verdict } = state;
    const own = this.isOwn(file) ? { ...file, tmux_session: key } : withKnownFields({}, key);
    const isOver = state.exit !== undefined;
    const word = {
      state: isOver ? ("offline" as const) : (verdict?.state ?? "idle"),
      ...optional("message", isOver ? undefined : verdict?.message),
      ...optional("session", state.board.evidence.session),
    };
    let next: StatusFile = { ...own, cwd: own.cwd === "" ? spec.cwd : own.cwd };
    for (const message of this.news) {
      next = { ...next, ...optional("cwd", asText(message["cwd"])) };
      const team = teamNews(message["team"]);
      if (team !== undefined) next = withTeamNews(next, team, now);
      if (message["begins"] === true) next = withoutStoppedMembers(next);
      const tool = asText(message["tool"]);
      if (tool !== undefined) next = withState(next, { ...word, tool }, now);
    }
    return { ...withState(next, word, now), [AMUX_SESSION]: spec.id };
  }

  private isOwn(file: StatusFile): boolean {
    return file[AMUX_SESSION] === this.session.spec.id;
  }

  /** Slugs are unique within a kind, and tmux has its own names: if another session has the file, the id is appended. */
  private freeKey(): string {
    const { spec, state } = this.session;
    const name = state.address ?? spec.id;
    const file = this.store.read(name);
    const isOver = file?.status === "" || (file?.[AMUX_SESSION] !== undefined && file.status === "offline");
    const isTaken = file !== undefined && !this.isOwn(file) && !isOver;
    return isTaken ? `${name}-${spec.id.replace(/^sess-/, "")}` : name;
  }
}

function teamNews(value: unknown): TeamUpdate | undefined {
  const team = asObject(value);
  if (team === undefined) return undefined;
  const members = asObjects(team["members"]).flatMap((member) => {
    const [name, state] = [asText(member["name"]), stateFrom(member["state"])];
    return name === undefined || state === undefined
      ? []
      : [{ name, state, ...optional("session", asText(member["session"])) }];
  });
  return { members, ...optional("name", asText(team["name"])), ...optional("everyone", stateFrom(team["everyone"])) };
}
