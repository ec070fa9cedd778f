import type { ComponentChildren, JSX } from "preact";

/** One part of the settings, under its name. */
export function Group({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
