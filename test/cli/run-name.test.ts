import { expect, test } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { warmCli } from "../support/warm-cli.ts";

test("a running session's name is not given to another one; an ended session's is", async () => {
  const home = new TestHome();
  const options = { home: home.home, vars: { AMUX_HOME: home.home } };
  const run = (script: string) => warmCli(["run", "--name", "build", "-d", "--", "sh", "-c", script], options);
  const id = await home.spawn("exit 0", { name: "build" });
  await home.waitForEnd(id);
  const first = await run("exec cat");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const second = await run("exec cat");
  expect(second.code).toBe(2);
  expect(second.stderr).toContain(`A running session is called "build" (${first.stdout.trim()})`);
  await home.client.kill(first.stdout.trim());
});
