import { expect, test } from 'vitest'

import { MessengerError, pauseAfter } from '#api/messaging/messenger.ts'

const after = (pause_s: number | null, usual_ms: number): number =>
  pauseAfter(new MessengerError('telegram: sendMessage: failed', { kind: 'passing', pause_s }), usual_ms)

test('a call is tried again after the pause that Telegram asks for, also one that is shorter than the own pause', () => {
  expect(after(3, 5_000)).toBe(3_000)
  expect(after(30, 5_000)).toBe(30_000)
})

test('a call without such a pause, or with one of 0 seconds, is tried again after the own pause', () => {
  expect(after(null, 5_000)).toBe(5_000)
  expect(after(0, 5_000)).toBe(5_000)
  expect(pauseAfter(new Error('no response'), 5_000)).toBe(5_000)
})
