/** A tmux session for answering: known from its status file, read and typed into through tmux. */
import { AgentMuxError } from "../core/errors.ts";
import { optional } from "../lib/values/optional.ts";
import type { DeliveryPort } from "../status/delivery-port.ts";
import type { SessionView } from "../status/session-view.ts";
import { pasteIntoTmux, pressInTmux, tmuxScreen } from "../status/tmux.ts";
import { liveSessions } from "./live-sessions.ts";

export function tmuxPort({ ref, name, tmux }: SessionView): DeliveryPort {
  if (tmux === undefined) {
    throw new AgentMuxError(
      "CAPABILITY_ERROR",
      `Cannot tell which tmux server holds ${name}: its status file is not from amux's hooks. Attach with tmux.`,
    );
  }
  const { socket, pane = `=${name}:` } = tmux;
  return {
    async standing() {
      const found = (await liveSessions()).find((session) => session.ref === ref && session.place === "tmux");
      const { state, verdict, since, message } = found?.top ?? {};
      if (state === undefined || since === undefined) return undefined;
      const options = verdict?.by.options?.map(({ label }) => label);
      const ask = verdict?.by.ask;
      return {
        state,
        since,
        ...optional("ask", ask),
        ...optional("message", message),
        ...optional("options", options),
      };
    },
    rows: async () => (await tmuxScreen(socket, pane)).map((text) => ({ text })),
    press: (key) => pressInTmux(socket, pane, key),
    say: (text) => pasteIntoTmux(socket, pane, text),
    isAgent: () => true,
  };
}
