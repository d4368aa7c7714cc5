import type { BlockFinder } from '#sources/evm/blocks/find_block.ts'
import { hexOf, readHeaders } from '#sources/evm/rpc/blocks.ts'
import { asLackOfState, lackIn } from '#sources/evm/rpc/lack_of_state.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'
import { safeQuantity } from '#sources/evm/rpc/shapes.ts'
import { SECOND } from '#time.ts'

/** An account without code of its own, and the seconds of the first swap that names it. */
export type Named = { address: string; named_s: number }

/**
 * The seconds of first transactions by address. `n_unknown` accounts could not be asked, since no endpoint has the
 * state of the old blocks.
 */
export type FirstTransactions = { first_tx_s: ReadonlyMap<string, number>; n_unknown: number }

/** The block after which nothing is asked, and the search for a block by its time. */
export type StoredChain = { head: number; findBlock: BlockFinder }

const day_s = 86_400
/** An account that sent something so long before the day of its first swap is old, and is not dated. */
const old_s = 7 * day_s
/** The calls of one piece of work, which fails over as a whole: those of one request. */
const mostCalls = 20
const method = 'eth_getTransactionCount'

/** An account whose first transaction is in a block after `unused`, at or before `used`. */
type Searched = { address: string; unused: number; used: number }

/**
 * Dates the first transactions of accounts that sent none in the seven days before the day of their first swap. A nonce
 * never falls, so one call shows that an account is old, and the first block with a nonce above zero is found by
 * halving, for all accounts at once. Accounts without a date are old, have sent nothing, or are unknown. Throws a
 * `ChainFault` if no endpoint answers.
 */
export async function readFirstTransactions(
  rpc: Rpc,
  accounts: readonly Named[],
  chain: StoredChain,
): Promise<FirstTransactions> {
  const { young, n_unknown } = await findYoung(rpc, accounts, chain)
  const first_tx_s = await unlessLacking(() => searchAll(rpc, young, chain.head))
  if (first_tx_s === undefined) return { first_tx_s: new Map(), n_unknown: n_unknown + young.length }
  return { first_tx_s, n_unknown }
}

/**
 * The accounts without a transaction at the old block of their day. The newest days come first: nodes drop old states.
 */
async function findYoung(rpc: Rpc, accounts: readonly Named[], { head, findBlock }: StoredChain) {
  const young: Searched[] = []
  const dayOf = ({ named_s }: Named): number => Math.floor(named_s / day_s) * day_s
  const days = [...new Set(accounts.map(dayOf))].toSorted((a, b) => b - a)
  let n_unknown = 0
  for (const day of days) {
    const ofDay = accounts.filter((account) => dayOf(account) === day)
    // An endpoint without a state has no older one.
    const asked =
      n_unknown > 0
        ? undefined
        : await unlessLacking(async () => {
            const end = head + 1
            const first = await findBlock(rpc, (day - old_s) * SECOND, { head: end, final: end })
            const unused = Math.max(0, first - 1)
            const nonces = await noncesAt(
              rpc,
              ofDay.map(({ address }) => ({ address, block: unused })),
              true,
            )
            return { unused, nonces }
          })
    if (asked === undefined) n_unknown += ofDay.length
    else
      for (const [n, { address }] of ofDay.entries())
        if (asked.nonces[n] === 0) young.push({ address, unused: asked.unused, used: head })
  }
  return { young, n_unknown }
}

/** Halves the blocks of all accounts until each has its first one with a nonce, and reads the times of these. */
async function searchAll(rpc: Rpc, young: readonly Searched[], head: number): Promise<Map<string, number>> {
  const atHead = await noncesAt(
    rpc,
    young.map(({ address }) => ({ address, block: head })),
  )
  const searched = young.filter((_, n) => (atHead[n] ?? 0) > 0).map((account) => ({ ...account }))
  for (;;) {
    const open = searched.filter(({ unused, used }) => used - unused > 1)
    if (open.length === 0) break
    const middles = open.map(({ unused, used }) => Math.floor((unused + used) / 2))
    const nonces = await noncesAt(
      rpc,
      open.map(({ address }, n) => ({ address, block: middles[n] ?? 0 })),
    )
    for (const [n, account] of open.entries()) account[(nonces[n] ?? 0) > 0 ? 'used' : 'unused'] = middles[n] ?? 0
  }
  const blocks = [...new Set(searched.map(({ used }) => used))]
  const times = new Map<number, number>()
  for (let at = 0; at < blocks.length; at += mostCalls)
    for (const [block, { time_s }] of await readHeaders(rpc, blocks.slice(at, at + mostCalls))) times.set(block, time_s)
  return new Map(searched.map(({ address, used }) => [address, times.get(used) ?? 0]))
}

/**
 * The nonces of accounts, each after a block. `isOld`: the blocks are known to exist, so an error is about their state.
 */
export async function noncesAt(
  rpc: Rpc,
  asked: readonly { address: string; block: number }[],
  isOld = false,
): Promise<number[]> {
  const nonces: number[] = []
  for (let at = 0; at < asked.length; at += mostCalls) {
    const part = asked.slice(at, at + mostCalls)
    const calls = part.map(({ address, block }) => ({ method, params: [address, hexOf(block)], shape: safeQuantity }))
    const firstState = Math.min(...part.map(({ block }) => block))
    const partNonces = await rpc.at((node) => node.batch(calls).catch(isOld ? asLackOfState : rethrow), {
      method,
      firstState,
    })
    for (const nonce of partNonces) nonces.push(nonce)
  }
  return nonces
}

function rethrow(error: unknown): never {
  throw error
}

/** Undefined if an endpoint lacks the method or the state, and no other one answers. */
export async function unlessLacking<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ChainFault) || lackIn(error) === 'none') throw error
    return undefined
  }
}
