import type { OpenAlert } from '#accounts/alerts/firings.ts'
import { showAddress } from '#api/contract/address.ts'

import type { SeenSignal } from './observe.ts'
import type { Observed } from './thresholds.ts'

/** The most characters of a message. Telegram takes 4,096. */
const longest = 3_500

/** The message of an alert on a signal, in Telegram's HTML. It has the detail that the tier of the account sees. */
export const messageOfSignal = ({ type, entity, summary }: SeenSignal): string =>
  `<b>${type}: ${escaped(entity)}</b>\n${escaped(summary)}`

/** The message of an alert on figures, in Telegram's HTML: its conditions, and the figures. */
export function messageOfFigures({ type, key, threshold }: OpenAlert, observed: Observed): string {
  const conditions = Object.entries(threshold).map(([name, value]) => `${name} ${value}`)
  const figures = Object.entries(observed).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  return `<b>${type}: ${escaped(showAddress(key ?? ''))}</b>\nAlert: ${escaped(conditions.join(', '))}\nNow: ${escaped(figures.join(', '))}`
}

/**
 * Text within HTML. Texts of markets and posts may hold anything. A long one is cut between characters, since half an
 * emoji is no text.
 */
const escaped = (text: string): string =>
  [...text].slice(0, longest).join('').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
