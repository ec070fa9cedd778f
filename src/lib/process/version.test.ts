import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { printedVersion, versionOf } from "./version.ts";

/**
 * Written by another process: programs that other threads start meanwhile would inherit a file that is open here, and Linux runs
 * no file that is open for writing.
 */
function shellScript(text: string): string {
  const path = join(tempHome().path, "agent");
  execFileSync("sh", ["-c", 'cat > "$0" && chmod 755 "$0"', path], { input: `#!/bin/sh\n${text}` });
  return path;
}

it("a program that reads its input to the end tells its version, too", async () => {
  const program = shellScript("cat\necho agent 1.2.3\necho advice >&2\n");
  expect(await printedVersion(program)).toEqual({ stdout: "agent 1.2.3\n", stderr: "advice\n" });
  expect(await versionOf(program)).toBe("1.2.3");
});

it("a program that fails has no version", async () => {
  const program = shellScript("echo 1.2.3\nexit 1\n");
  expect(await versionOf(program)).toBeUndefined();
  expect(await versionOf(`${program}-missing`)).toBeUndefined();
});

it("a program that neither answers nor ends on SIGTERM is not waited for", async () => {
  const program = shellScript("trap '' TERM\nexec sleep 100000\n");
  expect(await printedVersion(program, undefined, 500)).toBeUndefined();
});
