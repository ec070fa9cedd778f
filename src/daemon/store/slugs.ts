/** Names for URLs: stable, readable, unique within a kind. */
import { basename } from "node:path";
import { isSlug } from "../../protocol/session-id.ts";
import type { SessionRecord } from "./session-record.ts";

const MAX_LENGTH = 40;

/** Lower-case letters, digits and inner hyphens; empty when nothing of the text can be used. */
export function slugify(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, "");
}

/** What was asked for, else the conversation's id, else the program's name, else the session's own id. */
export function wantedSlug({ wanted_slug, resume_key, agent, command, id }: SessionRecord): string {
  if (wanted_slug !== undefined && isSlug(wanted_slug)) return wanted_slug;
  // A shell is no other one because of what runs in it.
  const key = agent === undefined ? resume_key : undefined;
  return slugify(basename(key ?? "")) || slugify(basename(command[0] ?? "")) || slugify(id);
}

/** Who has which slug, kind by kind. */
export class Slugs {
  readonly #owners = new Map<string, string>();
  readonly #held = new Map<string, { scope: string; wanted: string; slug: string }>();

  /** A slug for the session: the wanted one, or with -2, -3, …; the one it has, or had, is kept while it fits. */
  assign(id: string, scope: string, wanted: string, kept = wanted): string {
    const held = this.#held.get(id);
    if (held !== undefined && held.scope === scope && held.wanted === wanted) return held.slug;
    this.release(id);
    let slug = kept !== wanted && isNumbered(kept, wanted) ? kept : wanted;
    let address = `${scope}/${slug}`;
    for (let number = 2; this.#owners.has(address); number++) {
      slug = numbered(wanted, number);
      address = `${scope}/${slug}`;
    }
    this.#owners.set(address, id);
    this.#held.set(id, { scope, wanted, slug });
    return slug;
  }

  release(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    this.#owners.delete(`${held.scope}/${held.slug}`);
  }
}

function isNumbered(slug: string, wanted: string): boolean {
  const number = Number(/-(\d{1,6})$/.exec(slug)?.[1] ?? 0);
  return number > 1 && slug === numbered(wanted, number);
}

function numbered(slug: string, number: number): string {
  const suffix = `-${number}`;
  return slug.slice(0, MAX_LENGTH - suffix.length).replace(/-+$/, "") + suffix;
}
