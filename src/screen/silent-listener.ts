/** For a screen that is only displayed: reports and queries are ignored. */
import type { ScreenListener } from "./screen.ts";

const nothing = (): void => undefined;

export const SILENT_LISTENER: ScreenListener = {
  onReply: nothing,
  onTitle: nothing,
  onBell: nothing,
  onStatus: nothing,
  onAgentState: nothing,
  onPrompt: nothing,
  onNotification: nothing,
};
