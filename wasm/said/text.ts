/** Where the one text of a message and its time were found; JavaScript's side is src/agents/shared/said-scan.ts. */
import { quoted } from "./json";

/** In the memory of src/lib/byte-scan.wat, which leaves this free. */
const TEXT: usize = 528;
const TEXT_END: usize = 532;
const TIME: usize = 536;
const TIME_END: usize = 540;

export function forget(): void {
  store<u64>(TEXT, 0);
  store<u64>(TIME, 0);
}

/** From its quote on; behind it. 0 for a second one, or what is no text. */
export function takeText(p: usize): usize {
  if (hasText() || load<u8>(p) != 34) return 0;
  const end = quoted(p);
  if (end == 0) return 0;
  store<u32>(TEXT, <u32>p + 1);
  store<u32>(TEXT_END, <u32>end - 1);
  return end;
}

/** Without its quotes. */
export function takeTime(start: usize, end: usize): void {
  store<u32>(TIME, <u32>start);
  store<u32>(TIME_END, <u32>end);
}

export function hasText(): bool {
  return load<u32>(TEXT) != 0;
}

export function hasTime(): bool {
  return load<u32>(TIME) != 0;
}

/** Its first byte. */
export function textStart(): usize {
  return <usize>load<u32>(TEXT);
}
