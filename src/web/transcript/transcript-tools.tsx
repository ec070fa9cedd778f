/** The tools of a transcript: find, filter, and jump to the next match. */
import { useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { param, setParams } from "../state/route.ts";
import { IconButton } from "../ui/button.tsx";
import { KINDS, type Kind } from "./message-kinds.ts";
import type { Transcript } from "./transcript.ts";

const WAIT_MS = 150;
const LABELS: Record<Kind, string> = { prompts: "Prompts", edits: "Edits", errors: "Errors", tools: "Tools" };
const JUMPS: readonly [Kind, string][] = [
  ["prompts", "prompt"],
  ["edits", "edit"],
  ["errors", "error"],
];

/** The filter in the address, and the matching messages; null for all. */
export interface Selection {
  only: Kind | "";
  find: string;
  shown: Signal<readonly number[] | null>;
  /** Messages that match the text, while all are shown. */
  hits: Signal<readonly number[]>;
}

export function useSelection(transcript: Transcript): Selection {
  const only = KINDS.find((kind) => kind === param("only")) ?? "";
  const find = param("find");
  const shown = useSignal<readonly number[] | null>(null);
  const hits = useSignal<readonly number[]>([]);
  const size = transcript.state.value === "loading" ? -1 : transcript.count.value + transcript.changes.value;
  useEffect(() => {
    if (only === "" && find === "") {
      shown.value = null;
      hits.value = [];
      return;
    }
    const leaving = new AbortController();
    const search = async (): Promise<void> => {
      const ofKind = only === "" ? null : await transcript.matching({ kind: only }, leaving.signal);
      const holding = find === "" ? [] : await transcript.matching({ text: find }, leaving.signal);
      if (leaving.signal.aborted) return;
      const known = ofKind === null ? undefined : new Set(ofKind);
      shown.value = ofKind;
      hits.value = known === undefined ? holding : holding.filter((index) => known.has(index));
    };
    const timer = setTimeout(() => void search(), WAIT_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [only, find, size]);
  return { only, find, shown, hits };
}

export interface TranscriptToolsProps {
  transcript: Transcript;
  selection: Selection;
  /** The last jump target. */
  current: ReadonlySignal<number | null>;
  /** The first visible message. */
  first(): number;
  onJump(index: number): void;
}

export function TranscriptTools({ transcript, selection, current, first, onJump }: TranscriptToolsProps): JSX.Element {
  const { only, find, hits } = selection;
  const field = useRef<HTMLInputElement>(null);
  const jump = useSignal<Kind>("prompts");
  // With the messages, not after them: typed into the page, a letter would be a command.
  useLayoutEffect(() => {
    // The browser's own find does not see rows that are not rendered.
    const take = (event: KeyboardEvent): void => {
      const isFind = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "f";
      if (!isFind || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      field.current?.select();
    };
    document.addEventListener("keydown", take);
    return () => document.removeEventListener("keydown", take);
  }, []);
  /** Continues after the last jump target, or after the visible messages. */
  const step = (all: readonly number[], by: 1 | -1): void => {
    const at = current.value ?? first() - (by > 0 ? 1 : 0);
    const next = by > 0 ? all.find((index) => index > at) : all.findLast((index) => index < at);
    const wrapped = by > 0 ? all[0] : all.at(-1);
    const target = next ?? wrapped;
    if (target !== undefined) onJump(target);
  };
  const toKind = async (by: 1 | -1): Promise<void> => {
    step(await transcript.matching({ kind: jump.value }, new AbortController().signal), by);
  };
  const word = JUMPS.find(([kind]) => kind === jump.value)![1];
  const at = current.value === null ? -1 : hits.value.indexOf(current.value);
  return (
    <div class="transcript-tools" role="search" aria-label="This session">
      <input
        ref={field}
        class="field small"
        type="search"
        placeholder="Find in this session"
        aria-label="Find in this session"
        value={find}
        onInput={(event) => setParams({ find: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(hits.value, event.shiftKey ? -1 : 1);
          if (event.key === "Escape") setParams({ find: "" });
        }}
      />
      {find === "" ? null : (
        <span class="find-count">
          <span role="status">
            {hits.value.length === 0 ? "No matches" : `${at < 0 ? "" : `${at + 1} of `}${hits.value.length}`}
          </span>
          <IconButton icon="up" label="Previous match" onClick={() => step(hits.value, -1)} />
          <IconButton icon="down" label="Next match" onClick={() => step(hits.value, 1)} />
        </span>
      )}
      <div class="segments" role="group" aria-label="Show">
        {(["", ...KINDS] as const).map((kind) => (
          <button key={kind} type="button" aria-pressed={only === kind} onClick={() => setParams({ only: kind })}>
            {kind === "" ? "All" : LABELS[kind]}
          </button>
        ))}
      </div>
      <span class="jump">
        <select
          class="picker"
          aria-label="Jump to"
          value={jump.value}
          onChange={(event) => (jump.value = event.currentTarget.value as Kind)}
        >
          {JUMPS.map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
        <IconButton icon="up" label={`Previous ${word}`} onClick={() => void toKind(-1)} />
        <IconButton icon="down" label={`Next ${word}`} onClick={() => void toKind(1)} />
      </span>
    </div>
  );
}
