import { describe, expect, it } from "vitest";
import { clientOf, madeAgent, usage } from "../../test/support/made-agent.ts";
import { says, session } from "../../test/support/made-conversations.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { createClient, type AgentMuxClient } from "../index.ts";

describe("a search hit", () => {
  const talk = [says("user", "needle"), says("assistant", "yes"), says("user", "hay"), says("assistant", "no")];
  const made = (): AgentMuxClient =>
    clientOf(
      tempHome().path,
      madeAgent("made", [
        { ...session("a", ...talk), usage: [usage("a", { reportedMicroUsd: 1_500_000 })] },
        session("b", says("user", "needle")),
      ]),
    );

  it("is counted and priced as in a list", async () => {
    const client = made();
    const hits = await client.sessions.search({ text: "needle" });
    const rows = new Map((await client.sessions.list("made")).map((row) => [row.sessionId, row]));
    expect(hits.map(({ sessionId }) => sessionId).sort()).toEqual(["a", "b"]);
    for (const hit of hits)
      expect(hit).toMatchObject({ ...rows.get(hit.sessionId), relevanceScore: expect.any(Number) });
    expect(hits.find(({ sessionId }) => sessionId === "a")).toMatchObject({
      turnCount: 2,
      messageCount: 4,
      cost: { totalUsd: 1.5 },
    });
    expect(hits.every(({ partial }) => partial === undefined)).toBe(true);
  });

  it("is not counted when only the sessions are wanted", async () => {
    const client = made();
    for (const how of [{ counts: false }, { matches: false }]) {
      for (const hit of await client.sessions.search({ text: "needle", ...how }))
        expect(hit).toMatchObject({ partial: true, messageCount: 0 });
    }
  });

  it("says how much could not be read", async () => {
    const home = tempHome();
    home.write(".openclaw/sessions/cli/broken.json", "{");
    // Read for sessions, and again for notes.
    home.write(".hermes/state.db", "this is no database ".repeat(200));
    const skipped: number[] = [];
    const client = createClient({ env: { home: home.path, platform: "linux", vars: {} } });
    expect(await client.sessions.search({ text: "needle", onSkipped: (files) => skipped.push(files) })).toEqual([]);
    expect(skipped).toEqual([2]);
  });
});
