import { isIPv6 } from 'node:net'

/** What stands for a caller's network: an IPv4 address, of IPv6 the first 64 bits, for one machine has all the rest. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const first = head ? head.split(':') : []
  const last = tail ? tail.split(':') : []
  const zeros = Array<string>(tail === undefined ? 0 : 8 - first.length - last.length).fill('0')
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
