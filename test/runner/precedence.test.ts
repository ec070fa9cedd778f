/** Who only prints lets those go first who type. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "./support/wait-for.ts";

const hasGroups = existsSync("/proc/self/autogroup");

test.runIf(hasGroups)("a flood lowers its runner's share of the processor, and its end gives it back", async () => {
  const home = new TestHome();
  const id = await home.spawn("read x; yes & read x; kill $!; exec cat");
  const { runner_pid } = await home.meta(id);
  const group = (): string => readFileSync(`/proc/${runner_pid}/autogroup`, "utf8").trim();
  expect(group()).toMatch(/ nice 0$/);
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await waitFor("the runner to step back", () => group().endsWith(" nice 5"));
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await waitFor("its share to be given back", () => group().endsWith(" nice 0"));
});
