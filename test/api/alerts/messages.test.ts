import { expect, test } from 'vitest'

import { messageOfSignal } from '#api/alerts/messages.ts'
import { htmlOf } from '#api/messaging/telegram.ts'

const signal = { type: 'smart_money', entity: 'Up & <down>?\n', position: 1 } as const

test('a message has no markup, and its title is one line', () => {
  expect(messageOfSignal({ ...signal, summary: '1 < 2' } as never)).toBe('smart_money: Up & <down>? \n1 < 2')
})

test('Telegram gets the title in bold, and the texts of markets escaped', () => {
  expect(htmlOf('smart_money: Up & <down>?\n1 < 2\n&lt;')).toBe(
    '<b>smart_money: Up &amp; &lt;down&gt;?</b>\n1 &lt; 2\n&amp;lt;',
  )
  expect(htmlOf('This chat is linked.')).toBe('This chat is linked.')
})

test('a long text is cut between characters, since Telegram rejects half of one', () => {
  const message = htmlOf(`t\na${'😀'.repeat(4_000)}`)
  expect(Buffer.from(message).toString()).toBe(message)
  expect([...message].filter((character) => character === '😀')).toHaveLength(3_497)
})
