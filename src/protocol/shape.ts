/**
 * Checks for foreign data, small enough for every session's process: zod would cost each a megabyte and a tenth of its start. A
 * shape returns the typed value or throws.
 */

export type Shape<T> = (value: unknown, path: string) => T;

/** The type of a shape. */
export type Shaped<S> = S extends Shape<infer T> ? T : never;

export class ShapeError extends Error {}

/** The value, or the error. */
export type Checked<T> = { ok: true; value: T } | { ok: false; message: string };

export function check<T>(shape: Shape<T>, value: unknown): Checked<T> {
  try {
    return { ok: true, value: shape(value, "") };
  } catch (error) {
    if (error instanceof ShapeError) return { ok: false, message: error.message };
    throw error;
  }
}

export function text(limits: { max?: number; pattern?: RegExp } = {}): Shape<string> {
  const { max = Number.POSITIVE_INFINITY, pattern } = limits;
  return (value, path) => {
    if (typeof value !== "string") return wrong(path, "a text");
    if (value.length > max) return wrong(path, `a text of at most ${max} characters`);
    if (pattern?.test(value) === false) return wrong(path, `a text like ${String(pattern)}`);
    return value;
  };
}

export function integer(min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): Shape<number> {
  return (value, path) => {
    if (!Number.isSafeInteger(value)) return wrong(path, "an integer");
    const number = value as number;
    return number < min || number > max ? wrong(path, `an integer from ${min} to ${max}`) : number;
  };
}

export const boolean: Shape<boolean> = (value, path) => (typeof value === "boolean" ? value : wrong(path, "a boolean"));

export function oneOf<const T extends string>(...values: readonly T[]): Shape<T> {
  return (value, path) => (values.includes(value as T) ? (value as T) : wrong(path, `one of ${values.join(", ")}`));
}

export function list<T>(item: Shape<T>, limits: { min?: number; max?: number } = {}): Shape<T[]> {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits;
  return (value, path) => {
    if (!Array.isArray(value)) return wrong(path, "a list");
    if (value.length < min || value.length > max) return wrong(path, `a list of ${min} to ${max}`);
    return value.map((entry, at) => item(entry, `${path}.${at}`));
  };
}

export const texts: Shape<Record<string, string>> = (value, path) => {
  const entries = Object.entries(fieldsOf(value, path));
  return Object.fromEntries(entries.map(([name, entry]) => [name, text()(entry, `${path}.${name}`)]));
};

/** A field that may be absent. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return (value, path) => (value === undefined ? undefined : shape(value, path));
}

/** A field with a default. */
export function withDefault<T>(shape: Shape<T>, absent: T): Shape<T> {
  return (value, path) => (value === undefined ? absent : shape(value, path));
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Optional<F extends Fields> = { [K in keyof F]: undefined extends Shaped<F[K]> ? K : never }[keyof F];
type Flat<T> = { [K in keyof T]: T[K] };
type ObjectOf<F extends Fields> = Flat<
  { [K in Exclude<keyof F, Optional<F>>]: Shaped<F[K]> } & {
    [K in Optional<F>]?: Exclude<Shaped<F[K]>, undefined>;
  }
>;

/** Drops unknown fields: a newer sender may send more. */
export function object<const F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  const known = Object.entries(fields);
  return (value, path) => {
    const given = fieldsOf(value, path);
    const result: Record<string, unknown> = {};
    for (const [name, shape] of known) {
      const field = shape(given[name], path === "" ? name : `${path}.${name}`);
      if (field !== undefined) result[name] = field;
    }
    return result as ObjectOf<F>;
  };
}

type Tagged<Tag extends string, M extends Readonly<Record<string, Fields>>> = {
  [Name in keyof M]: Flat<{ [K in Tag]: Name } & ObjectOf<M[Name]>>;
}[keyof M];

/** Objects distinguished by a tag field. */
export function tagged<const Tag extends string, const M extends Readonly<Record<string, Fields>>>(
  tag: Tag,
  members: M,
): Shape<Tagged<Tag, M>> {
  const shapes = new Map(Object.entries(members).map(([name, fields]) => [name, object(fields)]));
  return (value, path) => {
    const name = fieldsOf(value, path)[tag];
    const shape = shapes.get(name as string);
    if (shape === undefined) return wrong(tag, "a known one");
    return { [tag]: name, ...shape(value, path) } as Tagged<Tag, M>;
  };
}

function fieldsOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : wrong(path, "an object");
}

function wrong(path: string, expected: string): never {
  throw new ShapeError(`"${path}" is not ${expected}`);
}
