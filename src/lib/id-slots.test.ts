import { expect, it } from "vitest";
import { idSlots } from "./id-slots.ts";

it("gives the power of two that an id for each 256 bytes fits in", () => {
  expect([0, 1, 131_072].map(idSlots)).toEqual([512, 512, 512]);
  expect([131_073, 262_144, 262_145, 600_000].map(idSlots)).toEqual([1024, 1024, 2048, 4096]);
  expect([2 ** 26, 2 ** 40].map(idSlots)).toEqual([2 ** 18, 2 ** 18]);
});
