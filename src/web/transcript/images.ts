/** Images in a tool's result, in the agents' formats. Incomplete ones are ignored. */

const MAX_IMAGES = 8;
const MAX_DEPTH = 6;
const TYPE = /^image\/(?:png|jpeg|gif|webp)$/;
const BASE64 = /^[A-Za-z0-9+/\s]+=*$/;

/** A data URL, if the data is a known image type. */
export function addressOf(mediaType: string, data: string): string | undefined {
  return TYPE.test(mediaType) && BASE64.test(data) ? `data:${mediaType};base64,${data}` : undefined;
}

export function imagesIn(value: unknown): string[] {
  const found: string[] = [];
  collect(value, found, 0);
  return found;
}

/** The text beside the images. */
export function wordsIn(output: unknown): string {
  if (!Array.isArray(output)) return "";
  return output
    .flatMap((block: { text?: unknown } | null) => (typeof block?.text === "string" ? [block.text] : []))
    .join("\n");
}

function collect(value: unknown, found: string[], depth: number): void {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || found.length >= MAX_IMAGES) return;
  const fields = value as Record<string, unknown>;
  const type = fields["media_type"] ?? fields["mimeType"] ?? fields["mime_type"] ?? fields["mediaType"];
  const { data } = fields;
  if (typeof type === "string" && typeof data === "string") {
    const address = addressOf(type, data);
    if (address !== undefined) found.push(address);
    return;
  }
  for (const inner of Object.values(fields)) collect(inner, found, depth + 1);
}
