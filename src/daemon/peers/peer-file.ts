/** The user's peers with their tokens, in a private file. */
import { chmodSync, lstatSync } from "node:fs";
import * as z from "zod/mini";
import { AgentMuxError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { PeerCertificate, PeerName, PeerToken } from "../../protocol/peers.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

const StoredPeer = z.object({
  name: PeerName,
  url: z.string(),
  token: z.optional(PeerToken),
  ca: z.optional(PeerCertificate),
});
export type StoredPeer = z.infer<typeof StoredPeer>;

const KeptPeers = z.object({ version: z.literal(1), peers: z.array(StoredPeer) });

export class PeerFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** A file others can read is refused: its tokens are no longer secret. */
  read(): StoredPeer[] {
    let text: string;
    try {
      const stat = lstatSync(this.#path);
      const user = process.getuid?.();
      if (!stat.isFile() || (user !== undefined && stat.uid !== user)) {
        throw this.#refused("is not a file of this user");
      }
      if ((stat.mode & 0o077) !== 0) {
        throw this.#refused(
          "can be read by others; chmod 600 it, and change the tokens in it where others have access",
        );
      }
      text = readText(this.#path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
    return this.#parse(text);
  }

  write(peers: readonly StoredPeer[]): void {
    writeFileAtomic(this.#path, `${JSON.stringify({ version: 1, peers }, undefined, 2)}\n`);
    chmodSync(this.#path, 0o600);
  }

  #parse(text: string): StoredPeer[] {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      // The cause would quote the text, which contains tokens.
      throw this.#refused("is not JSON");
    }
    const kept = KeptPeers.safeParse(value);
    if (!kept.success) throw this.#refused(`is malformed at ${kept.error.issues[0]?.path.join(".") || "its top"}`);
    return kept.data.peers;
  }

  #refused(what: string): AgentMuxError {
    return new AgentMuxError("CONFIG_ERROR", `${this.#path} ${what}.`);
  }
}
