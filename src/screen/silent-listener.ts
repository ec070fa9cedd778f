/** For a screen that is only looked at: what the program reports and asks goes nowhere. */
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
