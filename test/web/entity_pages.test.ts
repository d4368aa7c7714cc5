import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'

import { openSite, noBrowser, signUp, type Visit } from './site.ts'
import { figuresOf, readAsVisitor } from './visitor.ts'

const trader = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const wallet = '0xBBc264c10F54A61607A31B53358a5A87d4B045be'
const unknown = '0x1111111111111111111111111111111111111111'
const market = `polymarket:0x${'5'.repeat(64)}`

const site = openSite(
  {},
  {
    markets: [
      { id: market, question: 'Will it rain?', yes: '0.635', volume: '1234567.89' },
      { id: 'kalshi:KXRAIN-1', question: 'Will it rain?', yes: '0.6', volume: '10', platform: 'kalshi' },
    ],
    traders: [{ wallet: trader.toLowerCase(), pnl: '12840.11' }],
    wallets: [{ address: trader.toLowerCase(), total_pnl: '120.24', win_rate: '0.612245', markets_traded: 52 }],
    discovered: [{ address: wallet.toLowerCase(), pnl: '10' }],
    chainWallets: [
      { address: wallet.toLowerCase(), realized_all_time: '10', tags: ['smart_money'], volume: '9' },
      { address: wallet.toLowerCase(), chain: 'arbitrum', realized_all_time: '-3.5', volume: '5' },
    ],
    traded: [{ address: wallet.toLowerCase(), token: '0xa' }],
    holdings: [{ address: wallet.toLowerCase(), contract: 'native', token: 'ETH', usd_value: '41250' }],
    momentum: [
      { symbol: 'SOL', range: '7d', pct: '50', delta: '2.1', sentiment: 'bullish' },
      { symbol: 'BTC', range: '7d', pct: '20', delta: '-2.1' },
      { symbol: 'ETH', range: '7d', pct: '10' },
    ],
    coverage: [['venue', 'polymarket']],
    details: { trader: trader.toLowerCase(), wallet: wallet.toLowerCase(), market, asset: 'SOL' },
  },
)

/** Waits for the figures of a part of the page, and returns them. */
async function shown(page: Page, role: 'table' | 'region', name: string): Promise<number[]> {
  const part = page.getByRole(role, { name, exact: true })
  await part.locator('data').first().waitFor()
  return figuresOf(part)
}

/** The figures of a list of `/v1`, row by row; missing ones are not shown as figures. */
async function listed(page: Page, path: string, names: readonly string[]): Promise<number[]> {
  const rows = await readAsVisitor(page, site.url(), path)
  return rows.flatMap((row) => names.map((name) => row[name]).filter((value) => typeof value === 'number'))
}

async function open(path: string): Promise<Visit> {
  const visit = await site.visit()
  await visit.page.goto(path)
  return visit
}

test.skipIf(noBrowser)('a trader is reached from the leaderboard, and its page has the figures of /v1', async () => {
  const { page, faults } = await open('/traders')
  await page.getByRole('table').getByRole('link').first().click()
  await page.waitForURL(`**/trader?address=${trader}`)
  const read = (path: string, names: string[]) =>
    listed(page, `${path}${path.includes('?') ? '&' : '?'}address=${trader}`, names)
  await page.getByText('Copy', { exact: true }).waitFor()
  const stats = page.getByLabel('Main figures')
  expect(await figuresOf(stats)).toEqual(
    await read('/trader-profile', ['pnl', 'unrealized', 'roi', 'win_rate', 'n_closed', 'drawdown', 'volume']),
  )
  expect(await shown(page, 'table', 'Last fills')).toEqual(await read('/trader-fills', ['price', 'size', 'cash']))
  expect(await shown(page, 'table', 'Results by market')).toEqual(
    await read('/trader-markets?status=closed&limit=25', ['cost', 'pnl']),
  )
  expect(await shown(page, 'region', 'Exposure')).toEqual(await read('/trader-categories', ['cost_share', 'pnl']))
  // 762 - 640.2 of the position with odds; the other one has no gain.
  expect(await shown(page, 'table', 'Positions')).toEqual([1200, 0.635, 640.2, 762, expect.closeTo(121.8), 10, 4.2])
  await page.getByText('As a table').click()
  expect(await shown(page, 'table', 'Profit and loss by day')).toEqual(
    (await read('/trader-days', ['pnl', 'equity', 'drawdown']))
      .flatMap((_, i, all) => (i % 3 === 0 ? [all.slice(all.length - 3 - i, all.length - i)] : []))
      .flat(),
  )
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('lists of a trader have choices, further rows and transactions', async () => {
  const { page, faults } = await open(`/trader?address=${trader}`)
  const table = page.getByRole('table', { name: 'Results by market' })
  await table.locator('data').first().waitFor()
  expect(await table.getByRole('row').count()).toBe(26)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => table.getByRole('row').count()).toBe(60)
  await page.getByRole('link', { name: 'Open', exact: true }).click()
  await expect.poll(() => table.getByRole('row').count()).toBe(2)
  const link = page.getByRole('link', { name: 'transaction' }).first()
  expect(await link.getAttribute('href')).toBe(`https://polygonscan.com/tx/0x${'1'.padStart(64, '0')}`)
  await page
    .getByRole('img', { name: 'Realized profit and loss by day, +$120 on 2026-02-04' })
    .locator('canvas')
    .waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a wallet has a page for each of its chains', async () => {
  const { page, faults } = await open('/wallets')
  await page.getByRole('table').getByRole('link').first().click()
  await page.waitForURL(`**/wallet?address=${wallet}&chain=base`)
  const read = (path: string, names: string[]) => listed(page, `${path}?address=${wallet}&chain=base`, names)
  await page.getByText('smart money').waitFor()
  expect((await figuresOf(page.getByLabel('Main figures'))).slice(0, 2)).toEqual([10, 0])
  expect(await shown(page, 'table', 'Last trades')).toEqual(
    await read('/wallet-trades', ['sold_amount', 'bought_amount', 'value', 'pnl']),
  )
  expect(await shown(page, 'table', 'Holdings')).toEqual(await read('/wallet-holdings', ['amount', 'usd_value']))
  expect(await shown(page, 'table', 'Results by token')).toEqual(
    await read('/wallet-tokens', ['bought', 'sold', 'realized_all_time', 'unranked_all_time']),
  )
  await page.getByRole('link', { name: 'arbitrum' }).click()
  await expect.poll(async () => (await figuresOf(page.getByLabel('Main figures')))[0]).toBe(-3.5)
  await page.getByText('No trade within 30 days.').waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a market has its odds, its holders and its trades', async () => {
  const { page, faults } = await open('/markets')
  await page.getByRole('table').getByRole('link', { name: 'Will it rain?' }).first().click()
  await page.waitForURL('**/market?id=*')
  const read = (path: string, names: string[]) => listed(page, `${path}?id=${encodeURIComponent(market)}`, names)
  expect(await shown(page, 'table', 'Last trades')).toEqual(await read('/market-fills', ['price', 'size', 'cash']))
  expect(await shown(page, 'table', 'Holders')).toEqual(await read('/market-holders', ['size']))
  await page.getByRole('region', { name: 'Where proven traders lean' }).getByText('100 %').waitFor()
  const [yes, volume, width, holders] = await figuresOf(page.getByLabel('Main figures'))
  expect([yes, volume, width, holders]).toEqual([0.635, 1234567.89, expect.closeTo(0.075), 53])
  await page.getByRole('table', { name: 'The same question on other venues' }).getByText('kalshi').waitFor()
  await page.getByRole('img', { name: 'Odds of YES by the hour, 63.5 % at the end' }).locator('canvas').waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('assets are areas of their share, and each has its days', async () => {
  const { page, faults } = await open('/assets')
  const momentum = await readAsVisitor(page, site.url(), '/signals?range=7d')
  expect(await shown(page, 'table', 'Assets by mindshare')).toEqual(
    momentum.flatMap((row) => [row['rank'], Number(row['mindshare_pct']) / 100, row['mindshare_delta']].slice(1)),
  )
  const tiles = page.getByRole('list', { name: 'Assets by share of attention' })
  const areas = await tiles
    .getByRole('listitem')
    .evaluateAll((items) =>
      items.map((item) => item.getBoundingClientRect().width * item.getBoundingClientRect().height),
    )
  const total = areas.reduce((sum, area) => sum + area, 0)
  // The gaps between the areas take little.
  for (const [n, { mindshare_pct }] of momentum.entries())
    expect(Math.abs((areas[n] ?? 0) / total - Number(mindshare_pct) / 80)).toBeLessThan(0.02)
  await tiles.getByRole('link', { name: 'SOL' }).click()
  await page.waitForURL('**/asset?symbol=SOL')
  await page.getByText('As a table').click()
  const days = await readAsVisitor(page, site.url(), '/asset-days?symbol=SOL')
  expect(await shown(page, 'table', 'Attention by day and platform')).toEqual(
    days.toReversed().flatMap((row) => [Number(row['day_pct']) / 100, row['n_posts'], row['n_clusters']]),
  )
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('the search finds markets, addresses and assets by the keyboard', async () => {
  const { page, faults } = await open('/coverage')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const search = page.getByRole('combobox')
  // The page listens to the key soon after it is drawn.
  await expect
    .poll(async () => {
      await page.keyboard.press('/')
      return page.evaluate('document.activeElement?.getAttribute("role")')
    })
    .toBe('combobox')
  await search.fill('')
  await page.keyboard.type('rain')
  await page.getByRole('option', { name: 'Will it rain? polymarket' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/market?id=*')
  await page.getByRole('combobox').fill('so')
  await page.getByRole('option', { name: 'SOL asset' }).click()
  await page.waitForURL('**/asset?symbol=SOL')
  await page.getByRole('combobox').fill(wallet)
  await page.getByRole('option', { name: `${wallet} wallet` }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/wallet?address=${wallet}`)
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('coverage has the rows of /v1', async () => {
  const { page, faults } = await open('/coverage')
  const rows = await readAsVisitor(page, site.url(), '/coverage')
  const venues = rows.filter(({ kind }) => kind === 'venue')
  expect(await shown(page, 'table', 'Coverage of venues')).toEqual(
    venues.flatMap(({ n_rows, n_incomplete }) => [n_rows, expect.closeTo(10 / 11), n_incomplete]),
  )
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('what is not stored says so, and how to get it', async () => {
  const { page, faults } = await open(`/trader?address=${unknown}`)
  await page.getByText('No trade on a prediction market of this address is stored.').waitFor()
  await page.goto(`/wallet?address=${unknown}`)
  await page.getByText('No trade of tokens of this address is stored.').waitFor()
  await page.goto('/market?id=kalshi:NOPE')
  await page.getByText('No such market is stored with a price.').waitFor()
  await page.goto('/trader?address=vitalik')
  await page.getByText('The address: “vitalik” is not accepted.').waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a person watches an entity from its page', async () => {
  const { page, faults } = await signUp(site)
  await page.goto(`/trader?address=${trader}`)
  await page.getByRole('link', { name: 'Watch', exact: true }).click()
  await page.waitForURL('**/watchlists?*')
  await page.getByLabel('Name').fill('Leaders')
  await page.getByRole('button', { name: 'Create the watchlist' }).click()
  await page.getByText('Created: Leaders').waitFor()
  await page.getByText('1 item of the type wallets').waitFor()
  await page.locator('.items', { hasText: trader }).waitFor({ state: 'attached' })
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('charts are a part of their own, which other pages do not load', async () => {
  const scripts = (await readdir('web/dist/assets')).filter((name) => name.endsWith('.js'))
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(await readFile(join('web/dist/assets', name))).length),
  )
  expect(scripts.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * 1_024)
  const { page } = await site.visit()
  const loaded: string[] = []
  page.on('request', (request) => void loaded.push(request.url()))
  await page.goto('/traders')
  await page.getByRole('table').locator('data').first().waitFor()
  expect(loaded.filter((url) => url.endsWith('.js'))).toHaveLength(1)
})

test.skipIf(noBrowser)('a list that cannot be read shows the failure, and not the words for no rows', async () => {
  const { page } = await site.visit()
  await page.route('**/v1/trader-positions**', (route) => route.fulfill({ status: 502, body: 'Bad gateway' }))
  await page.goto(`/trader?address=${trader}`)
  const positions = page.getByRole('region', { name: 'Positions', exact: true })
  await positions.getByRole('alert').filter({ hasText: /./ }).waitFor()
  expect(await positions.getByText('holds no shares').count()).toBe(0)
  expect(await positions.getByRole('table').count()).toBe(0)
})
