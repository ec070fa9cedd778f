/** Links that show one redacted session to whoever has them. */
import * as z from "zod/mini";

export const SHARED_PATH = "/shared/";

const MINUTE_S = 60;
const DAY_S = 86_400;
export const DEFAULT_SHARE_S = 7 * DAY_S;
export const MAX_SHARE_S = 90 * DAY_S;

export const ShareLinkId = z.string().check(z.regex(/^[0-9a-f]{8}$/));

export const ShareLinkRequest = z.object({
  /** `<agent>:<native id>`. */
  session: z.string().check(z.maxLength(600)),
  expires_s: z.optional(z.int().check(z.minimum(MINUTE_S), z.maximum(MAX_SHARE_S))),
  /** Takes out possible secrets too, instead of refusing. */
  take_unsure: z.optional(z.boolean()),
  /** Values that are taken out wherever they occur, as those of the caller's secret variables. */
  also_redact: z.optional(z.array(z.string().check(z.minLength(8), z.maxLength(8192))).check(z.maxLength(200))),
});
export type ShareLinkRequest = z.infer<typeof ShareLinkRequest>;

export const ShareLink = z.object({
  id: ShareLinkId,
  session: z.string(),
  /** Redacted. */
  title: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  /** How many values were taken out. */
  redacted: z.int(),
  bytes: z.int(),
});
export type ShareLink = z.infer<typeof ShareLink>;

/** `path` holds the secret. It is said once and not kept. */
export const CreatedShareLink = z.extend(ShareLink, { path: z.string() });
export type CreatedShareLink = z.infer<typeof CreatedShareLink>;
