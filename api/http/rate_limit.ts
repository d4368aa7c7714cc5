import { isIPv6 } from 'node:net'

import type { Allowance } from '#accounts/shared_windows.ts'
import type { Clock } from '#time.ts'

const window_us = 60_000_000

/** Counts requests per name in fixed windows of one minute, aligned to the minutes of the clock. */
export function countByMinute(now: Clock): (name: string, limit: number) => Allowance {
  let minute = -1
  let counts = new Map<string, number>()
  return (name, limit) => {
    const at = now()
    const current = Math.floor(at / window_us)
    if (current !== minute) {
      minute = current
      counts = new Map()
    }
    const n = (counts.get(name) ?? 0) + 1
    counts.set(name, n)
    const reset_s = Math.ceil(((current + 1) * window_us - at) / 1_000_000)
    return { remaining: Math.max(0, limit - n), reset_s, isOver: n > limit }
  }
}

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
