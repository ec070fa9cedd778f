/**
 * Links in a terminal. Addresses that can be read on the screen open in a tab that knows nothing of this page. A program
 * can also put an address behind other words; that address is shown before it is followed.
 */

const SAFE = /^https?:\/\//i;

export class LinkPolicy {
  readonly #ask: (address: string) => void;

  constructor(ask: (address: string) => void) {
    this.#ask = ask;
  }

  readonly open = (_: MouseEvent, address: string): void => openOutside(address);

  /** For links by escape sequence. */
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
