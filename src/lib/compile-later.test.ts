import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { compileLater, withPlainWasm } from "./compile-later.ts";

test("this Node knows the flags it is given", () => {
  const { status, stderr } = spawnSync(process.execPath, [...compileLater(4), "-e", "0"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("they are others from Node 22 on", () => {
  expect(compileLater(4, "11.3.244.8-node.38")).toEqual(["--interrupt-budget=270336"]);
  expect(compileLater(4, "12.4.254.21-node.57")).toContain("--invocation-count-for-turbofan=12000");
});

test("work with WebAssembly that is not optimised gives its answer, and leaves the flags as they were", async () => {
  expect(await withPlainWasm(async () => 7)).toBe(7);
  expect(await withPlainWasm(async () => 8, "12.4.254.21-node.57")).toBe(8);
  await expect(withPlainWasm(async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  const flags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];
  const { status, stderr } = spawnSync(process.execPath, [...flags, "-e", "0"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});
