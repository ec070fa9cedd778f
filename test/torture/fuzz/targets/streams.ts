/** Output of running agents. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentRegistry } from "../../../../src/agents/registry.ts";
import type { AgentStream, RunContext, RunRequest } from "../../../../src/agents/run-support.ts";
import type { Target } from "../target.ts";

const agents = fileURLToPath(new URL("../../../../src/agents", import.meta.url));
const registry = new AgentRegistry();

const request: RunRequest = {
  prompt: "Say hi",
  cwd: "/work",
  session: { kind: "new" },
  attachments: [],
  mcpServers: [],
  asks: false,
  streams: true,
  converses: false,
};
const context: RunContext = {
  env: { home: "/nowhere", platform: "linux", vars: {} },
  scratch: (name) => `/nowhere/${name}`,
  scratchFolder: (name) => `/nowhere/${name}`,
  now: () => 1.8e12,
};

async function begin(agent: string): Promise<AgentStream> {
  return (await registry.get(agent)).run!.prepare(request, context).stream;
}

const streamsOf = (agent: string): string => join(agents, agent, "fixtures/stream");
const recordedStreams = readdirSync(agents).filter((agent) => existsSync(streamsOf(agent)));

export const STREAM_TARGETS: Target[] = recordedStreams.map((agent) => ({
  name: `stream-${agent}`,
  short: 200,
  factor: 400,
  seeds: () => recorded(agent),
  async run(input) {
    const stream = await begin(agent);
    const events = [...(stream.begin?.() ?? [])];
    for (const line of input.toString("utf8").split("\n")) events.push(...stream.line(line));
    events.push(...stream.end({ exitCode: 0, stderr: "" }));
    for (const event of events) JSON.stringify(event);
  },
}));

function recorded(agent: string): Buffer[] {
  const directory = streamsOf(agent);
  return readdirSync(directory)
    .map((name) => readFileSync(join(directory, name)))
    .filter(({ length }) => length < 60_000)
    .slice(0, 8);
}
