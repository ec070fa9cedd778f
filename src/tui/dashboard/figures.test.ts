import { expect, it } from "vitest";
import { price } from "./figures.ts";

it("an unknown cost is shown as unknown, not as zero", () => {
  expect(price({ totalUsd: 0, kind: "unknown" })).toBe("?");
  expect(price({ totalUsd: 0, kind: "unpriced" })).toBe("?");
  expect(price({ totalUsd: 1.5, kind: "unpriced" })).toBe("≥$1.500");
  expect(price({ totalUsd: 0, kind: "lower-bound" })).toBe("?");
  expect(price({ totalUsd: 0, kind: "reported" })).toBe("$0.000");
  expect(price({ totalUsd: 0.05 })).toBe("$0.050");
});

it("an amount below a tenth of a cent is not shown as zero", () => {
  expect(price({ totalUsd: 0.0004 })).toBe("<$0.001");
  expect(price({ totalUsd: 0.0005 })).toBe("$0.001");
});
