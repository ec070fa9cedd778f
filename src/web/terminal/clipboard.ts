/** OSC 52: programs may offer text for the clipboard, and never see what is on it. */

const MAX_CHARACTERS = 1_000_000;

/** The text a program wants copied; undefined for a question, for nothing, and for what is no text. */
export function clipboardRequest(data: string): string | undefined {
  const [, encoded = ""] = /^[cpqs0-7]*;([A-Za-z0-9+/=]+)$/.exec(data) ?? [];
  if (encoded === "" || encoded.length > MAX_CHARACTERS) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // Not what it says it is: nothing to copy.
  }
}
