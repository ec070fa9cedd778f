/// <reference types="node" preserve="true" />
/** `amux/protocol`: types and schemas of everything that crosses a process boundary. */
export {
  AttentionItem,
  Capabilities,
  ERROR_STATUS,
  Health,
  LaunchRequest,
  Receipt,
  SessionDetails,
  Started,
  type DaemonErrorCode,
  type Envelope,
} from "./daemon-api.ts";
export { encodeFrame, encodeInput, FrameDecoder, FrameError, MAX_FRAME_BYTES, type Payload } from "./frame-codec.ts";
export { parseServerFrame, PROTOCOL_VERSION, type ClientFrame, type Parsed, type ServerFrame } from "./frames.ts";
export { MuxSession } from "./mux-session.ts";
export { PeerStatus } from "./peers.ts";
export { Project, ProjectList } from "./projects.ts";
export type { CreatePty, PtyService, PtyWatch, PtyWatcher } from "./pty-service.ts";
export {
  AllQueues,
  PromptQueueAnswer,
  QueueChange,
  QueuedPrompt,
  QueueRequest,
  ScheduledPrompt,
  ScheduleRequest,
} from "./queue.ts";
export { SessionMeta, SessionVerdict, type RunnerEvent, type RunnerEvents } from "./runner-api.ts";
