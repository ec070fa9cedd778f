/** Every agent's reader, on mutated copies of real files. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { recordedAgents } from "../../../support/planted-secrets.ts";
import type { Target } from "../target.ts";
import { RecordedCopy } from "./recorded-copy.ts";

const CHOSEN: readonly [agent: string, home: string, part: string][] = [
  ["claude", "home", "2f8a60a3"],
  ["codex", "home", "rollout-2026-11-15-9cd602bb"],
  ["codex", "home", "01a1dce3-a707"],
  ["copilot", "home", "c420530c-5088-4925-a7a6-53cf03eb50db/events.jsonl"],
  ["copilot", "home-0.0.340", "session_a16cff5b"],
  ["cursor", "home", "60a535be-12db-49e0-ae12-7cd4dc027974.jsonl"],
  ["gemini", "home", "session-2026-10-08T10-00-25c2ee69"],
  ["gemini", "home-0.10.0", "10fbd09d"],
  ["omp", "home", "01a1dcc5-90a6"],
  ["openclaw", "home-clawdbot", "531a6347"],
  ["opencode", "home-0.5.29", ".json"],
  ["pi", "home", "01a1dca3-d5ef"],
];

const READS = { short: 8, factor: 500 };
const DATABASE = /\.(db|sqlite|vscdb)$/;
const STORE = /\.(db|sqlite|vscdb)(-wal)?$/;

const chosen = new Set(CHOSEN.map(([agent]) => agent));
const others = recordedAgents().flatMap(({ agent, home }): (typeof CHOSEN)[number][] => {
  if (chosen.has(agent)) return [];
  const sizeOf = (name: string): number => statSync(join(home, name)).size;
  const [largest] = filesOf(home, /\.jsonl?$/).sort((a, b) => sizeOf(b) - sizeOf(a));
  return largest === undefined ? [] : [[agent, basename(home), dirname(largest)]];
});

function filesOf(home: string, kind: RegExp): string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => kind.test(name));
}

const texts = [...CHOSEN, ...others].map(([agent, home, part], at): Target => {
  const copy = new RecordedCopy(agent, home, (name) => name.includes(part));
  return {
    name: `reader-${agent}-${at}`,
    ...READS,
    seeds: () => copy.files.map((path) => readFileSync(path)),
    run: (input) => copy.with(input),
  };
});

/** A store's database is one input, mutated bytewise. */
const stores = recordedAgents().filter(({ home }) => filesOf(home, DATABASE).length > 0);
const databases = stores.map(({ agent, home }): Target => {
  const copy = new RecordedCopy(agent, basename(home), (name) => STORE.test(name), DATABASE);
  return {
    name: `database-${agent}`,
    ...READS,
    seeds: () => copy.files.map((path) => readFileSync(path)),
    run: (input) => copy.with(input),
  };
});

export const READER_TARGETS = [...texts, ...databases];
