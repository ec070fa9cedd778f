/** Real layouts with one request in several files: it is billed once. */
import { describe, expect, it } from "vitest";
import { tempHome, type TempHome } from "../../../test/support/temp-home.ts";
import type { CostExplanation } from "../../core/cost.ts";
import { clientOf } from "../../../test/support/made-agent.ts";

const PROJECT = "projects/-home-user-dev";
const [PARENT, FORK, RESUMED] = ["aaaaaaaa", "bbbbbbbb", "cccccccc"].map(
  (start) => `${start}-2222-4333-8444-555555555555`,
) as [string, string, string];

let uuids = 0;

interface RecordFields {
  session?: string;
  at: string;
  parent?: string;
  [field: string]: unknown;
}

function record({ session = PARENT, at, parent, ...rest }: RecordFields): Record<string, unknown> {
  const uuid = `${String(++uuids).padStart(8, "0")}-0000-4000-8000-000000000000`;
  return {
    parentUuid: parent ?? null,
    isSidechain: false,
    sessionId: session,
    cwd: "/home/user/dev",
    gitBranch: "main",
    uuid,
    timestamp: `2026-05-01T10:${at}Z`,
    ...rest,
  };
}

function prompt(at: string, text: string, rest: object = {}): Record<string, unknown> {
  return record({ at, type: "user", message: { role: "user", content: text }, ...rest });
}

function reply(at: string, id: string, rest: object = {}): Record<string, unknown> {
  return record({
    at,
    type: "assistant",
    requestId: `req_${id}`,
    message: {
      id,
      role: "assistant",
      model: "claude-opus-5",
      content: [{ type: "text", text: "ok" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 10, output_tokens: 100 },
    },
    ...rest,
  });
}

function write(home: TempHome, name: string, records: readonly object[], config = ".claude"): void {
  home.write(`${config}/${PROJECT}/${name}.jsonl`, records.map((each) => `${JSON.stringify(each)}\n`).join(""));
}

/** Which session pays for which reply, and which hold copies. */
async function bill(home: TempHome): Promise<{ billed: Record<string, string>; dropped: string[]; requests: number }> {
  const { requests, dropped, summary }: CostExplanation = await clientOf(home.path).sessions.explainCost();
  expect(requests.length).toBe(summary.requestCount);
  return {
    billed: Object.fromEntries(requests.map(({ key, session }) => [key, session.slice(7, 15)])),
    dropped: dropped.map(({ key, session, owner }) => `${key} in ${session.slice(7, 15)} is ${owner.slice(7, 15)}'s`),
    requests: requests.length,
  };
}

const CHAIN = [prompt("00:00", "hello"), reply("00:05", "msg_1"), prompt("01:00", "more"), reply("01:05", "msg_2")];
const PARENT_FILE = [{ type: "queue-operation", timestamp: "2026-05-01T09:59:59Z", sessionId: PARENT }, ...CHAIN];

describe("a fork", () => {
  const forked = [
    { type: "queue-operation", timestamp: "2026-05-01T11:00:00Z", sessionId: FORK },
    ...CHAIN.map((each) => ({ ...each, sessionId: FORK })),
    prompt("30:00", "other way", { session: FORK }),
    reply("30:05", "msg_3", { session: FORK }),
  ];

  it("pays only for its own requests", async () => {
    const home = tempHome();
    write(home, PARENT, PARENT_FILE);
    write(home, FORK, forked);
    expect(await bill(home)).toMatchObject({
      billed: { msg_1: "aaaaaaaa", msg_2: "aaaaaaaa" },
      dropped: ["msg_1 in bbbbbbbb is aaaaaaaa's", "msg_2 in bbbbbbbb is aaaaaaaa's"],
      requests: 3,
    });
  });

  it("also pays for the copies when the original was deleted", async () => {
    const home = tempHome();
    write(home, FORK, forked);
    expect(await bill(home)).toMatchObject({ billed: { msg_1: "bbbbbbbb", msg_3: "bbbbbbbb" }, dropped: [] });
  });

  it("costs what the list says, and the list adds up to the report", async () => {
    const home = tempHome();
    write(home, PARENT, PARENT_FILE);
    write(home, FORK, forked);
    const { sessions } = clientOf(home.path);
    const rows = await sessions.list("claude");
    const total = (await sessions.totalCost()).totalUsd;
    expect(rows.map((row) => [row.sessionId, row.forkedFrom])).toEqual([
      [FORK, PARENT],
      [PARENT, undefined],
    ]);
    expect(rows.reduce((sum, row) => sum + row.cost!.totalUsd, 0)).toBeCloseTo(total, 9);
  });
});

describe("resuming by copy", () => {
  it("leaves the earlier requests with the session that made them", async () => {
    const home = tempHome();
    write(home, PARENT, CHAIN);
    // 1.0.85 and older: copied records get new uuids and dates, and no request ids.
    const copied = CHAIN.map((each, index) => {
      const { requestId: _, ...rest } = each;
      return {
        ...rest,
        sessionId: RESUMED,
        uuid: `dddddddd-0000-4000-8000-00000000000${index}`,
        timestamp: "2026-05-02T10:00:00Z",
      };
    });
    write(home, RESUMED, [...copied, reply("59:00", "msg_9", { session: RESUMED, timestamp: "2026-05-02T10:00:30Z" })]);
    expect(await bill(home)).toEqual({
      billed: { msg_1: "aaaaaaaa", msg_2: "aaaaaaaa", msg_9: "cccccccc" },
      dropped: ["msg_1 in cccccccc is aaaaaaaa's", "msg_2 in cccccccc is aaaaaaaa's"],
      requests: 3,
    });
  });
});

describe("a sub-agent", () => {
  it("is billed to its parent, once, shown separately", async () => {
    const home = tempHome();
    write(home, PARENT, PARENT_FILE);
    const helper = { isSidechain: true, agentId: "a1b2" };
    write(home, `${PARENT}/subagents/agent-a1b2`, [
      prompt("00:06", "find it", helper),
      reply("00:09", "msg_h", helper),
    ]);
    expect(await bill(home)).toMatchObject({ billed: { msg_h: "aaaaaaaa" }, requests: 3 });
    const [row] = await clientOf(home.path).sessions.list("claude");
    expect(row!.cost).toMatchObject({ outputTokens: 300, subagents: { outputTokens: 100 } });
  });

  it("that replays its parent's reply is not billed for it", async () => {
    const home = tempHome();
    write(home, PARENT, PARENT_FILE);
    const helper = { isSidechain: true, agentId: "a1b2" };
    write(home, `${PARENT}/subagents/agent-a1b2`, [reply("00:05", "msg_1", { ...helper, requestId: "req_other" })]);
    expect(await bill(home)).toEqual({ billed: { msg_1: "aaaaaaaa", msg_2: "aaaaaaaa" }, dropped: [], requests: 2 });
  });
});

describe("copies of one session in several homes", () => {
  it("are one session", async () => {
    const home = tempHome();
    write(home, PARENT, PARENT_FILE);
    write(home, PARENT, PARENT_FILE, ".config/claude");
    expect(await bill(home)).toMatchObject({ requests: 2, dropped: [] });
  });

  it("under another name are billed to the older one", async () => {
    const home = tempHome();
    write(home, PARENT, PARENT_FILE);
    write(
      home,
      FORK,
      PARENT_FILE.map((each) => ({ ...each, sessionId: FORK })),
      ".config/claude",
    );
    const { billed, dropped } = await bill(home);
    expect(billed).toEqual({ msg_1: "aaaaaaaa", msg_2: "aaaaaaaa" });
    expect(dropped).toHaveLength(2);
  });
});

describe("the answer", () => {
  it("is the same whichever file is read first", async () => {
    const bills = [];
    for (const [first, second] of [
      [PARENT, FORK],
      [FORK, PARENT],
    ] as const) {
      const home = tempHome();
      write(home, first, CHAIN);
      write(
        home,
        second,
        CHAIN.map((each) => ({ ...each, sessionId: second })),
      );
      bills.push((await bill(home)).billed);
    }
    expect(bills[0]).toEqual({ msg_1: "aaaaaaaa", msg_2: "aaaaaaaa" });
    expect(bills[1]).toEqual(bills[0]);
  });
});
