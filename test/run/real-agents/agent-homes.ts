/** A home for each agent in which it talks only to a model service on loopback. */
import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import type { TempHome } from "../../support/temp-home.ts";

export interface RealAgent {
  name: string;
  /** The version that the fixtures were recorded with. */
  package: string;
  version: string;
  model: string;
  /** Asks before it runs tools. */
  canAsk: boolean;
  /** Runs with the Node.js beside it, if there is one. */
  needsNewerNode?: boolean;
  /** Writes settings and returns variables. */
  prepare(home: TempHome, url: string): Record<string, string>;
}

export const REAL_AGENTS: readonly RealAgent[] = [
  {
    name: "claude",
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    model: "claude-sonnet-4-5",
    canAsk: true,
    prepare: (_home, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "local",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
      DISABLE_AUTOUPDATER: "1",
      // As root it runs tools without asking only in a declared sandbox.
      IS_SANDBOX: "1",
    }),
  },
  {
    name: "codex",
    package: "@openai/codex",
    version: "0.166.0",
    model: "gpt-5-codex",
    canAsk: true,
    prepare(home, url) {
      home.write(
        ".codex/config.toml",
        [
          'model = "gpt-5-codex"',
          'model_provider = "local"',
          "check_for_update_on_startup = false",
          // Not every test machine supports Codex's own sandbox.
          'sandbox_mode = "danger-full-access"',
          "[model_providers.local]",
          'name = "local"',
          `base_url = "${url}/v1"`,
          'wire_api = "responses"',
          'env_key = "LOCAL_KEY"',
          "request_max_retries = 1",
          "stream_max_retries = 1",
        ].join("\n"),
      );
      return { LOCAL_KEY: "local" };
    },
  },
  {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    model: "gemini-2.5-flash",
    canAsk: false,
    prepare(home, url) {
      home.write(
        ".gemini/settings.json",
        JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
          general: {
            disableAutoUpdate: true,
            enableAutoUpdate: false,
            maxAttempts: 2,
            // Otherwise it deletes resumed sessions at the next start.
            sessionRetention: { enabled: false },
          },
          privacy: { usageStatisticsEnabled: false },
        }),
      );
      return { GEMINI_API_KEY: "local", GOOGLE_GEMINI_BASE_URL: url };
    },
  },
  {
    name: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    model: "claude-sonnet-4-5",
    canAsk: true,
    prepare: (_home, url) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: url,
      COPILOT_PROVIDER_TYPE: "anthropic",
      COPILOT_PROVIDER_API_KEY: "local",
      COPILOT_MODEL: "claude-sonnet-4-5",
    }),
  },
  {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.18",
    model: "local/gpt-5-mock",
    canAsk: true,
    prepare(home, url) {
      home.write(
        ".config/opencode/opencode.json",
        JSON.stringify({
          autoupdate: false,
          share: "disabled",
          model: "local/gpt-5-mock",
          small_model: "local/gpt-5-mock",
          provider: {
            local: {
              npm: "@ai-sdk/openai-compatible",
              name: "local",
              options: { baseURL: `${url}/v1`, apiKey: "local" },
              models: {
                "gpt-5-mock": {
                  name: "Mock",
                  tool_call: true,
                  limit: { context: 200_000, output: 8000 },
                  cost: { input: 2, output: 8, cache_read: 0.5, cache_write: 2 },
                },
              },
            },
          },
        }),
      );
      return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
    },
  },
  {
    name: "pi",
    package: "@mariozechner/pi-coding-agent",
    version: "0.73.1",
    model: "local/claude-sonnet-4-5",
    canAsk: true,
    prepare(home, url) {
      home.write(
        ".pi/agent/models.json",
        JSON.stringify({
          providers: {
            local: {
              baseUrl: url,
              api: "anthropic-messages",
              apiKey: "LOCAL_KEY",
              models: [
                {
                  id: "claude-sonnet-4-5",
                  name: "Local",
                  reasoning: false,
                  input: ["text"],
                  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
                  contextWindow: 200_000,
                  maxTokens: 8000,
                },
              ],
            },
          },
        }),
      );
      home.write(
        ".pi/agent/settings.json",
        JSON.stringify({
          defaultProvider: "local",
          defaultModel: "claude-sonnet-4-5",
          retry: { enabled: true, maxRetries: 2, baseDelayMs: 100 },
        }),
      );
      return { LOCAL_KEY: "local", PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" };
    },
  },
];

/** Everything a run needs: settings, a repository, and the agent on the PATH. */
export function settle(
  agent: RealAgent,
  home: TempHome,
  url: string,
  bin: string,
): { cwd: string; vars: Record<string, string> } {
  const cwd = join(home.path, "work");
  mkdirSync(cwd);
  execFileSync("git", ["init", "-q", cwd], { env: { PATH: process.env["PATH"], HOME: home.path } });
  const path = join(home.path, "bin");
  mkdirSync(path);
  symlinkSync(join(bin, agent.name), join(path, agent.name));
  const node = join(bin, "node");
  if (agent.needsNewerNode === true && existsSync(node)) symlinkSync(node, join(path, "node"));
  // Some refuse a home that others can read.
  chmodSync(home.path, 0o700);
  const vars = agent.prepare(home, url);
  return {
    cwd,
    vars: {
      HOME: home.path,
      PATH: `${path}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      SHELL: "/bin/bash",
      TERM: "dumb",
      LANG: "C.UTF-8",
      ...vars,
    },
  };
}
