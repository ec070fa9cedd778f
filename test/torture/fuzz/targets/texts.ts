/** Texts of users and other programs: queries, prices, settings, status files, task lists, hook payloads. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HOOK_EVENTS } from "../../../../src/agents/hook-events.gen.ts";
import { AgentMuxError } from "../../../../src/core/errors.ts";
import type { Json } from "../../../../src/lib/json/fields.ts";
import { priceUsage } from "../../../../src/models/price-request.ts";
import { createPriceTable } from "../../../../src/models/price-table.ts";
import { planOf } from "../../../../src/history/search/plan.ts";
import { parseQuery } from "../../../../src/history/search/query.ts";
import { applyHook } from "../../../../src/status/apply-hook.ts";
import { holdsEntries, withEntries, withoutEntries } from "../../../../src/status/hook-settings.ts";
import { agentsOf, gitOf, metricsOf, parseStatusFile, teamOf, tokensOf } from "../../../../src/status/status-file.ts";
import { readTaskList } from "../../../../src/status/tasks/task-list.ts";
import type { Target } from "../target.ts";

const isOwnError = (error: unknown): boolean => error instanceof AgentMuxError;
const agents = fileURLToPath(new URL("../../../../src/agents", import.meta.url));
const status = fileURLToPath(new URL("../../../../src/status/fixtures", import.meta.url));
const buffers = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));

const query: Target = {
  name: "query",
  short: 3000,
  seeds: () =>
    buffers(
      'retry "exact phrase" -not agent:claude,codex',
      "(a b OR c*) role:user after:2026-01-01",
      "src/lib.ts ERR_X 界面",
    ),
  tokens: [
    "OR",
    "AND",
    "NOT",
    "-",
    '"',
    "*",
    "(",
    ")",
    "agent:",
    "model:",
    "role:",
    "tool:",
    "file:",
    "before:",
    "after:7d",
  ],
  expects: isOwnError,
  run(input) {
    const parsed = parseQuery(input.toString("utf8"), new Date(0));
    if (parsed !== undefined) planOf(parsed);
  },
};

const prices: Target = {
  name: "prices",
  short: 300,
  factor: 300,
  seeds: () =>
    buffers(
      '{"my-model":{"input":1,"output":4,"cacheRead":0.1}}',
      '{"claude-opus-5":[{"from":"2026-07-24","input":5,"output":25,"multipliers":{"fast":2}},{"from":"2027-01-01","input":4,"output":20,"tiers":[{"above":200000,"input":8,"output":30}]}]}',
    ),
  tokens: ['"daily":', '"webSearch":', '"cacheWrite1h":', '"from":', '"tiers":', '"multipliers":'],
  expects: (error) => isOwnError(error) || error instanceof SyntaxError,
  run(input) {
    const table = createPriceTable(JSON.parse(input.toString("utf8")));
    for (const model of ["my-model", "claude-opus-5"]) {
      const tokens = { input: 300_000, cached: 5, cacheWrite: 7, cacheWrite1h: 9, output: 10, thinking: 0 };
      const { nanoUsd } = priceUsage({ model, at: 1.8e12, tokens, webSearches: 1 }, table);
      if (!Number.isSafeInteger(nanoUsd) || nanoUsd < 0) throw new Error(`No amount of money: ${nanoUsd}`);
    }
  },
};

const statusFile: Target = {
  name: "status-file",
  short: 3000,
  seeds: () => ["documented.json", "nested-metrics.json"].map((name) => readFileSync(join(status, name))),
  run(input) {
    const file = parseStatusFile(input.toString("utf8"), "work");
    if (file === undefined) return;
    for (const read of [metricsOf, tokensOf, gitOf, agentsOf, teamOf]) read(file);
    JSON.stringify(file);
  },
};

const tasks: Target = {
  name: "tasks",
  short: 3000,
  seeds: () =>
    buffers(
      '{"current_pbi_id":"PBI-1","groups":[{"id":"PBI-1","title":"T","is_current":true,"tasks":[{"id":1,"title":"x","status":"Done"}]}]}',
      '{"tasks":[{"id":"a","title":"b","status":"c","labels":["d"],"priority":1}]}',
    ),
  expects: (error) => error instanceof SyntaxError,
  run(input) {
    JSON.stringify(readTaskList(JSON.parse(input.toString("utf8"))));
  },
};

const hooks: Target = {
  name: "hook-payloads",
  short: 2000,
  seeds: recordedPayloads,
  expects: (error) => error instanceof SyntaxError,
  run(input) {
    const payload: unknown = JSON.parse(input.toString("utf8"));
    if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return;
    for (const events of Object.values(HOOK_EVENTS)) {
      const reading = events.read(payload as Json, "Stop", {});
      if (reading === undefined) continue;
      const file = parseStatusFile("{}", "work")!;
      const call = {
        agent: events.name,
        isMain: events.isMain === true,
        reading,
        now: 1.8e12,
        world: { isAlive: () => true },
      };
      JSON.stringify(applyHook(file, call));
    }
  },
};

function recordedPayloads(): Buffer[] {
  return readdirSync(agents, { recursive: true, encoding: "utf8" })
    .filter((name) => /fixtures\/hooks\/.*\.jsonl$/.test(name))
    .flatMap((name) => readFileSync(join(agents, name), "utf8").split("\n"))
    .filter((line, at) => line.startsWith("{") && at % 9 === 0)
    .map((line) => {
      const record = JSON.parse(line) as { payload?: unknown; stdin?: unknown };
      return Buffer.from(JSON.stringify(record.payload ?? record.stdin ?? record));
    });
}

const isOurs = (command: string): boolean => command.includes("amux-hook");
const ENTRIES = { Stop: [{ hooks: [{ type: "command", command: "amux-hook claude Stop" }] }] };

const settings: Target = {
  name: "hook-settings",
  short: 2000,
  seeds: () =>
    buffers(
      "{}",
      '{"model":"x","hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"mine.sh"}]}]}}\n',
      '{\r\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "amux-hook claude Stop"}]}]}\r\n}',
    ),
  tokens: ['"hooks":', '"Stop":', '"command":', "amux-hook", '"matcher":'],
  expects: isOwnError,
  run(input) {
    const text = input.toString("utf8");
    const installed = withEntries(text, ENTRIES, isOurs, "settings.json");
    if (withEntries(installed, ENTRIES, isOurs, "settings.json") !== installed)
      throw new Error("Installing is not idempotent.");
    const removed = withoutEntries(installed, isOurs, "settings.json");
    if (removed === undefined || holdsEntries(removed, isOurs, "settings.json"))
      throw new Error("Something of ours stayed.");
  },
};

export const TEXT_TARGETS = [query, prices, statusFile, tasks, hooks, settings];
