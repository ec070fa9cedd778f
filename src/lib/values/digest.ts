/** A few characters in place of much text, to tell whether it is the same. Nothing that anybody could gain by a forgery. */

export function digestOf(data: string | Uint8Array): string {
  // Loaded when needed: it takes longer than most of what needs no digest.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha1").update(data).digest("hex");
}
