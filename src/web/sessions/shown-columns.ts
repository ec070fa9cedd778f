/** The columns named in the address. */

const DEFAULT = ["state", "agent", "model", "project", "turns", "cost", "updated"];
/** Stands for the title only, because an empty text means the default. */
const NONE = "none";

function defaultColumns(hasPeers: boolean): readonly string[] {
  return hasPeers ? [...DEFAULT, "machine"] : DEFAULT;
}

export function columnsIn(text: string, hasPeers: boolean): readonly string[] {
  return text === "" ? defaultColumns(hasPeers) : text.split(",");
}

/** The address value for these columns. */
export function columnsText(names: readonly string[], hasPeers: boolean): string {
  const usual = defaultColumns(hasPeers);
  if (names.length === usual.length && usual.every((name) => names.includes(name))) return "";
  return names.join(",") || NONE;
}
