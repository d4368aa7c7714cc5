import { expect, test } from 'vitest'

import { countByMinute } from '#api/http/authenticate.ts'
import { networkOf } from '#api/http/client_address.ts'

test('an IPv4 address is its own network, also in the form of IPv6', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7')
  expect(networkOf('::ffff:203.0.113.7')).toBe('203.0.113.7')
  expect(networkOf('0:0::FFFF:cb00:7107')).toBe('203.0.113.7')
})

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::5:6', '2001:db8:0:0'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['2001:0DB8:0001:0002:0:0:192.0.2.1', '2001:db8:1:2'],
  ['2001:db8:0:0:1::', '2001:db8:0:0'],
  ['1:2:3:4:5:6:7::', '1:2:3:4'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('of %s the network is %s', (address, network) => expect(networkOf(address)).toBe(network))

test('a minute counts each name for itself and ends with the minute of the clock', () => {
  const clock = { at: Date.UTC(2026, 2, 1, 12, 0, 59, 1) * 1_000 }
  const count = countByMinute(() => clock.at)
  expect([count('a', 2), count('a', 2), count('a', 2), count('b', 2)]).toEqual([
    { remaining: 1, reset_s: 1, isOver: false },
    { remaining: 0, reset_s: 1, isOver: false },
    { remaining: 0, reset_s: 1, isOver: true },
    { remaining: 1, reset_s: 1, isOver: false },
  ])
  clock.at = Date.UTC(2026, 2, 1, 12, 1) * 1_000
  expect(count('a', 2)).toEqual({ remaining: 1, reset_s: 60, isOver: false })
})
