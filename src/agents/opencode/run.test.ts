import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { RunContext, RunRequest } from "../run-support.ts";
import { run } from "./run.ts";

it("refuses a tool when nobody can be asked: OpenCode loads the plug-in by its exports", async () => {
  const home = tempHome();
  const files: string[] = [];
  const context: RunContext = {
    env: { home: home.path, platform: process.platform, vars: {} },
    ask: { node: process.execPath, socket: join(home.path, "nobody.sock") },
    scratch(name, content) {
      // A suffix that Node takes for a module, as OpenCode's own runtime takes `.js`.
      const path = join(home.path, name.replace(/\.js$/, ".mjs"));
      writeFileSync(path, content);
      files.push(path);
      return path;
    },
    scratchFolder: () => home.path,
    now: Date.now,
  };
  const request: RunRequest = {
    prompt: "Hi",
    cwd: home.path,
    session: { kind: "new" },
    attachments: [],
    mcpServers: [],
    asks: true,
    streams: false,
    converses: false,
  };
  run.prepare(request, context);
  const plugins = Object.values((await import(pathToFileURL(files[0]!).href)) as Record<string, Plugin>);
  expect(plugins).toHaveLength(1);
  const hooks = await plugins[0]!();
  await expect(hooks["tool.execute.before"]({ tool: "bash" }, { args: {} })).rejects.toThrow("Nobody is there");
  await hooks["tool.execute.before"]({ tool: "read" }, { args: {} });
});

type Plugin = () => Promise<{ "tool.execute.before": (input: object, output: object) => Promise<void> }>;
