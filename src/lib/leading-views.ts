/** The first bytes of a buffer that is filled again and again. Views of a few bytes are made once: a key leaves no garbage. */

const KEPT_BELOW_BYTES = 64;

export function leadingViews(buffer: Buffer): (length: number) => Buffer {
  const kept: Buffer[] = [];
  return (length) => {
    if (length >= KEPT_BELOW_BYTES) return buffer.subarray(0, length);
    return (kept[length] ??= buffer.subarray(0, length));
  };
}
