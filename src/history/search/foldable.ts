/** Characters outside ASCII, and what they fold to: what a scan of bytes must know about `fold` to leave nothing out. */
import { fold } from "./words.ts";

/** All characters whose folding holds an ASCII letter or digit or is empty; and some between them. A test knows them all. */
export const FOLDABLE: readonly (readonly [first: number, last: number])[] = [
  [0xaa, 0xaa],
  [0xb2, 0xb3],
  [0xb9, 0xba],
  [0xbc, 0xbe],
  [0xc0, 0x233],
  [0x2b0, 0x37a],
  [0x1ab0, 0x1aff],
  [0x1d2c, 0x1ef9],
  [0x3251, 0x32bf],
  [0xa7f1, 0xa7f9],
  [0xfb00, 0xfb06],
  [0xfe20, 0xfe2f],
  [0xff10, 0xff5a],
  [0x10783, 0x107a5],
  [0x1ccf0, 0x1ccf9],
  [0x1d400, 0x1d7ff],
];

/** Blocks with characters that fold to others. Ideographs and Hangul syllables, most of Unicode, fold to themselves. */
const CHANGING: readonly (readonly [first: number, last: number])[] = [
  [0x80, 0x33ff],
  [0xa000, 0xabff],
  [0xf900, 0xffff],
  [0x10400, 0x118ff],
  [0x16e00, 0x16eff],
  [0x1ccd0, 0x1ccff],
  [0x1d400, 0x1d7ff],
  [0x1e000, 0x1efff],
  [0x2f800, 0x2fa1f],
];

let variants: Map<string, Set<string>> | undefined;

/** Every character that can stand for this one (not ASCII): itself, its other case, compatibility forms, its base letter. */
export function variantsOf(character: string): ReadonlySet<string> {
  variants ??= findVariants();
  const found = new Set(variants.get(character)).add(character);
  // Decomposed, the text has the base first; what follows it may be anything.
  const [base] = character.normalize("NFD");
  if (base !== undefined && base !== character) for (const variant of variantsOf(base)) found.add(variant);
  return found;
}

function findVariants(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [first, last] of CHANGING) {
    for (let point = first; point <= last; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      if (character.normalize("NFKD") === character && character.toLowerCase() === character && character !== "ς")
        continue;
      for (const folded of fold(character)) {
        const set = found.get(folded);
        if (set) set.add(character);
        else found.set(folded, new Set([character]));
      }
    }
  }
  return found;
}
