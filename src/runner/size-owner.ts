/**
 * Whose size a terminal has when several viewers look at it: that of the one who last typed or was focused. The
 * others follow. Nobody's leaving changes the size; the next to act does.
 */

export interface Size {
  cols: number;
  rows: number;
}

export class SizeOwner<Viewer extends object> {
  private readonly wishes = new Map<Viewer, Size>();
  private owner: Viewer | undefined;

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
    return size;
  }

  leave(viewer: Viewer): void {
    this.wishes.delete(viewer);
    if (this.owner === viewer) this.owner = undefined;
  }
}
