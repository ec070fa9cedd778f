/**
 * A slug of its own for every session of this machine, from its start and whether or not a daemon runs. It stands in the
 * session's meta.json; that no two get the same is held by a link named after it, which leads to the session's
 * directory and so is free again when that is gone.
 */
import { existsSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf } from "../lib/fs/directory.ts";
import { locked } from "../lib/fs/with-lock.ts";
import { makeDirectory } from "../lib/fs/make-directory.ts";
import { isSlug } from "../protocol/session-id.ts";
import { sessionFiles, type SessionPlaces } from "../protocol/session-files.ts";
import { numberedSlug } from "../protocol/slug.ts";

/** More sessions of one program than anyone keeps; then its id has to do. */
const MOST_OF_A_KIND = 10_000;
/** To take over what was a dead session's; whoever waits longer gets the next number. */
const PATIENCE_MS = 1000;

/** The wanted one, or with -2, -3, … behind it. The session's directory must be there. */
export function claimSlug(places: SessionPlaces, wanted: string, id: string): string {
  makeDirectory(directoryOf(places));
  for (let number = 1; number < MOST_OF_A_KIND; number++) {
    const slug = number === 1 ? wanted : numberedSlug(wanted, number);
    if (claim(places, slug, id)) return slug;
  }
  return id;
}

/** Whether the slug was given to the session, not asked for by anybody. */
export function isClaimed(places: SessionPlaces, slug: string, id: string): boolean {
  return isSlug(slug) && ownerOf(join(directoryOf(places), slug)) === id;
}

function claim(places: SessionPlaces, slug: string, id: string): boolean {
  const link = join(directoryOf(places), slug);
  if (tryLink(places, link, id)) return true;
  if (ownerOf(link) === id) return true;
  // The session that had it is gone. One at a time, or a second would take the link of the first for the old one.
  const takeOver = (): boolean => {
    if (existsSync(link)) return false;
    rmSync(link, { force: true });
    return tryLink(places, link, id);
  };
  return locked(join(directoryOf(places), ".lock"), PATIENCE_MS, takeOver)?.result ?? false;
}

function tryLink(places: SessionPlaces, link: string, id: string): boolean {
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
    return undefined; // Nobody has it, or what is there is none of ours.
  }
}

function directoryOf({ home }: SessionPlaces): string {
  return join(home, "slugs");
}
