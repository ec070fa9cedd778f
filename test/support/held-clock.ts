/** Time that passes only when the test says so. Processes, files and sockets go on as ever. */
import { onTestFinished, vi } from "vitest";

export interface HeldClock {
  pass(ms: number): Promise<void>;
  /** As if this process had been blocked: what was due after `ms` is `lateMs` late. */
  passLate(ms: number, lateMs: number): void;
  /** Runs `act` as a real timer: before anything is read that has arrived. */
  inTimer(act: () => void): Promise<void>;
}

/** For the timers that this process starts from now on, until the test ends. `waitFor` is such a timer, `expect.poll` is not. */
export function holdClock(): HeldClock {
  const realTimeout = setTimeout;
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    clock.mockRestore();
  });
  const passLate = (ms: number, lateMs: number): void => {
    now += ms + lateMs;
    vi.advanceTimersByTime(ms);
  };
  return {
    passLate,
    pass: async (ms) => {
      passLate(ms, 0);
      // What the timers began.
      await new Promise(setImmediate);
    },
    inTimer: (act) =>
      new Promise((resolve, reject) => {
        realTimeout(() => {
          try {
            resolve(act());
          } catch (error) {
            reject(error as Error);
          }
        });
      }),
  };
}
