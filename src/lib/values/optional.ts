/** A field that is there only when it has a value, for object literals with exact optional properties. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Field in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Field in Name]: Value });
}
