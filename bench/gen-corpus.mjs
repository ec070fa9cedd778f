/**
 * Writes a corpus of Claude Code and Codex sessions in the layout of the real agents, and a manifest of what
 * a reader must find in it. No agent wrote these files. The same options give the same bytes.
 *
 *     node bench/gen-corpus.mjs --out DIR [--sessions 500] [--bytes 100000000] [--seed 1]
 *     node bench/gen-corpus.mjs --out DIR --one-file 1000000000 [--agent claude|codex] [--seed 1]
 *
 * DIR is a home directory: DIR/.claude/projects/…, DIR/.codex/sessions/… and DIR/manifest.json, where
 * `messages` counts what each session shows (history that a fork took over included) and `requests` and
 * `tokens` count what was billed: each request once, sub-agents included and given apart as well.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeClaudeSession } from "./corpus/claude.mjs";
import { writeCodexSession } from "./corpus/codex.mjs";
import { Random } from "./corpus/random.mjs";
import { TextSource } from "./corpus/text.mjs";
import { addMessages, Bill, noMessages } from "./corpus/totals.mjs";

const { values: options } = parseArgs({
  options: {
    out: { type: "string" },
    sessions: { type: "string", default: "500" },
    bytes: { type: "string", default: "100000000" },
    seed: { type: "string", default: "1" },
    "one-file": { type: "string" },
    agent: { type: "string", default: "claude" },
  },
});
const WRITERS = { claude: writeClaudeSession, codex: writeCodexSession };
if (options.out === undefined) fail("--out is missing");
if (!(options.agent in WRITERS)) fail("--agent is claude or codex");

const home = resolve(options.out);
const seed = count("seed");
const random = new Random(seed);
const text = new TextSource(random);

const FIRST_DAY = Date.parse("2026-05-25T00:00:00Z");
const SPAN_MS = 170 * 24 * 3600 * 1000;
const PROJECTS = Array.from({ length: 40 }, (_, index) => `/home/user/dev/${text.word()}-${index}`);
/** Texts to search for, and in how many sessions they are typed. */
const NEEDLES = { velociraptorium: 5, "marzipan lighthouse": 40, "src/needle-7f3a.ts": 3 };
const CODEX_EVERY = 4;
const FORK_EVERY = 12;
/** A session cannot be shorter than its first turn. */
const LEAST_BYTES = 3_000;

for (const folder of [".claude", ".codex"]) rmSync(join(home, folder), { recursive: true, force: true });
const sessions = options["one-file"] === undefined ? writeSessions() : [writeOneFile()];
const manifest = JSON.stringify(manifestOf(sessions), null, 1);
writeFileSync(join(home, "manifest.json"), `${manifest}\n`);

function writeSessions() {
  const sizes = sessionSizes(count("sessions"), count("bytes"));
  const written = [];
  sizes.forEach((targetBytes, index) => {
    const agent = index % CODEX_EVERY === CODEX_EVERY - 1 ? "codex" : "claude";
    const parent = index % FORK_EVERY < 2 ? undefined : forkable(written, agent, targetBytes, index);
    written.push(
      WRITERS[agent]({
        random,
        text,
        home,
        startMs: FIRST_DAY + Math.floor((index / sizes.length) * SPAN_MS),
        cwd: PROJECTS[index % PROJECTS.length],
        targetBytes,
        needles: Object.keys(NEEDLES).filter((needle) => isPlanted(NEEDLES[needle], index, sizes.length)),
        parent,
      }),
    );
  });
  return written;
}

function writeOneFile() {
  const targetBytes = count("one-file");
  return WRITERS[options.agent]({ random, text, home, startMs: FIRST_DAY, cwd: PROJECTS[0], targetBytes, needles: [] });
}
