import { clobPushHost } from '#sources/markets/polymarket/hosts.ts'
import { bestPrices, PING, pushedEvents, subscriptionTo } from '#sources/markets/polymarket/wire/book_messages.ts'
import { parseMarkets } from '#sources/markets/polymarket/wire/gamma_rows.ts'
import { gammaPages } from '#sources/markets/polymarket/wire/paging.ts'
import { decided, undecided, type Finding, type Probe, type ProbeTools } from '#sources/markets/probe.ts'

const SILENCE_S = 30

/** The facts of the pushed order books, which listening to the first markets of gamma decides. */
export const bookProbes: readonly Probe[] = [
  {
    fact: 'the market channel pushes the books of the tokens that a connection names',
    run: async (tools) => {
      const { n_tokens, types } = await heard(tools)
      if (n_tokens === 0) return undecided('gamma lists no open market')
      return decided(types.has('book'), `${n_tokens} tokens: ${textOf(types)}`)
    },
  },
  {
    fact: 'the market channel pushes changes with the best bid and ask',
    run: async (tools): Promise<Finding> => {
      const { types, n_prices, n_broken } = await heard(tools)
      const n_changes = (types.get('price_change') ?? 0) + (types.get('best_bid_ask') ?? 0)
      if (n_changes === 0 && n_broken === 0) return undecided(`no change: ${textOf(types)}`)
      return decided(n_prices > 0 && n_broken === 0, `${n_prices} prices, ${n_broken} messages did not parse`)
    },
  },
]

/** `types` counts events; `n_prices` the best prices of messages that are no books. */
type Heard = { n_tokens: number; types: Map<string, number>; n_prices: number; n_broken: number }

const textOf = (types: Heard['types']): string =>
  types.size === 0 ? 'no messages' : `received ${[...types].map(([name, n]) => `${n} of ${name}`).join(', ')}`

const listened = new WeakMap<ProbeTools, Promise<Heard>>()

/** All probes listen once. */
function heard(tools: ProbeTools): Promise<Heard> {
  const listening = listened.get(tools) ?? listen(tools)
  listened.set(tools, listening)
  return listening
}

async function listen({ get, streams, listen_ms }: ProbeTools): Promise<Heard> {
  const tally: Heard = { n_tokens: 0, types: new Map(), n_prices: 0, n_broken: 0 }
  const tokens = await firstTokens(get)
  tally.n_tokens = tokens.length
  if (tokens.length === 0) return tally
  const signal = AbortSignal.timeout(listen_ms)
  const next = () => ({ host: clobPushHost.name, path: '', hello: subscriptionTo(tokens), ping: PING })
  for await (const texts of streams({ next }, { silence_s: SILENCE_S, signal })) {
    for (const text of texts) note(tally, text)
  }
  return tally
}

function note(tally: Heard, text: string): void {
  try {
    const types = pushedEvents(text)
    for (const type of types) tally.types.set(type, (tally.types.get(type) ?? 0) + 1)
    const prices = bestPrices(text)
    if (!types.includes('book')) tally.n_prices += prices.length
  } catch {
    tally.n_broken += 1
  }
}

/** The tokens of outcome 0 of a page of open markets. */
async function firstTokens(get: ProbeTools['get']): Promise<string[]> {
  for await (const page of gammaPages(get, 'markets', { closed: false })) {
    return parseMarkets(page, { dataset: 'markets', rejected: [] }).flatMap(
      ({ clobTokenIds }) => clobTokenIds?.slice(0, 1) ?? [],
    )
  }
  return []
}
