/** Which places of a line `json-lines.ts` is asked for, written where its WebAssembly module looks them up. */

export interface FieldSpec {
  /** `message.usage.input_tokens`; `message.content[].type` for a field of each item of an array (one array only). */
  path: string;
  /**
   * `id`: strings are numbered, equal ones alike, anew in each file. `word`: the same for strings of which there are few,
   * kept over files. `time`: ISO 8601 strings are read as milliseconds. `figures`: objects that are the same in most lines
   * but for their numbers, of which nobody asks where they end.
   */
  as?: "id" | "word" | "time" | "figures";
}

/** How the module learns the name of a path's last step. */
interface PathExports {
  addPath(parent: number, address: number, length: number, node: number): void;
}

// The module's memory map, as far as it is written here.
const NODE_FLAGS = 64;
export const ITEM_FIELD = 128;
const PREFIXES = 1792;
/** For strings that are handed over. */
export const SCRATCH = 2816;
const MAX_NODES = 64;
const FIRST_FIELD = 2;
const FLAG_PARENT = 4;
const FLAG_ITEMS = 8;
const FLAGS = { id: 1, time: 2, word: 16, figures: 64 };

/** Writes paths and prefixes into the module's memory; gives the number of fields that items have. */
export function namePaths(
  bytes: Buffer,
  exports: PathExports,
  nodes: Map<string, number>,
  fields: readonly FieldSpec[],
  passOver: readonly string[],
): number {
  let itemFields = 0;
  // The module knows fields by their place among those that are asked for.
  const numbers = new Map(fields.map(({ path }, index) => [path, FIRST_FIELD + index]));
  let others = FIRST_FIELD + fields.length;
  const nodeAt = (path: string): number => {
    if (path === "") return 1;
    const known = nodes.get(path);
    if (known !== undefined) return known;
    const dot = path.lastIndexOf(".");
    const parentPath = path.slice(0, Math.max(0, dot));
    const isItemField = parentPath.endsWith("[]");
    const parent = nodeAt(isItemField ? parentPath.slice(0, -2) : parentPath);
    const node = numbers.get(path) ?? others++;
    if (node >= MAX_NODES) throw new Error("Too many fields.");
    nodes.set(path, node);
    bytes[NODE_FLAGS + parent]! |= isItemField ? FLAG_ITEMS : FLAG_PARENT;
    if (isItemField) bytes[ITEM_FIELD + node] = ++itemFields;
    exports.addPath(parent, SCRATCH, bytes.write(path.slice(dot + 1), SCRATCH), node);
    return node;
  };
  for (const { path, as } of fields) {
    const node = nodeAt(path);
    bytes[NODE_FLAGS + node]! |= as === undefined ? 0 : FLAGS[as];
  }
  bytes.writeInt32LE(passOver.length, PREFIXES);
  passOver.forEach((prefix, index) => {
    bytes.writeInt32LE(prefix.length, PREFIXES + 16 + 64 * index);
    bytes.write(prefix, PREFIXES + 20 + 64 * index);
  });
  return itemFields;
}
