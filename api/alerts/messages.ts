import type { OpenAlert } from '#accounts/alerts/firings.ts'
import { showAddress } from '#api/contract/address.ts'

import type { SeenSignal } from './observe.ts'
import type { Observed } from './thresholds.ts'

/** The message of an alert on a signal, under its title. It has the detail that the tier of the account sees. */
export const messageOfSignal = ({ type, entity, summary }: SeenSignal): string =>
  `${type}: ${inLine(entity)}\n${summary}`

/** The message of an alert on figures, under its title: its conditions, and the figures. */
export function messageOfFigures({ type, key, threshold }: OpenAlert, observed: Observed): string {
  const conditions = Object.entries(threshold).map(([name, value]) => `${name} ${value}`)
  const figures = Object.entries(observed).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
  return `${type}: ${inLine(showAddress(key ?? ''))}\nAlert: ${conditions.join(', ')}\nNow: ${figures.join(', ')}`
}

/** A text of a market or post in the line of a title. */
const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
