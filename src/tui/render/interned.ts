/** Values named by small numbers. Number 0 is never given: it means none. */

/** More than a screen can show, so that endless new clusters do not fill memory. */
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

  /** Numbers begin again; what is on the screen may show a wrong cluster until it is painted next. */
  private forget(): void {
    this.ids.clear();
    this.values = [undefined];
  }
}
