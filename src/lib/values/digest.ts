/** A short digest to compare texts. Not for security. */

export function digestOf(data: string | Uint8Array): string {
  // Loaded on demand: it takes longer than most work that needs no digest.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha1").update(data).digest("hex");
}
