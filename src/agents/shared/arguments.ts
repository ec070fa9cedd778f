/** Pieces of command lines. */

/** A flag with its value, or nothing. */
export function withValue(flag: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [flag, String(value)];
}

/** A flag without a value, or nothing. */
export function when(condition: boolean, ...flags: string[]): string[] {
  return condition ? flags : [];
}

interface NamedFiles {
  prompt: string;
  fallbacks: { capability: string; reason: string }[];
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
