import { expect, it } from "vitest";
import { needsLinux } from "../../../test/support/needs.ts";
import { mountOf, mountTypes } from "./mounts.ts";

it("mount points with blanks are known, and the last one at a point counts", () => {
  const table = [
    "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw",
    String.raw`40 25 0:50 / /mnt/my\040disk rw shared:2 master:1 - fuse.sshfs me@box:/ rw,user_id=0`,
    "41 25 0:51 / /net rw - autofs systemd-1 rw",
    "42 41 0:52 / /net rw - nfs4 box:/ rw",
    "",
  ].join("\n");
  expect([...mountTypes(table)]).toEqual([
    ["/", "ext4"],
    ["/mnt/my disk", "fuse.sshfs"],
    ["/net", "nfs4"],
  ]);
});

it("a path below a mount is on it", needsLinux, () => {
  expect(mountOf("/proc/1/status")).toEqual({ point: "/proc", isLocal: true });
});
