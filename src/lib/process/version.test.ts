import { chmodSync } from "node:fs";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { printedVersion, versionOf } from "./version.ts";

it("a program that reads its input to the end tells its version, too", async () => {
  const program = tempHome().write("agent", "#!/bin/sh\ncat\necho agent 1.2.3\necho advice >&2\n");
  chmodSync(program, 0o755);
  expect(await printedVersion(program)).toEqual({ stdout: "agent 1.2.3\n", stderr: "advice\n" });
  expect(await versionOf(program)).toBe("1.2.3");
});

it("a program that fails has no version", async () => {
  const program = tempHome().write("agent", "#!/bin/sh\necho 1.2.3\nexit 1\n");
  chmodSync(program, 0o755);
  expect(await versionOf(program)).toBeUndefined();
  expect(await versionOf(`${program}-missing`)).toBeUndefined();
});

it("a program that neither answers nor ends on SIGTERM is not waited for", async () => {
  const program = tempHome().write("agent", "#!/bin/sh\ntrap '' TERM\nexec sleep 100000\n");
  chmodSync(program, 0o755);
  expect(await printedVersion(program, undefined, 500)).toBeUndefined();
});
