/** How a function of Node's calls what lies below it, from its text: by that a version is known for which something was written. */

/**
 * What it gives to `call`, without blanks; undefined where it does not call that. No expressions: one takes longer to compile than
 * such a text to be gone through.
 */
export function givenTo(call: string, by: (...args: never[]) => unknown): string | undefined {
  const text = String(by);
  const start = text.indexOf(`${call}(`);
  if (start === -1) return undefined;
  const given = text.slice(start + call.length + 1, text.indexOf(");", start));
  const short = given.replaceAll("\n", "").replaceAll(" ", "");
  return short.endsWith(",") ? short.slice(0, -1) : short;
}

/** All but the first, which is a path, made ready in one way or another. */
export function givenAfterPath(call: string, by: (...args: never[]) => unknown): string | undefined {
  const given = givenTo(call, by);
  return given?.slice(given.indexOf(",") + 1);
}
