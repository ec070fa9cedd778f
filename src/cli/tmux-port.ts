/** A session of tmux as somebody who answers it needs it: known by its status file, spoken to by typing. */
import { AgentMuxError } from "../core/errors.ts";
import { typeIntoTmux } from "../status/tmux.ts";
import type { AnswerPort } from "../status/answer.ts";
import type { SessionView } from "../status/session-view.ts";
import { liveSessions } from "./live-sessions.ts";

export function tmuxPort({ ref, name, tmux }: SessionView): AnswerPort {
  if (tmux === undefined) {
    throw new AgentMuxError(
      "CAPABILITY_ERROR",
      `Which tmux holds ${name} is not known: its status file was not written by amux's hooks. Attach to it with tmux.`,
    );
  }
  return {
    async standing() {
      const found = (await liveSessions()).find((session) => session.ref === ref && session.place === "tmux");
      const { state, verdict, since } = found?.top ?? {};
      if (state === undefined || since === undefined) return undefined;
      const ask = verdict?.by.ask;
      return { state, since, ...(ask === undefined ? {} : { ask }) };
    },
    type: (text) => typeIntoTmux(tmux.socket, tmux.pane ?? `=${name}:`, text),
  };
}
