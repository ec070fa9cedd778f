import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CliResult } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import { warmCli } from "../support/warm-cli.ts";

/** Runs `amux upgrade` with this answer from npm. */
async function upgrade(npm: string, ...args: string[]): Promise<CliResult & { isAsked: boolean }> {
  const home = tempHome();
  const asked = join(home.path, "asked");
  chmodSync(home.write("bin/npm", `#!/bin/sh\necho "$@" > '${asked}'\n${npm}\n`), 0o755);
  const vars = { PATH: `${join(home.path, "bin")}:/usr/bin:/bin` };
  return { ...(await warmCli(["upgrade", ...args], { home: home.path, vars })), isAsked: existsSync(asked) };
}

describe("amux upgrade", () => {
  it("says how to upgrade, without a network request", async () => {
    const { code, stdout, isAsked } = await upgrade("exit 1");
    expect([code, isAsked]).toEqual([0, false]);
    expect(stdout).toContain("npm install --global amux@latest");
  });

  it("reports a newer version with --check", async () => {
    const { code, stdout } = await upgrade(`echo '"99.0.0"'`, "--check");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^amux 99\.0\.0 is out; this is \d/);
    const json = await upgrade(`echo '"99.0.0"'`, "--check", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ newest: "99.0.0" });
  });

  it("never suggests an older version", async () => {
    const { code, stdout } = await upgrade(`echo '"0.0.1"'`, "--check");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^amux \S+ is newer than npm's, which is 0\.0\.1\.\n$/);
  });

  it("says what to try when npm does not know", async () => {
    const { code, stderr } = await upgrade("exit 1", "--check");
    expect([code, stderr]).toEqual([
      7,
      "amux: npm did not return the newest version of amux. Try: npm view amux version\n",
    ]);
  });
});
