import { expect, it } from "vitest";
import { price } from "./figures.ts";

it("a cost that is not known is shown as such, not as nothing", () => {
  expect(price({ totalUsd: 0, kind: "unknown" })).toBe("?");
  expect(price({ totalUsd: 0, kind: "unpriced" })).toBe("?");
  expect(price({ totalUsd: 1.5, kind: "unpriced" })).toBe("≥$1.50");
  expect(price({ totalUsd: 0, kind: "lower-bound" })).toBe("?");
  expect(price({ totalUsd: 0, kind: "reported" })).toBe("$0.00");
  expect(price({ totalUsd: 0.05 })).toBe("$0.050");
});
