/** Loads the terminal emulator and its add-ons on first use. */
import "@xterm/xterm/css/xterm.css";

export { Terminal } from "@xterm/xterm";
export { FitAddon } from "@xterm/addon-fit";
export { SearchAddon } from "@xterm/addon-search";
export { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
export { WebglAddon } from "@xterm/addon-webgl";
export { WebLinksAddon } from "@xterm/addon-web-links";
