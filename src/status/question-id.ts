/** Derives a question's id from its text and options, so that an answer can name it. */
import { createHash } from "node:crypto";
import type { SessionVerdict } from "../protocol/runner-api.ts";

const LENGTH = 16;

export function questionId({ state, ask, message, options }: SessionVerdict): string {
  const asked = JSON.stringify([state, ask, message, options?.map(({ number, label }) => [number, label])]);
  return createHash("sha256").update(asked).digest("base64url").slice(0, LENGTH);
}
