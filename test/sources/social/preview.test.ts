import { describe, expect, test } from 'vitest'

import { parseRows } from '#ingest/parse/rows.ts'
import type { RejectedRow } from '#ingest/source.ts'
import { message, messagesOf } from '#sources/social/telegram/preview.ts'

const page = (body: string): string => `<!DOCTYPE html><html><body>${body}</body></html>`
const wrapped = (post: string, inner: string, datetime = '2026-11-20T10:00:00+00:00'): string =>
  `<div class="tgme_widget_message_wrap"><div class="tgme_widget_message js-widget_message" data-post="${post}">${inner}` +
  `<div class="tgme_widget_message_footer"><a class="tgme_widget_message_date"><time datetime="${datetime}" class="time">10:00</time></a></div></div></div>`
const text = (inner: string): string =>
  `<div class="tgme_widget_message_text js-message_text" dir="auto">${inner}</div>`
const read = (html: string) => messagesOf(html).map((shown) => message.parse(shown))

describe('the page of a channel', () => {
  test('gives messages with number, instant and text, without the answered text and durations of films', () => {
    const answered = `<a class="tgme_widget_message_reply">${text('another $ETH')}</a>`
    const film = '<time class="message_video_duration">0:32</time>'
    const own = text('<b>$BTC</b> up &amp; away<br>now <div>inner</div> end')
    expect(read(page(wrapped('Some_Chan/42', `${film}${answered}${own}`) + wrapped('Some_Chan/43', '')))).toEqual([
      {
        channel: 'some_chan',
        number: 42,
        ts: Date.UTC(2026, 10, 20, 10) * 1000,
        text: '$BTC up & away\nnow\ninner\nend',
        is_forwarded: false,
      },
      { channel: 'some_chan', number: 43, ts: Date.UTC(2026, 10, 20, 10) * 1000, text: '', is_forwarded: false },
    ])
  })

  test('shows which messages are those of Telegram itself, which repeat others and may have no instant', () => {
    const pinned = wrapped('a_chan/2', text('A Chan pinned «$BTC to the moon»'))
      .replace('js-widget_message', 'text_not_supported_wrap service_message js-widget_message')
      .replace(/<time.*<\/time>/, '')
    const messages = messagesOf(page(wrapped('a_chan/1', text('a')) + pinned + wrapped('a_chan/3', text('b'))))
    expect(messages.map(({ post, is_service }) => [post, is_service])).toEqual([
      ['a_chan/1', false],
      ['a_chan/2', true],
      ['a_chan/3', false],
    ])
  })

  test('shows which message is forwarded', () => {
    const from = '<a class="tgme_widget_message_forwarded_from_name" href="#">Other</a>'
    const flags = read(page(wrapped('a_chan/1', `${from}${text('a')}`) + wrapped('a_chan/2', text('b'))))
    expect(flags.map(({ is_forwarded }) => is_forwarded)).toEqual([true, false])
  })

  test('is rejected if it was cut off, and its messages one by one', () => {
    const whole = page(
      wrapped('a_chan/1', text('a')) + wrapped('a_chan/x', text('b')) + wrapped('a_chan/3', text('c'), 'soon'),
    )
    expect(() => messagesOf(whole.slice(0, -9))).toThrow('its end is missing')
    const rejected: RejectedRow[] = []
    expect(parseRows(messagesOf(whole), message, { dataset: 'posts', path: '', rejected })).toHaveLength(1)
    expect(rejected.map(({ reason }) => reason.split(':')[0])).toEqual(['post', 'datetime'])
    expect(read(page(''))).toEqual([])
  })
})
