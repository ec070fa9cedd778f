/** A chat as a log of changes: the first line is the whole document, each later one sets, removes or appends something in it. */
import { asArray, type Json } from "../../lib/json/fields.ts";
import { changeOf, type Change } from "./format.ts";

type Container = Json | unknown[];

/** The document after all changes. `onDamage` is called for a change that fits nothing. Undefined without a first document. */
export function replay(records: Iterable<Json>, onDamage: () => void): unknown {
  let document: unknown;
  for (const record of records) {
    const change = changeOf(record);
    if (change?.kind === "whole") document = change.value;
    else if (change === undefined || !apply(document, change)) onDamage();
  }
  return document;
}

/** The path comes from a file: it may lead only through what the document itself has. */
function apply(document: unknown, { kind, path, value, from }: Exclude<Change, { kind: "whole" }>): boolean {
  let place = document;
  for (const step of path.slice(0, -1)) place = isOwn(place, step) ? (place as Json)[step] : undefined;
  const last = path.at(-1);
  if (!isContainer(place) || last === undefined || !mayHold(place, last)) return false;
  if (kind !== "append") {
    (place as Json)[last] = value;
    return true;
  }
  const before = isOwn(place, last) ? ((place as Json)[last] ?? []) : [];
  const added = asArray(value ?? []);
  if (!Array.isArray(before) || added === undefined) return false;
  const start = from ?? before.length;
  if (!Number.isInteger(start) || start < 0 || start > before.length) return false;
  // In place: a long answer is thousands of appends.
  before.length = start;
  for (const each of added) before.push(each);
  (place as Json)[last] = before;
  return true;
}

function isContainer(place: unknown): place is Container {
  return typeof place === "object" && place !== null;
}

function isOwn(place: unknown, step: string | number): boolean {
  return isContainer(place) && Object.hasOwn(place, step);
}

/** A list may grow by one item; an object takes any name but the one that is not a property. */
function mayHold(place: Container, name: string | number): boolean {
  if (!Array.isArray(place)) return name !== "__proto__";
  return typeof name === "number" && Number.isInteger(name) && name >= 0 && name <= place.length;
}
