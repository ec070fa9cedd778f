/** A session has one slug: with and without the daemon, and after both restart. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CliResult } from "../support/run-cli.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { TestDaemon } from "./support/test-daemon.ts";

interface Listed {
  id: string;
  slug: string;
  alive: boolean;
}

it("a slug is assigned at the start, even to sessions that start together, and kept until they are dismissed", async () => {
  const test = new TestDaemon();
  const options = { home: test.userHome, vars: { AMUX_HOME: test.home, SHELL: "/bin/sh" }, cwd: test.userHome };
  const amux = (...args: string[]): Promise<CliResult> => warmCli(args, options);
  const start = async (): Promise<string> => (await amux("run", "-d", "--", "sh")).stdout.trim();
  const ids = await Promise.all([start(), start(), start()]);
  const slugs = async (): Promise<Map<string, string>> =>
    new Map((await warmJson<Listed[]>(["ls", "--json"], options)).map(({ id, slug }) => [slug, id]));
  const before = await slugs();
  expect([...before.keys()].sort()).toEqual(["sh", "sh-2", "sh-3"]);
  expect([...before.values()].sort()).toEqual([...ids].sort());

  await test.start();
  for (const [slug, id] of before) await test.until(`${slug} in the daemon`, id, (session) => session.slug === slug);
  expect(await slugs()).toEqual(before);
  const second = before.get("sh-2")!;
  expect((await amux("send", "sh-2", "echo six times seven is $((6*7))")).code).toBe(0);
  expect((await amux("wait", "sh-2", "is 42", "--for", "regex", "--timeout", "20s")).code).toBe(0);
  expect((await amux("kill", "sh-2")).code).toBe(0);
  expect((await amux("resume", "sh-2", "-d")).code).toBe(0);
  await test.until("the same one", second, ({ slug, alive }) => slug === "sh-2" && alive);

  expect((await amux("dismiss", "sh-2")).code).toBe(0);
  expect((await amux("tail", "sh-2")).code).not.toBe(0);
  const next = (await amux("run", "-d", "--", "sh")).stdout.trim();
  expect((await slugs()).get("sh-2"), "free again").toBe(next);
  await test.until("the daemon's word", next, ({ slug }) => slug === "sh-2");
  expect(readdirSync(join(test.home, "slugs")).sort()).toEqual(["sh", "sh-2", "sh-3"]);
});
