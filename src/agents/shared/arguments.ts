/** Pieces of command lines. */
import type { SystemPromptMode } from "../../core/run-options.ts";

/** A flag with its value, or nothing. */
export function withValue(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)];
}

/** A flag and its value as one word: the value may begin with a dash. */
export function inOneWord(flag: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${flag}=${value}`];
}

/** A flag without a value, or nothing. */
export function when(condition: boolean, ...flags: string[]): string[] {
  return condition ? flags : [];
}

interface Fallback {
  capability: string;
  reason: string;
}

/** For agents that can only add to their own system prompt. */
export function promptFallbacks(agent: string, mode: SystemPromptMode | undefined): Fallback[] {
  if (mode !== "prepend") return [];
  return [{ capability: "systemPrompt", reason: `${agent} puts it after its own system prompt, not before.` }];
}

/** Gemini CLI and Qwen Code read a file named after @ into the prompt. These characters would end its name. */
export function withFiles(prompt: string, files: readonly { path: string }[]): string {
  return [prompt, ...files.map(({ path }) => `@${path.replaceAll(/[\s\\,;!?()[\]{}]/g, "\\$&")}`)].join("\n\n");
}

interface NamedFiles {
  prompt: string;
  fallbacks: Fallback[];
}

/** Files that an agent has no option for: the prompt names them, and the agent reads them. */
export function nameFiles(prompt: string, paths: readonly string[], agent: string): NamedFiles {
  if (paths.length === 0) return { prompt, fallbacks: [] };
  const reason = `${agent} takes images only; the names of other files stand at the end of the prompt.`;
  return {
    prompt: `${prompt}\n\nAttached files:\n${paths.join("\n")}`,
    fallbacks: [{ capability: "attachments", reason }],
  };
}
