import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SessionSummary } from "../../src/core/session.ts";
import { warmCli } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine, rowWith } from "./support/agent-machine.ts";

it("a conversation whose file is deleted while the daemon runs is marked, and restored before it is resumed", async () => {
  const test = new AgentMachine();
  const cwd = test.project("shop");
  const key = test.old(1, "Add a health route", cwd);
  const path = join(test.userHome, ".claude/projects", cwd.replace(/[^A-Za-z0-9]/g, "-"), `${key}.jsonl`);
  await warmCli(["vault", "enable"], { home: test.userHome, vars: test.vars });
  await test.start();
  const row = await rowWith(test, key);
  expect(row.in_vault).toBeUndefined();
  // While an agent runs, changes of its store are noticed at once, otherwise at the next scan.
  await test.agent(test.project("other"));
  rmSync(path);
  await waitFor("the mark", async () => (await rowWith(test, key)).in_vault === true);
  await test.data("POST", `/v1/sessions/${row.id}/resume`);
  expect(existsSync(path)).toBe(true);
});

it("a conversation that only the vault has keeps its row, is restored by hand, and before it is resumed", async () => {
  const test = new AgentMachine();
  const cwd = test.project("shop");
  const [first, second] = [test.old(1, "Add a health route", cwd), test.old(2, "Rename it", cwd)];
  const folder = join(test.userHome, ".claude/projects", cwd.replace(/[^A-Za-z0-9]/g, "-"));
  const paths = [first, second].map((key) => join(folder, `${key}.jsonl`));
  await warmCli(["vault", "enable"], { home: test.userHome, vars: test.vars });
  for (const path of paths) rmSync(path);
  await test.start();
  const row = await rowWith(test, first);
  const listed = (await test.data("GET", "/v1/history")) as SessionSummary[];
  expect(listed.map(({ inVault }) => inVault)).toEqual([true, true]);

  expect(await test.data("POST", `/v1/history/claude:${second}/restore`)).toEqual({ restored: 1 });
  expect(paths.map((path) => existsSync(path))).toEqual([false, true]);
  expect(await test.data("POST", `/v1/history/claude:${second}/restore`)).toEqual({ restored: 0 });

  await test.data("POST", `/v1/sessions/${row.id}/resume`);
  expect(existsSync(paths[0]!)).toBe(true);
  await waitFor("its start", async () =>
    (await test.ask("GET", `/v1/sessions/${row.id}/text`)).text.includes(`resumed ${first}`),
  );
});
