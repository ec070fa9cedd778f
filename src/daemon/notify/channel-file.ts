/** The user's channels with their secrets, and the key that signs for push services, in a private file. */
import { chmodSync, lstatSync } from "node:fs";
import * as z from "zod/mini";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { PushKeys } from "../../protocol/notify.ts";
import { REASONS } from "../../status/attention.ts";

const Common = { id: z.string(), added_at: z.string() };

const StoredChannel = z.discriminatedUnion("kind", [
  z.object({
    ...Common,
    kind: z.literal("push"),
    endpoint: z.string(),
    keys: PushKeys,
    name: z.optional(z.string()),
  }),
  z.object({
    ...Common,
    kind: z.literal("ntfy"),
    url: z.string(),
    text: z.boolean(),
    token: z.optional(z.string()),
  }),
  z.object({ ...Common, kind: z.literal("webhook"), url: z.string(), text: z.boolean(), secret: z.string() }),
]);
export type StoredChannel = z.infer<typeof StoredChannel>;

/** A private key on P-256 as a JSON Web Key. */
const SigningKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
export type SigningKey = z.infer<typeof SigningKey>;

/** A notification that was sent and not withdrawn, without its text. */
const SentNotice = z.object({
  id: z.string(),
  items: z.array(
    z.object({
      ref: z.string(),
      name: z.string(),
      place: z.enum(["amux", "tmux"]),
      agent: z.string(),
      member: z.optional(z.string()),
      reason: z.enum(REASONS),
      since: z.number(),
      cwd: z.string(),
    }),
  ),
});
export type SentNotice = z.infer<typeof SentNotice>;

const Stored = z.object({
  version: z.literal(1),
  key: z.optional(SigningKey),
  channels: z.array(StoredChannel),
  sent: z.optional(z.array(SentNotice)),
  /** Entries that were seen or wait, and when they are due. */
  unsent: z.optional(z.array(z.object({ key: z.string(), reason: z.enum(REASONS), dueAt: z.optional(z.number()) }))),
});
export type StoredChannels = z.infer<typeof Stored>;

export class ChannelFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** A file others can read is refused: its secrets are no longer secret. */
  read(): StoredChannels {
    const stat = lstatSync(this.#path, { throwIfNoEntry: false });
    if (stat === undefined) return { version: 1, channels: [] };
    const user = process.getuid?.();
    if (!stat.isFile() || (user !== undefined && stat.uid !== user)) throw this.#refused("is not a file of this user");
    if ((stat.mode & 0o077) !== 0)
      throw this.#refused("can be read by others; remove it and set your notifications up again");
    let value: unknown;
    try {
      value = JSON.parse(readText(this.#path));
    } catch {
      // The cause would quote the text, which contains secrets.
      throw this.#refused("is not JSON");
    }
    const stored = Stored.safeParse(value);
    if (!stored.success) throw this.#refused(`is malformed at ${stored.error.issues[0]?.path.join(".") || "its top"}`);
    return stored.data;
  }

  write(stored: StoredChannels): void {
    writeFileAtomic(this.#path, `${JSON.stringify(stored, undefined, 2)}\n`);
    chmodSync(this.#path, 0o600);
  }

  #refused(what: string): AgentMuxError {
    return new AgentMuxError("CONFIG_ERROR", `${this.#path} ${what}.`);
  }
}
