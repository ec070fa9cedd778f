/** The terminal emulator and its parts, loaded when the first terminal is shown. */
import "@xterm/xterm/css/xterm.css";

export { Terminal } from "@xterm/xterm";
export { FitAddon } from "@xterm/addon-fit";
export { SearchAddon } from "@xterm/addon-search";
export { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
export { WebglAddon } from "@xterm/addon-webgl";
export { WebLinksAddon } from "@xterm/addon-web-links";
