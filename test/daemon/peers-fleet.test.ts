/** One query over several machines; one holds a copy of another's sessions. */
import { describe, expect, it } from "vitest";
import type { FleetCostExplanation, FleetCostSummary } from "../../src/client/daemon-api.ts";
import type { PeerStatus } from "../../src/protocol/peers.ts";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmCli } from "../support/warm-cli.ts";
import { AgentMachine } from "./support/agent-machine.ts";

interface Found {
  machines: { machine: string; error?: string }[];
  partial: boolean;
  hits: { unifiedId: string; machines: string[]; relevanceScore: number }[];
}

describe("all machines", () => {
  it("are searched and priced as one: copies once, missing machines named", async () => {
    const [hub, spoke] = [new AgentMachine(), new AgentMachine()];
    // A synchronised home: both have the first conversation.
    const shop = hub.project("shop");
    hub.old(1, "Polish the copper", shop);
    spoke.old(1, "Polish the copper", shop);
    spoke.old(2, "Copper copper copper: only over there", shop);
    hub.old(3, "Only here", shop);
    await Promise.all([hub.start(), spoke.start()]);
    await hub.data("POST", "/v1/peers", { name: "box", url: `http://127.0.0.1:${spoke.port}`, token: spoke.token });
    await waitFor("the peer", async () => {
      const [status] = await hub.data<PeerStatus[]>("GET", "/v1/peers");
      return status?.state === "connected";
    });

    const found = await hub.data<Found>("GET", "/v1/fleet/search?q=copper");
    expect(found.partial).toBe(false);
    expect(found.machines).toEqual([{ machine: "" }, { machine: "box" }]);
    const held = Object.fromEntries(found.hits.map(({ unifiedId, machines }) => [unifiedId.slice(0, 15), machines]));
    expect(held).toEqual({
      "claude:00000001": ["", "box"],
      "claude:00000002": ["box"],
      "claude:00000003": [""],
    });
    const scores = found.hits.map(({ relevanceScore }) => relevanceScore);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]).toBe(1);

    const cost = await hub.data<FleetCostSummary>("GET", "/v1/fleet/cost");
    expect(cost).toMatchObject({
      partial: false,
      requestCount: 3,
      sessionCount: 3,
      inputTokens: 300,
      outputTokens: 150,
    });
    expect(cost.machines.map(({ machine, requestCount, duplicates }) => [machine, requestCount, duplicates])).toEqual([
      ["", 2, 0],
      ["box", 1, 1],
    ]);
    expect(cost.totalUsd).toBeCloseTo(3 * (100 * 3 + 50 * 15) * 1e-6, 9);

    const explained = await hub.data<FleetCostExplanation>("GET", "/v1/fleet/cost?explain=1&group_by=model");
    expect(explained.summary).toMatchObject({ totalUsd: cost.totalUsd, requestCount: 3, partial: false });
    expect(
      explained.requests.map(({ session, machine, machines, usd, price }) => [
        session.slice(0, 15),
        machine,
        machines,
        usd,
        price?.output,
      ]),
    ).toEqual([
      ["claude:00000001", "", ["", "box"], 0.00105, 15],
      ["claude:00000002", "box", ["box"], 0.00105, 15],
      ["claude:00000003", "", [""], 0.00105, 15],
    ]);
    const one = await warmCli(["cost", "report", "--peers", "--explain", "claude:00000002", "--csv"], {
      home: hub.userHome,
      vars: { AMUX_HOME: hub.home },
    });
    expect(one.stderr).toBe("");
    const [head, line, ...more] = one.stdout.trim().split("\r\n");
    expect([head, line, more.length]).toEqual([
      expect.stringMatching(/,thinking_tokens,machines$/),
      expect.stringMatching(/claude:00000002.*,box$/),
      0,
    ]);
    const none = await hub.ask("GET", "/v1/fleet/cost?explain=1&session=claude:nothing");
    expect(none.error?.code).toBe("not_found");

    const words = new CliTerminal(["cost", "report", "--peers"], hub.home);
    await words.sees("box");
    expect(await words.ended()).toBe(0);
    await spoke.kill("SIGKILL");
    const part = await waitFor("the loss", async () => {
      const answer = await hub.data<Found>("GET", "/v1/fleet/search?q=copper");
      return answer.partial ? answer : undefined;
    });
    expect(part.machines.map(({ machine, error }) => [machine, error !== undefined])).toEqual([
      ["", false],
      ["box", true],
    ]);
    expect(part.hits.length).toBe(2);
    expect((await hub.data<FleetCostSummary>("GET", "/v1/fleet/cost")).partial).toBe(true);
    const missing = new CliTerminal(["sessions", "search", "copper", "--peers"], hub.home, undefined, {
      AMUX_PAGER: "",
    });
    await missing.sees("Without box:");
    expect(await missing.ended()).toBe(16);
  });
});
