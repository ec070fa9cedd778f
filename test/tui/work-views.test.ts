/** A session's work: its repository and pull request, tasks, projects. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findTaskConfig } from "../../src/status/tasks/task-config.ts";
import { programsOf } from "../../src/status/tasks/task-service.ts";
import { TrustFile } from "../../src/status/trust.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { Tui } from "./support/tui.ts";

const PULL_REQUEST = {
  number: 42,
  title: "Log in with a key",
  url: "https://example.org/shop/pull/42",
  state: "OPEN",
  isDraft: true,
  mergeable: "CONFLICTING",
  labels: [{ name: "feature" }],
  changedFiles: 3,
  additions: 120,
  deletions: 7,
  reviewDecision: "CHANGES_REQUESTED",
  reviews: [
    {
      author: { login: "ann" },
      state: "CHANGES_REQUESTED",
      body: "Please no \u001b[2Jtricks.",
      submittedAt: "2026-01-02T10:00:00Z",
    },
  ],
  comments: [{ author: { login: "bob" }, body: "When will it land?", createdAt: "2026-01-01T10:00:00Z" }],
  statusCheckRollup: [
    { name: "build", status: "COMPLETED", conclusion: "SUCCESS" },
    { name: "lint", status: "COMPLETED", conclusion: "FAILURE" },
    { context: "deploy", state: "PENDING" },
  ],
};

/** Stands in for `gh`, which calls a service. */
function writeGh(home: TestHome): string {
  const directory = join(home.home, "bin");
  mkdirSync(directory);
  const script = `#!/bin/sh
case "$2 $4" in
  "diff never") printf 'diff --git a/x b/x\\n+from the pull request\\n' ;;
  "view number") echo '{"number": 42}' ;;
  *) cat <<'END'
${JSON.stringify(PULL_REQUEST)}
END
esac
`;
  writeFileSync(join(directory, "gh"), script);
  chmodSync(join(directory, "gh"), 0o755);
  return `${directory}:${process.env["PATH"] ?? ""}`;
}

function writeProject(home: TestHome): string {
  const directory = join(home.home, "shop");
  mkdirSync(join(directory, ".agent-mux"), { recursive: true });
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: directory, stdio: "pipe" });
  git("init", "-q", "-b", "feature/pbi-2-login");
  git("remote", "add", "origin", "https://user:secret@example.org/shop.git");
  writeFileSync(join(directory, "code.txt"), "one\n");
  git("add", "code.txt");
  git("commit", "-q", "-m", "Begin");
  writeFileSync(join(directory, "code.txt"), "two\n");
  const groups = [
    {
      id: "PBI-1",
      title: "Cart",
      status: "Done",
      tasks: [{ id: "1-1", title: "Add to cart", status: "Done" }],
    },
    {
      id: "PBI-2",
      title: "Login",
      status: "InProgress",
      url: "https://example.org/2",
      tasks: [
        { id: "2-1", title: "Zebra form", status: "Done", assignee: "ann" },
        { id: "2-2", title: "Apple key", status: "InProgress", url: "https://example.org/2-2" },
        { id: "2-3", title: "Mango page", status: "Proposed" },
      ],
    },
  ];
  writeFileSync(join(directory, "provider.sh"), `#!/bin/sh\ncat <<'END'\n${JSON.stringify({ groups })}\nEND\n`);
  chmodSync(join(directory, "provider.sh"), 0o755);
  writeFileSync(join(directory, ".agent-mux/tasks.json"), JSON.stringify({ provider: "./provider.sh" }));
  return directory;
}

function trust(home: TestHome, directory: string): void {
  const env = { home: home.home, platform: process.platform, vars: { AMUX_HOME: home.home } };
  new TrustFile(home.home).trust(programsOf(findTaskConfig(env, directory)!, env)!, new Date());
}

async function opened({ isTrusted = true } = {}): Promise<{ tui: Tui; home: TestHome; directory: string }> {
  const home = new TestHome();
  const PATH = writeGh(home);
  const directory = writeProject(home);
  if (isTrusted) trust(home, directory);
  await home.spawn("exec cat", { name: "shopper", cwd: directory });
  await home.spawn("exec cat", { name: "bystander", cwd: "/" });
  const tui = new Tui(home.home, { cols: 140, rows: 40 }, { PATH });
  await tui.shows("shopper");
  await tui.shows("bystander");
  tui.press("/");
  tui.type("shopper\r");
  await tui.hides("bystander");
  return { tui, home, directory };
}

const at = (tui: Tui, text: string): number => tui.screen().findIndex((line) => line.includes(text));

test("the repository and its pull request: checks, reviews, changes, comments, browser", async () => {
  const { tui } = await opened();
  await tui.shows(/feature\/pbi.* #42/);
  tui.press("G");
  await tui.shows("#42 Log in with a key");
  for (const wanted of [
    /branch +feature\/pbi-2-login/,
    /state +changed/,
    "origin https://example.org/shop.git",
    "open, draft",
    "conflicting",
    "3 files, +120 -7",
    "ann (changes requested)",
    "1 passed, 1 failed, 1 pending",
    "✗ lint",
    "● deploy",
  ])
    await tui.shows(wanted);
  expect(tui.text()).not.toContain("secret");
  tui.press("d");
  await tui.shows("-one");
  await tui.shows("+two");
  tui.press("q", "D");
  await tui.shows("+from the pull request");
  tui.press("q", "c");
  await tui.shows("Please no [2Jtricks.");
  expect(at(tui, "bob")).toBeLessThan(at(tui, "ann"));
  tui.press("q", "o");
  const copied = `\x1b]52;c;${Buffer.from(PULL_REQUEST.url).toString("base64")}\x07`;
  await waitFor("the address on the clipboard", () => tui.written.includes(copied));
  tui.press("q", "q");
  await tui.ended();
});

test("tasks from a project's program are read after the user has trusted it", async () => {
  const { tui, directory } = await opened({ isTrusted: false });
  tui.press("T");
  await tui.shows("come from a program of the project");
  await tui.shows(join(directory, "provider.sh").slice(-20));
  expect(tui.text()).not.toContain("Zebra form");
  tui.press("tab", "enter");
  await tui.shows("Zebra form");
  tui.press("q", "q");
  await tui.ended();
});

test("the project's tasks beside the list can be folded, filtered, sorted and found with keys", async () => {
  const { tui } = await opened();
  tui.press("T");
  await tui.shows("▶ PBI-2 Login (branch pattern)");
  await tui.shows(/▾ PBI-2 Login +1\/3 +InProgress/);
  await tui.shows("Zebra form");
  await tui.shows("@ann");
  tui.press("tab", "J", "space");
  await tui.hides("Apple key");
  await tui.shows("▸ PBI-2 Login");
  tui.press("space");
  await tui.shows("Apple key");
  tui.press("s", "s");
  await tui.shows("by name");
  await waitFor(
    "the order by name",
    () => at(tui, "Apple key") < at(tui, "Mango page") && at(tui, "Mango page") < at(tui, "Zebra form"),
  );
  tui.press("S");
  await tui.shows("reversed");
  await waitFor("the other order", () => at(tui, "Zebra form") < at(tui, "Apple key"));
  tui.press("f");
  await tui.shows("tasks · active");
  await tui.hides("Zebra form");
  await tui.shows("Apple key");
  tui.press("f");
  await tui.shows("incomplete");
  await tui.shows("Mango page");
  tui.press("f", "e");
  await tui.hides("Mango page");
  await tui.shows("▸ PBI-1 Cart");
  tui.press("e");
  await tui.shows("Mango page");
  tui.press("g", "a");
  await waitFor("one group unfolded", () => (tui.text().match(/▸/g) ?? []).length === 1);
  tui.press("a", "/");
  tui.type("apple\r");
  tui.press("enter");
  const copied = `\x1b]52;c;${Buffer.from("https://example.org/2-2").toString("base64")}\x07`;
  await waitFor("the task's address on the clipboard", () => tui.written.includes(copied));
  tui.press("r", "G", "k", "n", "N", "K", "j");
  await tui.shows("Apple key");
  // Back to the list and the preview: only one of them shows.
  tui.press("tab", "p");
  await tui.hides("Apple key");
  tui.press("0", "q");
  await tui.ended();
});

test("projects: current work, events, zones and filters, and back to their sessions", async () => {
  const { tui, directory } = await opened();
  tui.press("0", "P");
  await tui.shows(/shop +~\/shop/);
  await tui.shows(/feature\/pbi-2-login ● #42/);
  await tui.shows(/2\/4 +▶ PBI-2 Login/);
  await tui.shows("No events yet.");
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qam", "Change it"], { cwd: directory });
  // Git is read again after ten seconds at most.
  await waitFor("the commit", () => {
    tui.press("r");
    return tui.text().includes("Change it");
  });
  tui.press("t");
  await tui.shows("the last day · commit");
  tui.press("t");
  await tui.shows("task completed");
  await tui.shows("No events yet.");
  for (let turn = 0; turn < 6; turn++) tui.press("t");
  await tui.shows("Change it");
  tui.press("G", "space");
  await tui.shows(/○ shopper/);
  tui.press("f");
  await tui.shows("the last day · shop");
  tui.press("tab", "j", "tab", "enter");
  await tui.hides("the last day");
  await tui.shows("shopper");
  await tui.shows("~/shop");
  expect(tui.text()).not.toContain("bystander");
  tui.press("P");
  await tui.shows(/2\/4 +▶ PBI-2 Login/);
  tui.press("i");
  await tui.shows("Start a session");
  tui.press("esc");
  await tui.hides("Start a session");
  tui.press("P");
  await tui.hides("the last day");
  tui.press("q");
  await tui.ended();
});
