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
    const meant = rows.filter(({ tags }) => tags.includes(tag) !== isAdded);
    if (meant.length === 0) {
      tell(isAdded ? `All of them have the tag ${tag}.` : `None of them has the tag ${tag}.`);
      return;
    }
    const changed = await setTag(meant, tag, isAdded);
    if (changed.length === 0) return;
    text.value = "";
    const count = `${changed.length < meant.length ? `${changed.length} of ` : ""}${plural(meant.length, "session")}`;
    tellUndo(`${isAdded ? "Tagged" : "Untagged"} ${count}: ${tag}.`, () => setTag(changed, tag, !isAdded));
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

/** Returns the sessions that changed, so only these are undone; failures are shown. */
async function setTag(rows: readonly SessionRow[], tag: string, isAdded: boolean): Promise<SessionRow[]> {
  const change = isAdded ? { add: [tag] } : { remove: [tag] };
  const changed: SessionRow[] = [];
  await fewAtOnce(rows, async (row) => {
    if ((await attempt(() => api.tag(row.unifiedId!, change, row.peer))) !== undefined) changed.push(row);
  });
  await loadAgain();
  return changed;
}
