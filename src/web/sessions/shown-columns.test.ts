import { expect, it } from "vitest";
import { columnsIn, columnsText } from "./shown-columns.ts";

it.each([true, false])("every column can be hidden, also Machine and the last one (other machines: %s)", (hasPeers) => {
  const usual = columnsIn("", hasPeers);
  expect(usual.includes("machine")).toBe(hasPeers);
  expect(columnsText([...usual].reverse(), hasPeers)).toBe("");
  for (const hidden of usual) {
    const others = usual.filter((name) => name !== hidden);
    expect(columnsIn(columnsText(others, hasPeers), hasPeers)).toEqual(others);
  }
  expect(columnsIn(columnsText([], hasPeers), hasPeers)).toEqual(["none"]);
});
