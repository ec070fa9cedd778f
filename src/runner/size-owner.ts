/**
 * The size of a terminal with several viewers: that of the viewer who last typed or had the focus. When it leaves or is hidden,
 * the one before it takes over.
 */

export interface Size {
  cols: number;
  rows: number;
}

export class SizeOwner<Viewer extends object> {
  /** Ordered by last action; the latest is last. */
  private readonly wishes = new Map<Viewer, Size>();
  private owner: Viewer | undefined;

  get isOwned(): boolean {
    return this.owner !== undefined;
  }

  /** A viewer's window has this size. Returns the terminal's new size, if it changes. */
  propose(viewer: Viewer, size: Size): Size | undefined {
    this.wishes.set(viewer, size);
    this.owner ??= viewer;
    return this.owner === viewer ? size : undefined;
  }

  /** A viewer typed, or got the focus. */
  claim(viewer: Viewer): Size | undefined {
    if (this.owner === viewer) return undefined;
    const size = this.wishes.get(viewer);
    // Scripts that type have no window and take no size.
    if (size === undefined) return undefined;
    this.owner = viewer;
    this.wishes.delete(viewer);
    this.wishes.set(viewer, size);
    return size;
  }

  /** The same window reconnected. */
  replace(viewer: Viewer, next: Viewer): void {
    const size = this.wishes.get(viewer);
    if (size === undefined) return;
    this.wishes.delete(viewer);
    this.wishes.set(next, size);
    if (this.owner === viewer) this.owner = next;
  }

  /** A viewer left or is hidden. Returns the size of the next one, if any. */
  leave(viewer: Viewer): Size | undefined {
    this.wishes.delete(viewer);
    if (this.owner !== viewer) return undefined;
    const [next, size] = [...this.wishes].at(-1) ?? [];
    this.owner = next;
    return size;
  }
}
