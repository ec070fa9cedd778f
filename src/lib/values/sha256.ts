/** node:crypto is loaded on first use: it takes a sixth of Node's start-up. */
export function sha256(text: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex");
}
