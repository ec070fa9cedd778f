import { expect, it } from "vitest";
import { checkCounts, pullRequestFrom } from "./pull-request.ts";

it("reads what gh prints, and ignores what it does not understand", () => {
  expect(pullRequestFrom({})).toBeUndefined();
  expect(pullRequestFrom([1])).toBeUndefined();
  const found = pullRequestFrom({
    number: 7,
    title: "A\nB",
    reviews: [
      { author: { login: "ann" }, state: "COMMENTED", body: "", submittedAt: "2026-01-01T00:00:00Z" },
      { author: { login: "ann" }, state: "APPROVED", body: "good", submittedAt: "2026-01-03T00:00:00Z" },
    ],
    comments: [{ author: null, body: "well", createdAt: "2026-01-02T00:00:00Z" }, "nonsense"],
    statusCheckRollup: [
      { name: "a", conclusion: "SUCCESS" },
      { name: "b", conclusion: "", status: "IN_PROGRESS" },
      { context: "c", state: "ERROR" },
      { name: "d", conclusion: "SKIPPED" },
    ],
  });
  expect(found).toMatchObject({
    title: "A B",
    reviewers: [{ name: "ann", state: "APPROVED" }],
    comments: [
      { author: "somebody", text: "well" },
      { author: "ann", text: "good" },
    ],
  });
  expect(checkCounts(found!)).toEqual({ passed: 2, failed: 1, pending: 1 });
});
