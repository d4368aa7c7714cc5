import { expect, test } from 'vitest'

import { messageOfSignal } from '#api/alerts/messages.ts'

const signal = { type: 'smart_money', entity: 'Up & <down>?', position: 1 } as const

test('a message escapes the texts of markets', () => {
  expect(messageOfSignal({ ...signal, summary: '1 < 2' } as never)).toBe(
    '<b>smart_money: Up &amp; &lt;down&gt;?</b>\n1 &lt; 2',
  )
})

test('a long text is cut between characters, since Telegram rejects half of one', () => {
  const message = messageOfSignal({ ...signal, summary: `a${'😀'.repeat(4_000)}` } as never)
  expect(Buffer.from(message).toString()).toBe(message)
  expect([...message].filter((character) => character === '😀')).toHaveLength(3_499)
})
