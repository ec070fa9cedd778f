/** Loads a view's code when it is first opened. */
import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../state/api.ts";
import { messageOf } from "./notices.ts";

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => JSX.Element {
  let loaded: ComponentType<Props> | undefined;
  return (props) => {
    const version = useSignal(0);
    const problem = useSignal("");
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (view) => {
          loaded = view;
          version.value++;
        },
        async (error: unknown) => (problem.value = await whyNotLoaded(error, () => api.health())),
      );
    }, []);
    void version.value;
    const View = loaded;
    if (View !== undefined) return <View {...props} />;
    if (problem.value === "") return <p class="empty" />;
    return (
      <div class="empty">
        <p>{problem.value}</p>
        <button type="button" class="primary" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    );
  };
}

/** If the daemon answers but lacks this build's files, it is a newer one. */
export async function whyNotLoaded(error: unknown, ask: () => Promise<unknown>): Promise<string> {
  const isThere = await ask().then(
    () => true,
    () => false,
  );
  return error instanceof TypeError && isThere ? "amux was updated. Reload the page." : messageOf(error);
}
