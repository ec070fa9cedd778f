/** Paths in `file:` URIs, which editors write. */
import { fileURLToPath } from "node:url";

/** Undefined for other URIs, and for those of another machine. */
export function pathOfUri(uri: string | undefined): string | undefined {
  if (uri === undefined || !uri.startsWith("file:")) return undefined;
  try {
    return fileURLToPath(uri, { windows: /^file:\/\/\/[a-z](?::|%3a)/i.test(uri) });
  } catch {
    return undefined;
  }
}
