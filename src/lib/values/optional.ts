/** A field that is present only when it has a value, for exact optional properties. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Field in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Field in Name]: Value });
}
