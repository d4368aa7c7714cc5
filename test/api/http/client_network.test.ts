import { expect, test } from 'vitest'

import { networkOf } from '#api/http/client_network.ts'

test('an IPv4 address stands for itself, also where it comes as IPv6', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7')
  expect(networkOf('::ffff:203.0.113.7')).toBe('::ffff:203.0.113.7')
})

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::5:6', '2001:db8:0:0'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['::1', '0:0:0:0'],
  ['2001:db8:1:2::', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('of %s the network is %s', (address, network) => expect(networkOf(address)).toBe(network))
