/** Other machines' daemons: names, addresses and connection states. */
import * as z from "zod/mini";

/** Follows the `@` of a session's id. */
export const PeerName = z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,62}$/));

/** Token of the remote daemon. */
export const PeerToken = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** One or several certificates in PEM. */
export const PeerCertificate = z
  .string()
  .check(z.maxLength(64 * 1024), z.regex(/-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/));

export const AddPeerRequest = z.object({
  name: PeerName,
  /** `https://host:port`, `http://host:port` or `ssh://[user@]host[:port][/path/of/amuxd.sock]`. */
  url: z.string().check(z.maxLength(1024)),
  token: z.optional(PeerToken),
  /** The only certificate (PEM) trusted there: its own, or its authority's. */
  ca: z.optional(PeerCertificate),
});
export type AddPeerRequest = z.infer<typeof AddPeerRequest>;

export const PEER_STATES = ["connecting", "connected", "unreachable"] as const;

export const PeerStatus = z.object({
  name: z.string(),
  /** Contains no secrets. */
  url: z.string(),
  state: z.enum(PEER_STATES),
  /** Why it is not reachable. */
  error: z.optional(z.string()),
  /** When its state last changed. */
  since: z.string(),
  /** Time of the next try. */
  retry_at: z.optional(z.string()),
  hostname: z.optional(z.string()),
  version: z.optional(z.string()),
  sessions: z.object({ alive: z.int(), dead: z.int() }),
});
export type PeerStatus = z.infer<typeof PeerStatus>;

export interface HttpAddress {
  kind: "http";
  /** `https://host:port` */
  origin: string;
}

export interface SshAddress {
  kind: "ssh";
  user?: string;
  host: string;
  port?: number;
  /** Path of the daemon's socket there; looked up if not given. */
  socket?: string;
}

export type PeerAddress = HttpAddress | SshAddress;

/** Words ssh can only take as a host name: no option, no token, no separator. */
const HOST = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$/;
const USER = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
const SOCKET = /^\/[A-Za-z0-9._/@+-]{1,200}$/;
/** sun_path is 108 bytes on Linux and 104 on macOS. */
const MAX_SOCKET_BYTES = 103;

/** Undefined if it is not usable. */
export function parsePeerAddress(text: string): PeerAddress | undefined {
  return text.startsWith("ssh://") ? sshAddress(text.slice("ssh://".length)) : httpAddress(text);
}

function httpAddress(text: string): HttpAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  // A token in an address would be shown wherever the address is.
  if (username !== "" || password !== "" || search !== "" || hash !== "" || pathname !== "/") return undefined;
  return { kind: "http", origin };
}

function sshAddress(text: string): SshAddress | undefined {
  const [, user, name, bracketed, port, socket] =
    /^(?:([^@/]*)@)?(?:([^@/:[\]]*)|\[([0-9A-Fa-f:.]+)\])(?::(\d{1,5}))?(\/.*)?$/.exec(text) ?? [];
  const host = bracketed ?? name ?? "";
  if (bracketed === undefined && !HOST.test(host)) return undefined;
  if (user !== undefined && !USER.test(user)) return undefined;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  const path = socket === "/" ? undefined : socket;
  if (path !== undefined && !isRemoteSocket(path)) return undefined;
  return {
    kind: "ssh",
    host,
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(path === undefined ? {} : { socket: path }),
  };
}

/** Whether a path can be passed to ssh unquoted. */
export function isRemoteSocket(path: string): boolean {
  return SOCKET.test(path) && path.length <= MAX_SOCKET_BYTES;
}
