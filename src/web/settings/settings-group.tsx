import type { ComponentChildren, JSX } from "preact";

/** A group of settings with a heading. */
export function Group({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
