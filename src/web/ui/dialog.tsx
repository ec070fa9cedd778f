/** A modal dialog. It uses the browser's own element for focus and Escape. */
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface DialogProps {
  label: string;
  onClose(): void;
  class?: string;
  children: ComponentChildren;
}

export function Dialog({ label, onClose, class: extra = "", children }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  // Focus before the user types.
  useLayoutEffect(() => {
    element.current!.showModal();
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${extra}`}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === element.current && element.current?.close()}
    >
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
