/** The echo of a key is recorded, shown and parsed once, in its place. */
import { expect, test } from "vitest";
import { launchSpec } from "../../src/protocol/launch-spec.ts";
import { SILENT } from "../../src/runner/direct-pty.ts";
import { Session } from "../../src/runner/session.ts";
import type { Terminal } from "../../src/runner/terminal.ts";

const SPEC = launchSpec({ id: "echo", command: ["none"], cwd: "/", created_at: new Date(0).toISOString() });

interface Heard {
  terminal: Terminal;
  echoes: string[];
  outputs: () => number;
  end: () => void;
}

/** The kernel echoes keys, with a viewer attached. */
function typedInto(): Heard {
  let outputs = 0;
  const session = new Session(SPEC, {}, { ...SILENT, onOutput: () => void outputs++ }, () => undefined);
  const terminal = session.create({ command: ["cat"], cwd: "/", cols: 80, rows: 24 });
  const echoes: string[] = [];
  terminal.attach({
    congested: false,
    picture: () => undefined,
    output: (pieces) => void echoes.push(Buffer.concat(pieces).toString()),
    resized: () => undefined,
    exited: () => undefined,
  });
  const end = (): void => {
    terminal.pty.hangUp();
    terminal.dispose();
    session.state.close();
  };
  return { terminal, echoes, outputs: () => outputs, end };
}

test("each echo is sent and parsed without a request, even the first after a pause", async () => {
  const { terminal, echoes, outputs, end } = typedInto();
  for (const [at, key] of ["a", "b", "c"].entries()) {
    terminal.write(Buffer.from(key));
    await expect.poll(() => echoes.join("")).toContain(key);
    await expect.poll(outputs, { interval: 5 }).toBe(at + 1);
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(outputs()).toBe(at + 1);
  }
  expect(terminal.shownText()[0]).toBe("abc");
  end();
});

test("each echo is recorded before it is shown, once and in its place", async () => {
  const { terminal, echoes, end } = typedInto();
  const kept: string[] = [];
  let isBehind = false;
  terminal.record = {
    keep: (latest) => {
      kept.push(String(latest));
      isBehind ||= kept.length <= echoes.length;
    },
  };
  for (const key of ["x", "y", "z"]) {
    terminal.write(Buffer.from(key));
    await expect.poll(() => echoes.join("")).toContain(key);
    expect(kept).toEqual(echoes);
  }
  expect(isBehind).toBe(false);
  end();
});

test("an unparsed echo at the program's end is part of the last screen", async () => {
  const { terminal, echoes, outputs, end } = typedInto();
  terminal.write(Buffer.from("z"));
  await expect.poll(() => echoes.join(""), { interval: 1 }).toContain("z");
  terminal.pty.hangUp();
  expect(outputs()).toBe(1);
  expect(terminal.shownText()[0]).toBe("z");
  end();
});
