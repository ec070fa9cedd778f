import { expect, it } from "vitest";
import { whyNotLoaded } from "./lazy.tsx";

it("a view of an older build says that amux was updated, not that the daemon cannot be reached", async () => {
  const gone = new TypeError("Failed to fetch dynamically imported module");
  const silent = (): Promise<never> => Promise.reject(gone);
  expect(await whyNotLoaded(gone, () => Promise.resolve())).toBe("amux was updated. Reload the page.");
  expect(await whyNotLoaded(gone, silent)).toBe("The daemon cannot be reached.");
  expect(await whyNotLoaded(new Error("Something else."), () => Promise.resolve())).toBe("Something else.");
});
