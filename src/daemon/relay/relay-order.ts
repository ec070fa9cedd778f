/** What goes with a connection that is handed to the relay. Plain data: it crosses from one process to another. */
export interface RelayOrder {
  to: RelayTarget;
  /** What the other side is to get first: the request for a terminal. */
  handshake: string;
  /** What the client is told as soon as the other side is there. */
  greeting?: string;
  /** What came behind the request already; base64. */
  head: string;
}

/** A socket of this machine, a runner's or ssh's end; or another machine's daemon. */
export type RelayTarget = { path: string } | { host: string; port: number; encrypted: boolean; ca?: string };
