import { expect, test } from 'vitest'

import { requestsAfter } from '#ingest/requested_keys.ts'
import { addressKind, keysOfKind } from '#registry/chains/address_kind.ts'

const evm = `0x${'a'.repeat(40)}`
const solana = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'

const reading = (asked: string[], stored: string[], empty: string[], addresses?: 'evm' | 'solana') => ({
  asked: new Set(asked),
  stored: new Set(stored),
  empty: new Set(empty),
  addresses,
})

test('a reader of one kind of addresses is asked about no other kind, and refuses what is no address itself', () => {
  expect([evm, evm.toUpperCase().replace('0X', '0x'), solana, 'trump', `${solana}0`].map(addressKind)).toEqual([
    'evm',
    'evm',
    'solana',
    undefined,
    undefined,
  ])
  const keys = [evm, solana, 'trump']
  expect(keysOfKind(keys, 'evm')).toEqual([evm, 'trump'])
  expect(keysOfKind(keys, 'solana')).toEqual([solana, 'trump'])
  expect(keysOfKind(keys, undefined)).toEqual(keys)
})

test('a key waits for the sources that are asked about it alone', () => {
  const venue = reading([evm], [], [], 'evm')
  const accounts = reading([solana], [solana], [], 'solana')
  expect(requestsAfter([evm, solana], [venue, accounts])).toEqual({ left: [evm], empty: [solana] })
  expect(requestsAfter([evm], [reading([evm], [evm], []), reading([evm], [], [evm])])).toEqual({ left: [], empty: [] })
  expect(requestsAfter([evm], [reading([evm], [], [evm])])).toEqual({ left: [], empty: [evm] })
})

test('a key that no source reads leaves the queue without a note', () => {
  expect(requestsAfter([solana], [reading([], [], [], 'evm')])).toEqual({ left: [], empty: [] })
})
