/** Interned values. Number 0 is reserved for none. */

/** More than a screen can show; limits memory for endless new clusters. */
const MAX_VALUES = 1 << 18;

export class Interned<Value> {
  private readonly ids = new Map<string, number>();
  private values: (Value | undefined)[] = [undefined];

  id(value: Value, key = String(value)): number {
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    if (this.values.length > MAX_VALUES) this.forget();
    const id = this.values.length;
    this.ids.set(key, id);
    this.values.push(value);
    return id;
  }

  value(id: number): Value | undefined {
    return this.values[id];
  }

  /** Numbers start again; the screen may show a wrong cluster until the next frame. */
  private forget(): void {
    this.ids.clear();
    this.values = [undefined];
  }
}
