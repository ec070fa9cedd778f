/** Damaged line-delimited JSON. The same seed gives the same damage. */

export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  return (below) => (seed = (seed * 48_271) % 2_147_483_647) % below;
}

/** What crashes, full disks, merges and bad memory do to a file. */
export function damaged(sound: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(sound);
  const place = (): number => random(bytes.length);
  switch (random(8)) {
    case 0:
      return bytes.subarray(0, place());
    case 1:
      for (let i = 0; i < 20; i++) bytes[place()] = random(256);
      return bytes;
    case 2:
      for (let i = 0; i < 20; i++) bytes[place()] = '"\\{}[]:,\n0-eu'.charCodeAt(random(13));
      return bytes;
    case 3: {
      const start = place();
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + random(300))]);
    }
    case 4: {
      const start = place();
      return Buffer.concat([bytes.subarray(0, start), Buffer.alloc(random(5000)), bytes.subarray(start)]);
    }
    case 5:
      return Buffer.from(bytes.toString("utf8").replaceAll("\n", "\r\n\n"));
    case 6:
      return Buffer.from(`\uFEFF${bytes.toString("utf8").trimEnd()}`);
    default: {
      // Lines in another order, some twice, keys in another order and with blanks.
      const lines = bytes
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "");
      return Buffer.from(lines.map(() => respelt(lines[random(lines.length)]!, random)).join("\n"));
    }
  }
}

function respelt(line: string, random: Random): string {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    // A line that was damaged already.
    return line;
  }
  const entries = Object.entries(record);
  switch (random(6)) {
    case 0:
      return JSON.stringify(Object.fromEntries(entries.toReversed()));
    case 1:
      return JSON.stringify(record, null, 1).replaceAll("\n", " ");
    case 2:
      return line.replace(/[a-z](?=[^"]*":)/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
    case 3:
    case 4: {
      const leaves = leavesOf(record);
      const leaf = leaves[random(leaves.length)];
      if (leaf !== undefined) leaf.holder[leaf.key] = STRANGE[random(STRANGE.length)];
      // Valid JSON that JSON.stringify never writes.
      return JSON.stringify(record).replace('"1e2"', "1e2").replace('"7.0"', "7.0");
    }
    default:
      return `${line.slice(0, -1)},"type":"assistant","uuid":"${random(9)}"}`;
  }
}

const STRANGE = [
  null,
  -5,
  1.5,
  1e15,
  "1e2",
  "7.0",
  true,
  "",
  "text",
  "\u{1f600}\n",
  [],
  [{}],
  {},
  { type: "x" },
  12,
  0,
];

interface Leaf {
  holder: Record<string, unknown>;
  key: string;
}

/** Every value in a structure, array items included. */
function leavesOf(value: unknown): Leaf[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...leavesOf(holder[key])]);
}
