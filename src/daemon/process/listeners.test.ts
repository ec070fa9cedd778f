import { expect, it } from "vitest";
import { checkAddress } from "./listeners.ts";

it("the daemon listens on this machine and private networks only", () => {
  for (const host of ["0.0.0.0", "8.8.8.8", "example.org", "::"])
    expect(() => checkAddress(host)).toThrow("is not an address of this machine or of a private network");
  for (const host of ["127.0.0.1", "::1", "192.168.0.1", "10.1.2.3"]) expect(() => checkAddress(host)).not.toThrow();
});
