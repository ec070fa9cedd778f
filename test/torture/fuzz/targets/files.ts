/** Files that amux writes and users may edit: settings, profiles, launch specs, the run index; also providers' output. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { AgentMuxError } from "../../../../src/core/errors.ts";
import { launchSpec as parseLaunchSpec } from "../../../../src/protocol/launch-spec.ts";
import { parseRecord } from "../../../../src/protocol/recorded-screen.ts";
import { ShapeError } from "../../../../src/protocol/shape.ts";
import { invalidDefaults } from "../../../../src/run/option-checks.ts";
import { readSettings } from "../../../../src/run/settings-file.ts";
import { readRunIndex } from "../../../../src/history/run-index.ts";
import { Screen } from "../../../../src/screen/screen.ts";
import { SILENT_LISTENER } from "../../../../src/screen/silent-listener.ts";
import { runProvider } from "../../../../src/status/tasks/run-provider.ts";
import { TaskError } from "../../../../src/status/tasks/task-error.ts";
import type { Target } from "../target.ts";

const home = mkdtempSync(join(tmpdir(), "amux-torture-files-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const buffers = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text));

const settings: Target = {
  name: "settings",
  short: 500,
  seeds: () =>
    buffers(
      '{"agent":"claude","model":"opus","timeout":60000,"tags":["a"],"env":{"A":"b"}}',
      '{"approvalMode":"prompt","maxTurns":3,"retryPolicy":{"maxAttempts":2}}',
    ),
  expects: (error) => error instanceof AgentMuxError,
  run(input) {
    const path = join(home, "settings.json");
    writeFileSync(path, input);
    const read = readSettings(path);
    // A field may have no name; for a known one the expected value must be stated.
    for (const wrong of invalidDefaults(read!)) if (wrong.expected === "") throw new Error("A fault without a remedy.");
  },
};

const runIndex: Target = {
  name: "run-index",
  short: 500,
  seeds: () =>
    buffers(
      '{"v":1,"runId":"r1","agent":"claude","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","cost":{"totalUsd":0.5,"inputTokens":1,"outputTokens":2},"tags":["a"]}\n{"v":1,"runId":"r2","agent":"pi","timestamp":"2026-01-01T00:00:00Z","tags":[]}\n',
    ),
  run(input) {
    mkdirSync(join(home, ".agent-mux"), { recursive: true });
    writeFileSync(join(home, ".agent-mux/run-index.jsonl"), input);
    const { runs } = readRunIndex({ home, platform: "linux", vars: {} });
    for (const { cost, at, tags } of runs) {
      if (at !== undefined && !Number.isFinite(at)) throw new Error("No time.");
      if (cost !== undefined && !(Number.isFinite(cost.totalUsd) && cost.totalUsd >= 0)) throw new Error("No amount.");
      if (!tags.every((tag) => typeof tag === "string")) throw new Error("No tag.");
    }
  },
};

const launchSpec: Target = {
  name: "launch-spec",
  short: 3000,
  seeds: () =>
    buffers(
      '{"id":"sess-abcd1234","command":["sh"],"cwd":"/","env":{"A":"b"},"kind":"shell","created_at":"2026-01-01T00:00:00Z","cols":80,"rows":24,"remotes":{"origin":"https://host/x"}}',
    ),
  expects: (error) => error instanceof SyntaxError || error instanceof ShapeError,
  run(input) {
    const { command } = parseLaunchSpec(JSON.parse(input.toString("utf8")));
    if (!command.every((word) => typeof word === "string")) throw new Error("A command of no words.");
  },
};

/** A real program that prints the input. */
const provider: Target = {
  name: "task-provider",
  short: 25,
  factor: 100,
  seeds: () =>
    buffers(
      '{"groups":[{"id":"PBI-1","title":"T","is_current":true,"tasks":[{"id":1,"title":"x","status":"Done"}]}]}',
      '{"tasks":[{"id":"a","title":"b","status":"c","labels":["d"],"priority":1}]}',
    ),
  expects: (error) => error instanceof TaskError,
  async run(input) {
    const path = join(home, "provider");
    writeFileSync(join(home, "printed"), input);
    writeFileSync(path, `#!/bin/sh\nexec cat ${JSON.stringify(join(home, "printed"))}\n`);
    chmodSync(path, 0o755);
    JSON.stringify(await runProvider({ path, cwd: home, args: {} }));
  },
};

const record: Target = {
  name: "screen-record",
  short: 500,
  seeds: () => buffers('{"cols":80,"rows":24,"seq":0}\nhello\r\n\u001b[31mred', '{"cols":1,"rows":1}\n', "no head\n"),
  tokens: ['"cols":', '"rows":', "1e9", "-1", "\n"],
  run(input) {
    const { cols, rows, output } = parseRecord(input);
    const screen = new Screen(cols, rows, 100, SILENT_LISTENER);
    screen.feed(output);
    screen.text(100);
    screen.dispose();
  },
};

export const FILE_TARGETS = [record, settings, runIndex, launchSpec, provider];
