/**
 * Names in a directory with what each is, in two lists: for thousands of names an object each takes longer than to list them.
 * What gives them so lies below Node's own function, and is used only where that calls it as is known here.
 */
import { readdirSync, type Dirent } from "node:fs";
import { nodeBinding } from "./node-binding.ts";
import { givenAfterPath } from "./node-call.ts";

export interface Names {
  names: string[];
  /** Of each: one of those below, or something else. */
  kinds: number[];
}

export const FILE = 1;
export const DIRECTORY = 2;
export const LINK = 3;
/** The file system does not tell. */
const UNKNOWN = 0;
const OTHER = 4;

type List = (path: string, encoding: "utf8", withFileTypes: true) => [names: string[], kinds: number[]];

/** How Node calls it, in the versions that this was written for. */
const GIVEN = "options.encoding,!!options.withFileTypes";

let known: { of: typeof readdirSync; list: List | undefined } | undefined;

/** Fails as `readdirSync` does. */
export function namesAndKinds(directory: string): Names {
  if (known?.of !== readdirSync) {
    const isCalledSo = givenAfterPath("binding.readdir", readdirSync) === GIVEN;
    const list = isCalledSo ? nodeBinding("fs")?.["readdir"] : undefined;
    known = { of: readdirSync, list: typeof list === "function" ? (list as List) : undefined };
  }
  if (known.list !== undefined) {
    const [names, kinds] = known.list(directory, "utf8", true);
    if (!kinds.includes(UNKNOWN)) return { names, kinds };
  }
  return documented(directory);
}

/** The same by what Node documents. */
export function documented(directory: string): Names {
  const entries = readdirSync(directory, { withFileTypes: true });
  return { names: entries.map(({ name }) => name), kinds: entries.map(kindOf) };
}

function kindOf(entry: Dirent): number {
  if (entry.isFile()) return FILE;
  if (entry.isDirectory()) return DIRECTORY;
  return entry.isSymbolicLink() ? LINK : OTHER;
}
