/** An image in a transcript. */
import type { JSX } from "preact";
import type { SessionImage } from "../../core/session.ts";
import { addressOf } from "./images.ts";

export function Picture({ image, label }: { image: SessionImage; label: string }): JSX.Element {
  const address = addressOf(image.mediaType, image.data);
  if (address === undefined) return <p class="muted">A picture that cannot be shown ({image.mediaType})</p>;
  return <img class="shot" src={address} alt={label} />;
}
