/** Texts stay plain: short sentences in documents, no worn-out phrase in what users read. See docs/style.md. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const MAX_WORDS = 25;
const GENERATED = new Set(["docs/cli.md", "docs/api.md", "docs/library.md"]);

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));

const DOCUMENTS = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bench/README.md",
  ...filesBelow("docs").filter((path) => path.endsWith(".md") && !GENERATED.has(path)),
  ...filesBelow("src").filter((path) => path.endsWith("README.md")),
];
const SOURCES = filesBelow("src").filter((path) => /\.tsx?$/.test(path) && !/\.test\.|\/testing\//.test(path));

/** Strangers stumbled over these. Each has a plain replacement. */
const REPLACED = [
  "all of it on one screen",
  "or anything in a session that stays",
  "in terminals, alive and dead",
  "Bring a dead session back",
  "Hear of a waiting session later",
  "Let agents tell amux what they are doing",
  "Go on with a session in its agent",
  "Branch off a session",
  "as it holds here",
  "what the daemon wrote down",
  "Keep the address of the team's archive",
  "with a team, or no longer",
  "without there may be",
  "there may be more, which",
  "did not get there in time",
  " can be sess-",
  "is the beginning of",
  "its standard input is no terminal",
  "Nothing follows the --",
  "in a terminal is called so",
  "call the background session so",
  "also one that asks nobody",
  "is silent for so long",
  "as if nothing had been kept",
  "no longer says that it works",
  "when it is so",
  "Hangs up, and after two seconds kills",
  "wins over every title",
  "is asked to leave, then made to",
  "has nothing to end",
  "nobody said anything",
  "nobody says anything",
  "Among those who wait for you",
  "goes on with it",
  "in which directory?",
  "No task provider is named",
  "is not known; known are",
  "amux itself has no option",
  "No session is known",
  "resumable or over",
  "part of the agent's own total",
  "cannot show all on one screen",
  "Which archive? Give",
  "dearest first",
  "reading the past",
  "No pull request is known",
  "last word of each source",
  "or say --nested",
  "is told so is not known",
  "is wrong, used or too old",
  "Nothing runs.",
  "no; or a branch name",
  "the agent's own choice",
  "One more terminal beside it",
  "Not now; again in",
  "Go on from here",
  "go on with a copy",
  "with all that was said up to",
  "empty for its own)",
  "Resume previous",
  "Nothing like that.",
  "Not older than",
  "words that begin so",
  "There is no letter or digit in this",
  "the agent wrote no counts",
  "fresh input",
  "into cache",
  "copies of requests left out",
  "The daemon does not answer. What you see",
  "Dark colours",
  "Nothing happened.",
  "of late",
  "were told",
  "if it does not compute",
];

it.each(DOCUMENTS)(`%s has no sentence of more than ${MAX_WORDS} words`, (path) => {
  const long = sentences(read(path)).filter((sentence) => wordsOf(sentence).length > MAX_WORDS);
  expect(long).toEqual([]);
});

it("no phrase that was replaced is back in a text of the program", () => {
  const found = SOURCES.flatMap((path) => {
    const text = withoutComments(read(path)).replaceAll(/\s+/g, " ");
    return REPLACED.filter((phrase) => text.includes(phrase)).map((phrase) => `${path}: ${phrase}`);
  });
  expect(found).toEqual([]);
});

/** Of prose: paragraphs and list items, not headings, tables, code and comments. */
function sentences(document: string): string[] {
  return document
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/^ *(?:[|#<].*)$/gm, "")
    .replaceAll(/^ *(?:[-*]|\d+\.) /gm, "\n")
    .split(/\n\s*\n/)
    .flatMap((paragraph) => paragraph.replaceAll(/`[^`]*`/g, "code").split(/(?<=[.!?]["')*]*)\s+/));
}

function wordsOf(sentence: string): string[] {
  return sentence
    .replaceAll(/\]\([^)]*\)/g, "]")
    .split(/\s+/)
    .filter((word) => /\w/.test(word));
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(?<=^|\s)\/\/.*$/gm, "");
}
