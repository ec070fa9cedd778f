import { expect, test } from "vitest";
import { externalEnv } from "./external-env.ts";

test("programs amux starts get no token and no archive address", () => {
  const vars = { PATH: "/bin", AMUX_TOKEN: "t", AMUX_ARCHIVE: "postgres://me:secret@db/a", AMUX_HOME: "/h" };
  expect(externalEnv(vars)).toEqual({ PATH: "/bin", AMUX_HOME: "/h" });
});
