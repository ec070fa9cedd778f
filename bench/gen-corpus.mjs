/**
 * Writes a corpus of Claude Code and Codex sessions and a manifest of what a reader must find; the same options give the same
 * bytes.
 *   node bench/gen-corpus.mjs --out DIR [--sessions 500] [--bytes 100000000] [--one-file BYTES] [--agent claude|codex] [--seed 1]
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { writeClaudeSession } from "./corpus/claude.mjs";
import { writeCodexSession } from "./corpus/codex.mjs";
import { bytesIn } from "./corpus/line-file.mjs";
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

const NOTE = "synthetic: no agent wrote these sessions";
const FIRST_DAY = Date.parse("2026-05-25T00:00:00Z");
const SPAN_MS = 170 * 24 * 3600 * 1000;
const PROJECTS = Array.from({ length: 40 }, (_, index) => `/home/user/dev/${text.word()}-${index}`);
/** Texts to search for, and the number of sessions that contain them. */
const NEEDLES = { velociraptorium: 5, "marzipan lighthouse": 40, "src/needle-7f3a.ts": 3 };
const CODEX_EVERY = 4;
/** Not a multiple of the above: both agents have forks. */
const FORK_EVERY = 10;
/** A session cannot be shorter than its first turn. */
const LEAST_BYTES = 3_000;

removeEarlierCorpus();
const sessions = options["one-file"] === undefined ? writeSessions() : [writeOneFile()];
writeFileSync(join(home, "manifest.json"), `${JSON.stringify(manifestOf(sessions), null, 1)}\n`);

/** Protects a real home from `--out ~`: only directories with our manifest are removed. */
function removeEarlierCorpus() {
  const folders = [".claude", ".codex"].map((name) => join(home, name)).filter((folder) => existsSync(folder));
  const manifest = join(home, "manifest.json");
  const isOurs = existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).note === NOTE;
  if (folders.length > 0 && !isOurs) fail(`${home} holds sessions that this program did not write`);
  for (const folder of folders) rmSync(folder, { recursive: true });
}

function writeSessions() {
  const sizes = sessionSizes(count("sessions"), count("bytes"));
  const written = [];
  sizes.forEach((targetBytes, index) => {
    const agent = index % CODEX_EVERY === CODEX_EVERY - 1 ? "codex" : "claude";
    const startMs = FIRST_DAY + Math.floor((index / sizes.length) * SPAN_MS);
    const parent = index % FORK_EVERY === FORK_EVERY - 1 ? forkable(written, agent, targetBytes, startMs) : undefined;
    const cwd = parent?.cwd ?? PROJECTS[index % PROJECTS.length];
    const needles = Object.keys(NEEDLES).filter((needle) => isPlanted(NEEDLES[needle], index, sizes.length));
    written.push(WRITERS[agent]({ random, text, home, startMs, cwd, targetBytes, needles, parent, hasHelpers: true }));
  });
  return written;
}

function writeOneFile() {
  const targetBytes = count("one-file");
  const cwd = PROJECTS[0];
  return WRITERS[options.agent]({
    random,
    text,
    home,
    startMs: FIRST_DAY,
    cwd,
    targetBytes,
    needles: [],
    hasHelpers: false,
  });
}

/** Realistic sizes that add up to `bytes`: many short sessions, a few fifty times as long. */
function sessionSizes(sessionCount, bytes) {
  const weights = Array.from({ length: sessionCount }, () => random.size(1_000, 1.35, 100_000));
  const scale = bytes / weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.max(LEAST_BYTES, Math.round(weight * scale)));
}

/** The longest session that had ended by then and leaves room for turns after the copy. */
function forkable(written, agent, targetBytes, startMs) {
  const room = 0.8 * targetBytes;
  return written
    .filter((session) => session.agent === agent && session.canBeForked && session.endMs < startMs)
    .filter((session) => bytesIn(session.files) < room)
    .reduce((best, session) => (best && bytesIn(best.files) >= bytesIn(session.files) ? best : session), undefined);
}

function isPlanted(times, index, sessionCount) {
  return Array.from({ length: times }, (_, k) => Math.floor(((k + 0.5) * sessionCount) / times)).includes(index);
}

function manifestOf(sessions) {
  const agents = Object.keys(WRITERS).map((agent) => [agent, summaryOf(sessions.filter((s) => s.agent === agent))]);
  const needles = Object.keys(NEEDLES).map((needle) => [
    needle,
    sessions.filter((s) => s.needles.includes(needle)).length,
  ]);
  return {
    note: NOTE,
    seed,
    ...summaryOf(sessions),
    needles: Object.fromEntries(needles),
    agents: Object.fromEntries(agents),
    list: sessions.map(({ agent, id, forkedFrom, files, messages, bill, subagents }) => {
      const own = { agent, id, ...(forkedFrom ? { forkedFrom } : {}), file: relative(home, files.at(-1).path) };
      const { transcripts, bill: ofHelpers } = subagents;
      const helpers = { transcripts, requests: ofHelpers.requests, tokens: ofHelpers.tokens };
      return {
        ...own,
        messages,
        requests: bill.requests,
        tokens: bill.tokens,
        ...(transcripts > 0 ? { subagents: helpers } : {}),
      };
    }),
  };
}

function summaryOf(sessions) {
  const messages = noMessages();
  const total = new Bill();
  const helpers = { transcripts: 0, messages: noMessages(), bill: new Bill() };
  const traps = { repeatedUsage: 0, copiedRequests: 0, injectedRecords: 0 };
  for (const session of sessions) {
    addMessages(messages, session.messages);
    addMessages(helpers.messages, session.subagents.messages);
    helpers.transcripts += session.subagents.transcripts;
    helpers.bill.addAll(session.subagents.bill);
    total.addAll(session.bill);
    total.addAll(session.subagents.bill);
    for (const trap of Object.keys(traps)) traps[trap] += session.traps[trap];
  }
  const files = sessions.flatMap((session) => session.files);
  const { bill, ...ofHelpers } = helpers;
  return {
    sessions: sessions.length,
    forks: sessions.filter((session) => session.forkedFrom).length,
    files: files.length,
    lines: files.reduce((sum, file) => sum + file.lines, 0),
    bytes: bytesIn(files),
    messages,
    requests: total.requests,
    tokens: total.tokens,
    byModel: total.byModel,
    subagents: { ...ofHelpers, requests: bill.requests, tokens: bill.tokens },
    traps,
  };
}

function count(name) {
  const value = Number(options[name]);
  if (!Number.isSafeInteger(value) || value < 1) fail(`--${name} must be a whole number from 1 up`);
  return value;
}

function fail(message) {
  console.error(`gen-corpus: ${message}`);
  process.exit(2);
}
