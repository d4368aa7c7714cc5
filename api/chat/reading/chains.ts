import { findChain, UnknownChain } from '#registry/chains/find_chain.ts'

import { venueWords } from './venue_words.ts'

/** A chain of a question; `unknown` is a word that stands for a chain and is none. */
export type FoundChain = { slug: string | null; unknown: string | null }

const everyday: ReadonlyMap<string, string> = new Map(
  Object.entries({
    eth: 'ethereum',
    mainnet: 'ethereum',
    sol: 'solana',
    arb: 'arbitrum',
    op: 'optimism',
    matic: 'polygon',
    bnb: 'bsc',
    binance: 'bsc',
    avax: 'avalanche',
  }),
)

/** Words that follow `on` and are no chain. */
const others = new RegExp(
  `^(the|a|an|any|all|every|each|chain|chains|my|this|that|it|them|which|what|average|top|${venueWords.replaceAll(' ', '|')}|prediction|markets?|record|how|where|solid|my|your|tapeline|onchain|social|crypto|bets?|betting|trades?|trading|pnl|clv|win|volume|monday|friday|weekly|it'?s|there|here|evm|dexe?s?|different|multiple|several|cross)$`,
)

/** Finds the chain of a question about wallets: after `on` or `in`, or before `chain` or `wallets`. */
export function chainOf(text: string): FoundChain {
  const after = [
    ...text.matchAll(
      /\b(?:on|in|for|from|across|over at|using|via) (?:the )?([a-z][\w-]{1,30})(?: (chain|network|mainnet|one|zkevm|era))?/g,
    ),
  ]
  const before = [
    ...text.matchAll(
      /\b([a-z][\w-]{1,30}) (?:chain|network|mainnet|wallets?|addresses|whales?|traders?|degens?|snipers?|bots?|leaderboard|smart money)\b/g,
    ),
  ]
  for (const [, name = '', more] of [...after, ...before]) {
    const slug = (more ? slugOf(`${name}-${more}`) : null) ?? slugOf(name)
    if (slug !== null) return { slug, unknown: null }
  }
  const isOnChain =
    !text.includes('<address>') &&
    /\b(wallets?|address(es)?|smart(est)? money|onchain|degens?|snipers?|scalpers?|bots?|whales?|jeets?|early buyers?|apers?)\b/.test(
      text,
    )
  const bare = text
    .split(/[^\w-]+/)
    .find((word) => common.has(word) || (isOnChain && word !== 'op' && everyday.has(word)))
  if (bare !== undefined) return { slug: slugOf(bare), unknown: null }
  const named =
    /\bon (?:the )?([a-z][\w-]{2,30})(?: (?:chain|network|blockchain|l2))?\s*(?:[?.!]|$|(?:over|in|by|this|last|for|with|right now|now|today)\b)/.exec(
      text,
    )
  const asChain = /\b(?:on|in) (?:the )?([a-z][\w-]{2,30}) (?:chain|network|blockchain|l2)\b/.exec(text) ?? named
  const unknown = asChain?.[1] ?? null
  return { slug: null, unknown: unknown !== null && !others.test(unknown) ? unknown : null }
}

/** Names of chains that count anywhere in a question about wallets. */
const common = new Set(
  'ethereum solana base arbitrum optimism polygon bsc avalanche linea blast scroll zksync mainnet'.split(' '),
)

/** Few chains are named by an ordinary word: such a name counts after `on` alone, where `others` leaves it out. */
function slugOf(name: string): string | null {
  if (others.test(name)) return null
  try {
    return findChain(everyday.get(name) ?? name).slug
  } catch (error) {
    if (error instanceof UnknownChain) return null
    throw error
  }
}
