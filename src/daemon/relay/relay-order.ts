/** Data sent with a connection to the relay. Plain data that crosses processes. */
export interface RelayOrder {
  to: RelayTarget;
  /** First bytes for the target: the request for a terminal. */
  handshake: string;
  /** Sent to the client as soon as the target is connected. */
  greeting?: string;
  /** Bytes already received after the request; base64. */
  head: string;
}

/** A local socket (a runner's or ssh's), or another machine's daemon. */
export type RelayTarget = { path: string } | { host: string; port: number; encrypted: boolean; ca?: string };

/**
 * Node reads from a connection in the daemon too until the relay confirms it, and drops what it reads. So the relay says
 * "taken" of each connection, the daemon answers "go on", and only then may the client hear something and type.
 */
export type RelayWord = "taken" | "go on";
