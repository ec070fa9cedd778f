/** What somebody gets who packs the build and writes TypeScript against it: every documented call, under the strictest settings. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempHome, type TempHome } from "../support/temp-home.ts";

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
  types: ["node"],
};

/** A project with the package as npm would put it there; its dependencies are those of this clone. */
function projectWithPackage(): TempHome {
  const project = tempHome();
  const npm = ["pack", "--json", "--pack-destination", project.path];
  const [packed] = JSON.parse(execFileSync("npm", npm, { cwd: ROOT, encoding: "utf8" })) as [{ filename: string }];
  const modules = join(project.path, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  execFileSync("tar", ["xzf", join(project.path, packed.filename), "-C", project.path]);
  cpSync(join(project.path, "package"), join(modules, "amux"), { recursive: true });
  for (const name of ["@types/node", "undici-types", "@photostructure"])
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  project.write("package.json", JSON.stringify({ type: "module" }));
  return project;
}

function compile(project: TempHome, module: "NodeNext" | "Bundler"): string {
  const resolution =
    module === "NodeNext" ? { module, moduleResolution: module } : { module: "ESNext", moduleResolution: module };
  project.write(
    "tsconfig.json",
    JSON.stringify({ compilerOptions: { ...SETTINGS, ...resolution }, files: ["user.ts"] }),
  );
  const { stdout } = spawnSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project.path], {
    encoding: "utf8",
  });
  return stdout;
}

describe("the package", () => {
  it("has declarations of every documented call and type, and of nothing else", () => {
    const project = projectWithPackage();
    cpSync(join(import.meta.dirname, "support/user.ts"), join(project.path, "user.ts"));
    expect(compile(project, "NodeNext")).toBe("");
    expect(compile(project, "Bundler")).toBe("");
  });
});
