/** Whether an agent counts as signed in, with files as the real programs leave them. */
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { AgentRegistry } from "../agents/registry.ts";
import { detectAgent } from "./installed-agent.ts";

const COPILOT_COMMENT = "// User settings belong in settings.json.\n// This file is managed automatically.\n";
const COPILOT_START = '{\n  "firstLaunchAt": "2026-11-16T07:45:19.001Z",\n  "appTipShown": true\n}\n';
const COPILOT_OUT = '{\n  "firstLaunchAt": "2026-11-16T07:45:19.001Z",\n  "loggedInUsers": []\n}\n';
const COPILOT_IN =
  '{\n  "loggedInUsers": [\n    {\n      "host": "https://github.com",\n      "login": "me"\n    }\n  ]\n}\n';

it.each([
  ["copilot", ".copilot/config.json", COPILOT_COMMENT + COPILOT_START, "unauthenticated"],
  ["copilot", ".copilot/config.json", COPILOT_COMMENT + COPILOT_OUT, "unauthenticated"],
  ["copilot", ".copilot/config.json", COPILOT_COMMENT + COPILOT_IN, "authenticated"],
  ["copilot", ".copilot/config.json", COPILOT_IN.replace("loggedInUsers", "logged_in_users"), "authenticated"],
  ["pi", ".pi/agent/auth.json", "{}", "unauthenticated"],
  ["pi", ".pi/agent/auth.json", '{"anthropic":{"type":"api_key","key":"k"}}', "authenticated"],
  ["opencode", ".local/share/opencode/auth.json", "{}\n", "unauthenticated"],
  ["codex", ".codex/auth.json", '{"OPENAI_API_KEY":"k"}', "authenticated"],
])("%s with %s: %s", async (agent, name, content, status) => {
  const home = tempHome();
  home.write(name, content);
  const adapter = await new AgentRegistry().get(agent);
  const { authState } = await detectAgent(adapter, { home: home.path, platform: "linux", vars: {} });
  expect(authState).toMatchObject({ status });
});
