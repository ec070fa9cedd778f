import { BlockList, isIP } from "node:net";

/** Whether the address is reachable only from a private network. */
export function isPrivate(host: string): boolean {
  return isIn(PRIVATE, host);
}

/** Whether it is an address of the internet: not private, and for no special use. */
export function isPublic(host: string): boolean {
  return isIP(host) !== 0 && !isIn(PRIVATE, host) && !isIn(SPECIAL, host);
}

function isIn(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 6 ? "ipv6" : "ipv4");
}

const PRIVATE = new BlockList();
PRIVATE.addSubnet("127.0.0.0", 8, "ipv4");
PRIVATE.addSubnet("10.0.0.0", 8, "ipv4");
PRIVATE.addSubnet("172.16.0.0", 12, "ipv4");
PRIVATE.addSubnet("192.168.0.0", 16, "ipv4");
PRIVATE.addSubnet("169.254.0.0", 16, "ipv4");
PRIVATE.addSubnet("100.64.0.0", 10, "ipv4");
PRIVATE.addAddress("::1", "ipv6");
PRIVATE.addSubnet("fc00::", 7, "ipv6");
PRIVATE.addSubnet("fe80::", 10, "ipv6");

/** "This network", tests, broadcast and multicast; in IPv6 also what stands for an IPv4 address. */
const SPECIAL = new BlockList();
SPECIAL.addSubnet("0.0.0.0", 8, "ipv4");
SPECIAL.addSubnet("192.0.0.0", 24, "ipv4");
SPECIAL.addSubnet("198.18.0.0", 15, "ipv4");
SPECIAL.addSubnet("224.0.0.0", 3, "ipv4");
SPECIAL.addSubnet("::", 96, "ipv6");
SPECIAL.addSubnet("64:ff9b::", 32, "ipv6");
SPECIAL.addSubnet("2001::", 32, "ipv6");
SPECIAL.addSubnet("2002::", 16, "ipv6");
SPECIAL.addSubnet("fec0::", 10, "ipv6");
SPECIAL.addSubnet("ff00::", 8, "ipv6");
