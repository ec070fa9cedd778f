/** A port of 127.0.0.1 for a daemon that tests, benchmarks and the demonstration stop and start again. */
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below the ports that the system gives to connections, one of which could take it meanwhile, and above the last one that
 * browsers refuse (10080).
 */
const [FIRST, LAST] = [11_000, 32_000];
/** Apart for each process that looks for one: vitest numbers its workers. */
const NUMBER = Number(process.env.VITEST_POOL_ID ?? process.pid);
const EACH = 1000;
let tried = 0;

export async function freePort() {
  for (;;) {
    const port = FIRST + ((NUMBER * EACH + tried++) % (LAST - FIRST));
    if (await isFree(port)) return port;
  }
}

async function isFree(port) {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}
