/** Records an agent that speaks the Agent Client Protocol: node acp.mjs AGENT. Permissions are answered as each scenario says. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { begin, project, save, servedSince } from "./setting.mjs";
import { TOOLS } from "./tools.mjs";

const [name, only = ""] = process.argv.slice(2);
const { agent, service, env } = await begin(name);
const tools = TOOLS[name];
const cwd = project("shop-web");

/** One process: opens a session, sends the prompt, keeps what the program says until the prompt is answered. */
async function turn(prompt, replies, { answer = "allow_once", session, isCancelled = false } = {}) {
  const from = service.state.served.length;
  service.state.queue = [...replies];
  const [command, ...first] = agent.program;
  const child = spawn(command, [...first, ...agent.acp.args], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = [];
  let id = session;
  const write = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  service.state.onStall = () => isCancelled && write({ method: "session/cancel", params: { sessionId: id } });
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    const message = JSON.parse(line);
    if (message.error) child.stdin.end();
    else if (message.method === "session/request_permission") {
      const { optionId } = message.params.options.find(({ kind }) => kind === answer);
      write({ id: message.id, result: { outcome: { outcome: "selected", optionId } } });
    } else if (message.method !== undefined) return;
    else if (message.id === "open") {
      id ??= message.result.sessionId;
      write({ id: "model", method: "session/set_model", params: { sessionId: id, modelId: agent.acp.model } });
      write({
        id: "prompt",
        method: "session/prompt",
        params: { sessionId: id, prompt: [{ type: "text", text: prompt }] },
      });
    } else if (message.id === "prompt") child.stdin.end();
  });
  const place = { cwd, mcpServers: [] };
  write({ id: "initialize", method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } });
  write({
    id: "open",
    method: session ? "session/load" : "session/new",
    params: session ? { sessionId: session, ...place } : place,
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), Number(process.env.LIMIT ?? 90_000));
  const exit = await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  console.log(`  ${JSON.stringify(prompt)} exit ${exit}, ${service.state.queue.length} replies left`);
  return { prompt, id, exit, lines, served: servedSince(service, from) };
}

const shell = [{ text: "I list the files.", tools: [tools.shell("ls src")] }, { text: "There is cart.js." }];
const SCENARIOS = {
  text: () => turn("What does total() do?", [{ thinking: "A short answer.", text: "It adds up the prices." }]),
  tools: () =>
    turn("Read the cart and note the discount.", [
      { text: "I read both files.", tools: [tools.read(`${cwd}/src/cart.js`), tools.read(`${cwd}/src/missing.js`)] },
      {
        thinking: "One is missing.",
        tools: [tools.edit(`${cwd}/src/cart.js`, "  return sum;", "  return sum * 0.9;")],
      },
      { tools: [tools.shell("ls src; exit 3")] },
      { text: "Done." },
    ]),
  allowed: () => turn("List the files.", shell),
  denied: () => turn("List the files.", shell, { answer: "reject_once" }),
  refused: () => turn("This will be refused.", [{ refuse: 400 }]),
  cancelled: () => turn("Tell a story.", [{ text: "Once upon a time", stall: true }], { isCancelled: true }),
  resumed: async () => turn("And then?", [{ text: "Nothing." }], { session: (await SCENARIOS.text()).id }),
};

const folder = process.env.OUT ?? ".";
mkdirSync(`${folder}/stream`, { recursive: true });
const manifest = { agent: name, version: agent.version, streams: {} };
for (const [scenario, record] of Object.entries(SCENARIOS)) {
  if (!scenario.startsWith(only)) continue;
  const { lines, ...told } = await record();
  writeFileSync(`${folder}/stream/${scenario}.jsonl`, lines.map((line) => `${line}\n`).join(""));
  manifest.streams[scenario] = told;
}
save("acp", manifest);
process.exit();
