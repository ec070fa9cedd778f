import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AttentionItem } from "../../src/protocol/daemon-api.ts";
import { warmCli } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { AgentMachine } from "./support/agent-machine.ts";

it("two running sessions that edit the same file are marked in the list and the attention list, until one ends", async () => {
  const test = new AgentMachine();
  const cwd = test.project("shop");
  writeFileSync(join(cwd, "a.txt"), "one\n");
  execFileSync("git", ["init", "-q"], { cwd });
  const keys = [test.old(1, "Fix the tax", cwd), test.old(2, "Round the tax", cwd)];
  await test.start();
  const ids = await waitFor("both rows", async () => {
    const rows = await test.sessions();
    const found = keys.flatMap((key) => rows.find(({ resume_key }) => resume_key === key)?.id ?? []);
    return found.length === 2 ? found : undefined;
  });
  for (const id of ids) await test.data("POST", `/v1/sessions/${id}/resume`);
  for (const [at, key] of keys.entries()) edit(key, at);
  const attention = (): Promise<AttentionItem[]> => test.data<AttentionItem[]>("GET", "/v1/attention");
  const item = await waitFor("the conflict", async () =>
    (await attention()).find(({ reason }) => reason === "conflict"),
  );
  expect(item).toMatchObject({ text: "Both edit the same lines of a.txt.", agent: "" });
  expect(new Set(item.sessions)).toEqual(new Set(ids));
  const options = { home: test.userHome, vars: test.vars };
  const listed = JSON.parse((await warmCli(["ls", "--json"], options)).stdout) as {
    id: string;
    conflicts?: object[];
  }[];
  expect(listed.find(({ id }) => id === ids[0])?.conflicts).toEqual([
    { with: ids[1], level: "lines", files: ["a.txt"], count: 1 },
  ]);
  expect((await warmCli(["ls"], options)).stdout).toContain("conflict with");
  expect((await warmCli(["attention"], options)).stdout).toContain("Both edit the same lines of a.txt.");
  await test.data("POST", `/v1/sessions/${item.session_id}/snooze`, { seconds: 3600 });
  await waitFor("the snooze", async () => !(await attention()).some(({ reason }) => reason === "conflict"));
  expect((await warmCli(["snooze", item.session_id, "--off"], options)).code).toBe(0);
  await waitFor("its end", async () => (await attention()).some(({ reason }) => reason === "conflict"));
  await test.ask("POST", `/v1/sessions/${ids[1]!}/kill`);
  await waitFor("no conflict", async () => !(await attention()).some(({ reason }) => reason === "conflict"));

  /** As Claude Code records an edit. */
  function edit(key: string, at: number): void {
    const path = join(test.userHome, ".claude/projects", cwd.replace(/[^A-Za-z0-9]/g, "-"), `${key}.jsonl`);
    const last = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)!) as { uuid?: string };
    const input = { file_path: join(cwd, "a.txt"), old_string: "the first line", new_string: `the line number ${at}` };
    const content = [{ type: "tool_use", id: `toolu_${at}`, name: "Edit", input }];
    const common = { sessionId: key, cwd, version: "2.1.0", timestamp: new Date().toISOString() };
    const records = [
      {
        type: "assistant",
        uuid: `edit-${at}`,
        parentUuid: last.uuid ?? null,
        ...common,
        message: { id: `msg_${at}`, type: "message", role: "assistant", model: "claude-x", content },
      },
      {
        type: "user",
        uuid: `result-${at}`,
        parentUuid: `edit-${at}`,
        ...common,
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${at}`, content: "done" }] },
      },
    ];
    appendFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }
});
