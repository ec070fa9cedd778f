/** Collapsible parts. They stay open when scrolled out of view and back. */
import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { plural } from "../ui/figures.ts";

const opened = signal<ReadonlyMap<string, boolean>>(new Map());

export interface FoldProps {
  id: string;
  summary: ComponentChildren;
  class?: string;
  open?: boolean;
  children: ComponentChildren;
}

export function Fold({ id, summary, class: extra = "", open = false, children }: FoldProps): JSX.Element {
  const isOpen = opened.value.get(id) ?? open;
  return (
    <details
      class={`fold ${extra}`}
      open={isOpen}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        if (now !== isOpen) opened.value = new Map(opened.value).set(id, now);
      }}
    >
      <summary>{summary}</summary>
      {isOpen ? children : null}
    </details>
  );
}

interface ClippedProps {
  text: string;
  limit: number;
  render(text: string): ComponentChildren;
}

export function Clipped({ text, limit, render }: ClippedProps): JSX.Element {
  const isWhole = useSignal(false);
  if (text.length <= limit || isWhole.value) return <>{render(text)}</>;
  return (
    <>
      {render(text.slice(0, limit))}
      <button type="button" class="quiet small" onClick={() => (isWhole.value = true)}>
        Show {plural(text.length - limit, "more character")}
      </button>
    </>
  );
}
