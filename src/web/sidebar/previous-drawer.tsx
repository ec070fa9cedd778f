/** The History drawer: ended sessions with a filter. Archived ones are counted, and listed on request. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { Icon } from "../ui/icon.tsx";
import { plural } from "../ui/figures.ts";
import { SessionRow } from "./session-row.tsx";

const PAGE = 40;

export function PreviousDrawer({ sessions }: { sessions: readonly MuxSession[] }): JSX.Element | null {
  const isOpen = useSignal(false);
  const text = useSignal("");
  const shown = useSignal(PAGE);
  const withArchived = useSignal(false);
  const archived = sessions.filter((session) => session.archived === true).length;
  if (sessions.length === 0) return null;
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = sessions.filter((session) => {
    if (session.archived === true && !withArchived.value) return false;
    const all = `${session.title} ${session.kind} ${session.cwd}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <section class={`drawer ${isOpen.value ? "open" : ""}`} aria-label="History">
      <button
        type="button"
        class="drawer-head"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <span class="chevron">
          <Icon name="chevron" size={12} />
        </span>
        History
        <span class="count">{(sessions.length - archived).toLocaleString("en-US")}</span>
      </button>
      {isOpen.value ? (
        <div class="drawer-body">
          <input
            class="field small"
            type="search"
            placeholder={`Search ${plural(sessions.length - (withArchived.value ? 0 : archived), "session")}`}
            aria-label="Search previous sessions"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              shown.value = PAGE;
            }}
          />
          <ul class="rows">
            {found.slice(0, shown.value).map((session) => (
              <SessionRow key={session.id} session={session} root="" />
            ))}
          </ul>
          {found.length > shown.value ? (
            <button type="button" class="quiet wide" onClick={() => (shown.value += 4 * PAGE)}>
              {plural(found.length - shown.value, "more session")}
            </button>
          ) : null}
          {archived > 0 ? (
            <button
              type="button"
              class="quiet wide"
              aria-pressed={withArchived.value}
              onClick={() => (withArchived.value = !withArchived.value)}
            >
              {withArchived.value ? "Hide archived" : `Show ${archived} archived`}
            </button>
          ) : null}
          {found.length === 0 ? <p class="empty small">No matches.</p> : null}
        </div>
      ) : null}
    </section>
  );
}
