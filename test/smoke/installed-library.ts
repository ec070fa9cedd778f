/** What a TypeScript user of the installed package gets: every documented call under the strictest settings. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { removeTree } from "../../scripts/remove-tree.mjs";
import { BUILTIN_AGENT_NAMES } from "../../src/agents/builtin.gen.ts";
import { homeAt, type TempHome } from "../support/temp-home.ts";

const ROOT = join(import.meta.dirname, "../..");

const SETTINGS = {
  target: "ES2023",
  lib: ["ES2023"],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true,
};

/** A project with nothing but the package. */
function projectWith(installed: string): TempHome {
  const project = homeAt(mkdtempSync(join(tmpdir(), "amux-test-")));
  const modules = join(project.path, "node_modules");
  mkdirSync(modules);
  symlinkSync(installed, join(modules, "amux"));
  project.write("package.json", JSON.stringify({ type: "module" }));
  return project;
}

function compile(project: TempHome, module: "NodeNext" | "Bundler"): string {
  const resolution =
    module === "NodeNext" ? { module, moduleResolution: module } : { module: "ESNext", moduleResolution: module };
  project.write(
    "tsconfig.json",
    JSON.stringify({ compilerOptions: { ...SETTINGS, ...resolution }, files: ["user.ts", "user-of-parts.ts"] }),
  );
  const { stdout } = spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project.path], {
    encoding: "utf8",
  });
  return stdout;
}

export function testLibrary(installed: string): void {
  let project: TempHome;
  beforeAll(() => {
    project = projectWith(installed);
  });
  afterAll(() => removeTree(project.path));

  it("has declarations of every documented call and type, and of nothing else", () => {
    for (const file of ["user.ts", "user-of-parts.ts"])
      cpSync(join(import.meta.dirname, "support", file), join(project.path, file));
    expect(compile(project, "NodeNext")).toBe("");
    expect(compile(project, "Bundler")).toBe("");
  });

  it("starts a session from code, and works without a daemon", () => {
    const home = project.write("home/.keep", "").replace(/\/\.keep$/, "");
    chmodSync(home, 0o700);
    project.write(
      "start.mjs",
      `import { DaemonClient, ShimClient } from "amux/client";
       import { PROTOCOL_VERSION } from "amux/protocol";
       import { AgentRegistry } from "amux/agents";
       const client = new ShimClient({ home: ${JSON.stringify(home)} });
       const id = await client.spawn({ command: ["cat"], cwd: ${JSON.stringify(home)} });
       const alive = (await client.list()).includes(id);
       await client.kill(id);
       const health = await new DaemonClient(${JSON.stringify(home)}).health();
       console.log(JSON.stringify({ alive, health: health ?? null, PROTOCOL_VERSION, agents: new AgentRegistry().names().length }));`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, [join(project.path, "start.mjs")], { encoding: "utf8" });
    expect([stderr, JSON.parse(stdout || "{}")]).toEqual([
      "",
      { alive: true, health: null, PROTOCOL_VERSION: 1, agents: BUILTIN_AGENT_NAMES.length },
    ]);
  });
}
