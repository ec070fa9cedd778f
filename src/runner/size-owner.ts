/**
 * Whose size a terminal has when several viewers look at it: that of the one who last typed or was focused. The
 * others follow. When that one leaves, or is not looked at, it is the size of whoever acted last before it.
 */

export interface Size {
  cols: number;
  rows: number;
}

export class SizeOwner<Viewer extends object> {
  /** Who acted last is last. */
  private readonly wishes = new Map<Viewer, Size>();
  private owner: Viewer | undefined;

  get isOwned(): boolean {
    return this.owner !== undefined;
  }

  /** A viewer's window has this size. Answers the size the terminal should take, if it should change. */
  propose(viewer: Viewer, size: Size): Size | undefined {
    this.wishes.set(viewer, size);
    this.owner ??= viewer;
    return this.owner === viewer ? size : undefined;
  }

  /** A viewer typed, or was focused. */
  claim(viewer: Viewer): Size | undefined {
    if (this.owner === viewer) return undefined;
    const size = this.wishes.get(viewer);
    // Scripts that type have no window and take nobody's size.
    if (size === undefined) return undefined;
    this.owner = viewer;
    this.wishes.delete(viewer);
    this.wishes.set(viewer, size);
    return size;
  }

  /** The same window looks anew. */
  replace(viewer: Viewer, next: Viewer): void {
    const size = this.wishes.get(viewer);
    if (size === undefined) return;
    this.wishes.delete(viewer);
    this.wishes.set(next, size);
    if (this.owner === viewer) this.owner = next;
  }

  /** A viewer left, or nobody looks at it. Answers the size of who comes after it, if there is somebody. */
  leave(viewer: Viewer): Size | undefined {
    this.wishes.delete(viewer);
    if (this.owner !== viewer) return undefined;
    const [next, size] = [...this.wishes].at(-1) ?? [];
    this.owner = next;
    return size;
  }
}
