/** A session is in one state: every command, the daemon, the page and the terminal interface agree. */
import { afterEach, describe, expect, it } from "vitest";
import { askRunner } from "../../src/client/runner-http.ts";
import { knownSessions } from "../../src/client/session-list.ts";
import type { AttentionItem, SessionDetails } from "../../src/protocol/daemon-api.ts";
import { viewOfSession } from "../../src/status/runner-view.ts";
import { rowOfRunner } from "../../src/tui/data/row.ts";
import { dotOf, type Dot } from "../../src/web/ui/dot.ts";
import { sharedDaemon } from "../daemon/support/shared-daemon.ts";
import type { TestDaemon } from "../daemon/support/test-daemon.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";

interface Told {
  id?: string;
  ref?: string;
  state: string;
  since: string;
}

async function amux(test: TestDaemon, ...args: string[]): Promise<string> {
  return (await warmCli(args, { home: test.userHome, vars: test.vars })).stdout;
}

async function json<Data>(test: TestDaemon, ...args: string[]): Promise<Data> {
  return warmJson<Data>(args, { home: test.userHome, vars: test.vars });
}

/** The state that each of them shows. */
async function everywhere(test: TestDaemon, id: string): Promise<Record<string, [string, string]>> {
  const [ls, status, one, explained] = await Promise.all([
    json<Told[]>(test, "ls"),
    json<Told[]>(test, "status"),
    json<Told>(test, "status", id),
    json<Told>(test, "explain", id),
  ]);
  const known = knownSessions({ home: test.home }).find(({ meta }) => meta.id === id)!;
  const row = rowOfRunner(known, viewOfSession(known, Date.now()));
  const details = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
  const pair = (told: Told | undefined): [string, string] => [told?.state ?? "", told?.since ?? ""];
  return {
    ls: pair(ls.find((each) => each.id === id)),
    status: pair(status.find((each) => each.ref === id)),
    "status <session>": pair(one),
    explain: pair(explained),
    "the terminal interface": [row.status, new Date(row.sinceMs ?? 0).toISOString()],
    daemon: pair(details.state),
  };
}

/** What the page shows for each state. */
const DOTS: Readonly<Record<string, Dot[]>> = {
  working: ["working"],
  idle: ["steady", "unread"],
  permission: ["needs"],
  waiting: ["needs"],
  error: ["error"],
};

const HOOKS: Readonly<Record<string, object>> = {
  prompt: { state: "working", event: "UserPromptSubmit", begins: true, session: "s" },
  permission: { state: "permission", event: "PermissionRequest", message: "Bash: make", ask: "make", session: "s" },
  allowed: { state: "working", event: "PostToolUse", ask: "make", session: "s" },
  question: { state: "waiting", event: "Notification", message: "Which colour?", session: "s" },
  done: { state: "done", event: "Stop", session: "s" },
};

async function hook(test: TestDaemon, id: string, name: string): Promise<void> {
  const { socket } = test.shim.files(id);
  await askRunner(socket, { method: "POST", path: "/hook", body: JSON.stringify({ source: "hook", ...HOOKS[name] }) });
}

async function said(test: TestDaemon, id: string, status: object): Promise<void> {
  const { socket } = test.shim.files(id);
  await askRunner(socket, { method: "PUT", path: "/status", body: JSON.stringify(status) });
}

/** Waits until the runner has decided and saved it. */
async function judged(test: TestDaemon, id: string, state: string): Promise<void> {
  await waitFor(`the state ${state}`, () => {
    const known = knownSessions({ home: test.home }).find(({ meta }) => meta.id === id);
    return known?.meta.state?.state === state;
  });
}

describe("one state of a session", () => {
  const shared = sharedDaemon();
  afterEach(async () => {
    const test = shared();
    for (const { id } of await test.sessions()) await test.data("POST", `/v1/sessions/${id}/dismiss`);
  });

  it.each<[string, string, (test: TestDaemon, id: string) => Promise<void>]>([
    ["a hook's word", "working", (test, id) => hook(test, id, "prompt")],
    [
      "a hook's word that what it shows has overruled",
      "idle",
      async (test, id) => {
        await hook(test, id, "prompt");
        await said(test, id, { label: "", working: false });
      },
    ],
    [
      "a permission",
      "permission",
      async (test, id) => {
        await hook(test, id, "prompt");
        await hook(test, id, "permission");
      },
    ],
    [
      "a question after the end of a turn",
      "waiting",
      async (test, id) => {
        await hook(test, id, "done");
        await hook(test, id, "question");
      },
    ],
    [
      "an error that the program shows",
      "error",
      async (test, id) => {
        await hook(test, id, "done");
        await said(test, id, { label: "no credit", working: false, error: true });
      },
    ],
  ])("%s is told alike by all who tell it", async (_, state, act) => {
    const test = shared();
    const id = await test.launch("exec cat");
    await act(test, id);
    await judged(test, id, state);
    const told = await everywhere(test, id);
    const [since] = [told["daemon"]?.[1] ?? ""];
    for (const [who, what] of Object.entries(told)) expect([who, ...what]).toEqual([who, state, since]);
    const waits = ["permission", "waiting", "error"].includes(state);
    // The daemon hears of a state, and then asks for the rest.
    await waitFor("its dot and the queue", async () => {
      const queue = await test.data<AttentionItem[]>("GET", "/v1/attention");
      const looks = { isSelected: false, isResuming: false, isActive: false, asks: queue[0]?.reason };
      const shown = dotOf((await test.session(id))!, looks);
      return DOTS[state]!.includes(shown) && queue.length === (waits ? 1 : 0);
    });
    const queues = await Promise.all([
      json<{ ref: string }[]>(test, "attention"),
      test.data<AttentionItem[]>("GET", "/v1/attention"),
    ]);
    const waited = await test.ask("POST", `/v1/sessions/${id}/wait?for=idle&timeout=${state === "working" ? 1 : 30}`);
    expect(waited.status).toBe(state === "working" ? 408 : 200);
    expect([queues[0].length, queues[1].length]).toEqual(waits ? [1, 1] : [0, 0]);
  });

  it("work after a permission counts from the answer, not from the question", async () => {
    const test = shared();
    const id = await test.launch("exec cat");
    await hook(test, id, "prompt");
    await hook(test, id, "permission");
    await judged(test, id, "permission");
    const before = new Date().toISOString();
    await hook(test, id, "allowed");
    await judged(test, id, "working");
    for (const [who, [state, since]] of Object.entries(await everywhere(test, id))) {
      expect([who, state]).toEqual([who, "working"]);
      expect(since >= before, `${who}: ${since}`).toBe(true);
    }
    expect(await amux(test, "explain", id)).toMatch(/by hook \(PostToolUse\)/);
  });

  it("a session lost in the middle of a turn waits for its user, and is explained", async () => {
    const test = shared();
    const id = await test.launch("exec cat");
    await hook(test, id, "prompt");
    await judged(test, id, "working");
    const known = knownSessions({ home: test.home }).find(({ meta }) => meta.id === id)!;
    process.kill(known.meta.runner_pid, "SIGKILL");
    await test.until("its end", id, ({ alive }) => !alive);
    const items = await waitFor("the queue", async () => {
      const queue = await test.data<AttentionItem[]>("GET", "/v1/attention");
      return queue.length > 0 ? queue : undefined;
    });
    expect(items).toMatchObject([{ session_id: id, reason: "error" }]);
    expect(await json(test, "attention")).toMatchObject([{ ref: id, reason: "error" }]);
    expect(await json<Told[]>(test, "ls")).toMatchObject([{ id, state: "lost" }]);
    expect(await amux(test, "explain", id)).toMatch(/lost.*Lost while it was working/);
    await test.kill("SIGKILL");
    await test.start();
    expect(await test.data<AttentionItem[]>("GET", "/v1/attention"), "after a restart of the daemon").toMatchObject([
      { session_id: id, reason: "error" },
    ]);
  });
});
