import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { errorText } from "./error-text.ts";

const require = createRequire(import.meta.url);

function errorOfLoading(name: string): unknown {
  try {
    return require(name);
  } catch (error) {
    return error;
  }
}

it("a module removed by an update asks for a restart", () => {
  const error = errorOfLoading("./chunks/search-ABC.cjs");
  expect(errorText(error)).toBe("amux was updated while it was running. Restart it (the daemon: amux daemon restart).");
});

it("a missing package is named", () => {
  expect(errorText(errorOfLoading("no-such-package"))).toContain("no-such-package");
});
