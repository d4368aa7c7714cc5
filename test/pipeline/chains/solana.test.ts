import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { buildMarts } from '#builder/build.ts'
import { publish } from '#builder/publish.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadScoring } from '#scoring/index.ts'
import { serveChains } from '#sim/chains/serve_chains.ts'
import { answerSolana, textOfAnswer } from '#sim/solana/node.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { solanaHouse, type SolanaHouse } from '#test/sources/solana/solana_house.ts'

import { disagreements } from './agreement.ts'
import { serveWallets } from './served_wallets.ts'
import { expectHoldings, expectResults, ledgerUpTo, rowsIn, trueResultsOf, usd } from './solana_books.ts'

/** Reads the simulated chain by the given sources, with all wallets as keys of accounts, into a lake. */
async function readWorld(house: SolanaHouse, sources: readonly string[]) {
  const lake = await newLake()
  for (const source of sources) {
    const keys = source === 'solana_accounts' ? house.world.wallets : []
    const done = await runBackfill(house, house.activities(lake), { source, keys })
    expect(done).toMatchObject({ failed: 0, quarantined: 0 })
  }
  return lake
}

const buildOf = async (house: SolanaHouse) => ({
  models: await loadScoring(),
  asOf: house.now(),
  threads: 1,
  memory: '1GB',
  now: house.now,
})

test('every wallet of Solana has the results and the holdings of the true ledger, to the cent', async () => {
  const n_slots = sized(310, 310, 1_010)
  const house = solanaHouse({ n_slots })
  const lake = await readWorld(house, ['solana_blocks'])
  const { file } = await buildMarts(lake, 'scores', await buildOf(house))
  // The last slots are in no unit yet.
  const ledger = ledgerUpTo(house, n_slots - (n_slots % 100))
  await expectResults(rowsIn(file), house, ledger)
  await expectHoldings(rowsIn(file), ledger)
})

test('the API serves them with live holdings, where blocks show trades and accounts the payments and last slots', async () => {
  const house = solanaHouse({ n_slots: 410, n_tokens: 10, whole: '' })
  const lake = await readWorld(house, ['solana_blocks', 'solana_accounts', 'solana_tokens'])
  const published = await publish(lake, 'scores', { ...(await buildOf(house)), macros: [], columns })
  const rowsOf = rowsIn(lake.local.locate(`marts/${published.id}.duckdb`))
  const ledger = ledgerUpTo(house, Infinity)
  await expectResults(rowsOf, house, ledger)
  await expectHoldings(rowsOf, ledger)

  const node = {
    slug: 'solana',
    answer: (body: unknown) => textOfAnswer(answerSolana(house.world, body, house.world.plan.n_slots)),
  }
  const nodes = await serveChains([], house.now, [node])
  onTestFinished(nodes.close)
  const api = await serveWallets(lake.home, nodes.settings, 'solana', 'seed-7')
  await expectServed(house, api)
  await expectNoWallets(house, api)
  await nodes.close()
  await expectLastKnown(house, api)
  expect(await disagreements(api.ask)).toEqual([])
})

type Api = Awaited<ReturnType<typeof serveWallets>>

/** Profiles have the true results and the balances of the chain, and the list has the true win rates. */
async function expectServed(house: SolanaHouse, { profileOf, listed }: Api): Promise<void> {
  const { world } = house
  const truth = trueResultsOf(house, ledgerUpTo(house, Infinity))
  const symbols = new Map(world.tokens.map(({ mint, symbol, decimals }) => [mint, { symbol, decimals }]))
  for (const wallet of world.wallets.slice(0, 8)) {
    const { pnl, holdings } = await profileOf(wallet)
    expect(Math.abs(pnl.realized_all_time + pnl.unranked_all_time - usd(truth.get(wallet)?.realized_usd))).toBeLessThan(
      0.0102,
    )
    const held = world.bank
      .accountsOf(wallet)
      .filter(({ amount }) => amount > 0n)
      .map(({ mint, amount }) => `${mint} ${Number(`${amount}e-${symbols.get(mint)?.decimals ?? 6}`)}`)
    const addressOf = (token: string): string =>
      token === 'USDC' ? world.dollar : (world.tokens.find(({ symbol }) => symbol === token)?.mint ?? token)
    const shown = holdings.filter(({ token }) => token !== 'SOL')
    expect(shown.map(({ token, amount }) => `${addressOf(token)} ${amount}`).toSorted()).toEqual(held.toSorted())
    const sol = holdings.find(({ token }) => token === 'SOL')
    expect(sol?.amount).toBe(Number(`${world.bank.balanceOf(wallet)}e-9`))
  }
  const list = await listed('30d')
  expect(list.length).toBeGreaterThan(5)
  for (const { address, chain, volume_30d, win_rate } of list) {
    const of = truth.get(address)
    expect(chain).toBe('solana')
    expect(Math.abs(volume_30d - usd(of?.volume_usd))).toBeLessThan(0.0051)
    expect(Math.abs(win_rate - (of?.n_won ?? 0) / (of?.n_closed ?? 1))).toBeLessThan(0.6e-6)
  }
}

const emptyShape = z.object({ chain: z.literal('solana'), holdings: z.array(z.never()), pnl: z.unknown() })

/** Addresses that are no wallets. */
async function expectNoWallets({ world }: SolanaHouse, { ask }: Api): Promise<void> {
  const [wallet = ''] = world.wallets
  for (const malformed of [`${wallet}1`, wallet.slice(0, 20), wallet.replace(/.$/, '0')]) {
    const response = await ask(`wallet?address=${malformed}`)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('or a Solana address')])
  }
  const nobody = await ask('wallet?address=9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
  expect(emptyShape.parse(await nobody.json()).pnl).toEqual({
    realized_30d: 0,
    realized_all_time: 0,
    unranked_30d: 0,
    unranked_all_time: 0,
  })
  // Holdings that come too late are a further reason.
  expect(nobody.headers.get('x-coverage')).toMatch(/^pending$|^partial; reason="not read yet; holdings/)
  const mint = await ask(`wallet?address=${world.tokens[1]?.mint ?? ''}`)
  expect(mint.status).toBe(200)
  emptyShape.parse(await mint.json())
  expect(mint.headers.get('x-coverage')).toContain('the address is a mint, no wallet')
}

/** Without a node, holdings are the last known ones, with the reason. */
async function expectLastKnown({ world }: SolanaHouse, { ask }: Api): Promise<void> {
  const wallet = world.wallets[9] ?? ''
  const response = await ask(`wallet?address=${wallet}`)
  expect(response.status).toBe(200)
  const { holdings } = z.object({ holdings: z.array(z.object({ usd_value: z.number() })) }).parse(await response.json())
  expect(holdings.length).toBeGreaterThan(0)
  expect(response.headers.get('x-coverage')).toMatch(/holdings are those of 20\d\d-.*solana/)
}
