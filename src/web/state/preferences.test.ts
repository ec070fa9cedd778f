import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

it("stored values of another kind are replaced by the default", async () => {
  const stored = new Map([
    ["amux.theme", '"dark"'],
    ["amux.collapsed", "{}"],
    ["amux.views", "null"],
    ["amux.last-look", "{damaged"],
  ]);
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: () => undefined }));
  const { theme, collapsed, savedViews, lastLook } = await import("./preferences.ts");
  expect([theme.value, collapsed.value, savedViews.value, lastLook.value]).toEqual(["dark", [], {}, ""]);
});
