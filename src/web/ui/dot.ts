/** Chooses a session's dot: the most urgent state wins. */
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";

export type Dot = "error" | "needs" | "working" | "unread" | "active" | "steady" | "dim";

export interface DotContext {
  isSelected: boolean;
  isResuming: boolean;
  asks: AttentionItem["reason"] | undefined;
  /** It was active a moment ago. */
  isActive: boolean;
}

export function dotOf(session: MuxSession, { isSelected, isResuming, asks, isActive }: DotContext): Dot {
  if (isResuming) return "working";
  if (!session.alive) return session.status?.error === true ? "error" : "dim";
  if (asks === "permission" || asks === "question") return "needs";
  // The visible session has no unread error or news.
  if (session.status?.error === true && !isSelected) return "error";
  if (session.status?.working === true) return "working";
  if (session.unread && !isSelected) return "unread";
  if (isActive) return "active";
  return "steady";
}

export const DOT_WORDS: Record<Dot, string> = {
  error: "error",
  needs: "needs you",
  working: "working",
  unread: "unread",
  active: "active",
  steady: "idle",
  dim: "ended",
};
