/** Which options were given, and how to repeat them. */
import type { Invocation, OptionSpec } from "../command.ts";

export function isGiven(invocation: Invocation, { name, value, repeatable }: OptionSpec): boolean {
  if (value === undefined) return invocation.flag(name);
  return repeatable ? invocation.texts(name).length > 0 : invocation.text(name) !== undefined;
}

/** Rebuilds an option as it was typed. */
export function asGiven(invocation: Invocation, option: OptionSpec): string[] {
  if (!isGiven(invocation, option)) return [];
  const { name, value, repeatable } = option;
  if (value === undefined) return [`--${name}`];
  const values = repeatable ? invocation.texts(name) : [invocation.text(name)!];
  return values.map((given) => `--${name}=${given}`);
}
