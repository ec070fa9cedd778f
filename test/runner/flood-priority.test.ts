/** A session that only prints yields to those that are typed into. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CliTerminal } from "./support/cli-terminal.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { needs } from "../support/needs.ts";

const hasGroups = existsSync("/proc/self/autogroup");

test(
  "a flood lowers its runner's share of the CPU, and its end restores it",
  needs(hasGroups, "autogroups of the kernel"),
  async () => {
    const home = new TestHome();
    const id = await home.spawn("read x; yes & read x; kill $!; exec cat");
    const { runner_pid } = await home.meta(id);
    const group = (): string => readFileSync(`/proc/${runner_pid}/autogroup`, "utf8").trim();
    expect(group()).toMatch(/ nice 0$/);
    await home.ask(id, { method: "POST", path: "/input", body: "\r" });
    await waitFor("the runner to step back", () => group().endsWith(" nice 5"));
    await home.ask(id, { method: "POST", path: "/input", body: "\r" });
    await waitFor("its share to be given back", () => group().endsWith(" nice 0"));
  },
);

test("an attached session keeps its share of the CPU", needs(hasGroups, "autogroups of the kernel"), async () => {
  const home = new TestHome();
  const id = await home.spawn("exec yes");
  const { runner_pid } = await home.meta(id);
  const group = (): string => readFileSync(`/proc/${runner_pid}/autogroup`, "utf8").trim();
  await waitFor("the runner to step back", () => group().endsWith(" nice 5"));
  const terminal = new CliTerminal(["attach", id], home.home);
  await waitFor("its share to be given back", () => group().endsWith(" nice 0"));
  terminal.type("\x02d");
  expect(await terminal.ended()).toBe(0);
  await waitFor("the runner to step back again", () => group().endsWith(" nice 5"));
});
