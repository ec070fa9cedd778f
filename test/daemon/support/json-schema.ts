/** The parts of JSON Schema that the OpenAPI document uses: a second opinion on answers. */

interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

/** What is wrong and where; empty when nothing is. */
export function problems(value: unknown, schema: Schema, place = "$"): string[] {
  const found: string[] = [];
  if (schema.const !== undefined && schema.const !== value)
    found.push(`${place} is not ${JSON.stringify(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value)) found.push(`${place} is none of the values`);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return [`${place} is no ${types.join(" or ")}`];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && !choices.some((choice) => problems(value, choice, place).length === 0)) {
    found.push(`${place} fits none of the choices`);
  }
  for (const part of schema.allOf ?? []) found.push(...problems(value, part, place));
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (schema.items !== undefined) found.push(...problems(item, schema.items, `${place}[${index}]`));
    }
  } else if (typeof value === "object" && value !== null) found.push(...inObject(value, schema, place));
  return found;
}

function inObject(value: object, schema: Schema, place: string): string[] {
  const missing = (schema.required ?? [])
    .filter((name) => !(name in value))
    .map((name) => `${place}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, field]) => {
    const known = schema.properties?.[name];
    if (known !== undefined) return problems(field, known, `${place}.${name}`);
    if (schema.additionalProperties === false) return [`${place}.${name} is not described`];
    return typeof schema.additionalProperties === "object"
      ? problems(field, schema.additionalProperties, `${place}.${name}`)
      : [];
  });
  return [...missing, ...wrong];
}

function isOf(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
