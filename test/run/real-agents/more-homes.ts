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
];
