import { describe, expect, it } from "vitest";
import { agentInTable } from "./agent-process.ts";

const TABLE = `
    1     0 Sun Nov  1 08:00:00 2026 /sbin/launchd
  500     1 Sun Nov 15 09:00:00 2026 -zsh
  600   500 Sun Nov 15 09:10:00 2026 /Applications/My Agent/bin/agent
  700   600 Sun Nov 15 09:20:00 2026 /bin/sh
  710   700 Sun Nov 15 09:20:00 2026 helper
  720   710 Sun Nov 15 09:20:00 2026 /usr/local/bin/node
`;

describe("in the output of ps", () => {
  it("the agent is above the shells and the hook's helpers", () => {
    expect(agentInTable(720, TABLE)).toBe(600);
  });

  it("no agent is found above shells and the first process, or in an incomplete list", () => {
    expect(agentInTable(600, TABLE)).toBeUndefined();
    expect(agentInTable(720, TABLE.replace(/^ +710.*$/m, ""))).toBeUndefined();
    expect(agentInTable(720, "")).toBeUndefined();
  });
});
