/** Recorded screens of the real agents. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Screen } from "../../../src/screen/screen.ts";
import { SILENT_LISTENER } from "../../../src/screen/silent-listener.ts";
import type { ShownRow } from "../../../src/status/shown-row.ts";

const AGENTS = join(import.meta.dirname, "../../../src/agents");

/** With colours if they show what is marked, else as text. */
export function screenFile(agent: string, name: string): string {
  const base = join(AGENTS, agent, "fixtures/screens", name);
  return existsSync(`${base}.ansi`) ? `${base}.ansi` : `${base}.txt`;
}

export function recordedScreen(agent: string, name: string): ShownRow[] {
  return shown(readFileSync(screenFile(agent, name), "utf8"));
}

export function shown(output: string, cols = 80, rows = 30): ShownRow[] {
  const screen = new Screen(cols, rows, 0, SILENT_LISTENER);
  screen.feed(Buffer.from(output.replaceAll(/\r?\n/g, "\r\n")));
  const shownRows = screen.shownRows();
  screen.dispose();
  return shownRows;
}
