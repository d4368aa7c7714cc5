import { htmlOf } from '#api/messaging/telegram.ts'

import type { Aftermath, Fired } from './storm.ts'

/** The faults that a storm has shown; empty without one. Each line names the chat or the alert. */
export function complaintsOf(of: Aftermath): string[] {
  const [before, after] = of.rebuilt
  return [
    ...complaintsOfFirings(of),
    ...[...of.people].flatMap(([account_id, { chat_id }]) => complaintsOfChat(of, account_id, chat_id)),
    ...(JSON.stringify(before) === JSON.stringify(after) ? [] : ['firings: changed by marts that were built anew']),
  ]
}

/** Each alert has fired once in each round, with a message of its own threshold and the price of that round. */
function complaintsOfFirings({ firings, people, prices, summaries }: Aftermath): string[] {
  const byAccount = new Map<string, string[]>()
  for (const { account_id, text } of firings) byAccount.set(account_id, [...(byAccount.get(account_id) ?? []), text])
  return [...people].flatMap(([account_id, { chat_id, thresholds }]) => {
    const figures = thresholds.flatMap((threshold) => prices.map((price) => `price_above ${threshold} at ${price}`))
    const expected = [...figures, ...summaries].toSorted()
    const found = (byAccount.get(account_id) ?? []).map(contentOf).toSorted()
    return JSON.stringify(found) === JSON.stringify(expected)
      ? []
      : [`chat ${chat_id}: ${found.length} firings; expected the ${expected.length} of its own alerts`]
  })
}

const contentOf = (text: string): string => {
  const [, threshold, price] = /price_above ([\d.e-]+)\nNow: price ([\d.]+)/.exec(text) ?? []
  return threshold === undefined ? (text.split('\n')[1] ?? '') : `price_above ${threshold} at ${price}`
}

/** A chat has received its own firings in their order; a message came again only after an answer was lost. */
function complaintsOfChat({ attempts, firings }: Aftermath, account_id: string, chat_id: number): string[] {
  const expected = firings.filter((one: Fired) => one.account_id === account_id).map(({ text }) => htmlOf(text))
  const received = attempts.filter(
    ({ outcome, ...one }) => one.chat_id === chat_id && (outcome === 'delivered' || outcome === 'lost'),
  )
  const once = received.filter(({ text }, i) => text !== received[i - 1]?.text).map(({ text }) => text)
  const complaints: string[] = []
  if (JSON.stringify(once) !== JSON.stringify(expected))
    complaints.push(`chat ${chat_id}: ${once.length} messages; expected its ${expected.length} firings in order`)
  for (const [i, { text }] of received.entries()) {
    const former = received[i - 1]
    const isRepeated = former?.text === text
    const wasLost = former?.outcome === 'lost' || former?.is_killed === true
    if (isRepeated && !wasLost) complaints.push(`chat ${chat_id}: a repeated message whose answer was not lost`)
  }
  return complaints
}
