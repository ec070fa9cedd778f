import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

describe("the package", () => {
  it("names no registry in its lock file and pins every package by its hash", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { integrity?: string; resolved?: string; link?: boolean }>;
    };
    for (const [name, entry] of Object.entries(packages)) {
      if (name === "") continue;
      expect(entry.resolved, name).toBeUndefined();
      expect(entry.integrity, name).toMatch(/^sha512-/);
    }
  });

  it("asks for exact versions only", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<
      string,
      Record<string, string>
    >;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it("runs the README's test command in CI", () => {
    expect(read(".ci/run")).toContain("exec npm test\n");
    expect(read("README.md")).toContain("npm test");
  });

  it("gives the build in its Dockerfile all that the build reads", () => {
    const scripts = readdirSync(join(ROOT, "scripts")).filter((name) => name.startsWith("build"));
    const inRoot = /\bjoin\(root, "([^"]+)"/g;
    const wanted = scripts.flatMap((name) => [...read(`scripts/${name}`).matchAll(inRoot)].map(([, path]) => path!));
    const copied = read("Dockerfile")
      .split("\n")
      .flatMap((line) => (/^COPY (?!--)(.*) \S+$/.exec(line)?.[1] ?? "").split(" "))
      .filter((path) => path !== "");
    const allowed = read(".dockerignore").split("\n");
    for (const path of copied) expect(allowed).toContain(`!${path}`);
    const made = ["dist", "node_modules"];
    const isThere = (path: string): boolean =>
      [...copied, ...made].some((given) => path === given || path.startsWith(`${given}/`));
    expect(wanted.filter((path) => !isThere(path))).toEqual([]);
  });

  it("needs no install script", () => {
    expect(read(".npmrc")).toContain("ignore-scripts=true");
  });

  it("has a list of agents that matches their folders", () => {
    expect(() =>
      execFileSync(process.execPath, [join(ROOT, "scripts/gen-agents.mjs"), "--check"], { stdio: "pipe" }),
    ).not.toThrow();
  });
});
