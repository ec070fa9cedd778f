/** Which mount a path is on. A disk of this machine answers; any other can be gone. */
import { dirname } from "node:path";
import { readText } from "./foreign-file.ts";

const TABLE = "/proc/self/mountinfo";

/** A mount can be made or die meanwhile. */
const FRESH_MS = 10_000;

/** Types that need no server, no other program and no network. */
const LOCAL = new Set(
  "bcachefs binfmt_misc bpf btrfs cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs erofs exfat ext2 ext3 ext4 f2fs hugetlbfs iso9660 mqueue nilfs2 nsfs ntfs3 overlay proc pstore ramfs rootfs securityfs squashfs sysfs tmpfs tracefs udf vfat xfs zfs".split(
    " ",
  ),
);

let known: { at: number; types: ReadonlyMap<string, string> | undefined } | undefined;

/** `path` has no links. Undefined if the system does not say. */
export function mountOf(path: string): { point: string; isLocal: boolean } | undefined {
  if (known === undefined || performance.now() - known.at > FRESH_MS)
    known = { at: performance.now(), types: readTypes() };
  const { types } = known;
  if (types === undefined) return undefined;
  for (let point = path; ; point = dirname(point)) {
    const type = types.get(point);
    if (type !== undefined) return { point, isLocal: LOCAL.has(type) };
    if (point === dirname(point)) return undefined;
  }
}

function readTypes(): ReadonlyMap<string, string> | undefined {
  try {
    return mountTypes(readText(TABLE));
  } catch {
    return undefined; // Not Linux, or /proc is hidden.
  }
}

/** Types by mount point; of several at one point the last is on top. */
export function mountTypes(table: string): Map<string, string> {
  return new Map(
    table.split("\n").flatMap((line): [string, string][] => {
      const [before = "", after = ""] = line.split(" - ");
      const point = before.split(" ")[4];
      const [type = ""] = after.split(" ");
      return point === undefined || type === "" ? [] : [[unescaped(point), type]];
    }),
  );
}

/** Blanks and backslashes are octal. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
