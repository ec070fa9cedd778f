/** What the daemon and the process that reads agents' files say to each other. */
import type { ErrorCode } from "../../core/errors.ts";
import type { FilesNews } from "./found-conversation.ts";
import type { HistoryRequest } from "./history-request.ts";
import type { Work } from "./agent-files.ts";

export type ToWorker =
  | { type: "follow"; agents: string[] }
  | { type: "scan"; call: number }
  /** Begins an answer; its pieces are asked for one by one, so that a slow reader holds the writer back. */
  | { type: "open"; call: number; request: HistoryRequest }
  | { type: "next"; call: number }
  | { type: "cancel"; call: number }
  /** Asks for a sign of life. */
  | { type: "ping" };

export type FromWorker =
  | { type: "news"; news: FilesNews }
  /** Every store has been looked at once. */
  | { type: "started" }
  | { type: "scanned"; call: number; work: Work }
  | { type: "piece"; call: number; text: string }
  | { type: "end"; call: number }
  | { type: "failure"; call: number; code: ErrorCode; message: string }
  | { type: "problem"; what: string; detail: string }
  | { type: "alive" };
