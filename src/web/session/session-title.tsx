/** A session's title, edited in place. */
import { useSignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { rename } from "./session-actions.ts";

export function SessionTitle({ session, isEdited }: { session: MuxSession; isEdited: Signal<boolean> }): JSX.Element {
  if (isEdited.value) return <NameField session={session} onClose={() => (isEdited.value = false)} />;
  return (
    <h1 title="Double-click to rename" onDblClick={() => (isEdited.value = true)}>
      {session.title}
    </h1>
  );
}

function NameField({ session, onClose }: { session: MuxSession; onClose(): void }): JSX.Element {
  const text = useSignal(session.title);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current!.select(), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onClose();
        void rename(session, text.value);
      }}
    >
      <input
        ref={field}
        class="field small"
        aria-label="Session name"
        placeholder="Leave empty for its own title"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
        }}
        onBlur={onClose}
      />
    </form>
  );
}
