/** Codes that open a browser without showing it the token: each works once, and not for long. */
import { createHash, randomBytes } from "node:crypto";

const VALID_MS = 5 * 60_000;

/** More are not made by people. */
const MAX_OPEN = 32;

export class LoginCodes {
  /** By hash, so that a code is not compared letter by letter. */
  readonly #expiry = new Map<string, number>();

  create(): { code: string; expires_at: string } {
    const code = randomBytes(24).toString("base64url");
    // By the steady clock: one that is set back must not make them good for longer.
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
