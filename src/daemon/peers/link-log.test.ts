import { expect, it } from "vitest";
import type { PeerStatus } from "../../protocol/peers.ts";
import { linkLog } from "./link-log.ts";

const BOX = { name: "box", url: "ssh://box", since: "2026-11-17T14:00:00.000Z", sessions: { alive: 0, dead: 0 } };

it("the log has a line when a machine is connected or lost, and none for every try", () => {
  const lines: unknown[] = [];
  const note = linkLog({ write: (level, what, facts) => void lines.push([level, what, facts]) });
  const box = (state: PeerStatus["state"], error?: string): void =>
    note([{ ...BOX, state, ...(error === undefined ? {} : { error }) }]);
  box("connecting");
  box("connected");
  for (let tries = 0; tries < 3; tries++) {
    box("connecting");
    box("unreachable", "no route");
  }
  box("connecting");
  box("connected");
  expect(lines).toEqual([
    ["info", "peer connected", { peer: "box" }],
    ["warn", "peer unreachable", { peer: "box", reason: "no route" }],
    ["info", "peer connected", { peer: "box" }],
  ]);
});
