/** Every action by name. */
import type { Stage } from "../view.ts";
import { ListView } from "./list-view.ts";

export function palette(stage: Stage, titles: ReadonlyMap<string, string>): ListView {
  const items = [...titles].map(([id, label]) => ({
    id,
    label,
    detail: stage.keymap.keysOf(id).slice(0, 2).join(", "),
    words: id,
  }));
  return new ListView(stage, {
    title: "Commands",
    hint: "enter run  esc cancel",
    items: () => items,
    act: (action, item, _filter, view) => {
      if (action !== "choose" || item === undefined) return;
      view.close();
      stage.act(item.id);
    },
  });
}
