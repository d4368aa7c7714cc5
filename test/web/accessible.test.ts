import { readdir } from 'node:fs/promises'

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { faultsOf } from './axe.ts'
import { noBrowser, openSite, signUp } from './site.ts'

const address = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
const market = `polymarket:0x${'5'.repeat(64)}`
const site = openSite(
  {},
  {
    markets: [{ id: market, question: 'Will it rain?' }],
    wallets: [{ address, markets_traded: 3 }],
    chainWallets: [{ address, tags: ['smart_money'] }],
    momentum: [
      { symbol: 'SOL', range: '7d', pct: '40', delta: '2.1', sentiment: 'bullish' },
      { symbol: 'BTC', range: '7d', pct: '30', delta: '-2.1', sentiment: 'bearish' },
      { symbol: 'ETH', range: '7d', pct: '10' },
    ],
    coverage: [
      ['venue', 'polymarket'],
      ['chain', 'base'],
    ],
    details: { trader: address, wallet: address, market, asset: 'SOL' },
  },
)
const entities = [
  '/assets',
  '/asset?symbol=SOL',
  '/coverage',
  `/trader?address=${address}`,
  `/wallet?address=${address}`,
  `/market?id=${market}`,
]
const figures = ['/', '/feed', '/markets', '/traders', '/wallets', ...entities]
const open = [...figures, '/sign-up', '/sign-in', '/forgot-password', '/reset-password#token=x']
const signedIn = ['/settings', '/watchlists']

/** Opens a page, and waits until its content is there. */
async function show(page: Page, path: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  if (figures.includes(path)) await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0)
  if (signedIn.includes(path)) await page.getByRole('heading', { level: 2 }).first().waitFor()
}

/** Opens all that a page folds away or asks. */
async function unfold(page: Page): Promise<void> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
}

/** The full form has each width in each mode. */
const screens = sized(
  [
    { width: 320, colorScheme: 'dark' },
    { width: 1280, colorScheme: 'light' },
  ] as const,
  [320, 1280].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))),
)

test.skipIf(noBrowser).for(screens)('pages of $width px in $colorScheme mode are accessible', async (screen) => {
  const { width, colorScheme } = screen
  const { page, faults } = await signUp(site, { colorScheme, viewport: { width, height: 800 } })
  await page.getByLabel('Name of the key').fill('a name that is long enough to be wrapped on a narrow screen')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByRole('region', { name: 'The request' }).waitFor()
  const found: Record<string, string[]> = { 'a new key': await faultsOf(page) }
  await page.getByRole('button', { name: 'Revoke key' }).click()
  found['a dialog'] = await faultsOf(page)
  for (const path of [...open, ...signedIn]) {
    await show(page, path)
    await unfold(page)
    found[path] = await faultsOf(page)
  }
  const wrong = Object.entries(found).filter(([, one]) => one.length > 0)
  expect({ wrong, faults }).toEqual({ wrong: [], faults: [] })
  const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor')
  expect(ground).toBe(colorScheme === 'dark' ? 'rgb(20, 23, 26)' : 'rgb(255, 255, 255)')
})

/** Swagger UI renders the description of the API, and its faults are not ours. */
const swagger = 'docs.html'

test.skipIf(noBrowser)('every page of the build is among them', async () => {
  const built = (await readdir('web/dist')).filter((name) => name.endsWith('.html') && name !== swagger)
  const listed = [...open, ...signedIn].map((path) => `${path.slice(1).replace(/[?#].*/, '') || 'index'}.html`)
  expect(built.toSorted()).toEqual(listed.toSorted())
})

const theEnd = 'the end of the page'

/** The focused element: its tag, and the text or the label that names it. */
const focused = async (page: Page): Promise<string> =>
  (await page.locator(':focus').count()) === 0 ? theEnd : page.locator(':focus').ariaSnapshot()

/** Presses Tab until an element whose name begins so has the focus, which must be visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  const seen: string[] = []
  while (!seen.at(-1)?.includes(` "${name}`)) {
    await page.keyboard.press('Tab')
    const now = await focused(page)
    if (seen.includes(now)) throw new Error(`Tab does not reach "${name}": ${seen.join(', ')}`)
    seen.push(now)
    // After the last element the focus leaves the page once.
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
    expect(now === theEnd || outline !== 'none', now).toBe(true)
  }
}

test.skipIf(noBrowser)('the keyboard alone creates an account, a key, and revokes the key', async () => {
  const { page, faults } = await site.visit()
  await page.goto('/sign-up')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await tabTo(page, 'Skip to the content')
  await page.keyboard.press('Enter')
  await tabTo(page, 'E-mail')
  await page.keyboard.type('keyboard@example.com')
  await tabTo(page, 'Password')
  await page.keyboard.type('correct horse battery')
  await page.keyboard.press('Enter')
  await page.getByText('You have no key yet.').waitFor()
  await tabTo(page, 'Create a key')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'The key' }).waitFor()
  await tabTo(page, 'I have stored the key')
  await page.keyboard.press('Space')
  await tabTo(page, 'Revoke key')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Revoke')
  await page.keyboard.press('Enter')
  await page.getByText('You have no key yet.').waitFor()
  expect(faults).toEqual([])
})
