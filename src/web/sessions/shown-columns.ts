/** Which columns the address names. */

const DEFAULT = ["state", "agent", "model", "project", "turns", "cost", "updated"];
/** Only the title; an empty text stands for the default. */
const NONE = "none";

function defaultColumns(hasPeers: boolean): readonly string[] {
  return hasPeers ? [...DEFAULT, "machine"] : DEFAULT;
}

export function columnsIn(text: string, hasPeers: boolean): readonly string[] {
  return text === "" ? defaultColumns(hasPeers) : text.split(",");
}

/** The text for these columns. */
export function columnsText(names: readonly string[], hasPeers: boolean): string {
  const usual = defaultColumns(hasPeers);
  if (names.length === usual.length && usual.every((name) => names.includes(name))) return "";
  return names.join(",") || NONE;
}
