import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { LocalRunners } from "./runners.ts";

it("a pipe in place of a runner's file is not waited for", () => {
  const places = { home: join(tempHome().path, "amux") };
  const { directory, meta } = sessionFiles(places, "sess-apipe001");
  mkdirSync(directory, { recursive: true });
  execFileSync("mkfifo", [meta]);
  expect(new LocalRunners(places).stored("sess-apipe001")).toBeUndefined();
});
