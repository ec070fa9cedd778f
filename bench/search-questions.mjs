/** Times queries against a complete index in one process that has its session list. */
import { createClient } from "../dist/index.js";

const { sessions } = createClient();
const QUESTIONS = {
  rare: ["velociraptorium", "marzipan", "7f3a"],
  common: ["function", "config", "session", "request", "error"],
  two: ["parse error", "user data", "await config"],
};
const ROUNDS = 40;
const base = { matches: false, staleMs: 3_600_000, limit: 50 };

const { agents } = await sessions.indexStatus();
if (agents.some(({ outdated, missing }) => outdated + missing > 0)) throw new Error("The index is not complete.");

const results = [];
for (const [name, texts] of Object.entries(QUESTIONS)) {
  const newest = await times(texts, { sort: "date" });
  const ranked = await times(texts, { sort: "relevance" });
  results.push({ what: `newest first, ${name}, p50`, milliseconds: percentile(newest, 0.5) });
  results.push({ what: `ranked, ${name}, p50`, milliseconds: percentile(ranked, 0.5) });
  results.push({ what: `ranked, ${name}, p99`, milliseconds: percentile(ranked, 0.99) });
}
process.stdout.write(JSON.stringify(results));

async function times(texts, more) {
  const taken = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const text of texts) {
      const started = performance.now();
      await sessions.search({ ...base, ...more, text });
      // The first rounds warm up the compiler.
      if (round >= 5) taken.push(performance.now() - started);
    }
  }
  return taken.toSorted((a, b) => a - b);
}

function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
