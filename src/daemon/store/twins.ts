/** Sessions that stand for the same conversation, and which of them is shown. */
import type { MuxSession } from "../../protocol/mux-session.ts";

type Member = Pick<MuxSession, "id" | "alive" | "exited_at">;

/** What of a session decides. */
export type Twin = Member & Pick<MuxSession, "kind" | "resume_key">;

export class Twins {
  readonly #groups = new Map<string, Map<string, Member>>();
  readonly #keys = new Map<string, string>();

  /** The session that stands for the conversation. */
  best(conversation: Pick<MuxSession, "kind" | "resume_key">): string | undefined {
    const group = this.#groups.get(keyOf(conversation, undefined) ?? "");
    if (group === undefined) return undefined;
    return [...group.values()].sort(byClaim)[0]?.id;
  }

  /** Notes the session as it is now; answers those that are to go, itself perhaps among them. */
  settle(session: Twin, peer: string | undefined): string[] {
    this.delete(session.id);
    const key = keyOf(session, peer);
    if (key === undefined) return [];
    const group = this.#groups.get(key) ?? new Map<string, Member>();
    this.#groups.set(key, group);
    this.#keys.set(session.id, key);
    group.set(session.id, session);
    if (group.size === 1) return [];
    const [best, ...rest] = [...group.values()].sort(byClaim);
    // The same conversation open twice is the user's doing; both are shown.
    return rest.filter((member) => !(member.alive && best?.alive === true)).map(({ id }) => id);
  }

  delete(id: string): void {
    const key = this.#keys.get(id);
    if (key === undefined) return;
    this.#keys.delete(id);
    const group = this.#groups.get(key);
    group?.delete(id);
    if (group?.size === 0) this.#groups.delete(key);
  }
}

function keyOf(
  { kind, resume_key }: Pick<MuxSession, "kind" | "resume_key">,
  peer: string | undefined,
): string | undefined {
  return resume_key === undefined ? undefined : [peer ?? "", kind, resume_key].join("\0");
}

/** Alive before dead, one that had a process before one found on disk, the one that ended last before the others. */
function byClaim(a: Member, b: Member): number {
  if (a.alive !== b.alive) return a.alive ? -1 : 1;
  const [endA, endB] = [a.exited_at ?? "", b.exited_at ?? ""];
  if (endA !== endB) return endA > endB ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
