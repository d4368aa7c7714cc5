import { z } from 'zod'

import type { Service } from '#bin/wiring/service.ts'

/** Characters of a text that fit on a line beside its figures. */
const width = 96

const signals = z.array(z.object({ type: z.string(), summary: z.string() }))
const markets = z.array(
  z.object({ question: z.string(), yes_price: z.number(), volume_24h: z.number(), platform: z.string() }),
)
const traders = z.array(
  z.object({
    wallet: z.string(),
    pnl: z.number(),
    win_rate: z.number(),
    clv_score: z.number().nullable(),
    archetype: z.string(),
  }),
)
const wallets = z.array(
  z.object({
    address: z.string(),
    chain: z.string(),
    pnl_30d: z.number(),
    volume_30d: z.number(),
    win_rate: z.number(),
  }),
)
const assets = z.array(
  z.object({ symbol: z.string(), mindshare_pct: z.number(), mindshare_delta: z.number(), sentiment: z.string() }),
)

/** An answer of the API: its title, its path, and its rows in words. */
type Section = { title: string; path: string; rows: (body: unknown) => string[] }

const section = <T>(title: string, path: string, shape: z.ZodType<T[]>, row: (item: T) => string): Section => ({
  title,
  path,
  rows: (body) => shape.parse(body).map(row),
})

const sections: readonly Section[] = [
  section('Signals', '/feed?limit=4', signals, ({ type, summary }) => `${type.padEnd(8)}${cut(detailOf(summary))}`),
  section(
    'Markets by volume',
    '/pm-markets?limit=3',
    markets,
    ({ question, yes_price, volume_24h, platform }) =>
      `yes ${yes_price.toFixed(3)}  ${dollars(volume_24h)} in 24 h  ${platform.padEnd(12)}${cut(question, 52)}`,
  ),
  section(
    'Traders by skill',
    '/pm-traders?range=90d&limit=3',
    traders,
    ({ wallet, pnl, win_rate, clv_score, archetype }) =>
      `${short(wallet)}  ${archetype.padEnd(18)}closing line ${signed(clv_score ?? 0)}  ${share(win_rate)} won  ${dollars(pnl)}`,
  ),
  section(
    'Wallets by profit',
    '/discover?limit=3',
    wallets,
    ({ address, chain, pnl_30d, volume_30d, win_rate }) =>
      `${short(address)}  ${chain.padEnd(18)}${dollars(pnl_30d)} of ${dollars(volume_30d)}   ${share(win_rate)} won`,
  ),
  section(
    'Mindshare',
    '/signals?limit=3',
    assets,
    ({ symbol, mindshare_pct, mindshare_delta, sentiment }) =>
      `${symbol.padEnd(8)}${mindshare_pct.toFixed(1)} % of all attention, ${signed(mindshare_delta)} in 30 days, ${sentiment}`,
  ),
]

/** The first answers of the API in words, each with the address that gives it. */
export async function firstScreen({ url }: Pick<Service, 'url'>, key: string): Promise<string> {
  const lines = sections.map(async ({ title, path, rows }) => {
    const address = `${url}/v1${path}`
    const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${path}: status ${response.status}, ${await response.text()}; expected 200`)
    const listed = rows(await response.json())
    return [`${title.padEnd(20)}${address}`, ...(listed.length === 0 ? ['none'] : listed).map((row) => `  ${row}`)]
  })
  return `${(await Promise.all(lines)).flat().join('\n')}\n`
}

/** A summary is a headline that names nothing, the event, and its score. The screen has the event. */
function detailOf(summary: string): string {
  const [, event = summary] = /^[^.]*\. (.*) Score \d+: [^:]*$/.exec(summary) ?? []
  return event.replaceAll(/\b0x[0-9a-f]{40}\b/gi, short)
}

const cut = (text: string, most = width): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)
const short = (address: string): string => `${address.slice(0, 6)}…${address.slice(-4)}`
const share = (part: number): string => `${Math.round(100 * part)} %`.padStart(5)
const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(2)}`
const dollars = (usd: number): string =>
  `${usd < 0 ? '-' : ''}$${Math.round(Math.abs(usd)).toLocaleString('en-US')}`.padStart(9)
