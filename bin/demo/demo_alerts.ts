import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { openLink } from '#accounts/messaging/messaging.ts'
import { findAccount } from '#accounts/people.ts'
import { messagingOf } from '#accounts/profile.ts'
import type { Service } from '#bin/wiring/service.ts'
import { machineClock } from '#time.ts'

import type { DemoAccount } from './demo_account.ts'
import type { SimulatedTelegram } from './telegram.ts'

/** The Telegram user name of the person of the demo. */
const username = 'demo_person'
const markets = z.array(z.object({ id: z.string() }))

/**
 * Links a chat to the person of a demo, and creates alerts: on every new signal, and on moves of the odds of the three
 * largest markets. Returns their number.
 */
export async function createDemoAlerts(
  { accounts, url }: Pick<Service, 'accounts' | 'url'>,
  { email, key }: DemoAccount,
  { messenger, pressStart }: Pick<SimulatedTelegram, 'messenger' | 'pressStart'>,
): Promise<number> {
  const { id: account_id = '' } = (await findAccount(accounts, email)) ?? {}
  const { token } = await openLink(accounts, {
    account_id,
    messenger: messenger.messenger.id,
    handle: username,
    now: machineClock(),
  })
  pressStart(username, token)
  // The bot reads its messages by long polls, so it answers at once.
  while ((await messagingOf(accounts, account_id))?.linked !== true) await sleep(100)

  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${url}/v1${path}`, { headers, ...init })
    if (!response.ok) throw new Error(`${path}: status ${response.status}, ${await response.text()}; expected success`)
    return response.json()
  }
  const largest = markets.parse(await ask('/pm-markets?limit=3'))
  const alerts = [
    ...['market', 'wallet', 'social', 'signal'].map((type) => ({ type })),
    ...largest.map(({ id }) => ({ type: 'market', entity: id, threshold: { price_change: 0.05 } })),
  ]
  for (const alert of alerts) await ask('/alerts', alert)
  return alerts.length
}
