/** The price of every model, as cost is computed with it. */
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PricedModel } from "../../protocol/history-api.ts";
import { api } from "../state/api.ts";
import { plural } from "../ui/figures.ts";
import { messageOf } from "../ui/notices.ts";
import { Group } from "./settings-group.tsx";

/** A filter finds the others. */
const SHOWN = 12;

export function PriceSettings(): JSX.Element {
  const models = useSignal<readonly PricedModel[]>([]);
  const note = useSignal("Loading prices …");
  const text = useSignal("");
  useEffect(() => {
    void api.models().then(
      (all) => {
        models.value = all;
        note.value = "";
      },
      (error: unknown) => (note.value = messageOf(error)),
    );
  }, []);
  const wanted = text.value.trim().toLowerCase();
  const found = models.value.filter(({ id, vendor }) => `${vendor} ${id}`.toLowerCase().includes(wanted));
  return (
    <Group title="Prices">
      <p>
        Dollars per million tokens today. Add your own in <code>prices.json</code>.
      </p>
      <input
        class="field"
        type="search"
        placeholder="Find a model"
        aria-label="Find a model"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {found.length === 0 ? null : (
        <table class="prices">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Input</th>
              <th scope="col">Output</th>
              <th scope="col">Cache reads</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN).map(({ id, vendor, rates }) => (
              <tr key={`${vendor} ${id}`}>
                <td>
                  {id} <span class="muted">{vendor}</span>
                </td>
                <td>{rates.input}</td>
                <td>{rates.output}</td>
                <td>{rates.cacheRead ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="muted small-text" role="status">
        {note.value || `${found.length > SHOWN ? `${SHOWN} of ` : ""}${plural(found.length, "model")}`}
      </p>
    </Group>
  );
}
