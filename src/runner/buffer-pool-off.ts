/**
 * The width tables of @xterm/addon-unicode-graphemes 0.4.0 are decoded while it loads, from the beginning of the
 * memory behind a small Buffer. Node puts small Buffers somewhere into a shared pool, and then the decoder reads
 * foreign bytes and never ends. Imported just before it, this keeps the pool out of the way.
 */
Buffer.poolSize = 0;
