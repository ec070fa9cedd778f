/** OSC 52: programs can offer text for the clipboard, but cannot read it. */

const MAX_CHARACTERS = 1_000_000;

/** The text to copy; undefined for a query, for empty data, and for data that is not text. */
export function clipboardRequest(data: string): string | undefined {
  const [, encoded = ""] = /^[cpqs0-7]*;([A-Za-z0-9+/=]+)$/.exec(data) ?? [];
  if (encoded === "" || encoded.length > MAX_CHARACTERS) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // Invalid base64.
  }
}
