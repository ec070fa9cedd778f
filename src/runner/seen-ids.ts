/** Remembers recent request ids, so that a request repeated after a lost answer acts once. */

const REMEMBERED = 256;

export class SeenIds {
  private readonly ids = new Set<string>();

  /** True if it is new. */
  add(id: string): boolean {
    if (this.ids.has(id)) return false;
    this.ids.add(id);
    if (this.ids.size > REMEMBERED) {
      const [oldest = ""] = this.ids;
      this.ids.delete(oldest);
    }
    return true;
  }
}
