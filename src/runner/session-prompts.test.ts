import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { MessageDelivery } from "./message-delivery.ts";
import type { Session } from "./session.ts";
import { SessionPrompts } from "./session-prompts.ts";

it("reading the queue sends nothing: only a change makes the session look", async () => {
  vi.useFakeTimers();
  const home = mkdtempSync(join(tmpdir(), "amux-prompts-"));
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(home, { recursive: true, force: true });
  });
  const session = {
    spec: { id: "sess-00000001" },
    alive: true,
    hub: { subscribe: () => () => undefined },
    state: { setQueue: () => undefined },
  } as unknown as Session;
  const prompts = new SessionPrompts({
    session,
    delivery: {} as MessageDelivery,
    home,
    path: join(home, "queue.json"),
    onFailure: () => undefined,
  });
  await vi.advanceTimersByTimeAsync(1000);
  prompts.act({ kind: "list" });
  expect(vi.getTimerCount()).toBe(0);
  prompts.act({ kind: "change", change: { paused: true } });
  expect(vi.getTimerCount()).toBe(1);
  prompts.close();
});
