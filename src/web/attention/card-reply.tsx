/** Answers a question from its card: by option if it has any, else by text. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import { sendAnswer } from "./answered.ts";

type Option = NonNullable<AttentionItem["options"]>[number];

/** Without `onOpen`, a composer beside it takes text. */
export function CardReply({ item, onOpen }: { item: AttentionItem; onOpen?: () => void }): JSX.Element {
  const { options = [], reason, several } = item;
  const isBusy = useSignal(false);
  const send = async (answer: string): Promise<void> => {
    isBusy.value = true;
    await sendAnswer(item, answer);
    isBusy.value = false;
  };
  const picks = options.filter((option) => option.takes_text !== true);
  return (
    <>
      {several === true ? (
        <Several options={picks} isBusy={isBusy.value} send={send} />
      ) : (
        picks.map((option, at) => (
          <button
            key={`${option.number ?? ""} ${option.label}`}
            type="button"
            class={`small ${reason === "permission" && at === 0 && !isRefusal(option) ? "allow" : ""}`}
            title={option.label}
            disabled={isBusy.value}
            onClick={() => void send(option.number ?? option.label)}
          >
            <span class="option-label">{option.label}</span>
          </button>
        ))
      )}
      {onOpen === undefined ? null : takesText(item) ? (
        <Reply onOpen={onOpen} isBusy={isBusy.value} send={send} />
      ) : (
        <button type="button" class={`small ${picks.length > 0 ? "quiet" : ""}`} onClick={onOpen}>
          Open
        </button>
      )}
    </>
  );
}

/** Some agents offer to refuse first: that is not what the button should suggest. */
function isRefusal({ label }: Option): boolean {
  return /^no\b/i.test(label);
}

export function takesText({ options = [], reason }: AttentionItem): boolean {
  return options.length === 0 ? reason === "question" : options.some((option) => option.takes_text === true);
}

interface Sending {
  isBusy: boolean;
  send(answer: string): Promise<void>;
}

function Several({ options, isBusy, send }: Sending & { options: readonly Option[] }): JSX.Element {
  const boxes = options.filter(({ checked }) => checked !== undefined);
  const picked = useSignal<ReadonlySet<string>>(
    new Set(boxes.filter(({ checked }) => checked).map(({ label }) => label)),
  );
  const toggle = (label: string): void => {
    const next = new Set(picked.value);
    if (!next.delete(label)) next.add(label);
    picked.value = next;
  };
  const wanted = boxes.filter(({ label }) => picked.value.has(label));
  return (
    <>
      {boxes.map(({ label }) => (
        <label key={label} class="option-box">
          <input type="checkbox" checked={picked.value.has(label)} onChange={() => toggle(label)} /> {label}
        </label>
      ))}
      <button
        type="button"
        class="small"
        disabled={isBusy || wanted.length === 0}
        onClick={() => void send(wanted.map(({ number, label }) => number ?? label).join(","))}
      >
        Send
      </button>
    </>
  );
}

function Reply({ onOpen, isBusy, send }: Sending & { onOpen(): void }): JSX.Element {
  const text = useSignal("");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const { value } = text;
    if (value.trim() === "") return onOpen();
    text.value = "";
    await send(value);
  };
  return (
    <form class="card-reply" onSubmit={(event) => void submit(event)}>
      <input
        class="field small"
        placeholder="Reply …"
        aria-label="Reply"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button type="submit" class="small" disabled={isBusy}>
        {text.value.trim() === "" ? "Open" : "Send"}
      </button>
    </form>
  );
}
