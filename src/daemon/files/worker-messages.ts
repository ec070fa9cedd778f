/** Messages between the daemon and the history process. */
import type { ErrorCode } from "../../core/errors.ts";
import type { FilesUpdate } from "./found-conversation.ts";
import type { HistoryRequest } from "./history-request.ts";
import type { Work } from "./agent-files.ts";

export type ToWorker =
  | { type: "follow"; agents: string[] }
  | { type: "scan"; call: number }
  /** Starts an answer; its chunks are requested one by one, so that a slow reader slows the writer. */
  | { type: "open"; call: number; request: HistoryRequest }
  | { type: "next"; call: number }
  | { type: "cancel"; call: number }
  /** A ping. */
  | { type: "ping" };

export type FromWorker =
  | { type: "news"; news: FilesUpdate }
  /** Every store was checked once. */
  | { type: "started" }
  | { type: "scanned"; call: number; work: Work }
  | { type: "piece"; call: number; text: string }
  | { type: "end"; call: number }
  | { type: "failure"; call: number; code: ErrorCode; message: string }
  | { type: "problem"; what: string; detail: string }
  | { type: "alive" };
