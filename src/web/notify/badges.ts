/** The tab's title and icon show the number of sessions that need attention. */
import { computed, effect } from "@preact/signals";
import { visibleControls } from "../../core/visible-text.ts";
import { attention, sessions } from "../state/projection.ts";
import { selected, selectedId } from "../state/selection.ts";

const SIZE = 64;

/** Running sessions that are unread or waiting, except the visible one. */
export const waiting = computed(() => {
  const ids = new Set(
    attention.value
      .filter(({ reason }) => !["finished", "queue", "conflict"].includes(reason))
      .map(({ session_id }) => session_id),
  );
  for (const { id, alive, unread } of sessions.value.values()) if (alive && unread) ids.add(id);
  if (selectedId.value !== null) ids.delete(selectedId.value);
  return ids.size;
});

export function startBadges(): void {
  effect(() => {
    const count = waiting.value;
    const title = selected.value?.title;
    document.title = `${count > 0 ? `(${count}) ` : ""}${title === undefined ? "amux" : `${visibleControls(title)} · amux`}`;
  });
  effect(() => void drawIcon(waiting.value));
}

async function drawIcon(count: number): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link === null) return;
  if (count === 0) {
    link.href = "/icon.svg";
    return;
  }
  const image = new Image(SIZE, SIZE);
  image.src = "/icon.svg";
  try {
    await image.decode();
  } catch {
    return; // The daemon, which has the icon, is gone.
  }
  const canvas = document.createElement("canvas");
  canvas.width = SIZE;
  canvas.height = SIZE;
  const pen = canvas.getContext("2d")!;
  pen.drawImage(image, 0, 0, SIZE, SIZE);
  pen.fillStyle = "#e5a13a";
  pen.beginPath();
  pen.arc(SIZE - 18, 18, 18, 0, 2 * Math.PI);
  pen.fill();
  pen.fillStyle = "#101216";
  pen.font = "bold 26px system-ui";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(count > 9 ? "9+" : String(count), SIZE - 18, 20);
  if (waiting.peek() === count) link.href = canvas.toDataURL();
}
