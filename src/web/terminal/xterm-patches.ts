/** Patches of xterm.js 6.0.0 that use its internals. The version is pinned. */
import { boundRepetitions, eraseAboveFromLastCell, speedUpLines } from "../../screen/emulator-patches.ts";
import type { EmulatorCore } from "../../screen/emulator-core.ts";
import type { Terminal } from "./xterm-types.ts";

interface Core extends EmulatorCore {
  readonly _viewport?: { _sync(line?: number): void };
  readonly _selectionService?: {
    readonly selectionStart: unknown;
    refresh(isLinuxMouseSelection?: boolean): void;
  };
}

/** Call after opening; `isOver` tells that the terminal was disposed. */
export function patchTerminal(terminal: Terminal, isOver: () => boolean): void {
  const { _core: core } = terminal as unknown as { _core: Core };
  terminal.parser.registerCsiHandler({ final: "J" }, ([what]) => what === 1 && eraseAboveFromLastCell(core));
  boundRepetitions(terminal, core);
  speedUpLines(core);
  moveScrollBarByFrame(core, isOver);
  drawOnlySelections(core);
}

/**
 * xterm.js redraws the selection, and with it all rows, on every scrolled line, even without a selection. In a flood
 * this draws every frame twice.
 */
function drawOnlySelections({ _selectionService: service }: Core): void {
  if (service === undefined) return;
  const refresh = service.refresh.bind(service);
  let wasThere = false;
  service.refresh = (isLinuxMouseSelection) => {
    const isThere = service.selectionStart !== undefined;
    if (isThere || wasThere) refresh(isLinuxMouseSelection);
    wasThere = isThere;
  };
}

/** xterm.js updates its scroll bar on every scrolled line. In a flood this takes a third of the page's time. */
function moveScrollBarByFrame({ _viewport: viewport }: Core, isOver: () => boolean): void {
  if (viewport === undefined) return;
  const sync = viewport._sync.bind(viewport);
  let isDue = false;
  viewport._sync = (line) => {
    // With an argument it is xterm's own call, once per frame.
    if (line !== undefined) return sync(line);
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (!isOver()) sync();
    });
  };
}
