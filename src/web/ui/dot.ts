/** What a session's dot shows. The most pressing thing wins. */
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { ACTIVITY_MS } from "../state/projection.ts";

export type Dot = "error" | "needs" | "working" | "unread" | "active" | "steady" | "dim";

export interface DotContext {
  isSelected: boolean;
  isResuming: boolean;
  asks: AttentionItem["reason"] | undefined;
  /** When it last stirred. */
  stirredAt: number | undefined;
}

export function dotOf(session: MuxSession, { isSelected, isResuming, asks, stirredAt }: DotContext): Dot {
  if (isResuming) return "working";
  if (!session.alive) return session.status?.error === true ? "error" : "dim";
  if (asks === "permission" || asks === "question") return "needs";
  // Whoever looks at a session has seen its error and its news.
  if (session.status?.error === true && !isSelected) return "error";
  if (session.status?.working === true) return "working";
  if (session.unread && !isSelected) return "unread";
  if (stirredAt !== undefined && Date.now() - stirredAt < ACTIVITY_MS) return "active";
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
