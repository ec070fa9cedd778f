/** Where xterm.js 6.0.0 falls short in a page: what it has no public door for. The version is pinned. */
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

/** Once it is open; `isOver` when it is taken away. */
export function mend(terminal: Terminal, isOver: () => boolean): void {
  const { _core: core } = terminal as unknown as { _core: Core };
  terminal.parser.registerCsiHandler({ final: "J" }, ([what]) => what === 1 && eraseAboveFromLastCell(core));
  boundRepetitions(terminal, core);
  speedUpLines(core);
  moveScrollBarByFrame(core, isOver);
  drawOnlySelections(core);
}

/**
 * With every line that scrolls it has the selection drawn again, and with it all rows, even when nothing is selected: in a
 * flood every frame was drawn twice.
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

/**
 * With every line that scrolls it brings its scroll bar up to date, timers and all: a third of the page's time in a flood,
 * for what nobody sees before the next frame.
 */
function moveScrollBarByFrame({ _viewport: viewport }: Core, isOver: () => boolean): void {
  if (viewport === undefined) return;
  const sync = viewport._sync.bind(viewport);
  let isDue = false;
  viewport._sync = (line) => {
    // With a line it is its own once-a-frame call.
    if (line !== undefined) return sync(line);
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (!isOver()) sync();
    });
  };
}
