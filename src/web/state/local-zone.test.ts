import { expect, it } from "vitest";
import type { DaemonErrorCode } from "../../protocol/daemon-api.ts";
import { Refusal } from "./api.ts";
import { inLocalZone } from "./local-zone.ts";

const refusing = (code: DaemonErrorCode) => (zone: string | undefined) =>
  zone === undefined ? Promise.resolve("its own days") : Promise.reject(new Refusal(code, "no such zone"));

it("asks a machine that does not know the browser's zone for days of its own", async () => {
  expect(await inLocalZone(refusing("bad_request"))).toBe("its own days");
  await expect(inLocalZone(refusing("internal"))).rejects.toThrow("no such zone");
});

it("asks once where the zone is known", async () => {
  const asked: (string | undefined)[] = [];
  await inLocalZone((zone) => Promise.resolve(asked.push(zone)));
  expect(asked).toEqual([Intl.DateTimeFormat().resolvedOptions().timeZone]);
});
