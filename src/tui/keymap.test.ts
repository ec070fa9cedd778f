import { describe, expect, it } from "vitest";
import { titles } from "./actions.ts";
import { DEFAULT_KEYS, type KeyMode } from "./default-keys.ts";
import { Keymap } from "./keymap.ts";

const keymap = new Keymap();
const MODES = Object.keys(DEFAULT_KEYS) as KeyMode[];

describe("the keys people know from other programs", () => {
  const digits = Array.from({ length: 9 }, (_, at) => String(at + 1));
  it.each<[KeyMode, Record<string, string>]>([
    [
      "direct",
      {
        "alt+h": "focus-left", "alt+j": "focus-down", "alt+k": "focus-up", "alt+l": "focus-right", "alt+n": "new-pane",
        "alt+-": "split-below", "alt+\\": "split-right", "alt+x": "close-pane", "alt+z": "zoom", "alt+m": "move-mode",
        "alt+[": "layout-previous", "alt+]": "layout-next", "alt+s": "sessions", "alt+t": "templates",
        "alt+g": "aggregate", "alt+f": "search", "alt+p": "palette",
        ...Object.fromEntries(digits.map((digit) => [`alt+${digit}`, `workspace-${digit}`])),
      },
    ],
    [
      "prefix",
      {
        h: "focus-left", j: "focus-down", k: "focus-up", l: "focus-right", n: "new-pane", "-": "split-below",
        "\\": "split-right", x: "close-pane", z: "zoom", m: "move-mode", v: "layout-vertical",
        "shift+h": "layout-horizontal", t: "layout-stacked", s: "sessions", "shift+t": "templates", g: "aggregate",
        f: "search", "/": "search", ":": "palette", "]": "paste", p: "paste", "`": "console", d: "detach", q: "quit",
      },
    ],
    ["move", { h: "move-left", j: "move-down", k: "move-up", l: "move-right", esc: "cancel" }],
    ["prompt", { enter: "accept", "ctrl+n": "next-match", "ctrl+p": "previous-match", esc: "cancel" }],
    ["aggregate", { up: "up", down: "down", enter: "preview", tab: "jump", "alt+a": "scope", "alt+x": "kill", "alt+f": "search", "alt+esc": "cancel" }],
    ["picker", { up: "up", down: "down", enter: "choose", "ctrl+n": "create", "ctrl+r": "rename", "ctrl+x": "delete", "ctrl+d": "delete" }],
    [
      "dashboard",
      {
        j: "down", k: "up", enter: "open", d: "dismiss", n: "new-or-next-match", "shift+n": "previous-match", x: "kill",
        "shift+r": "rename", tab: "focus-panel", p: "toggle-preview", "[": "panel-smaller", "]": "panel-larger",
        "shift+l": "panel-side", "shift+w": "preview-wrap", "shift+g": "git", i: "metrics", "/": "filter", s: "sort",
        o: "hide-done", "0": "clear-filters", "1": "only-waiting", "2": "only-permission", "3": "only-working",
        "4": "only-done", "5": "only-error", f: "machines", "shift+t": "tasks", "shift+p": "projects", r: "refresh",
        esc: "clear", q: "quit",
      },
    ],
    ["preview", { j: "down", k: "up", pageup: "page-up", pagedown: "page-down", g: "top", "shift+g": "bottom", tab: "leave-panel", esc: "leave-panel" }],
    [
      "tasks",
      {
        j: "down", k: "up", "shift+j": "next-group", "shift+k": "previous-group", enter: "open", space: "toggle",
        s: "sort", "shift+s": "reverse", f: "filter", e: "expand-all", a: "accordion", "/": "search", n: "next-match",
        "shift+n": "previous-match", r: "refresh", g: "top", "shift+g": "bottom",
      },
    ],
    ["projects", { "shift+p": "close", esc: "close", tab: "next-zone", r: "refresh", enter: "show-sessions", space: "toggle" }],
    ["text", { j: "down", k: "up", space: "page-down", pagedown: "page-down", pageup: "page-up", g: "top", "shift+g": "bottom", q: "close", esc: "close" }],
    ["git", { d: "diff", c: "comments", o: "open", enter: "open" }],
  ])("%s", (mode, keys) => {
    expect(Object.fromEntries(Object.keys(keys).map((key) => [key, keymap.action(mode, key)]))).toEqual(keys);
  }); // prettier-ignore
});

it("every key can be assigned to another action, and removed", () => {
  for (const mode of MODES) {
    for (const [key, action] of keymap.bindings(mode)) {
      const own = new Keymap({ keys: { [mode]: { f12: action, [key]: null } } });
      expect([mode, own.action(mode, "f12"), own.action(mode, key)]).toEqual([mode, action, undefined]);
    }
  }
});

it("every bound action exists", () => {
  const known = titles();
  for (const mode of ["direct", "prefix"] as const) {
    for (const [key, action] of keymap.bindings(mode)) expect(known.has(action), `${mode} ${key} ${action}`).toBe(true);
  }
});

it("hints name the key as on a keyboard", () => {
  expect(keymap.keyOf("dashboard", "git")).toBe("G");
  expect(keymap.keyOf("aggregate", "kill")).toBe("alt+x");
  expect(new Keymap({ keys: { text: { q: null, esc: null, "ctrl+c": null } } }).keyOf("text", "close")).toBe("");
});

it.each([
  [{ keys: { nowhere: {} } }, /"keys" has no "nowhere"/],
  [{ keys: { text: { "hyper+x": "close" } } }, /"hyper\+x" is not a key/],
  [{ keys: { text: { x: 3 } } }, /"x" must name an action/],
  [{ prefix: "b+ctrl" }, /is not a key/],
])("a mistake is named: %j", (settings, message) => {
  expect(() => new Keymap(settings)).toThrow(message);
});
