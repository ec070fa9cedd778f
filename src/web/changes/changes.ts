/** What the Changes view shows of one session: its changes, the comments on them, and what is selected. */
import { computed, signal } from "@preact/signals";
import type { ChangedFile, SessionChanges } from "../../core/changes.ts";
import type { ChangesTarget } from "../../client/daemon-api.ts";
import type { Review, ReviewChange } from "../../protocol/review.ts";
import { api } from "../state/api.ts";
import { attempt, messageOf } from "../ui/notices.ts";
import { quoted, rowsOf, type LineSelection } from "./change-rows.ts";

export interface ChangesFilter {
  staged?: boolean;
  committed?: boolean;
  since_look?: boolean;
  mine?: boolean;
}

export class Changes {
  readonly target: ChangesTarget;
  readonly answer = signal<SessionChanges | null>(null);
  readonly isLoading = signal(true);
  /** The session went on since. */
  readonly isOutdated = signal(false);
  readonly problem = signal("");
  readonly review = signal<Review | null>(null);
  readonly folded = signal<ReadonlySet<string>>(new Set());
  readonly selection = signal<LineSelection | null>(null);
  /** The text of the new comment, kept while the list scrolls. */
  readonly draft = signal("");
  readonly #opened = signal(false);
  /** New lines would take away what the user writes, or has opened. */
  readonly isBusy = computed(() => this.selection.value !== null || this.#opened.value);
  readonly comments = computed(() => this.review.value?.comments ?? []);
  /** Not accepted, or nothing was heard since: sending them again is up to the user. */
  readonly unclear = computed(() =>
    this.comments.value.filter(
      ({ state, delivery }) => state === "sending" || (state === "sent" && delivery?.receipt === "not_taken"),
    ),
  );
  readonly rows = computed(() => {
    const open = this.comments.value.filter(({ state }) => state !== "resolved");
    return rowsOf(this.answer.value?.files ?? [], this.folded.value, open, this.selection.value);
  });
  #filter: ChangesFilter = {};
  /** How often the review was changed here. */
  #reviewed = 0;
  #leaving = new AbortController();

  constructor(target: ChangesTarget) {
    this.target = target;
  }

  async load(filter: ChangesFilter, isUnasked = false): Promise<void> {
    this.#filter = filter;
    this.#leaving.abort();
    const leaving = (this.#leaving = new AbortController());
    this.isLoading.value = true;
    this.isOutdated.value = false;
    const { signal: left } = leaving;
    const reviewed = this.#reviewed;
    try {
      const [answer, review] = await Promise.all([
        api.changes(this.target, { ...filter, hunks: true }, left),
        api.review(this.target, left),
      ]);
      if (left.aborted) return;
      if (isUnasked && this.isBusy.value) {
        this.isOutdated.value = true;
        this.isLoading.value = false;
        return;
      }
      this.#opened.value = false;
      this.#reset(answer);
      // A comparison takes a while, and its review does not have what was written meanwhile.
      if (reviewed === this.#reviewed) this.review.value = review;
      this.problem.value = "";
    } catch (error) {
      if (!left.aborted) this.problem.value = messageOf(error);
    }
    if (!left.aborted) this.isLoading.value = false;
  }

  reload(): Promise<void> {
    return this.load(this.#filter);
  }

  /** Not asked for by the user, who may begin to write meanwhile. */
  refresh(): Promise<void> {
    return this.load(this.#filter, true);
  }

  /** Loads the lines of a file that was left out. */
  async loadFile({ path }: ChangedFile): Promise<void> {
    const one = await attempt(() => api.changes(this.target, { ...this.#filter, path }, this.#leaving.signal));
    const { value: answer } = this.answer;
    const file = one?.files.find((found) => found.path === path);
    if (answer === null || file === undefined) return;
    this.#opened.value = true;
    this.answer.value = { ...answer, files: answer.files.map((other) => (other.path === path ? file : other)) };
  }

  close(): void {
    this.#leaving.abort();
  }

  fold(path: string): void {
    const folded = new Set(this.folded.value);
    if (!folded.delete(path)) folded.add(path);
    this.folded.value = folded;
  }

  async change(change: ReviewChange): Promise<boolean> {
    const review = await attempt(() => api.changeReview(this.target, change));
    if (review === undefined) return false;
    this.#reviewed++;
    this.review.value = review;
    return true;
  }

  /** Keeps the new comment, until it is sent with the others. */
  async comment(text: string): Promise<void> {
    const { value: selection } = this.selection;
    if (selection === null) return;
    if (!(await this.change({ add: { file: selection.file.path, text, ...quoted(selection) } }))) return;
    this.selection.value = null;
    this.draft.value = "";
  }

  /** Marks all hunks of these files as seen. */
  async see(files: readonly ChangedFile[]): Promise<void> {
    const seen = files.map(({ path, hunks = [] }) => ({
      path,
      hunks: hunks.flatMap(({ id }) => (id === undefined ? [] : [id])),
    }));
    if ((await attempt(() => api.lookedAt(this.target, { files: seen }))) === undefined) return;
    if (this.#filter.since_look === true) return this.reload();
    this.folded.value = new Set([...this.folded.value, ...files.map(({ path }) => path)]);
  }

  /** The selected lines are kept if they are still there. */
  #reset(answer: SessionChanges): void {
    const { value: before } = this.selection;
    const file = answer.files.find(({ path }) => path === before?.file.path);
    const hunk = file?.hunks?.find(({ id }) => id !== undefined && id === before?.hunk.id);
    const isThere = before !== null && file !== undefined && hunk !== undefined;
    this.selection.value = isThere ? { ...before, file, hunk } : null;
    this.answer.value = answer;
  }
}
