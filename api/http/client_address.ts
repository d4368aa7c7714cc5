import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

/** The network address of the client of a request. */
export type ClientAddress = (req: IncomingMessage) => string

/**
 * Finds the client behind trusted proxies: the last address of `X-Forwarded-For` that no trusted proxy has. Each proxy
 * appends the address that it saw, so a client cannot choose that one. Headers of other peers are ignored. An item that
 * is no address ends the search, since the proxy that wrote it is the last known peer.
 */
export function openClientAddress(trusted: readonly string[]): ClientAddress {
  const proxies = new BlockList()
  for (const range of trusted) {
    const [address = '', bits] = range.split('/')
    if (bits === undefined) proxies.addAddress(address, familyOf(address))
    else proxies.addSubnet(address, Number(bits), familyOf(address))
  }
  return ({ socket, headers }) => {
    let client = socket.remoteAddress ?? ''
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join().split(',')
    while (isIP(client) !== 0 && proxies.check(client, familyOf(client))) {
      const next = withoutPort(forwarded.pop()?.trim() ?? '')
      if (isIP(next) === 0) break
      client = next
    }
    return client
  }
}

const privateNetworks = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv4')
privateNetworks.addAddress('::1', 'ipv6')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

/** Whether a request comes from this machine or a private network, and not through a proxy that is not trusted. */
export function isFromInside(req: IncomingMessage, clientAddress: ClientAddress): boolean {
  const client = clientAddress(req)
  const isForwarded = req.headers['x-forwarded-for'] !== undefined
  if (isForwarded && client === (req.socket.remoteAddress ?? '')) return false
  return isIP(client) !== 0 && privateNetworks.check(client, familyOf(client))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Some proxies append the port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (item: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(item)?.[1] ?? /^([\d.]+):\d+$/.exec(item)?.[1] ?? item

/**
 * The network of a caller: an IPv4 address, or the first 64 bits of IPv6, of which one machine may use all addresses.
 * Each text of an address gives the same network.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  if (!isMapped) return groups.slice(0, 4).join(':')
  const bytes = groups.slice(6).flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  return bytes.join('.')
}

/** The eight groups of an IPv6 address in lower case, without leading zeros. */
function groupsOf(address: string): string[] {
  const [text] = address.split('%')
  // The host of a URL has one form, and no part in the form of IPv4.
  const [head = '', tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const first = head ? head.split(':') : []
  const last = tail ? tail.split(':') : []
  return [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last]
}
