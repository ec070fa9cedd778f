import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { IconButton } from "./button.tsx";
import { attempt } from "./notices.ts";

const SHOWN_MS = 1500;

/** A copy button that confirms in place. */
export function CopyButton({ text, label }: { text(): string; label: string }): JSX.Element {
  const isDone = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text());
    isDone.value = true;
    setTimeout(() => (isDone.value = false), SHOWN_MS);
  };
  return (
    <IconButton
      icon={isDone.value ? "check" : "copy"}
      label={isDone.value ? "Copied" : label}
      class="copy"
      onClick={() => void attempt(copy)}
    />
  );
}
