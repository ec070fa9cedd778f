/**
 * Drives real agents in tmux with amux's hooks for one start, and prints their states. Last run: RESULT.md.
 * Usage: node test/status/real-agents/run.mjs <directory with node_modules of the agents> [agent]
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bundleToFile } from "../../../scripts/bundle.mjs";
import { startModelService } from "./model-service.mjs";

const [agents, only] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "amux-real-"));
const service = await startModelService();
const script = join(work, "amux-hook.cjs");
await bundleToFile("src/hook/amux-hook.ts", script, { format: "cjs" });

const reader = join(work, "reader.mjs");
await bundleToFile("src/cli/live-sessions.ts", reader);

const tmux = (...args) =>
  execFileSync("tmux", ["-S", join(work, "tmux"), "-f", "/dev/null", ...args], { encoding: "utf8" });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const PLAN = [
  ["type", "Say hi"],
  ["wait", "done"],
  ["type", "Please run the slow command"],
  ["wait", "permission"],
  ["key", "Enter"],
  ["pause", 4000],
  ["wait", "done"],
  ["type", "Please run the quick command"],
  ["wait", "permission"],
  ["key", "Escape"],
  ["pause", 3000],
  ["type", "Please take long"],
  ["wait", "working"],
  ["pause", 1500],
  ["key", "Escape"],
  ["pause", 3000],
];

/** Pi asks for no permission. */
const PI_PLAN = [
  ["type", "Say hi"],
  ["wait", "done"],
  ["type", "Please run the slow command"],
  ["wait", "working"],
  ["wait", "done"],
  ["type", "Please take long"],
  ["wait", "working"],
  ["pause", 1500],
  ["key", "Escape"],
  ["pause", 2000],
];

async function play(agent, { argv, env, files, version }, home, plan) {
  if (only !== undefined && only !== agent) return;
  for (const { path, content } of files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const cwd = join(home, "project");
  const words = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  tmux("new-session", "-d", "-s", agent, "-x", "120", "-y", "40", "-c", cwd, ...words, ...argv);
  process.env.HOME = home;
  const { liveSessions } = await import(reader);
  const seen = [];
  const started = Date.now();
  let last = "";
  // As `amux status` shows it.
  const look = async () => {
    const session = (await liveSessions()).find(({ name }) => name === agent);
    const view = session?.agents.find((each) => each.agent === agent);
    const state = view?.status ?? "nothing";
    const by = view?.verdict === undefined ? "" : `${view.verdict.by.source} ${view.verdict.by.event ?? ""}`;
    if (last !== state) seen.push({ at: seconds(), state, by, message: view?.message ?? "" });
    last = state;
    return state;
  };
  const seconds = () => ((Date.now() - started) / 1000).toFixed(1);
  await pause(6000);
  for (const [what, value] of plan) {
    if (what === "type") {
      tmux("send-keys", "-t", `${agent}:`, "-l", value);
      await pause(600);
      tmux("send-keys", "-t", `${agent}:`, "Enter");
    } else if (what === "key") tmux("send-keys", "-t", `${agent}:`, value);
    else if (what === "pause") for (const end = Date.now() + value; Date.now() < end; await pause(50)) await look();
    else {
      const end = Date.now() + 20_000;
      while ((await look()) !== value && Date.now() < end) await pause(50);
      if (last !== value)
        seen.push({
          at: "",
          state: `never ${value}`,
          by: "",
          message: tmux("capture-pane", "-p", "-t", `${agent}:`).trim().slice(-1500),
        });
    }
    if (what !== "wait") seen.push({ at: seconds(), state: `${what} ${value}`, by: "—", message: "" });
  }
  console.log(`\n## ${agent} ${version}\n`);
  for (const { at, state, by, message } of seen)
    console.log(`${at.padStart(6)}  ${by.padEnd(24)} ${state}${message === "" ? "" : `  ${message}`}`);
}

async function hooked(agent, argv, home, vars) {
  const outfile = join(work, `${agent}.mjs`);
  await build({ ...shared, entryPoints: [`src/agents/${agent}/hooks.ts`], outfile, format: "esm" });
  const { hooks } = await import(outfile);
  const env = { home, platform: process.platform, vars };
  const version = JSON.parse(readFileSync(join(agents, "node_modules", vars.PACKAGE, "package.json"), "utf8")).version;
  const launch = hooks.launch(argv, {
    env,
    program: { node: process.execPath, script },
    directory: join(work, agent),
    version,
  });
  return { ...launch, version, env: { ...launch.env, HOME: home, PATH: process.env.PATH } };
}

try {
  const home = join(work, "home");
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  execFileSync("git", ["init", "-q", project]);

  const key = "sk-ant-api03-00000000000000000000000000000000";
  writeFileSync(
    join(home, ".claude.json"),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    }),
  );
  const claude = await hooked(
    "claude",
    [join(agents, "node_modules/.bin/claude"), "--permission-mode", "manual"],
    home,
    { PACKAGE: "@anthropic-ai/claude-code" },
  );
  Object.assign(claude.env, {
    ANTHROPIC_BASE_URL: service.url,
    ANTHROPIC_API_KEY: key,
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  });
  await play("claude", claude, home, [...PLAN, ["type", "/exit"], ["wait", "offline"]]);

  mkdirSync(join(home, ".codex"), { recursive: true });
  writeFileSync(
    join(home, ".codex/config.toml"),
    `model = "local-model"\nmodel_provider = "local"\napproval_policy = "on-request"\nsandbox_mode = "workspace-write"\ncheck_for_update_on_startup = false\n\n[model_providers.local]\nname = "local"\nbase_url = "${service.url}/v1"\nwire_api = "responses"\nenv_key = "LOCAL_KEY"\n\n[projects."${project}"]\ntrust_level = "trusted"\n`,
  );
  const codex = await hooked("codex", [join(agents, "node_modules/.bin/codex")], home, { PACKAGE: "@openai/codex" });
  Object.assign(codex.env, { LOCAL_KEY: "x" });
  await play("codex", codex, home, [...PLAN, ["type", "/quit"], ["wait", "offline"]]);

  mkdirSync(join(home, ".copilot"), { recursive: true });
  writeFileSync(join(home, ".copilot/settings.json"), JSON.stringify({ trustedFolders: [project], banner: "never" }));
  const copilot = await hooked("copilot", [join(agents, "node_modules/.bin/copilot")], home, {
    PACKAGE: "@github/copilot",
  });
  Object.assign(copilot.env, {
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: service.url,
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_API_KEY: "x",
    COPILOT_MODEL: "claude-sonnet-4.5",
  });
  await play("copilot", copilot, home, [
    ["key", "Enter"],
    ["pause", 9000],
    ...PLAN,
    ["key", "Escape"],
    ["pause", 3000],
    ["type", "/exit"],
    ["wait", "offline"],
  ]);

  mkdirSync(join(home, ".pi/agent"), { recursive: true });
  writeFileSync(
    join(home, ".pi/agent/models.json"),
    JSON.stringify({
      providers: {
        local: {
          baseUrl: service.url,
          api: "anthropic-messages",
          apiKey: "x",
          models: [{ id: "local-model", name: "Local", contextWindow: 100_000, maxTokens: 4000 }],
        },
      },
    }),
  );
  const pi = await hooked("pi", [join(agents, "node_modules/.bin/pi"), "--model", "local/local-model"], home, {
    PACKAGE: "@mariozechner/pi-coding-agent",
  });
  await play("pi", pi, home, [["pause", 8000], ...PI_PLAN, ["type", "/quit"], ["wait", "offline"]]);
} finally {
  try {
    tmux("kill-server");
  } catch {
    // No server is left.
  }
  service.close();
  rmSync(work, { recursive: true, force: true });
}
