import { describe, expect, test } from 'vitest'

import { answerOf, deletedBy, parentOf, readMessage } from '#sources/social/nostr/relay_message.ts'

/**
 * An event of NIP-01 whose id was computed apart: `printf '[0,"aa…",1700000000,1,[["t","bitcoin"]],"gm"]' | sha256sum`.
 */
const event = {
  id: '02ff4fe35778efcba4f4d9cefc6af540197511d81a9c50788ec39f4f1c77836c',
  pubkey: 'a'.repeat(64),
  created_at: 1_700_000_000,
  kind: 1,
  tags: [['t', 'bitcoin']],
  content: 'gm',
  sig: 'b'.repeat(128),
}
const tagged = (...tags: string[][]) => ({ ...event, tags })

describe('a message of a relay', () => {
  test('is an event of a subscription, or the end of the stored ones', () => {
    expect(readMessage(JSON.stringify(['EVENT', 's', event]))).toMatchObject({
      subscription: 's',
      event: { content: 'gm' },
    })
    expect(readMessage('["EOSE","s"]')).toEqual({ subscription: 's', event: null })
  })

  test.each([
    [{ ...event, content: 'gn' }, 'not that of the event'],
    [{ ...event, pubkey: 'x' }, 'expected 64 hexadecimal digits'],
    [{ ...event, created_at: 1.5 }, 'created_at'],
  ])('with another event than its id says is rejected', (changed, reason) => {
    expect(() => readMessage(JSON.stringify(['EVENT', 's', changed]))).toThrow(reason)
  })

  test('of another kind is rejected, but notices are none, and a closed subscription ends the connection', () => {
    expect(() => readMessage('["COUNT","s",{}]')).toThrow()
    expect(answerOf('["NOTICE","welcome"]')).toEqual([])
    expect(answerOf('["CLOSED","s","error: too many"]')).toBe('end')
    expect(answerOf('["EOSE","s"]')).toBeNull()
    expect(answerOf('[ "NOTICE", "welcome" ]')).toEqual([])
    expect(answerOf('[ "CLOSED", "s", "error: too many" ]')).toBe('end')
  })
})

test('the parent of a text is the marked answer, else the last event without a mark, else the quoted one', () => {
  expect(parentOf(tagged(['e', 'r', '', 'root'], ['e', 'p', '', 'reply'], ['e', 'm', '', 'mention']))).toEqual({
    kind: 'reply',
    id: 'p',
  })
  expect(parentOf(tagged(['e', 'a'], ['e', 'b']))).toEqual({ kind: 'reply', id: 'b' })
  expect(parentOf(tagged(['q', 'c'], ['e', 'm', '', 'mention']))).toEqual({ kind: 'quote', id: 'c' })
  expect(parentOf(tagged(['p', 'x']))).toBeNull()
  expect(deletedBy(tagged(['e', 'a'], ['a', 'x'], ['e', 'b'], ['e']))).toEqual(['a', 'b'])
})
