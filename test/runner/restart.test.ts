import { expect, test } from "vitest";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";

/** The runner hangs up at another step of its exit each time. */
const TIMES = 5;

test("a session starts again the moment its program has ended, while its runner still exits", async () => {
  const home = new TestHome();
  for (let time = 0; time < TIMES; time++) {
    const id = await home.spawn("read line; exit 7");
    const connection = await home.client.connect(id);
    const { ptyId } = connection.ptys()[0]!;
    let exitCode: number | undefined;
    connection.subscribe((event) => {
      if (event._tag === "exit") exitCode = event.exitCode;
    });
    connection.send({ _tag: "attach", ptyId });
    connection.input(ptyId, Buffer.from("\r"));
    await waitFor("the end of the program", () => exitCode === 7);
    await home.spawn("echo second life; exec cat", { id });
    expect(await home.waitForText(id, "second life")).not.toContain("exited");
  }
});
