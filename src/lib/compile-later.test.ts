import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { compileLater } from "./compile-later.ts";

test("this Node knows the flags it is given", () => {
  const { status, stderr } = spawnSync(process.execPath, [...compileLater(4), "-e", "0"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("they are others from Node 22 on", () => {
  expect(compileLater(4, "11.3.244.8-node.38")).toEqual(["--interrupt-budget=270336"]);
  expect(compileLater(4, "12.4.254.21-node.57")).toContain("--invocation-count-for-turbofan=12000");
});
