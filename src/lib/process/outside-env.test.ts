import { expect, test } from "vitest";
import { outsideEnv } from "./outside-env.ts";

test("programs amux calls get the environment without the token and the archive's address", () => {
  const vars = { PATH: "/bin", AMUX_TOKEN: "t", AMUX_ARCHIVE: "postgres://me:secret@db/a", AMUX_HOME: "/h" };
  expect(outsideEnv(vars)).toEqual({ PATH: "/bin", AMUX_HOME: "/h" });
});
