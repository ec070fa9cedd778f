/**
 * A unique slug for every session of this machine, with or without a daemon. A symlink named after the slug points to the
 * session's directory, so it is free again when that is gone.
 */
import { existsSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf } from "../lib/fs/directory.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";
import { isSlug } from "../protocol/session-id.ts";
import { sessionFiles, type SessionDirectories } from "../protocol/session-files.ts";
import { numberedSlug } from "../protocol/slug.ts";

/** More than anyone keeps of one program; beyond that the id is the slug. */
const MOST_OF_A_KIND = 10_000;
/** For taking over a dead session's slug; after that the next number is used. */
const PATIENCE_MS = 1000;

/** The wanted slug, or with -2, -3, … appended. The session's directory must exist. */
export function claimSlug(places: SessionDirectories, wanted: string, id: string): string {
  makeDirectory(directoryOf(places));
  for (let number = 1; number < MOST_OF_A_KIND; number++) {
    const slug = number === 1 ? wanted : numberedSlug(wanted, number);
    if (claim(places, slug, id)) return slug;
  }
  return id;
}

/** Whether the slug was assigned automatically, not requested. */
export function isClaimed(places: SessionDirectories, slug: string, id: string): boolean {
  return isSlug(slug) && ownerOf(join(directoryOf(places), slug)) === id;
}

function claim(places: SessionDirectories, slug: string, id: string): boolean {
  const link = join(directoryOf(places), slug);
  // First and without a lock: the thousandth session of a program asks for a thousand slugs.
  if (existsSync(link)) return ownerOf(link) === id;
  if (tryLink(places, link, id)) return true;
  // The session that had it is gone. Locked, or a second process could take the first one's new link for the old one.
  const takeOver = (): boolean => {
    if (existsSync(link)) return false;
    rmSync(link, { force: true });
    return tryLink(places, link, id);
  };
  return withLock(join(directoryOf(places), ".lock"), PATIENCE_MS, takeOver)?.result ?? false;
}

function tryLink(places: SessionDirectories, link: string, id: string): boolean {
  try {
    symlinkSync(sessionFiles(places, id).directory, link);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function ownerOf(link: string): string | undefined {
  try {
    return basename(readlinkSync(link));
  } catch {
    return undefined; // Nobody has it, or it is not our link.
  }
}

function directoryOf({ home }: SessionDirectories): string {
  return join(home, "slugs");
}
