/** The text of a message row. Anything except plain text is stored as NUL, `json:` and a list of parts. */
import { asArray, asObject, asString, asText } from "../../lib/json/fields.ts";
import { jsonText, parseJson } from "../../lib/json/json.ts";

const PARTS_MARK = "\0json:";

/** Parts as stored in a database. */
export function storedParts(parts: unknown): string {
  return `${PARTS_MARK}${jsonText(parts)}`;
}

export function contentText(stored: string): string {
  if (!stored.startsWith(PARTS_MARK)) return stored;
  const json = stored.slice(PARTS_MARK.length);
  const parts = parseJson(json);
  const list = asArray(parts);
  if (list === undefined) return asString(parts) ?? json;
  return list
    .map(partText)
    .filter((text) => text !== "")
    .join("\n");
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const object = asObject(part);
  if (object === undefined) return "";
  const text = asText(object["text"]) ?? asText(object["content"]);
  if (text !== undefined) return text;
  const type = asText(object["type"]);
  return type === undefined ? "" : `[${type.replace(/_url$/, "")}]`;
}
