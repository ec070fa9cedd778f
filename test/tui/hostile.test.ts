/** Sessions that attack the user's terminal through the terminal interface. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestHome } from "../runner/support/sessions.ts";
import { Tui } from "./support/tui.ts";

/** A title with commands, clipboard text, queries, another character set, an end without a start. */
const ATTACK = [
  String.raw`\033]0;evil\033[31m\033]52;c;cHduZWQ=\007`,
  String.raw`\033]2;ti\033[2Jtle\007`,
  String.raw`\033]52;c;cHduZWQ=\007`,
  String.raw`\033[6n\033[c\033]10;?\007\033P$qm\033\\`,
  String.raw`\033(0\016\033c\033[?1049h\033[?1000h`,
  String.raw`\302\233\061m\342\200\256`,
].join("");

test("the list shows hostile titles, names and messages as text, and passes no sequence of theirs", async () => {
  const home = new TestHome();
  const id = await home.spawn(`while :; do printf '${ATTACK}'; sleep 0.2; done`);
  const body = JSON.stringify({
    state: "waiting",
    message: "ask\u001b]52;c;cHduZWQ=\u0007\u202eme",
    source: "hook",
    at: new Date().toISOString(),
  });
  await home.ask(id, { method: "POST", path: "/hook", body, headers: { "content-type": "application/json" } });
  const statuses = join(home.home, ".claude-sessions");
  mkdirSync(statuses, { recursive: true });
  const status = {
    tmux_session: "x\u001b[2J",
    status: "working",
    message: "\u001b]52;c;cHduZWQ=\u0007",
    cwd: "/tmp\u001b[31m",
  };
  writeFileSync(join(statuses, "x.json"), JSON.stringify({ ...status, timestamp: Math.floor(Date.now() / 1000) }));
  const tui = new Tui(home.home);
  await tui.shows(/ask/);
  // The answers to its queries, which it echoes.
  await tui.shows(/\^\[\[1;\d+R/);
  expect(tui.written).not.toContain("cHduZWQ=\x07");
  expect(tui.written).not.toContain("\x1b]52;");
  expect(tui.written).not.toMatch(/\x1b\]10;\?|\x1b\[6n|\x1bc/);
  expect(Buffer.from(tui.written, "latin1").toString("utf8")).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u009b]/);
  expect(await tui.detach()).toBe(0);
});
