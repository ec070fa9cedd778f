/** Two running sessions that edit the same file, in the terminal interface. */
import { expect, test } from "vitest";
import { writeConflicts } from "../../src/status/conflict-file.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { Tui } from "./support/tui.ts";

test("both rows name the other session, the attention list says which file, and it ends with one of them", async () => {
  const home = new TestHome();
  const first = await home.spawn("exec cat", { name: "writer" });
  const second = await home.spawn("exec cat", { name: "tester" });
  const now = Date.now();
  const files = { files: ["src/tax.ts"], count: 1 };
  writeConflicts(home.home, [
    { id: "conflict-1", sessions: [first, second], level: "lines", ...files, since: now, latest: now },
  ]);
  const tui = new Tui(home.home, { cols: 140, rows: 30 });
  await tui.shows(/writer.*conflict with tester/);
  await tui.shows(/tester.*conflict with writer/);
  tui.press("a");
  await tui.shows("Both edit the same lines of src/tax.ts.");
  tui.press("esc");
  await tui.hides("Both edit");
  await home.client.kill(second);
  await tui.hides("conflict with");
  expect(tui.text()).toContain("writer");
});
