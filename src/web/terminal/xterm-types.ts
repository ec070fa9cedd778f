/** Type imports of the emulator; they load no code. */
export type { ITerminalOptions, ITheme, Terminal } from "@xterm/xterm";
export type { FitAddon } from "@xterm/addon-fit";
export type { SearchAddon } from "@xterm/addon-search";
