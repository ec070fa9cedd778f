/** Readable names of sessions, for URLs and commands: how they are made of what is known of a session. */
import { basename } from "node:path";

const MAX_LENGTH = 40;

export interface Sluggable {
  id: string;
  command: readonly string[];
  resume_key?: string | undefined;
}

/** After its conversation, else its program, else its own id. */
export function slugFor({ id, command, resume_key }: Sluggable): string {
  return slugify(basename(resume_key ?? "")) || slugify(basename(command[0] ?? "")) || slugify(id);
}

/** Lower-case letters, digits and inner hyphens; empty when nothing of the text can be used. */
export function slugify(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, "");
}

/** `bash-2`, no longer than any slug. */
export function numberedSlug(slug: string, number: number): string {
  const suffix = `-${number}`;
  return slug.slice(0, MAX_LENGTH - suffix.length).replace(/-+$/, "") + suffix;
}
