/** A view whose code is loaded when it is first opened. */
import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
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
        (error: unknown) => (problem.value = messageOf(error)),
      );
    }, []);
    void version.value;
    const View = loaded;
    if (View !== undefined) return <View {...props} />;
    return <p class="empty">{problem.value}</p>;
  };
}
