/** Opens a URL in the browser; without a browser, copies it. */
import type { Stage } from "../view.ts";

export function openAddress(stage: Stage, address: string): void {
  const isPlain = URL.canParse(address) && ["http:", "https:"].includes(new URL(address).protocol);
  if (!isPlain) return stage.say("Not a web address.", "bad");
  const { href } = new URL(address);
  if (stage.services.openInBrowser(href)) return stage.say(`Opened ${href}`);
  stage.copy(href);
  stage.say(`No browser found; copied ${href}.`);
}
