/** Which words must be in a session's bytes for a plan to be true of it. Words are numbered by their place in a list. */
import type { Leaf, Node } from "./plan.ts";

/** One of the alternatives must be there, with all its words. */
export type Requirement = readonly (readonly number[])[];

/** All of these must be met for the leaf to be true; its words are added to the list. */
export function requirementsOf(leaf: Leaf, words: string[]): Requirement[] {
  // Fields of the session are not looked for: they need not be in its files.
  if (leaf.kind === "session") return [];
  const fields = leaf.within.flatMap((field) => (field.field === "role" ? [] : [field.anyOf]));
  const sequences = leaf.kind === "text" ? [[leaf.text], ...fields] : fields;
  // The longest word first: it is the rarest.
  return sequences.map((anyOf) =>
    anyOf.map(({ steps }) => steps.toSorted((a, b) => b.length - a.length).map((step) => numberOf(step, words))),
  );
}

function numberOf(word: string, words: string[]): number {
  const known = words.indexOf(word);
  return known === -1 ? words.push(word) - 1 : known;
}

/** A few words of which one must be there, whatever else; undefined when it can be true without any. */
export function keyWords(
  node: Node,
  requirements: readonly (readonly Requirement[])[],
  words: readonly string[],
): number[] | undefined {
  const best = (candidates: readonly (number[] | undefined)[]): number[] | undefined =>
    candidates
      .filter((keys) => keys !== undefined)
      .toSorted((a, b) => a.length - b.length || shortest(b, words) - shortest(a, words))[0];
  switch (node.op) {
    case "leaf":
      return best(requirements[node.leaf]!.map((anyOf) => [...new Set(anyOf.map(([first]) => first!))]));
    case "not":
      return undefined;
    case "all":
      return best(node.of.map((part) => keyWords(part, requirements, words)));
    case "any": {
      const branches = node.of.map((part) => keyWords(part, requirements, words));
      return branches.includes(undefined) ? undefined : [...new Set(branches.flatMap((keys) => keys!))];
    }
  }
}

function shortest(keys: readonly number[], words: readonly string[]): number {
  return Math.min(...keys.map((word) => words[word]!.length));
}
