/** The homes of agents that are driven in sessions only. */
import type { RealAgent } from "./agent-homes.ts";

export const MORE_AGENTS: readonly RealAgent[] = [
  {
    name: "kimi",
    package: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    model: "mock",
    canAsk: false,
    needsNewerNode: true,
    prepare(home, url) {
      home.write(
        ".kimi-code/config.toml",
        [
          'default_model = "mock"',
          "[providers.mock]",
          'type = "openai"',
          `base_url = "${url}/v1"`,
          'api_key = "x"',
          "[models.mock]",
          'provider = "mock"',
          'model = "kimi-k2"',
          "max_context_size = 200000",
          "",
        ].join("\n"),
      );
      return {};
    },
  },
  {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    model: "qwen3-coder-plus",
    canAsk: false,
    needsNewerNode: true,
    prepare(home, url) {
      // It would ask the model for the user's next prompt.
      home.write(".qwen/settings.json", JSON.stringify({ ui: { enableFollowupSuggestions: false } }));
      return { OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "qwen3-coder-plus" };
    },
  },
  {
    name: "cn",
    package: "@continuedev/cli",
    version: "1.5.47",
    model: "gpt-4.1",
    canAsk: false,
    prepare(home, url) {
      home.write(
        ".continue/config.yaml",
        [
          "name: mock",
          "version: 1.0.0",
          "schema: v1",
          "models:",
          "  - name: mock",
          "    provider: openai",
          "    model: gpt-4.1",
          `    apiBase: ${url}/v1`,
          "    apiKey: x",
          "    roles: [chat, edit, apply]",
          "    capabilities: [tool_use]",
          "",
        ].join("\n"),
      );
      return {};
    },
  },
  {
    name: "grok",
    package: "@xai-official/grok",
    version: "1.0.41",
    model: "mock",
    canAsk: false,
    prepare(home, url) {
      home.write(
        ".grok/config.toml",
        [
          "[model.mock]",
          'model = "grok-code-fast-1"',
          `base_url = "${url}/v1"`,
          'env_key = "MOCK_KEY"',
          "[models]",
          'default = "mock"',
          "",
        ].join("\n"),
      );
      return { MOCK_KEY: "x" };
    },
  },
  {
    name: "droid",
    package: "@factory/cli",
    version: "0.225.1",
    model: "custom:mock-1",
    canAsk: false,
    prepare(home, url) {
      const model = { model: "mock-1", displayName: "Mock", baseUrl: `${url}/v1`, apiKey: "x" };
      const customModels = [{ ...model, provider: "generic-chat-completion-api" }];
      home.write(".factory/settings.json", JSON.stringify({ customModels }));
      return { FACTORY_AIRGAP_ENABLED: "1" };
    },
  },
  {
    name: "cline",
    package: "cline",
    version: "3.0.65",
    model: "gpt-5-mock",
    canAsk: false,
    prepare(home, url) {
      const provider = "openai-compatible";
      const settings = { provider, apiKey: "x", model: "gpt-5-mock", baseUrl: `${url}/v1` };
      const providers = { [provider]: { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" } };
      home.write(
        ".cline/data/settings/providers.json",
        JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers }),
      );
      // Otherwise it shows an offer at its start.
      const isShown = { "cline-cli-cline-pass-intro": true, "cline-cli-desktop-launch": true };
      home.write(".cline/data/settings/cli-notices.json", JSON.stringify({ shown: isShown }));
      return {};
    },
  },
  {
    name: "kilo",
    package: "@kilocode/cli",
    version: "7.7.9",
    model: "mock/sonnet-mock",
    canAsk: true,
    prepare(home, url) {
      const model = { name: "Mock", tool_call: true, limit: { context: 200_000, output: 8000 } };
      const cost = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
      const options = { baseURL: `${url}/v1`, apiKey: "x" };
      const models = { "sonnet-mock": { ...model, cost } };
      home.write(
        ".config/kilo/kilo.json",
        JSON.stringify({
          autoupdate: false,
          share: "disabled",
          model: "mock/sonnet-mock",
          small_model: "mock/sonnet-mock",
          // Without the list it waits for those on the Internet.
          enabled_providers: ["mock"],
          provider: { mock: { npm: "@ai-sdk/openai-compatible", options, models } },
        }),
      );
      return { KILO_DISABLE_AUTOUPDATE: "1", KILO_DISABLE_MODELS_FETCH: "1", KILO_TELEMETRY_LEVEL: "off" };
    },
  },
];
