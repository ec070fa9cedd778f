/** Random values that fit a JSON Schema. */
import type { Random } from "../fuzz/random.ts";

export interface JsonSchema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minimum?: number;
}

export function bodyFor(schema: JsonSchema, random: Random): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return bodyFor(random.pick(choices), random);
  switch ([schema.type].flat()[0]) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) === true || random.oneIn(2))
          .map(([name, field]) => [name, bodyFor(field, random)]),
      );
    case "array":
      return Array.from({ length: random.below(3) }, () => bodyFor(schema.items ?? {}, random));
    case "integer":
    case "number":
      return (schema.minimum ?? 0) + random.below(5);
    case "boolean":
      return random.oneIn(2);
    case "null":
      return null;
    default:
      return random.pick(["a", "/tmp", "claude", "2026-01-01", "x y"]);
  }
}
