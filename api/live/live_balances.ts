import { LRUCache } from 'lru-cache'

import type { Chain } from '#registry/chains/chain.ts'
import { isLasting, type Clock } from '#time.ts'

import type { Balances, ReadBalances } from './balances.ts'

/** The balances of a wallet, at most `fresh_ms` old; or the reason why they are not known in time. */
export type Live = { is: 'live'; balances: Balances } | { is: 'missing'; reason: string }

/** Reads the balances of a wallet in time for an answer. Never rejects. */
export type LiveBalances = (request: { chain: Chain; wallet: string; tokens: readonly string[] }) => Promise<Live>

/** Balances are read again after this time. */
export const fresh_ms = 30_000
/** An answer without live balances is tried again after this time, and so is a chain that did not answer. */
export const retry_ms = 10_000
/** An answer waits so long. A read may go on for a while, for the next answer. */
const limits = { wait_ms: 2_000, read_ms: 6_000 }
/** Reads that run at once, so that neither a slow chain nor a crowd of wallets fills the process. */
const most = { all: 48, chain: 12, kept: 20_000 }

/**
 * Makes the reader of live balances: equal reads are one, their results are kept for `fresh_ms`, and the reads at one
 * moment are bounded. A chain whose read failed is left alone for `retry_ms`, so that its wallets are answered at once.
 */
export function openLiveBalances(parts: {
  read: ReadBalances
  now: Clock
  wait_ms?: number
  onError?: (error: unknown) => void
}): LiveBalances {
  const { read, now, wait_ms = limits.wait_ms, onError = () => undefined } = parts
  const kept = new LRUCache<string, { balances: Balances; until: number }>({ max: most.kept })
  const running = new Map<string, { slug: string; live: Promise<Live> }>()
  const pausedUntil = new Map<string, number>()
  const in_ms = (wait: number) => now() + wait * 1_000

  const begin: LiveBalances = async ({ chain, wallet, tokens }) => {
    try {
      const balances = await read({ chain, wallet, tokens, within_ms: limits.read_ms })
      kept.set(keyOf(chain, wallet), { balances, until: in_ms(fresh_ms) })
      return { is: 'live', balances }
    } catch (error) {
      onError(error)
      pausedUntil.set(chain.slug, in_ms(retry_ms))
      return { is: 'missing', reason: `no node of ${chain.slug} answered` }
    }
  }

  return async (asked) => {
    const { slug } = asked.chain
    const key = keyOf(asked.chain, asked.wallet)
    const cached = kept.get(key)
    if (cached && isLasting(cached.until, now(), fresh_ms * 1_000)) return { is: 'live', balances: cached.balances }
    const pending = running.get(key)
    if (pending) return inTime(pending.live, wait_ms)
    if (isLasting(pausedUntil.get(slug) ?? 0, now(), retry_ms * 1_000))
      return { is: 'missing', reason: `no node of ${slug} answered` }
    const n_chain = [...running.values()].filter((reading) => reading.slug === slug).length
    if (running.size >= most.all || n_chain >= most.chain)
      return { is: 'missing', reason: `too many wallets of ${slug} are read` }
    const live = begin(asked).finally(() => running.delete(key))
    running.set(key, { slug, live })
    return inTime(live, wait_ms)
  }
}

const keyOf = ({ slug }: Chain, wallet: string): string => `${slug} ${wallet}`

/** The result if it comes within the time. */
async function inTime(live: Promise<Live>, wait_ms: number): Promise<Live> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Live>((resolve) => {
    timer = setTimeout(
      () => resolve({ is: 'missing', reason: `no node answered within ${wait_ms / 1_000} s` }),
      wait_ms,
    )
  })
  return Promise.race([live, late]).finally(() => clearTimeout(timer))
}
