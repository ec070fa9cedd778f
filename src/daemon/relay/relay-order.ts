/** What goes with a connection that is handed to the relay. Plain data: it crosses from one process to another. */
export interface RelayOrder {
  /** The runner's. */
  socketPath: string;
  /** The request for a terminal, as the runner is to get it. */
  handshake: string;
  /** What came behind the request already; base64. */
  head: string;
}
