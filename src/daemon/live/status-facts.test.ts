import { expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { CostRecord } from "../../core/cost.ts";
import type { GitInfo } from "../../status/git-info.ts";
import { AMUX_SESSION, gitOf, tokensOf } from "../../status/status-file.ts";
import { StatusStore } from "../../status/status-store.ts";
import type { SessionRecord } from "../store/session-record.ts";
import { StatusFacts } from "./status-facts.ts";

const SESSION = { kind: "made", resume_key: "key", alive: true } as SessionRecord;
const GIT = { branch: "main", dirty: false, ahead: 0, behind: 0, remote: "", lastCommit: "", fetchedMs: 0 } as GitInfo;
const COST: CostRecord = { inputTokens: 1, outputTokens: 2, totalUsd: 0 };

function factsOf(count: () => CostRecord | "late" | undefined) {
  const statuses = new StatusStore(tempHome().path);
  const timestamp = Math.floor(Date.now() / 1000);
  statuses.update("shop", (file) => ({ ...file, status: "done", cwd: "/shop", timestamp, [AMUX_SESSION]: "sess-1" }));
  let asked = 0;
  const facts = new StatusFacts({
    statuses,
    git: { within: async () => GIT, isReadSince: () => true },
    mainAgent: "made",
    record: () => SESSION,
    costOf: async () => {
      asked++;
      return count();
    },
    pbiOf: () => undefined,
  });
  return { look: () => facts.look(statuses.list()), file: () => statuses.read("shop")!, asked: () => asked };
}

it("tokens that were counted too slowly are written at a later look, and git does not wait for them", async () => {
  const answers = ["late", "late", COST] as const;
  const { look, file, asked } = factsOf(() => answers[asked() - 1]);
  await look();
  expect([gitOf(file())?.branch, tokensOf(file())]).toEqual(["main", undefined]);
  await look();
  await look();
  expect(tokensOf(file())).toEqual({ input: 1, output: 2, total: 3 });
  await look();
  expect(asked()).toBe(3);
});

it("a count that is always too slow is not tried forever, and one that is unknown only once", async () => {
  const slow = factsOf(() => "late");
  const unknown = factsOf(() => undefined);
  for (let look = 0; look < 10; look++) await Promise.all([slow.look(), unknown.look()]);
  expect([slow.asked(), unknown.asked()]).toEqual([5, 1]);
});
