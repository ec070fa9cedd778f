/** Records sessions through the program's own server, which is what its terminal talks to: node served.mjs AGENT [SCENARIO] */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { begin, filesOf, picture, project, save, servedSince } from "./setting.mjs";
import { TOOLS } from "./tools.mjs";

const [name, only = ""] = process.argv.slice(2);
const { agent, service, env } = await begin(name);
const tools = TOOLS[name];
// A summary is asked for without tools, as a title is.
service.state.isSide = (body) => JSON.stringify(body.messages[0]).includes("title generator");
let server = await started();

async function started() {
  const [command, ...first] = agent.program;
  const child = spawn(command, [...first, "serve", "--port", "0"], { env, cwd: "/home/user" });
  const url = await new Promise((resolve, reject) => {
    let output = "";
    const look = (data) => {
      output += data;
      const found = /https?:\/\/[\w.]+:\d+/.exec(output);
      if (found) resolve(found[0]);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", (code) => reject(new Error(`The server ended with ${code}: ${output}`)));
  });
  child.removeAllListeners("exit");
  return { child, url };
}

async function ask(cwd, path, body) {
  const url = `${server.url}${path}?directory=${encodeURIComponent(cwd)}`;
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body ?? {}) });
  const text = await response.text();
  if (!response.ok) console.log(`  ${path}: ${response.status} ${text.slice(0, 500)}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** A session, and what was done in it. */
async function open(cwd) {
  const { id } = await ask(cwd, "/session");
  return sessionAt(cwd, id);
}

function sessionAt(cwd, id) {
  const turns = [];
  return {
    id,
    turns,
    async act(what, replies, action) {
      const from = service.state.served.length;
      service.state.queue = [...replies];
      const answer = await action();
      const left = service.state.queue.length;
      console.log(`  ${JSON.stringify(what).slice(0, 60)}${left ? `, ${left} replies left` : ""}`);
      turns.push({ ...what, served: servedSince(service, from) });
      return answer;
    },
    say(prompt, replies, files = []) {
      const parts = [{ type: "text", text: prompt }, ...files];
      return this.act({ prompt }, replies, () => ask(cwd, `/session/${id}/message`, { parts }));
    },
  };
}

function written(session, cwd, more = {}) {
  return { session: session.id, cwd, turns: session.turns, ...more };
}

const model = { providerID: "mock", modelID: "sonnet-mock" };

const SCENARIOS = {
  "11-subagent": async () => {
    const cwd = project("shop-api");
    const session = await open(cwd);
    await session.say("Let a helper count the files.", [
      { text: "I ask a helper.", tools: [tools.sub("Count the files in src and report the number.")] },
      { text: "There is 1 file in src." },
      { text: "The helper found 1 file." },
    ]);
    return [written(session, cwd)];
  },
  "12-unicode": async () => {
    const cwd = project("café ünïcode 日本");
    const session = await open(cwd);
    await session.say('Say hello to 世界 🌍\nin two lines — "quoted" & <tagged>.', [{ text: "Hello,\n世界 🌍!" }]);
    return [written(session, cwd)];
  },
  "13-image": async () => {
    const cwd = project("shop-web");
    picture(`${cwd}/dot.png`);
    const url = `data:image/png;base64,${readFileSync(`${cwd}/dot.png`, "base64")}`;
    const session = await open(cwd);
    const file = { type: "file", mime: "image/png", filename: "dot.png", url };
    await session.say("What colour is the dot?", [{ text: "It is red." }], [file]);
    return [written(session, cwd)];
  },
  "14-compacted": async () => {
    const cwd = project("shop-web");
    const session = await open(cwd);
    await session.say("Remember the word marmalade.", [{ text: "I remember it." }]);
    const summary = [{ text: "The user asked to remember the word marmalade." }];
    await session.act({ command: "summarize" }, summary, () => ask(cwd, `/session/${session.id}/summarize`, model));
    await session.say("Which word?", [{ text: "Marmalade." }]);
    return [written(session, cwd)];
  },
  "15-interrupted": async () => {
    const cwd = project("shop-web");
    const session = await open(cwd);
    service.state.onStall = () => setTimeout(() => void ask(cwd, `/session/${session.id}/abort`), 1500);
    await session.say("Write a long story.", [{ text: "Once upon a time there was ", stall: true }]);
    await session.say("A short one, please.", [{ text: "The end." }]);
    return [written(session, cwd)];
  },
  "16-rewound-forked": async () => {
    const cwd = project("shop-api");
    const session = await open(cwd);
    await session.say("Name a colour.", [{ text: "Green." }]);
    const { info } = await session.say("And an animal.", [{ text: "A heron." }]);
    const fork = await session.act({ command: "fork" }, [], () => ask(cwd, `/session/${session.id}/fork`));
    const forked = sessionAt(cwd, fork.id);
    await forked.say("In the fork: a plant.", [{ thinking: "A plant.", text: "Moss." }]);
    const messageID = info.parentID;
    await session.act({ command: "revert" }, [], () => ask(cwd, `/session/${session.id}/revert`, { messageID }));
    await session.say("And a stone.", [{ text: "Basalt." }]);
    return [written(session, cwd), written(forked, cwd, { forkedFrom: session.id })];
  },
  "18-rewound-subagent": async () => {
    const cwd = project("shop-api");
    const session = await open(cwd);
    await session.say("Name a colour.", [{ text: "Green." }]);
    const { info } = await session.say("Let a helper count the files.", [
      { text: "I ask a helper.", tools: [tools.sub("Count the files in src and report the number.")] },
      { text: "There is 1 file in src." },
      { text: "The helper found 1 file." },
    ]);
    const messageID = info.parentID;
    await session.act({ command: "revert" }, [], () => ask(cwd, `/session/${session.id}/revert`, { messageID }));
    await session.say("And a stone.", [{ text: "Basalt." }]);
    return [written(session, cwd)];
  },
  "17-killed": async () => {
    const cwd = project("shop-web");
    const session = await open(cwd);
    const ended = new Promise((resolve) => server.child.once("exit", resolve));
    service.state.onStall = () => setTimeout(() => server.child.kill("SIGKILL"), 1500);
    const said = session.say("Write a long poem.", [{ text: "Roses are ", stall: true }]).catch(() => undefined);
    await ended;
    await said;
    session.turns.push({ prompt: "Write a long poem.", killed: true });
    return [written(session, cwd)];
  },
};

const manifest = { agent: name, version: agent.version, sessions: [] };
for (const [scenario, record] of Object.entries(SCENARIOS)) {
  if (!scenario.startsWith(only)) continue;
  console.log(name, scenario, new Date().toISOString());
  const sessions = await record();
  manifest.sessions.push(...sessions.map((session) => ({ scenario, ...session })));
  if (server.child.signalCode !== null) server = await started();
  save(`${name}-served`, { ...manifest, files: filesOf(agent) });
}
const ended = new Promise((resolve) => server.child.once("exit", resolve));
server.child.kill("SIGTERM");
await ended;
for (const request of service.state.strange.slice(0, 5)) console.log("not served:", request);
service.close();
