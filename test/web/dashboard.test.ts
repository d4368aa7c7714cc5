import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'

import { findAccount, setTier } from '#accounts/people.ts'
import { publish, type SnapshotRows } from '#test/api/fixture.ts'

import { noBrowser, openSite, signUp } from './site.ts'
import { figuresOf, readAsVisitor } from './visitor.ts'

const trader = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'
const other = '0xBBc264c10F54A61607A31B53358a5A87d4B045be'
const proSignal = {
  id: 'sig_pro',
  at: '2026-03-01 11:30:00',
  type: 'wallet' as const,
  entity: trader.toLowerCase(),
  tier_required: 'pro' as const,
  summary: `A proven trader traded. ${trader.toLowerCase()} bought YES for 48,210 USD.`,
}
const rows: SnapshotRows = {
  markets: [
    { id: 'polymarket:1', question: 'Will it rain?', yes: '0.635', volume: '1234567.89' },
    { id: 'kalshi:2', question: 'Will <b>markup</b> stay text?', yes: '0.08', volume: '912.4', platform: 'kalshi' },
  ],
  feed: [proSignal, { id: 'sig_free', at: '2026-03-01 11:00:00', summary: 'Odds moved. "Will it rain?" went up.' }],
  traders: [
    { wallet: trader, pnl: '12840.11', win_rate: '0.612245' },
    { wallet: other, pnl: '-310.5', win_rate: '0.25' },
  ],
  discovered: [{ address: other, pnl: '48210.57', volume: '912044.1', win_rate: '0.642857', tags: ['smart_money'] }],
  momentum: [{ symbol: 'SOL', range: '7d', pct: '11.482907', delta: '2.150311', sentiment: 'bullish' }],
  coverage: [
    ['venue', 'polymarket'],
    ['chain', 'base'],
  ],
}

const site = openSite({}, rows)
const closed = openSite({ publicReading: false }, rows)

const read = (page: Page, path: string) => readAsVisitor(page, site.url(), path)

test.skipIf(noBrowser)('the first page shows a visitor the figures of /v1', async () => {
  const { page, faults } = await site.visit()
  await page.goto('/')
  const shown = async (table: string): Promise<number[]> => {
    const part = page.getByRole('table', { name: table })
    await part.locator('data').first().waitFor()
    return figuresOf(part)
  }
  const columns = async (path: string, names: string[]) =>
    (await read(page, path)).flatMap((row) => names.map((name) => row[name]))

  expect(await shown('Markets by volume')).toEqual(await columns('/markets', ['yes_price', 'volume_24h']))
  expect(await shown('Traders by closing line value')).toEqual(
    await columns('/trader-ranks', ['clv_score', 'win_rate', 'pnl']),
  )
  expect(await shown('Wallets by realized profit')).toEqual(await columns('/wallet-ranks', ['win_rate', 'pnl']))
  const mindshare = page.getByRole('region', { name: 'Mindshare' })
  await mindshare.getByText('SOL').waitFor()
  expect(await figuresOf(mindshare)).toEqual(await columns('/signals?range=7d', ['mindshare_pct', 'mindshare_delta']))
  // Texts of others are no markup.
  await page.getByText('Will <b>markup</b> stay text?').waitFor()
  for (const text of ['63.5 %', '$1.2M', '+$12.8K', '−$311', '61.2 %']) await page.getByText(text).first().waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a signal above the tier stays masked, and opens for the tier', async () => {
  const visitor = await site.visit()
  const free = await signUp(site)
  for (const { page } of [visitor, free]) {
    await page.goto('/feed')
    await page.getByText('A headline.').click()
    await page.getByText('accounts of the tier pro').waitFor()
    expect((await page.content()).toLowerCase()).not.toContain(trader.toLowerCase())
  }
  const { accounts } = site.service()
  const { id: account_id = '' } = (await findAccount(accounts, free.email)) ?? {}
  await setTier(accounts, { account_id, tier: 'pro', now: Date.now() * 1_000 })
  await free.page.reload()
  await free.page.getByText('bought YES for 48,210 USD').click()
  await free.page.getByText('No facts are stored for this signal.').waitFor()
  await free.page.getByText(trader).first().waitFor()
  expect([...visitor.faults, ...free.faults]).toEqual([])
})

test.skipIf(noBrowser)('the search finds markets by words, and its address can be shared', async () => {
  const { page, faults } = await site.visit()
  await page.goto('/traders')
  await page.getByRole('combobox', { name: 'Search markets' }).fill('RAIN will')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/markets?words=RAIN+will')
  await page.getByRole('table').getByText('Will it rain?').waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  await page.getByRole('link', { name: 'Closed' }).click()
  await page.getByText('No market has these words.').waitFor()
  expect(new URL(page.url()).search).toBe('?words=RAIN+will&status=closed')
  await page.goBack()
  await page.getByRole('table').getByText('Will it rain?').waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a leaderboard is saved as the CSV of /v1', async () => {
  const { page, faults } = await site.visit()
  await page.goto('/traders?sort=clv')
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as CSV' }).click()
  const saved = await readFile(await (await saving).path(), 'utf8')
  expect(saved.split('\n')[0]).toMatch(/^rank,wallet,archetype,pnl,/)
  for (const address of [trader, other]) expect(saved).toContain(address)
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('new signals and odds appear on an open page by themselves', async () => {
  const { page, faults } = await site.visit()
  await page.goto('/')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate('document.body.dataset.opened = "once"')
  const fresh = { id: 'sig_new', at: '2026-03-01 11:59:00', summary: 'Odds moved. "Will it snow?" went down.' }
  const markets = [{ id: 'polymarket:1', question: 'Will it rain?', yes: '0.91', volume: '2000000' }]
  await publish(join(site.home(), 'marts'), 'second', { ...rows, markets, feed: [...(rows.feed ?? []), fresh] })
  await page.getByText('"Will it snow?" went down.').waitFor()
  await page.getByText('91.0 %').waitFor()
  expect(await page.evaluate('document.body.dataset.opened')).toBe('once')
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('without public reading a visitor is asked to sign in', async () => {
  const { page, faults } = await closed.visit()
  await page.goto('/markets')
  await page.getByText('Sign in to see this.').first().waitFor()
  expect(await page.content()).not.toContain('Will it rain?')
  const person = await signUp(closed)
  await person.page.goto('/markets')
  await person.page.getByText('Will it rain?').waitFor()
  await person.page.goto('/traders')
  await person.page.getByText('Your tier does not include this.').waitFor()
  expect([...faults, ...person.faults]).toEqual([])
})

test.skipIf(noBrowser)('the script of a first view has less than 150 KB, compressed', async () => {
  const scripts = (await readdir('web/dist/assets')).filter((name) => name.endsWith('.js'))
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(await readFile(join('web/dist/assets', name))).length),
  )
  expect(Math.max(...sizes)).toBeLessThan(150 * 1_024)
})
