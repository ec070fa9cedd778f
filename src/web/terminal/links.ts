/**
 * Links in a terminal open in a new tab without an opener. For a link by escape sequence, whose text may differ from
 * its address, the address is confirmed first.
 */

const SAFE = /^https?:\/\//i;

export class LinkPolicy {
  readonly #ask: (address: string) => void;

  constructor(ask: (address: string) => void) {
    this.#ask = ask;
  }

  readonly open = (_: MouseEvent, address: string): void => openOutside(address);

  /** Handles OSC 8 links. */
  readonly named = {
    activate: (_: MouseEvent, address: string): void => {
      if (SAFE.test(address)) this.#ask(address);
    },
    allowNonHttpProtocols: false,
  };
}

export function openOutside(address: string): void {
  if (SAFE.test(address)) window.open(address, "_blank", "noopener,noreferrer");
}
