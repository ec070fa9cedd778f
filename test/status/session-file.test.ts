/** A session's status file holds its runner's verdict, under the session's name. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { StatusStore } from "../../src/status/status-store.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";

function storeOf({ home }: TestHome): StatusStore {
  return new StatusStore(join(home, ".claude-sessions"));
}

async function says(home: TestHome, name: string, fields: object): Promise<void> {
  const store = storeOf(home);
  await waitFor(`${name} to say ${JSON.stringify(fields)}`, () => {
    const file = store.read(name);
    return Object.entries(fields).every(([field, value]) => file?.[field] === value);
  });
}

const put = (home: TestHome, id: string, path: string, body: string): Promise<unknown> =>
  home.ask(id, { method: "PUT", path, body });
const hook = (home: TestHome, id: string, body: object): Promise<unknown> =>
  home.ask(id, { method: "POST", path: "/hook", body: JSON.stringify(body) });

it("reports of a script or the terminal reach the status file, not only those of hooks", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { slug: "shop" });
  expect(storeOf(home).list(), "nobody has said anything").toEqual([]);
  await hook(home, id, { agent: "claude", state: "done", event: "Stop", session: "s", tool: "Bash" });
  expect(storeOf(home).read("shop")).toMatchObject({
    tmux_session: "shop",
    amux_session: id,
    status: "done",
    cwd: home.home,
    session_id: "s",
    metrics: { tools: { Bash: 1 } },
  });
  await hook(home, id, { state: "waiting", source: "agent", event: "amux status set", message: "Which one?" });
  await says(home, "shop", { status: "waiting", message: "Which one?" });
  await put(home, id, "/status", JSON.stringify({ label: "", working: true }));
  await says(home, "shop", { status: "working", message: "" });
  await home.client.kill(id);
  await says(home, "shop", { status: "offline" });
});

it("a failed request of Droid is an error, although its hook reports a normal end", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { slug: "shop", kind: "droid" });
  const transcript = join(home.home, "s.jsonl");
  const end = { agent: "droid", state: "done", event: "Stop", session: "s", transcript };
  const record = (message: object): string =>
    `${JSON.stringify({ type: "message", timestamp: new Date().toISOString(), message })}\n`;
  const failed = { role: "user", content: [{ type: "text", text: "Error: 400 No.\n\nTips" }], visibility: "user_only" };
  const called = { role: "user", content: [], visibility: "user_only", hookEventName: "Stop" };
  writeFileSync(transcript, record({ role: "user", content: "Hello" }) + record(failed) + record(called));
  await hook(home, id, end);
  await says(home, "shop", { status: "error", message: "Error: 400 No." });
  writeFileSync(transcript, record({ role: "assistant", content: "Hello to you." }) + record(called));
  await hook(home, id, { ...end, state: "working", event: "UserPromptSubmit" });
  await hook(home, id, end);
  await says(home, "shop", { status: "done" });
});

it("two sessions with one name have a file each, and a renamed one takes its file along", async () => {
  const home = new TestHome();
  const first = await home.spawn("exec cat", { slug: "shop", kind: "shell" });
  const second = await home.spawn("exec cat", { slug: "shop", kind: "claude" });
  for (const id of [first, second]) await hook(home, id, { agent: "claude", state: "working", message: id });
  await says(home, "shop", { amux_session: first, message: first });
  await says(home, `shop-${second.slice("sess-".length)}`, { amux_session: second, message: second });
  storeOf(home).update("shop", (file) => ({ ...file, x_theirs: 7 }));
  await put(home, first, "/slug", "store");
  await says(home, "store", { amux_session: first, status: "working", x_theirs: 7, tmux_session: "store" });
  expect(readdirSync(join(home.home, ".claude-sessions")).filter((name) => name === "shop.json")).toEqual([]);
});

it("a shell without reports has no status file", async () => {
  const home = new TestHome();
  const id = await home.spawn("printf '\\033]133;C\\007'; exec cat");
  await waitFor("its mark", async () => (await home.meta(id)).state?.source === "prompt");
  await home.client.kill(id);
  await home.waitForEnd(id);
  expect(storeOf(home).list()).toEqual([]);
});
