import { describe, expect, it } from "vitest";
import type { Source, State } from "../core/state.ts";
import { GRACE_MS, NO_EVIDENCE, observe, withdraw, type Evidence, type Observation } from "./evidence.ts";
import { judge } from "./verdict.ts";

type Step = [at: number, source: Source, state: State, more?: Partial<Observation>];

const DEAD = { isAlive: () => false };

function evidence(...steps: Step[]): Evidence {
  return steps.reduce(
    (sum, [at, source, state, more]) => observe(sum, { at, source, state, ...more }, DEAD),
    NO_EVIDENCE,
  );
}

function stateAt(now: number, ...steps: Step[]): string | undefined {
  return judge(evidence(...steps), now)?.state;
}

const LATER = 60_000;

describe("an error", () => {
  it("without a reason gets the one another source reported", () => {
    const steps: Step[] = [
      [0, "hook", "working", { begins: true, message: "the prompt" }],
      [100, "agent", "error"],
      [600, "transcript", "error", { message: "The request is malformed." }],
    ];
    expect(judge(evidence(...steps), LATER)).toMatchObject({ state: "error", message: "The request is malformed." });
  });
});

describe("a choice on the screen before the first turn", () => {
  const seen: Step = [1000, "agent", "waiting", { ask: "start", message: "Trust this folder?" }];

  it("stays, at once and whatever else is reported, until it disappears or a turn begins", () => {
    const behind: Step[] = [
      [500, "hook", "idle", { begins: true, session: "s" }],
      seen,
      [1100, "agent", "idle"],
      [1200, "hook", "idle", { begins: true, session: "s" }],
    ];
    expect(stateAt(1300, ...behind)).toBe("waiting");
    expect(stateAt(LATER, ...behind)).toBe("waiting");
    expect(stateAt(LATER, ...behind, [2000, "agent", "idle", { ask: "start" }])).toBe("idle");
    expect(stateAt(LATER, ...behind, [2000, "hook", "working", { begins: true, session: "s" }])).not.toBe("waiting");
  });
});

describe("a question right after the start of its turn", () => {
  it("is not lost when the terminal's title takes seconds to show it", () => {
    // As Gemini reported them on a busy machine.
    const steps: Step[] = [
      [19_652, "hook", "working", { begins: true, message: "Please ask me" }],
      [19_820, "agent", "working"],
      [20_069, "hook", "waiting", { message: "Which colour?" }],
    ];
    expect(stateAt(21_500, ...steps)).toBe("waiting");
    const shown: Step[] = [...steps, [22_230, "agent", "permission"]];
    expect(judge(evidence(...shown), LATER)).toMatchObject({ state: "waiting", message: "Which colour?" });
    expect(stateAt(LATER, ...shown, [30_000, "agent", "working"])).toBe("working");
  });
});

describe("no state outlives its cause", () => {
  it("a turn cancelled without a hook", () => {
    const steps: Step[] = [
      [0, "hook", "working", { begins: true }],
      [10, "agent", "working"],
      [5000, "agent", "idle"],
    ];
    expect(stateAt(5500, ...steps)).toBe("working");
    expect(stateAt(5000 + GRACE_MS, ...steps)).toBe("idle");
    expect(judge(evidence(...steps), 5500)?.settlesAt).toBe(5000 + GRACE_MS);
    expect(judge(evidence(...steps), LATER)?.overruled.map((word) => word.source)).toEqual(["hook"]);
  });

  it("the subject of a cancelled turn, when the next one begins before its hook", () => {
    const steps: Step[] = [
      [0, "hook", "working", { begins: true, message: "first" }],
      [10, "agent", "working"],
      [5000, "agent", "idle"],
      [9000, "agent", "working"],
    ];
    expect(judge(evidence(...steps), 9100)).toMatchObject({ state: "working" });
    expect(judge(evidence(...steps), 9100)).not.toHaveProperty("message");
    const next = [...steps, [9400, "hook", "working", { begins: true, message: "second" }] as Step];
    expect(judge(evidence(...next), 9500)).toMatchObject({ state: "working", message: "second" });
    // A dialog in between is part of the turn.
    const asked: Step[] = [
      [0, "hook", "working", { begins: true, message: "first" }],
      [5000, "agent", "permission"],
      [9000, "agent", "working"],
    ];
    expect(judge(evidence(...asked), 9100)).toMatchObject({ state: "working", message: "first" });
  });

  it("a granted permission, while its tool runs on", () => {
    const steps: Step[] = [
      [0, "hook", "working", { begins: true }],
      [1000, "hook", "permission", { ask: "a", message: "Bash: make" }],
      [1100, "agent", "permission"],
      [4000, "agent", "working"],
    ];
    expect(stateAt(3900, ...steps)).toBe("permission");
    expect(stateAt(4000 + GRACE_MS, ...steps)).toBe("working");
    expect(stateAt(LATER, ...steps, [8000, "hook", "permission", { ask: "b", message: "Bash: rm" }])).toBe(
      "permission",
    );
  });

  it("and the next permission shows its own text, not the old one's", () => {
    const steps: Step[] = [
      [1000, "hook", "permission", { ask: "a", message: "first" }],
      [1100, "agent", "permission"],
      [4000, "agent", "working"],
      [8000, "hook", "permission", { ask: "b", message: "second" }],
      [8100, "agent", "permission"],
    ];
    expect(judge(evidence(...steps), LATER)).toMatchObject({ state: "permission", message: "second", since: 8000 });
  });

  it("a permission denied with a key", () => {
    expect(
      stateAt(LATER, [0, "hook", "permission", { ask: "a" }], [100, "agent", "permission"], [3000, "agent", "idle"]),
    ).toBe("idle");
  });

  it("an agent that crashed", () => {
    expect(stateAt(3000, [0, "hook", "working"], [100, "agent", "working"], [3000, "process", "offline"])).toBe(
      "offline",
    );
  });

  it("a compaction that was aborted", () => {
    expect(stateAt(LATER, [0, "hook", "working", { label: "compacting" }], [900, "agent", "idle"])).toBe("idle");
  });

  it("a turn that the transcript reports as interrupted", () => {
    const idle = { could_be: ["done", "error", "stopped", "waiting"] as State[] };
    expect(stateAt(LATER, [0, "hook", "working"], [2000, "transcript", "idle", idle])).toBe("idle");
  });

  it("an interrupted turn, once the agent reports that it waits", () => {
    expect(stateAt(LATER, [0, "hook", "working"], [50_000, "hook", "idle", { weak: true }])).toBe("idle");
    expect(stateAt(LATER, [0, "hook", "done"], [50_000, "hook", "idle", { weak: true }])).toBe("done");
  });

  it("work restarted by a finished background shell", () => {
    const steps: Step[] = [
      [0, "agent", "done"],
      [100, "hook", "done", { label: "1 in the background" }],
      [30_000, "agent", "working"],
    ];
    expect(judge(evidence(...steps.slice(0, 2)), 29_000)).toMatchObject({
      state: "done",
      label: "1 in the background",
    });
    expect(stateAt(LATER, ...steps)).toBe("working");
  });

  it("an error that the agent recovered from", () => {
    expect(stateAt(LATER, [0, "hook", "error"], [400, "agent", "working"])).toBe("working");
    expect(stateAt(LATER, [0, "hook", "error"], [400, "agent", "idle"])).toBe("error");
  });
});

describe("a more trusted source", () => {
  it("is not overridden by a lagging animation", () => {
    const steps: Step[] = [
      [0, "hook", "working"],
      [0, "agent", "working"],
      [9000, "hook", "done"],
      [9050, "agent", "working"],
      [9300, "agent", "done"],
    ];
    for (let now = 9000; now < 12_000; now += 50) {
      const sofar = steps.filter(([at]) => at <= now);
      expect(stateAt(now, ...sofar)).toBe("done");
    }
  });

  it("is not contradicted by earlier reports", () => {
    expect(stateAt(LATER, [0, "agent", "working"], [9000, "hook", "done"])).toBe("done");
  });

  it("is believed over one that cannot know", () => {
    const busyOrAsking = { could_be: ["permission", "waiting"] as State[] };
    expect(stateAt(LATER, [0, "hook", "permission", { ask: "a" }], [100, "transcript", "working", busyOrAsking])).toBe(
      "permission",
    );
    const anythingButBusy = { could_be: ["permission", "waiting", "done", "error"] as State[] };
    expect(stateAt(LATER, [0, "hook", "permission", { ask: "a" }], [100, "agent", "idle", anythingButBusy])).toBe(
      "permission",
    );
    expect(stateAt(LATER, [0, "hook", "working"], [100, "agent", "idle", anythingButBusy])).toBe("idle");
  });

  it("is contradicted by one that keeps repeating itself", () => {
    const animation = Array.from({ length: 30 }, (_, index): Step => [9500 + index * 100, "agent", "working"]);
    expect(stateAt(12_500, [9000, "hook", "done"], ...animation)).toBe("working");
  });

  it("can withdraw its report", () => {
    const both = evidence([0, "agent", "working"], [1, "transcript", "idle"]);
    expect(judge(withdraw(both, "agent"), LATER)?.state).toBe("idle");
  });
});

describe("questions", () => {
  it("of two tools at once are open until both are answered", () => {
    const steps: Step[] = [
      [0, "hook", "working"],
      [100, "hook", "permission", { ask: "a", message: "first" }],
      [110, "hook", "permission", { ask: "b", message: "second" }],
    ];
    expect(judge(evidence(...steps), 200)?.message).toBe("first");
    expect(judge(evidence(...steps, [300, "hook", "working", { ask: "a" }]), 400)).toMatchObject({
      state: "permission",
      message: "second",
    });
    expect(stateAt(600, ...steps, [300, "hook", "working", { ask: "a" }], [500, "hook", "working", { ask: "b" }])).toBe(
      "working",
    );
  });

  it("are not ended by a tool that needed no permission", () => {
    expect(stateAt(LATER, [0, "hook", "permission", { ask: "a" }], [50, "hook", "working", { ask: "c" }])).toBe(
      "permission",
    );
  });

  it("are asked once, however often they are announced", () => {
    const twice = evidence(
      [0, "hook", "permission", { ask: "a", message: "Bash: make" }],
      [6000, "hook", "permission", { message: "needs your permission" }],
    );
    expect(judge(twice, 7000)).toMatchObject({ message: "Bash: make", since: 0 });
    expect(twice.log.map((entry) => entry.ignored)).toEqual([undefined, "known already"]);
  });

  it("reported by the program itself are as old as the current one", () => {
    const first: Step[] = [
      [1000, "agent", "permission", { message: "Bash: make" }],
      [2000, "agent", "permission", { message: "Bash: make" }],
    ];
    expect(judge(evidence(...first), 3000)).toMatchObject({ since: 1000 });
    expect(judge(evidence(...first, [4000, "agent", "permission"]), 5000)).toMatchObject({ since: 1000 });
    const second: Step[] = [...first, [4000, "agent", "permission", { message: "Bash: make install" }]];
    expect(judge(evidence(...second), 5000)).toMatchObject({ since: 4000, message: "Bash: make install" });
  });

  it("without a name are ended by the next tool", () => {
    expect(stateAt(LATER, [0, "hook", "permission"], [50, "hook", "working", { ask: "a" }])).toBe("working");
  });

  it.each(["done", "idle", "error", "offline"] as const)("end with the turn (%s)", (state) => {
    expect(stateAt(LATER, [0, "hook", "permission", { ask: "a" }], [50, "hook", state])).toBe(state);
  });
});

describe("sub-agents", () => {
  const start: Step[] = [
    [0, "hook", "working", { begins: true, session: "s" }],
    [100, "hook", "working", { scope: "h1", session: "s" }],
    [100, "hook", "working", { scope: "h2", session: "s" }],
  ];

  it("neither finish the agent nor keep it busy", () => {
    expect(stateAt(LATER, ...start, [500, "hook", "stopped", { scope: "h1" }])).toBe("working");
    expect(stateAt(LATER, ...start, [500, "hook", "done"], [900, "hook", "working", { scope: "h1" }])).toBe("done");
  });

  it("ask for themselves, and one's work does not answer another's question", () => {
    const asked: Step[] = [...start, [500, "hook", "permission", { scope: "h1", ask: "a", message: "h1 asks" }]];
    expect(judge(evidence(...asked, [600, "hook", "working", { scope: "h2", ask: "z" }]), 700)?.message).toBe(
      "h1 asks",
    );
    expect(stateAt(LATER, ...asked, [800, "hook", "working", { scope: "h1", ask: "a" }])).toBe("working");
    expect(stateAt(LATER, ...asked, [800, "hook", "stopped", { scope: "h1" }])).toBe("working");
    expect(stateAt(LATER, ...asked, [800, "hook", "working", { begins: true, session: "s" }])).toBe("working");
  });
});

describe("sessions", () => {
  it("late reports of the one left with /clear change nothing", () => {
    const steps: Step[] = [
      [0, "hook", "working", { session: "old", begins: true }],
      [1000, "hook", "idle", { session: "new", begins: true }],
      [1100, "hook", "done", { session: "old" }],
      [1200, "hook", "working", { session: "old", ask: "a" }],
    ];
    expect(stateAt(LATER, ...steps)).toBe("idle");
    expect(evidence(...steps).log.at(-1)?.ignored).toBe("of another session");
  });

  it("an agent started inside another does not finish it, and its questions are reported", () => {
    const world = { isAlive: (pid: number) => pid === 10 };
    const inside = { session: "inner", pid: 20, source: "hook" as const };
    let seen = observe(
      NO_EVIDENCE,
      { at: 0, source: "hook", state: "working", session: "outer", pid: 10, begins: true },
      world,
    );
    seen = observe(seen, { ...inside, at: 10, state: "working", begins: true }, world);
    seen = observe(seen, { ...inside, at: 20, state: "permission", ask: "a", message: "inner asks" }, world);
    expect(judge(seen, 30)).toMatchObject({ state: "permission", message: "inner asks" });
    seen = observe(seen, { ...inside, at: 40, state: "offline" }, world);
    expect(judge(seen, 50)?.state).toBe("working");
  });

  it("one that is started after a crash takes over", () => {
    expect(
      stateAt(
        LATER,
        [0, "hook", "working", { session: "a", pid: 10, begins: true }],
        [5, "hook", "idle", { session: "b", pid: 11, begins: true }],
      ),
    ).toBe("idle");
  });
});

describe("prompt marks and processes", () => {
  it("describe a plain shell", () => {
    expect(stateAt(LATER, [0, "prompt", "working"])).toBe("working");
    expect(stateAt(LATER, [0, "prompt", "working"], [900, "prompt", "idle"])).toBe("idle");
    expect(stateAt(LATER, [0, "process", "working"])).toBe("working");
  });

  it("do not end a permission that an agent asks for between them", () => {
    const asked: Step[] = [
      [0, "hook", "working", { begins: true }],
      [2000, "hook", "permission", { ask: "a" }],
      [2040, "prompt", "idle"],
      [2041, "prompt", "working"],
    ];
    expect(stateAt(LATER, ...asked)).toBe("permission");
    expect(stateAt(LATER, ...asked, [5000, "prompt", "idle"])).not.toBe("permission");
  });

  it("say nothing about an agent, which prints them between its messages", () => {
    expect(stateAt(LATER, [0, "hook", "working"], [2000, "prompt", "idle"], [2000, "process", "idle"])).toBe("working");
  });
});

it("without reports nothing is known", () => {
  expect(judge(NO_EVIDENCE, 0)).toBeUndefined();
});

it("the log is short, and an animation is one line in it", () => {
  const frames = Array.from({ length: 100 }, (_, index): Step => [index, "agent", "working"]);
  expect(evidence(...frames).log).toHaveLength(1);
  const turns = Array.from({ length: 100 }, (_, index): Step => [index, "hook", index % 2 === 0 ? "working" : "done"]);
  expect(evidence(...turns).log).toHaveLength(24);
});
