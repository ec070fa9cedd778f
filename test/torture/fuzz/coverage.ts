/** Which blocks of code have run, as V8 counts them: this guides the fuzzer. */
import { Session, type Profiler } from "node:inspector";

export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post("Profiler.enable");
    // Blocks without call counts, which would cost time.
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  get blocks(): number {
    return this.#seen.size;
  }

  /** Blocks that ran for the first time since the last call. */
  look(): Set<string> {
    const fresh = new Set(this.#ran().filter((block) => !this.#seen.has(block)));
    for (const block of fresh) this.#seen.add(block);
    return fresh;
  }

  /** Whether the work runs one of these blocks. */
  async reaches(blocks: ReadonlySet<string>, work: () => Promise<void>): Promise<boolean> {
    this.#ran();
    await work();
    return this.#ran().some((block) => blocks.has(block));
  }

  end(): void {
    this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }

  #ran(): string[] {
    const found: string[] = [];
    // In the same process the answer comes before `post` returns.
    this.#session.post(
      "Profiler.takePreciseCoverage",
      (error: Error | null, answer: Profiler.TakePreciseCoverageReturnType) => {
        if (error) throw error;
        for (const { url, functions } of answer.result) {
          const file = /\/src\/(.*\.ts)/.exec(url)?.[1];
          if (file === undefined) continue;
          for (const { ranges } of functions)
            for (const { startOffset, endOffset, count } of ranges)
              if (count > 0) found.push(`${file}:${startOffset}-${endOffset}`);
        }
      },
    );
    return found;
  }
}
