import { expect, it } from "vitest";
import { isPublic } from "./private-address.ts";

it("only addresses of the internet are public", () => {
  for (const host of ["93.184.216.34", "8.8.8.8", "2606:4700::1111"])
    expect([host, isPublic(host)]).toEqual([host, true]);
  const others = [
    ...["127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.100.1.1", "0.0.0.0", "255.255.255.255"],
    ...["::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1"],
    ...["2002:7f00:1::", "ff02::1", "localhost", "example.com", ""],
  ];
  for (const host of others) expect([host, isPublic(host)]).toEqual([host, false]);
});
