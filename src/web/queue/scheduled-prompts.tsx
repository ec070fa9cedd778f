/** Prompts for which this machine's daemon starts sessions, if there are any. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { askSchedule } from "../../client/queue-of-daemon.ts";
import type { ScheduledPrompt } from "../../protocol/queue.ts";
import { agentLabel, tilde } from "../state/agents.ts";
import { transport } from "../state/api.ts";
import { InTurn } from "../state/in-turn.ts";
import { connection, sessions } from "../state/projection.ts";
import { attempt } from "../ui/notices.ts";
import { type ItemAct, QueueItem } from "./queue-dialog.tsx";

export function ScheduledPrompts(): JSX.Element | null {
  const prompts = useSignal<readonly ScheduledPrompt[]>([]);
  const requests = useMemo(() => new InTurn(), []);
  const load = async (act: ItemAct | { kind: "list" }): Promise<boolean> => {
    const found = await attempt(() => requests.ask(() => askSchedule(transport, act)));
    if (found !== undefined) prompts.value = found;
    return found !== undefined;
  };
  const isLive = connection.value === "live";
  // Loaded again when a session was started: it may be for one of them.
  useEffect(() => {
    if (isLive) void load({ kind: "list" });
  }, [isLive, sessions.value.size]);
  if (prompts.value.length === 0) return null;
  return (
    <section aria-label="Scheduled prompts">
      <h2>
        Scheduled prompts <span class="muted">each starts a session</span>
      </h2>
      <ul class="queue-items">
        {prompts.value.map((item) => (
          <QueueItem key={item.id} item={item} onChange={load}>
            <p class="muted">
              {agentLabel(item.agent)} in {tilde(item.cwd)}
              {item.session === undefined || !sessions.value.has(item.session) ? null : (
                <>
                  , last: <a href={`/s/${item.session}`}>{sessions.value.get(item.session)!.title}</a>
                </>
              )}
            </p>
          </QueueItem>
        ))}
      </ul>
    </section>
  );
}
