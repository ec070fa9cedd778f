import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A real agent's setup in a temporary home with the stand-in, and its start command. */
export function prepared(agent, { agents, work, home, project, url }) {
  const common = {
    PATH: `${join(agents, "node_modules/.bin")}:${process.env.PATH}`,
    HOME: home,
    AMUX_HOME: join(work, "amux"),
  };
  if (agent === "claude") {
    const key = "sk-ant-api03-00000000000000000000000000000000";
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    writeFileSync(
      join(home, ".claude.json"),
      JSON.stringify({
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
        projects: { [project]: trusted },
      }),
    );
    return {
      argv: ["claude", "--permission-mode", "manual"],
      ready: /manual mode/,
      package: "@anthropic-ai/claude-code",
      env: {
        ...common,
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: key,
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    };
  }
  mkdirSync(join(home, ".codex"), { recursive: true });
  writeFileSync(
    join(home, ".codex/config.toml"),
    `model = "local-model"\nmodel_provider = "local"\napproval_policy = "on-request"\nsandbox_mode = "workspace-write"\ncheck_for_update_on_startup = false\n\n[model_providers.local]\nname = "local"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "LOCAL_KEY"\n\n[projects."${project}"]\ntrust_level = "trusted"\n`,
  );
  return { argv: ["codex"], ready: /›/, package: "@openai/codex", env: { ...common, LOCAL_KEY: "x" } };
}
