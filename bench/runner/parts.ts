/** What the measurements use of the sources. */
export { Pty } from "../../src/runner/pty.ts";
export { openShimConnection } from "../../src/client/open-shim-connection.ts";
