/// <reference types="node" preserve="true" />
/** `amux/client`: starts terminal sessions, watches them, types into them, and queries the daemon. */
export type { SessionDirectories } from "../protocol/session-files.ts";
export { DaemonApi, type DaemonRequest, type DaemonTransport } from "./daemon-api.ts";
export { DaemonClient, DaemonMissing } from "./daemon-client.ts";
export { openShimConnection, type ConnectOptions } from "./open-shim-connection.ts";
export { ShimClient, type ShimClientOptions, type SpawnRequest } from "./shim-client.ts";
export { ShimConnection, type CloseReason, type ShimEvent } from "./shim-connection.ts";
export { ShimPty } from "./shim-pty.ts";
export { answerSession, sendMessage, type DeliveryOptions } from "./send-to-session.ts";
export { openSse, type SseEvent, type SseListener, type SseRequest } from "./sse.ts";
