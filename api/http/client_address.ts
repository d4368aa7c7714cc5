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
  for (const one of trusted) {
    const [address = '', bits] = one.split('/')
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

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Some proxies append the port: `192.0.2.1:443`, `[2001:db8::1]:443`. */
const withoutPort = (item: string): string =>
  /^\[([^\]]+)\](?::\d+)?$/.exec(item)?.[1] ?? /^([\d.]+):\d+$/.exec(item)?.[1] ?? item

/**
 * The network of a caller: an IPv4 address, or the first 64 bits of IPv6. One machine may use all addresses below them.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const first = head ? head.split(':') : []
  const last = tail ? tail.split(':') : []
  const zeros = Array<string>(tail === undefined ? 0 : 8 - first.length - last.length).fill('0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
