/** Readable session names for URLs and commands. */
import { basename } from "node:path";

const MAX_LENGTH = 40;

export interface Sluggable {
  id: string;
  command: readonly string[];
  resume_key?: string | undefined;
}

/** From its conversation, its program, or its id. */
export function slugFor({ id, command, resume_key }: Sluggable): string {
  return slugify(basename(resume_key ?? "")) || slugify(basename(command[0] ?? "")) || slugify(id);
}

/** Lower-case letters, digits and inner hyphens; empty if the text has none. */
export function slugify(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_LENGTH)
    .replace(/^-+|-+$/g, "");
}

/** `bash-2`, within the maximum length. */
export function numberedSlug(slug: string, number: number): string {
  const suffix = `-${number}`;
  return slug.slice(0, MAX_LENGTH - suffix.length).replace(/-+$/, "") + suffix;
}
