/** How each program is pointed at the loopback service, and started for one prompt. PROGRAMS is the folder that npm installed into. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const PROGRAMS = process.env.PROGRAMS ?? "/opt/agents";
/** Some programs need a newer Node.js than this one: NODE22 names its program. */
const NODE = process.env.NODE22 ?? process.execPath;

function put(home, path, text) {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

function when(session, ...option) {
  return session ? [...option, session] : [];
}

/** OpenCode and Kilo, which is made from it. */
const OPENCODE_COMMANDS = {
  sessionIn: (output) => /"sessionID":"([^"]+)"/.exec(output)?.[1],
  // It would put an argument with spaces into quotes.
  takesPromptFromStdin: true,
  headless: (_prompt, session) => ["run", "--format", "json", "--auto", ...when(session, "--session")],
  fork: (_prompt, session) => ["run", "--format", "json", "--session", session, "--fork"],
};

function settingsAt(url) {
  const model = {
    ...{ name: "Mock", tool_call: true, reasoning: true, limit: { context: 200_000, output: 8000 } },
    cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
  };
  const options = { baseURL: `${url}/v1`, apiKey: "x" };
  return {
    ...{ autoupdate: false, share: "disabled", model: "mock/sonnet-mock", small_model: "mock/sonnet-mock" },
    provider: { mock: { npm: "@ai-sdk/openai-compatible", options, models: { "sonnet-mock": model } } },
  };
}

export const AGENTS = {
  qwen: {
    version: "0.24.4",
    files: /\/\.qwen\/projects\//,
    program: [NODE, `${process.env.QWEN ?? PROGRAMS}/node_modules/@qwen-code/qwen-code/cli.js`],
    variables: (url) => ({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "qwen3-coder-plus" }),
    // In a terminal it asks the model for the user's next prompt, and would take the replies meant for others.
    prepare: (home) => put(home, ".qwen/settings.json", JSON.stringify({ ui: { enableFollowupSuggestions: false } })),
    sessionIn: (output) => /"session_id":"([^"]+)"/.exec(output)?.[1],
    headless: (prompt, session) => [
      ...["-p", prompt, "--auth-type", "openai", "-o", "stream-json", "--yolo"],
      ...when(session, "--resume"),
    ],
  },
  kimi: {
    version: "2.1.0",
    files: /\/\.kimi-code\/(sessions|session_index|workspaces)/,
    program: [NODE, `${PROGRAMS}/node_modules/@moonshot-ai/kimi-code/dist/main.mjs`],
    variables: () => ({}),
    prepare: (home, url) =>
      put(
        home,
        ".kimi-code/config.toml",
        `default_model = "mock"\n[providers.mock]\ntype = "openai"\nbase_url = "${url}/v1"\napi_key = "x"\n` +
          `[models.mock]\nprovider = "mock"\nmodel = "kimi-k2"\nmax_context_size = 200000\n`,
      ),
    sessionIn: (output) => /"session_id":"([^"]+)"/.exec(output)?.[1],
    headless: (prompt, session) => ["-p", prompt, "--output-format", "stream-json", ...when(session, "--session")],
  },
  cn: {
    version: "1.5.47",
    files: /\/\.continue\/sessions/,
    program: [`${PROGRAMS}/node_modules/.bin/cn`],
    variables: () => ({}),
    prepare: (home, url) =>
      put(
        home,
        ".continue/config.yaml",
        `name: mock\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: mock\n    provider: openai\n    model: gpt-4.1\n` +
          `    apiBase: ${url}/v1\n    apiKey: x\n    roles: [chat, edit, apply]\n    capabilities: [tool_use]\n` +
          `  - name: counter\n    provider: openai\n    model: gpt-4.1-mini\n    apiBase: ${url}/v1\n    apiKey: x\n` +
          `    roles: [subagent]\n    capabilities: [tool_use]\n    chatOptions:\n      baseSystemMessage: You count files.\n`,
      ),
    // It can only continue the latest session.
    sessionIn: () => "latest",
    headless: (prompt, session, home) => [
      ...["-p", prompt, "--config", `${home}/.continue/config.yaml`, "--auto", "--format", "json"],
      "--beta-subagent-tool",
      ...(session ? ["--resume"] : []),
    ],
  },
  grok: {
    version: "1.0.41",
    files: /\/\.grok\/sessions\//,
    program: [process.env.GROK ?? `${PROGRAMS}/node_modules/.bin/grok`],
    variables: () => ({ MOCK_KEY: "x" }),
    prepare: (home, url) =>
      put(
        home,
        ".grok/config.toml",
        `[model.mock]\nmodel = "grok-code-fast-1"\nbase_url = "${url}/v1"\nenv_key = "MOCK_KEY"\n[models]\ndefault = "mock"\n`,
      ),
    sessionIn: (output) => /"sessionId":"([^"]+)"/.exec(output)?.[1],
    headless: (prompt, session) => [
      ...["-p", prompt, "-m", "mock", "--output-format", "streaming-json", "--always-approve"],
      ...when(session, "--resume"),
    ],
  },
  droid: {
    version: "0.225.2",
    files: /\/\.factory\/sessions\//,
    program: [process.env.DROID ?? `${PROGRAMS}/node_modules/@factory/cli-linux-x64/bin/droid`],
    variables: () => ({ FACTORY_AIRGAP_ENABLED: "1" }),
    prepare: (home, url) => {
      const model = { model: "mock-1", displayName: "Mock", baseUrl: `${url}/v1`, apiKey: "x" };
      // It takes no picture for a custom model that does not say so.
      const customModels = [{ ...model, provider: "generic-chat-completion-api", noImageSupport: false }];
      put(home, ".factory/settings.json", JSON.stringify({ customModels }));
    },
    sessionIn: (output) => /"session_id":"([^"]+)"/.exec(output)?.[1],
    // Without Factory's service it cannot continue a session, only fork one.
    headless: (prompt, session) => [
      ...["exec", "-m", "custom:mock-1", "--auto", "high", "-o", "stream-json"],
      ...when(session, "--fork"),
      prompt,
    ],
  },
  cline: {
    version: "3.0.65",
    files: /\/\.cline\/data\/sessions\//,
    program: [process.env.CLINE ?? `${PROGRAMS}/node_modules/.bin/cline`],
    // Only its protocol mode reads these.
    variables: () => ({ CLINE_PROVIDER: "openai-compatible", CLINE_API_KEY: "x" }),
    prepare(home, url) {
      const program = process.env.CLINE ?? `${PROGRAMS}/node_modules/.bin/cline`;
      const options = ["-k", "x", "-m", "gpt-5-mock", "-b", `${url}/v1`];
      spawnSync(program, ["auth", "openai", ...options], { env: { ...process.env, HOME: home }, stdio: "inherit" });
    },
    acp: { args: ["--acp"], model: "gpt-5-mock" },
    // Its output names no session, so every prompt begins one.
    sessionIn: () => undefined,
    headless: (prompt) => ["--json", "-P", "openai-compatible", "-k", "x", "-m", "gpt-5-mock", prompt],
  },
  opencode: {
    version: "1.18.33",
    files: /\/\.local\/share\/opencode\/(opencode\.db|storage\/|tool-output\/)/,
    program: [process.env.OPENCODE ?? `${PROGRAMS}/node_modules/.bin/opencode`],
    variables: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    prepare: (home, url) => put(home, ".config/opencode/opencode.json", JSON.stringify(settingsAt(url))),
    ...OPENCODE_COMMANDS,
  },
  kilo: {
    version: "7.7.9",
    files: /\/\.local\/share\/kilo\/(kilo\.db|storage\/|tool-output\/)/,
    program: [process.env.KILO ?? `${PROGRAMS}/node_modules/.bin/kilo`],
    variables: () => ({ KILO_DISABLE_AUTOUPDATE: "1", KILO_DISABLE_MODELS_FETCH: "1", KILO_TELEMETRY_LEVEL: "off" }),
    // Without the list of providers it waits for those on the Internet.
    prepare: (home, url) =>
      put(
        home,
        ".config/kilo/kilo.json",
        JSON.stringify({ ...settingsAt(url), enabled_providers: ["mock"], permission: { "*": "allow" } }),
      ),
    ...OPENCODE_COMMANDS,
  },
};
