import type { Candidate } from './candidate.ts'

/** The texts of a signal. A headline names neither the entity nor a figure: every caller may read it. */
export type Wording = { headline: string; summary: string }

const headlines = {
  wallet: 'A proven trader or tagged wallet made a trade of unusual size.',
  market: 'The odds of a market moved unusually fast.',
  social: 'An asset draws unusual attention.',
  signal: 'Several kinds of signals agree on one asset.',
}

/** The headline of a signal, and a summary with its entity, its figures and its score. */
export function wordingOf(candidate: Candidate): Wording {
  const { type, score, information } = candidate
  const strength = `Score ${score}: chance of about 1 in ${powerOfTen(information)}.`
  return { headline: headlines[type], summary: `${headlines[type]} ${detailOf(candidate)} ${strength}` }
}

function detailOf(candidate: Candidate): string {
  const { type, entity, question, usd, price, before_price, n_authors, expected, evidence } = candidate
  if (type === 'wallet') return tradeOf(candidate)
  if (type === 'market')
    return `"${question ?? ''}" went from ${cents(before_price)} to ${cents(price)} within an hour, on ${dollars(usd)} of volume.`
  if (type === 'signal') return `${entity}: ${evidence.map(({ kind }) => kind).join(' and ')} within 6 hours.`
  return `${n_authors ?? 0} authors named ${entity} within 6 hours, where ${(expected ?? 0).toFixed(1)} were expected.`
}

function tradeOf({ entity, direction, chain, label, question, usd, price }: Candidate): string {
  const trade = `${entity} ${direction === 'entry' ? 'bought' : 'sold'} ${dollars(usd)} of ${label ?? ''}`
  return chain === null ? `${trade} at ${cents(price)} in "${question ?? ''}".` : `${trade} on ${chain}.`
}

const dollars = (usd: number | null): string => `${Math.round(usd ?? 0).toLocaleString('en-US')} USD`
const cents = (price: number | null): string => (price ?? 0).toFixed(3)

/** `1,000`, `1,000,000`: the power of ten that is nearest below. */
const powerOfTen = (information: number): string =>
  (10 ** Math.min(15, Math.floor(information))).toLocaleString('en-US')
