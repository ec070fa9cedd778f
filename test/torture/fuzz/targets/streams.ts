/** Output of running agents. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeEvents } from "../../../../src/agents/claude/events.ts";
import { codexEvents } from "../../../../src/agents/codex/events.ts";
import { copilotEvents } from "../../../../src/agents/copilot/events.ts";
import { geminiEvents } from "../../../../src/agents/gemini/events.ts";
import { openclawEvents } from "../../../../src/agents/openclaw/events.ts";
import { OPENCODE } from "../../../../src/agents/opencode/product.ts";
import type { AgentStream } from "../../../../src/agents/run-support.ts";
import { eventsOf } from "../../../../src/agents/shared/opencode/events.ts";
import type { Target } from "../target.ts";

const agents = fileURLToPath(new URL("../../../../src/agents", import.meta.url));
const context = { cwd: "/work", session: {} as never, now: () => 1.8e12 };

const STREAMS: Record<string, () => AgentStream> = {
  claude: () => claudeEvents(context),
  codex: () => codexEvents(context),
  copilot: () => copilotEvents(context, "c420530c-5088-4925-a7a6-53cf03eb50db"),
  gemini: () => geminiEvents(context),
  openclaw: () => openclawEvents(context, "531a6347-0000-4000-8000-000000000000"),
  opencode: () => eventsOf(OPENCODE, context),
};

export const STREAM_TARGETS: Target[] = Object.entries(STREAMS).map(([agent, begin]) => ({
  name: `stream-${agent}`,
  short: 200,
  factor: 400,
  seeds: () => recorded(agent),
  run(input) {
    const stream = begin();
    const events = [...(stream.begin?.() ?? [])];
    for (const line of input.toString("utf8").split("\n")) events.push(...stream.line(line));
    events.push(...stream.end({ exitCode: 0, stderr: "" }));
    for (const event of events) JSON.stringify(event);
  },
}));

function recorded(agent: string): Buffer[] {
  const directory = join(agents, agent, "fixtures/stream");
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name)))
    .filter(({ length }) => length < 60_000)
    .slice(0, 8);
}
