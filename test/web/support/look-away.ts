import type { CDPSession, Page } from "playwright-core";
import { expect } from "vitest";

/** Playwright makes every page visible. Call the result to look again. */
export async function lookAway(there: Page): Promise<() => Promise<void>> {
  const tools: CDPSession = await there.context().newCDPSession(there);
  await tools.send("Emulation.setFocusEmulationEnabled", { enabled: false });
  const other = await there.context().newPage();
  await other.bringToFront();
  await expect.poll(() => there.evaluate<boolean>("document.hasFocus()")).toBe(false);
  return async () => {
    await other.close();
    await tools.send("Emulation.setFocusEmulationEnabled", { enabled: true });
    await there.bringToFront();
  };
}
