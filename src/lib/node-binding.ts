/** What lies below Node's own modules, undocumented: quicker where a call is made thousands of times, or a module is long to load. */
import { isTriedNode } from "./tried-node.ts";

/** Undefined where Node has nothing of the kind. Whoever uses it checks what is in it. */
export function nodeBinding(name: string): Record<string, unknown> | undefined {
  if (!isTriedNode()) return undefined;
  const { noDeprecation } = process;
  try {
    // Node speaks of it as deprecated where it was started to do so; that is no concern of whoever asks for a search.
    process.noDeprecation = true;
    const { binding } = process as unknown as { binding?: (name: string) => Record<string, unknown> };
    return binding?.(name);
  } catch {
    return undefined;
  } finally {
    process.noDeprecation = noDeprecation ?? false;
  }
}
