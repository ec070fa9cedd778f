/** Which options were given, and how to say them again. */
import type { Invocation, OptionSpec } from "../command.ts";

export function isGiven(invocation: Invocation, { name, value, repeatable }: OptionSpec): boolean {
  if (value === undefined) return invocation.flag(name);
  return repeatable ? invocation.texts(name).length > 0 : invocation.text(name) !== undefined;
}

/** An option as it was given, to be said again. */
export function asGiven(invocation: Invocation, option: OptionSpec): string[] {
  if (!isGiven(invocation, option)) return [];
  const { name, value, repeatable } = option;
  if (value === undefined) return [`--${name}`];
  const values = repeatable ? invocation.texts(name) : [invocation.text(name)!];
  return values.map((given) => `--${name}=${given}`);
}
