import { expect, it } from "vitest";
import { viewOf } from "../../status/session-view.ts";
import { withKnownFields } from "../../status/status-file.ts";
import type { Row } from "../data/row.ts";
import { explainLines } from "./details.ts";

it("shows a session's state once, and each agent's own state", () => {
  const file = withKnownFields(
    { status: "idle", agents: { opencode: { status: "permission", timestamp: 2 } } },
    "shop",
  );
  const view = viewOf(file, "claude", () => [], 5000);
  const lines = explainLines({ view, status: "permission" } as Row).map(({ text }) => text);
  expect(lines.filter((line) => line.startsWith("shown as"))).toEqual([
    "shown as       permission, the most urgent of 2",
  ]);
  expect(lines.filter((line) => /^(main )?[a-z]+: /.test(line))).toEqual(["main agent: idle", "opencode: permission"]);
});
