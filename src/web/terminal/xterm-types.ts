/** The emulator's types alone: naming them loads nothing. */
export type { ITerminalOptions, ITheme, Terminal } from "@xterm/xterm";
export type { FitAddon } from "@xterm/addon-fit";
export type { SearchAddon } from "@xterm/addon-search";
