import type { JSX } from "preact";
import { notices } from "./notices.ts";

/** Notices in the corner, announced to screen readers. */
export function NoticeList(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, text, tone, action }) => (
        <div key={id} class={`notice ${tone}`}>
          <span>{text}</span>
          {action === undefined ? null : (
            <button type="button" class="small" onClick={action.run}>
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
