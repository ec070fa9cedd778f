/** What a new interactive session of an agent can be given on its command line. */
import { AgentMuxError } from "../core/errors.ts";
import type { PermissionMode } from "../core/permission-mode.ts";

export interface StartOptions {
  /** The option that names a model; absent if none can be named. */
  readonly model?: string;
  /** The vendor of its models, as in the price list; absent if it takes models of many. */
  readonly vendor?: string;
  /** The words before the prompt; absent if no prompt can be given. */
  readonly prompt?: readonly string[];
  readonly modes?: Readonly<Partial<Record<PermissionMode, readonly string[]>>>;
}

export interface StartRequest {
  model?: string | undefined;
  prompt?: string | undefined;
  permission_mode?: PermissionMode | undefined;
}

/** The arguments, or the name of the wish that this agent cannot be given. */
export function startArguments(
  options: StartOptions | undefined,
  { model, prompt, permission_mode: mode }: StartRequest,
  others: readonly string[],
): string[] | keyof StartRequest {
  if (model !== undefined && options?.model === undefined) return "model";
  // Agents would take it for an option of their own.
  if (model?.startsWith("-")) throw new AgentMuxError("VALIDATION_ERROR", 'A model name cannot begin with "-".');
  const modeWords = mode === undefined ? [] : options?.modes?.[mode];
  if (modeWords === undefined) return "permission_mode";
  const promptWords = prompt === undefined ? [] : options?.prompt;
  if (promptWords === undefined) return "prompt";
  return [
    ...(model === undefined ? [] : [options!.model!, model]),
    ...modeWords,
    ...others,
    ...promptWords,
    ...(prompt === undefined ? [] : [asWords(prompt)]),
  ];
}

/** A prompt like `--help`, `@file` or `update` would be an option, a file or a subcommand; a space in front makes it text. */
function asWords(prompt: string): string {
  return /^[-@]|^\S*$/.test(prompt) ? ` ${prompt}` : prompt;
}
