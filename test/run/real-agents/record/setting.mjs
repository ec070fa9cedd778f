/** What both recorders share: a home at /home/user, a project in it, and the environment of the program. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { AGENTS } from "./agents.mjs";
import { startService } from "./service.mjs";

export const HOME = "/home/user";

export async function begin(name) {
  const agent = AGENTS[name];
  if (agent === undefined) throw new Error(`Name one of ${Object.keys(AGENTS).join(", ")}.`);
  mkdirSync(HOME, { recursive: true });
  const service = await startService();
  agent.prepare(HOME, service.url);
  const env = {
    HOME,
    USER: "user",
    PATH: [process.env.NODE22?.replace(/\/node$/, ""), "/usr/local/bin:/usr/bin:/bin"].filter(Boolean).join(":"),
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    ...agent.variables(service.url),
  };
  return { agent, service, env };
}

const CART = `export function total(items) {
  let sum = 0;
  for (const item of items) sum += item.price * item.quantity;
  return sum;
}
`;

export function project(name) {
  const cwd = `${HOME}/dev/${name}`;
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(`${cwd}/src`, { recursive: true });
  writeFileSync(`${cwd}/src/cart.js`, CART);
  writeFileSync(`${cwd}/README.md`, "# Shop\n");
  const git = (...args) =>
    spawnSync("git", ["-C", cwd, "-c", "user.name=U", "-c", "user.email=u@example.com", ...args]);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  return cwd;
}

/** Writes a picture of one red pixel. */
export function picture(path) {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";
  writeFileSync(path, Buffer.from(png, "base64"));
}

/** The files that the agent has written so far. */
export function filesOf(agent) {
  if (!existsSync(HOME)) return [];
  return readdirSync(HOME, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((path) => agent.files.test(path))
    .sort();
}

/** What the service served, without what a manifest does not need. */
export function servedSince(service, from) {
  return service.state.served.slice(from).map(({ reply, usage, model, side }) => {
    const { text, thinking, tools, refuse, stall } = reply;
    const calls = tools?.map(([name, input]) => ({ name, input }));
    return JSON.parse(JSON.stringify({ side, model, usage, text, thinking, tools: calls, refuse, stall }));
  });
}

export function save(name, manifest) {
  const folder = process.env.OUT ?? ".";
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.json`, `${JSON.stringify(manifest, null, 2)}\n`);
}
