/** The terminal's colours, light and dark. */
import type { ITheme } from "./xterm-types.ts";

export function terminalTheme(dark: boolean): ITheme {
  return dark ? DARK : LIGHT;
}

/** Grounds of what the find bar finds: text stays readable on both, and the current place stands out most. */
export function findColours(
  dark: boolean,
): Record<
  "matchBackground" | "matchOverviewRuler" | "activeMatchBackground" | "activeMatchColorOverviewRuler",
  string
> {
  const [match, active] = dark ? ["#4a3c14", "#8a4b00"] : ["#fff0b8", "#ffb84d"];
  return {
    matchBackground: match!,
    matchOverviewRuler: match!,
    activeMatchBackground: active!,
    activeMatchColorOverviewRuler: active!,
  };
}

const DARK: ITheme = {
  background: "#101216",
  foreground: "#d9dce3",
  cursor: "#9db4ff",
  cursorAccent: "#101216",
  selectionBackground: "#33415e",
  black: "#23262e",
  red: "#f07a7a",
  green: "#7fc98f",
  yellow: "#e3c078",
  blue: "#7c9cff",
  magenta: "#c792ea",
  cyan: "#6fc6cf",
  white: "#c9cdd6",
  brightBlack: "#6b7280",
  brightRed: "#ff9c9c",
  brightGreen: "#a2e3af",
  brightYellow: "#f5d998",
  brightBlue: "#a3b9ff",
  brightMagenta: "#dcb4f7",
  brightCyan: "#96e0e8",
  brightWhite: "#f3f4f7",
};

const LIGHT: ITheme = {
  background: "#fdfdfc",
  foreground: "#24272e",
  cursor: "#3355cc",
  cursorAccent: "#fdfdfc",
  selectionBackground: "#cfdaf7",
  black: "#24272e",
  red: "#b3261e",
  green: "#1e6f3a",
  yellow: "#8a5a00",
  blue: "#2b50c8",
  magenta: "#8432a8",
  cyan: "#0b6b78",
  white: "#5c6370",
  brightBlack: "#6b7280",
  brightRed: "#c9372c",
  brightGreen: "#23814a",
  brightYellow: "#9c6a00",
  brightBlue: "#3a63e0",
  brightMagenta: "#9a46bf",
  brightCyan: "#0f7d8c",
  brightWhite: "#24272e",
};
