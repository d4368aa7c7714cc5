import { BlockList, isIP } from 'node:net'

/** The networks of IPv4 that are no public hosts, by IANA's registry of special-purpose addresses. */
const special = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(network, bits, 'ipv4')

/** The public hosts of IPv6 are in one network. Parts of it embed or tunnel other addresses. */
const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')
const embedding = new BlockList()
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  embedding.addSubnet(network, bits, 'ipv6')

/** Whether an IP address is of a public host: not private, of a link, of this machine, or of a group. */
export const isPublicAddress = (address: string): boolean =>
  isIP(address) === 4
    ? !special.check(address, 'ipv4')
    : isIP(address) === 6 && unicast.check(address, 'ipv6') && !embedding.check(address, 'ipv6')
