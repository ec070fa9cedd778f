/** Records an agent's sessions without a terminal: node headless.mjs AGENT [SCENARIO] */
import { spawn } from "node:child_process";
import { begin, filesOf, HOME, project, save, servedSince } from "./setting.mjs";
import { TOOLS } from "./tools.mjs";

const [name, only = ""] = process.argv.slice(2);
const { agent, service, env } = await begin(name);
const tools = TOOLS[name];
const limit = Number(process.env.LIMIT ?? 90_000);

/** Runs the program with one prompt; `session` is continued, or forked by `words`. */
async function turn(cwd, prompt, session, replies, { isKilled = false, words = agent.headless } = {}) {
  const from = service.state.served.length;
  service.state.queue = [...replies];
  const [command, ...first] = agent.program;
  const child = spawn(command, [...first, ...words(prompt, session, HOME)], {
    cwd,
    env,
    stdio: [agent.takesPromptFromStdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  child.stdin?.end(prompt);
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => (out += data));
  child.stderr.on("data", (data) => (err += data));
  service.state.onStall = () => isKilled && setTimeout(() => child.kill("SIGKILL"), 1500);
  const timer = setTimeout(() => child.kill("SIGKILL"), limit);
  const exit = await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  const left = service.state.queue.length;
  console.log(
    `  ${JSON.stringify(prompt.slice(0, 40))} exit ${exit}${left ? `, ${left} replies left ${out}${err}` : ""}`,
  );
  return { prompt, exit, out, err, served: servedSince(service, from), id: agent.sessionIn(out + err) };
}

const SCENARIOS = {
  "01-qa": async () => {
    const cwd = project("shop-api");
    const text = "total() adds up price times quantity for every item in the cart.";
    const reply = { thinking: "The user wants an explanation of total().", text };
    return [cwd, [await turn(cwd, "What does total() in src/cart.js do?", undefined, [reply])]];
  },
  "02-tools-resume": async () => {
    const cwd = project("shop-web");
    const [cart, missing] = [`${cwd}/src/cart.js`, `${cwd}/src/missing.js`];
    const first = await turn(cwd, "Read the cart and add a discount to total().", undefined, [
      { text: "I will read both files.", tools: [tools.read(cart), tools.read(missing)] },
      {
        thinking: "One file is missing. I edit the other.",
        tools: [tools.edit(cart, "  return sum;", "  return sum * (1 - discount);")],
      },
      { tools: [tools.shell("git -C . diff --stat; exit 3")] },
      { tools: [tools.write(`${cwd}/src/notes.md`, "# Notes\n\nDiscount added.\n")] },
      { text: "Done: total() now applies the discount." },
    ]);
    const reply = { text: "src/cart.js and src/notes.md." };
    return [cwd, [first, await turn(cwd, "Thanks. Which files did you change?", first.id, [reply])]];
  },
  "03-subagent": async () => {
    const cwd = project("shop-api");
    if (tools.sub === undefined) return [cwd, []];
    const replies = [
      { text: "I ask a helper.", tools: [tools.sub("Count the files in src and report the number.")] },
      { text: "There is 1 file in src." },
      { text: "The helper found 1 file." },
    ];
    return [cwd, [await turn(cwd, "Let a helper count the files.", undefined, replies)]];
  },
  "04-unicode": async () => {
    const cwd = project("café ünïcode 日本");
    const prompt = 'Say hello to 世界 🌍\nin two lines — "quoted" & <tagged>.';
    return [cwd, [await turn(cwd, prompt, undefined, [{ text: "Hello,\n世界 🌍!" }])]];
  },
  "05-refused": async () => {
    const cwd = project("shop-web");
    return [cwd, [await turn(cwd, "This request will be refused.", undefined, [{ refuse: 400 }])]];
  },
  "06-killed": async () => {
    const cwd = project("shop-web");
    const reply = { text: "Once upon a time there was ", stall: true };
    return [cwd, [await turn(cwd, "Write a long story.", undefined, [reply], { isKilled: true })]];
  },
  "07-fork": async () => {
    const cwd = project("shop-api");
    if (agent.fork === undefined) return [cwd, []];
    const first = await turn(cwd, "Name a colour.", undefined, [{ text: "Green." }]);
    const second = await turn(cwd, "And an animal.", first.id, [{ text: "A heron." }]);
    const replies = [{ thinking: "Another one.", text: "An otter." }];
    return [cwd, [first, second, await turn(cwd, "Another animal.", first.id, replies, { words: agent.fork })]];
  },
};

const manifest = { agent: name, version: agent.version, sessions: [] };
for (const [scenario, record] of Object.entries(SCENARIOS)) {
  if (!scenario.startsWith(only)) continue;
  console.log(name, scenario);
  const before = new Set(filesOf(agent));
  const [cwd, turns] = await record();
  const newFiles = filesOf(agent).filter((path) => !before.has(path));
  manifest.sessions.push({ scenario, cwd, turns, newFiles });
}
save(name, manifest);
for (const request of service.state.strange.slice(0, 5)) console.log("not served:", request);
service.close();
