import { expect, test } from "vitest";
import { outsideEnv } from "./outside-env.ts";

test("programs amux starts get no token and no archive address", () => {
  const vars = { PATH: "/bin", AMUX_TOKEN: "t", AMUX_ARCHIVE: "postgres://me:secret@db/a", AMUX_HOME: "/h" };
  expect(outsideEnv(vars)).toEqual({ PATH: "/bin", AMUX_HOME: "/h" });
});
