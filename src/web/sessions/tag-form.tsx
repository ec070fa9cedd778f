/** Adds a tag to the selected sessions, or removes it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { api } from "../state/api.ts";
import { plural } from "../ui/figures.ts";
import { attempt, tell, tellUndo } from "../ui/notices.ts";
import { fewAtOnce } from "./few-at-once.ts";
import type { SessionRow } from "./rows.ts";
import { loadAgain } from "./table-request.ts";

export function TagForm({ rows }: { rows: readonly SessionRow[] }): JSX.Element {
  const text = useSignal("");
  const known = [...new Set(rows.flatMap(({ tags }) => tags))].sort();
  const change = async (isAdded: boolean): Promise<void> => {
    const tag = text.value.trim();
    if (/[\s,]/.test(tag) || tag === "") {
      tell("A tag is one word without commas.", { tone: "bad" });
      return;
    }
    // Only these change, so only these are undone.
    const meant = rows.filter(({ tags }) => tags.includes(tag) !== isAdded);
    await setTag(meant, tag, isAdded);
    text.value = "";
    tellUndo(`${isAdded ? "Tagged" : "Untagged"} ${plural(meant.length, "session")}: ${tag}.`, () =>
      setTag(meant, tag, !isAdded),
    );
  };
  return (
    <form
      class="tag-form"
      onSubmit={(event) => {
        event.preventDefault();
        void change(true);
      }}
    >
      <input
        class="field small"
        list="tags"
        placeholder="tag"
        aria-label="Tag"
        autocomplete="off"
        maxLength={100}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <datalist id="tags">
        {known.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
      <button type="submit" class="small">
        Add tag
      </button>
      {known.includes(text.value.trim()) ? (
        <button type="button" class="small" onClick={() => void change(false)}>
          Remove tag
        </button>
      ) : null}
    </form>
  );
}

async function setTag(rows: readonly SessionRow[], tag: string, isAdded: boolean): Promise<void> {
  const change = isAdded ? { add: [tag] } : { remove: [tag] };
  await fewAtOnce(rows, ({ unifiedId, peer }) => attempt(() => api.tag(unifiedId!, change, peer)));
  await loadAgain();
}
