/** A program that writes 20 KB and exits at once, a thousand times: counts lost bytes. */

const RUNS = 1000;
const AT_ONCE = 4;
const BYTES = 20_000;
const SCRIPT = `printf %0${BYTES}d 0; printf END; exit 7`;
const BUSY_MS = 1;

const READERS = {
  idle: { onData: () => undefined, prepare: () => undefined },
  busy: { onData: block, prepare: () => undefined },
  paused: { onData: () => undefined, prepare: (pty) => pty.pause() },
};

export async function measureFastExit(stage) {
  for (const [name, reader] of Object.entries(READERS)) {
    let lost = 0;
    let left = RUNS;
    const work = async () => {
      while (left-- > 0) lost += BYTES + 3 - (await run(stage.parts.Pty, reader));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    stage.row({ what: `20 KB and exit, ${RUNS} times, ${name} reader: lost`, value: lost, unit: "B", bar: 0 });
  }
}

function run(Pty, { onData, prepare }) {
  return new Promise((resolve) => {
    let bytes = 0;
    const options = {
      command: ["/bin/sh", "-c", SCRIPT],
      cwd: "/",
      env: { PATH: process.env.PATH },
      cols: 80,
      rows: 24,
    };
    const pty = new Pty(options, {
      onData: (data) => {
        bytes += data.length;
        onData();
      },
      onExit: ({ exitCode }) => resolve(exitCode === 7 ? bytes : 0),
    });
    prepare(pty);
  });
}

function block() {
  const until = performance.now() + BUSY_MS;
  while (performance.now() < until);
}
