/** Short questions to a long history: what they need is loaded in one go, as it was compiled before. */
import { join } from "node:path";
import { requireCompiled } from "../lib/compiled-bundle.ts";
import { beShort } from "../lib/short-run.ts";

/** The names of bundles that hold the commands that read history, and nothing else; beside this file once built. */
declare const HISTORY_BUNDLE: string | undefined;
declare const ACCOUNTS_BUNDLE: string | undefined;

// The same as in scripts/build-history.mjs.
const HISTORY_COMMANDS = [
  "sessions search",
  "sessions show",
  "sessions export",
  "sessions diff",
  "index status",
  "index build",
  "index clear",
];
const ACCOUNTS_COMMANDS = ["sessions list", "cost report"];

/** Options with which a command does something else than without. */
const WAYS = ["no-index", "no-counts"];

/** Of each command and each way of it, and of each kind: one that finds nothing calls little of what one that shows fifty does. */
const LEARNING_RUNS = 2;
const KINDS_MS = [64, 90, 128, 180, 256, 512];

/** Undefined when these words are for the rest of the program. */
export function historyMain(words: readonly string[]): typeof import("./main.ts").main | undefined {
  if (typeof HISTORY_BUNDLE === "undefined" || typeof ACCOUNTS_BUNDLE === "undefined") return undefined;
  const command = words.slice(0, 2).join(" ");
  const isAccounts = ACCOUNTS_COMMANDS.includes(command);
  if (!(isAccounts || HISTORY_COMMANDS.includes(command)) || words.some(isElsewhere)) return undefined;
  // To build an index is no short run.
  if (words[1] !== "build") {
    if (isAccounts) loadWhatIsNeeded(command === "sessions list" && !words.includes("--no-index"));
    const isForLittle = command === "sessions search" && !words.includes("--no-index");
    beShort({ collectsLate: isAccounts, isForLittle });
  }
  const use = [...words.slice(0, 2), ...WAYS.filter((way) => words.includes(`--${way}`))].join("-");
  const path = join(import.meta.dirname, isAccounts ? ACCOUNTS_BUNDLE : HISTORY_BUNDLE);
  return requireCompiled<typeof import("./main.ts")>(path, undefined, { runs: LEARNING_RUNS, kindsMs: KINDS_MS, use })
    .main;
}

/** An archive, all machines, or a session of another one: `id@peer`. */
function isElsewhere(word: string): boolean {
  return word.startsWith("--archive") || word === "--peers" || word.includes("@");
}

/** Node's own modules, too, come with what V8 compiled of them, which is of no use under other flags. */
function loadWhatIsNeeded(usesKeptLists: boolean): void {
  process.getBuiltinModule("node:os");
  if (!usesKeptLists) return;
  // To ask `find` what has changed, and to name and check what is kept.
  process.getBuiltinModule("node:child_process");
  process.getBuiltinModule("node:crypto");
}
