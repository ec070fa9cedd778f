/** Images in a message's content, in the notations agents use; only complete ones. */
import type { SessionImage } from "../../core/session.ts";
import { asObject, asObjects, asString, type Json } from "../../lib/json/fields.ts";

const DATA_ADDRESS = /^data:(image\/[\w.+-]+);base64,/;

/** `{ images }` for a message, if there are any. */
export function picturesOf(content: unknown): { images?: SessionImage[] } {
  if (typeof content === "string") return {};
  const images = asObjects(content).flatMap((block) => pictureOf(block) ?? []);
  return images.length === 0 ? {} : { images };
}

function pictureOf(block: Json): SessionImage | undefined {
  const address = asString(block["image_url"]);
  const [start, mediaType] = (address === undefined ? null : DATA_ADDRESS.exec(address)) ?? [];
  if (mediaType !== undefined) return { mediaType, data: address!.slice(start!.length) };
  const fields = asObject(block["source"]) ?? asObject(block["inlineData"]) ?? block;
  const type = asString(fields["media_type"]) ?? asString(fields["mimeType"]);
  const data = asString(fields["data"]);
  return type?.startsWith("image/") && data ? { mediaType: type, data } : undefined;
}
