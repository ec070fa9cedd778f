/** Slugs for URLs: stable, readable, unique within a kind. */
import { isSlug } from "../../protocol/session-id.ts";
import { numberedSlug, slugFor } from "../../protocol/slug.ts";
import type { SessionRecord } from "./session-record.ts";

/** The requested or assigned slug; otherwise a derived one. */
export function wantedSlug({ wanted_slug, resume_key, agent, command, id }: SessionRecord): string {
  if (wanted_slug !== undefined && isSlug(wanted_slug)) return wanted_slug;
  // A shell keeps its slug whatever runs in it.
  return slugFor({ id, command, resume_key: agent === undefined ? resume_key : undefined });
}

/** Assigned slugs by kind. */
export class Slugs {
  readonly #owners = new Map<string, string>();
  readonly #held = new Map<string, { scope: string; wanted: string; slug: string }>();
  /** By wanted address: every number below is taken. Without it, thousands of equal names would take minutes. */
  readonly #taken = new Map<string, number>();

  /** A slug for the session: the wanted one, or with -2, -3, …; its current or previous one is kept if it fits. */
  assign(id: string, scope: string, wanted: string, kept = wanted): string {
    const held = this.#held.get(id);
    if (held !== undefined && held.scope === scope && held.wanted === wanted) return held.slug;
    this.release(id);
    let slug = kept !== wanted && isNumbered(kept, wanted) ? kept : wanted;
    let address = `${scope}/${slug}`;
    let number = this.#taken.get(`${scope}/${wanted}`) ?? 2;
    for (; this.#owners.has(address); number++) {
      slug = numberedSlug(wanted, number);
      address = `${scope}/${slug}`;
    }
    if (number > 2) this.#taken.set(`${scope}/${wanted}`, number);
    this.#owners.set(address, id);
    this.#held.set(id, { scope, wanted, slug });
    return slug;
  }

  release(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    this.#owners.delete(`${held.scope}/${held.slug}`);
    this.#taken.delete(`${held.scope}/${held.wanted}`);
  }
}

function isNumbered(slug: string, wanted: string): boolean {
  const number = Number(/-(\d{1,6})$/.exec(slug)?.[1] ?? 0);
  return number > 1 && slug === numberedSlug(wanted, number);
}
