/**
 * Key bindings. Every action has a name and can be bound in `tui.json` of amux's home:
 * `{"prefix": "ctrl+a", "keys": {"direct": {"alt+w": "close-pane", "alt+x": null}}}`.
 */
import { join } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { asObject } from "../lib/json/fields.ts";
import { DEFAULT_KEYS, isMode, type KeyMode } from "./default-keys.ts";
import { normalKey } from "./input/key.ts";
import { THEMES, type ThemeName } from "./theme.ts";
import { settingsText } from "../lib/fs/foreign-file.ts";

const DEFAULT_PREFIX = "ctrl+b";

export class Keymap {
  readonly prefix: string;
  /** Undefined: depends on the terminal. */
  readonly theme: ThemeName | undefined;
  private readonly modes: Readonly<Record<KeyMode, ReadonlyMap<string, string>>>;

  constructor(settings: Readonly<Record<string, unknown>> = {}, source = "tui.json") {
    const prefix = settings["prefix"];
    this.prefix = prefix === undefined ? DEFAULT_PREFIX : keyNamed(prefix, source);
    this.theme = themeNamed(settings["theme"], source);
    const own = asObject(settings["keys"]) ?? {};
    for (const mode of Object.keys(own)) {
      if (!isMode(mode))
        throw wrong(source, `"keys" has no "${mode}"; there are ${Object.keys(DEFAULT_KEYS).join(", ")}`);
    }
    const merged = Object.entries(DEFAULT_KEYS).map(([mode, defaults]) => [
      mode,
      withOwn(defaults, asObject(own[mode]) ?? {}, source),
    ]);
    this.modes = Object.fromEntries(merged) as Record<KeyMode, Map<string, string>>;
  }

  action(mode: KeyMode, name: string): string | undefined {
    return this.modes[mode].get(name);
  }

  /** Keys bound to an action, for help and the palette. */
  keysOf(action: string): string[] {
    const direct = [...this.modes.direct].filter(([, bound]) => bound === action).map(([key]) => shownKey(key));
    const prefixed = [...this.modes.prefix]
      .filter(([, bound]) => bound === action)
      .map(([key]) => `${this.prefix} ${shownKey(key)}`);
    return [...direct, ...prefixed];
  }

  /** The key shown in a hint; empty if none is bound. */
  keyOf(mode: KeyMode, action: string): string {
    const found = [...this.modes[mode]].find(([, bound]) => bound === action);
    return found === undefined ? "" : shownKey(found[0]);
  }

  bindings(mode: KeyMode): readonly (readonly [string, string])[] {
    return [...this.modes[mode]];
  }
}

/** As printed on a keyboard: `P` for `shift+p`. */
export function shownKey(name: string): string {
  return name.replace(/shift\+([a-z])$/, (_, letter: string) => letter.toUpperCase());
}

/** A mistake in the file is an error that names it. */
export function readKeymap(home: string): Keymap {
  const path = join(home, "tui.json");
  const text = settingsText(path);
  if (text === undefined) return new Keymap();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(path, (error as Error).message);
  }
  return new Keymap(asObject(value) ?? {}, path);
}

function withOwn(
  defaults: Readonly<Record<string, string>>,
  own: Readonly<Record<string, unknown>>,
  source: string,
): Map<string, string> {
  const chosen = new Map(Object.entries(own).map(([key, action]) => [keyNamed(key, source), action]));
  for (const [key, action] of chosen) {
    if (action !== null && typeof action !== "string") throw wrong(source, `"${key}" must name an action, or be null`);
  }
  // The user's keys come first, because hints show the first key of an action.
  const keys = new Map([...chosen].filter((entry): entry is [string, string] => entry[1] !== null));
  for (const [key, action] of Object.entries(defaults)) {
    const name = keyNamed(key, source);
    if (!chosen.has(name)) keys.set(name, action);
  }
  return keys;
}

function themeNamed(name: unknown, source: string): ThemeName | undefined {
  if (name === undefined) return undefined;
  const theme = THEMES.find((known) => known === name);
  if (theme === undefined) throw wrong(source, `"theme" is ${THEMES.join(", ")}, not ${JSON.stringify(name)}`);
  return theme;
}

function keyNamed(text: unknown, source: string): string {
  const name = typeof text === "string" ? normalKey(text) : undefined;
  if (name === undefined)
    throw wrong(source, `"${String(text)}" is not a key; keys look like alt+h, ctrl+b, shift+tab, f5`);
  return name;
}

function wrong(source: string, what: string): AgentMuxError {
  return new AgentMuxError("CONFIG_ERROR", `${source}: ${what}.`);
}
