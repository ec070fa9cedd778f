/** Typed setting values: JSON if valid, otherwise the text itself. */
import type { OptionSpec } from "./command.ts";

export const SCOPE_OPTION: OptionSpec = {
  name: "scope",
  value: "scope",
  description: "your own settings, or this project's (default global)",
  choices: ["global", "project"],
};

export function settingValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A name, a model, a sentence: most settings are plain text.
    return text;
  }
}

export function shownValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
