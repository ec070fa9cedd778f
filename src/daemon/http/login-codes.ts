/** Login codes that open a browser without showing it the token: each works once, and briefly. */
import { createHash, randomBytes } from "node:crypto";

const VALID_MS = 5 * 60_000;

/** People never create more. */
const MAX_OPEN = 32;

export class LoginCodes {
  /** By hash, so that codes are not compared character by character. */
  readonly #expiry = new Map<string, number>();

  create(): { code: string; expires_at: string } {
    const code = randomBytes(24).toString("base64url");
    // Monotonic clock: a clock set back must not extend them.
    this.#expiry.set(hash(code), performance.now() + VALID_MS);
    for (const oldest of this.#expiry.keys()) {
      if (this.#expiry.size <= MAX_OPEN) break;
      this.#expiry.delete(oldest);
    }
    return { code, expires_at: new Date(Date.now() + VALID_MS).toISOString() };
  }

  redeem(code: string): boolean {
    const key = hash(code);
    const expiry = this.#expiry.get(key) ?? 0;
    this.#expiry.delete(key);
    return expiry > performance.now();
  }
}

function hash(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
