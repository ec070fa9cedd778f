/** Undoes buffer-pool-off.ts: Node's own default. */
Buffer.poolSize = 8192;
