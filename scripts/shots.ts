import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { chromium, type Page } from 'playwright-core'
import { z } from 'zod'

import { findChromium } from './chromium/find.ts'

/**
 * `npm run shots -- <url> [<folder> [<page>]]`: writes each page of a running service, such as a demo, to `shots/`, in
 * light and dark at 1280 and 375 pixels. The pages of a trader, a wallet, a market and an asset are those of the first of their list.
 */
async function takeShots(url: string, folder: string, only?: string): Promise<void> {
  const found = await findChromium()
  if (found === undefined) throw new Error('Chromium: not found; expected "npx tsx scripts/chromium.ts" to install it')
  await mkdir(folder, { recursive: true })
  const { executablePath, env } = found
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env } })
  try {
    const views = Object.entries(await viewsOf(url)).filter(([name]) => only?.split(',').includes(name) ?? true)
    const screens = [1280, 375].flatMap((width) => (['light', 'dark'] as const).map((mode) => ({ width, mode })))
    for (const { width, mode } of screens) {
      const viewport = { width, height: 900 }
      const context = await browser.newContext({ ...region, baseURL: url, colorScheme: mode, viewport })
      context.setDefaultTimeout(limit_ms)
      const page = await context.newPage()
      for (const [name, path] of views) {
        await settle(page, path)
        await writeFile(join(folder, `${name}-${width}-${mode}.png`), await page.screenshot({ fullPage: true }))
      }
      await context.close()
    }
  } finally {
    await browser.close()
  }
}

const region = { locale: 'en-GB', timezoneId: 'UTC' }

/** Names the page that hangs. */
const limit_ms = 120_000

/** Opens a page, and waits until its figures and charts are there. */
async function settle(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('h1').waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await page.waitForTimeout(500)
}

/** The pages and their addresses. */
async function viewsOf(url: string): Promise<Record<string, string>> {
  const read = await readerOf(url)
  const traders = [
    ...(await read('/trader-ranks?limit=1')),
    ...(await read('/trader-ranks?sort=pnl&range=all&limit=1')),
  ]
  const [market] = await read('/markets?limit=1')
  const [wallet] = await read('/wallet-ranks?range=90d&limit=1')
  const [asset] = await read('/signals?limit=1')
  return {
    home: '/',
    feed: '/feed',
    markets: '/markets',
    traders: '/traders',
    wallets: '/wallets',
    assets: '/assets',
    coverage: '/coverage',
    'sign-in': '/sign-in',
    ...(market && { market: `/market?id=${encodeURIComponent(String(market['id']))}` }),
    ...(traders[0] && { trader: `/trader?address=${String(traders[0]['wallet'])}` }),
    ...(wallet && { wallet: `/wallet?address=${String(wallet['address'])}&chain=${String(wallet['chain'])}` }),
    ...(asset && { asset: `/asset?symbol=${String(asset['symbol'])}` }),
  }
}

/** Reads lists of `/v1` as a visitor. */
async function readerOf(url: string) {
  const headers = { origin: url, 'content-type': 'application/json' }
  const visit = await fetch(`${url}/api/visit`, { method: 'POST', headers, body: '{}' })
  const { token } = z.object({ token: z.string() }).parse(await visit.json())
  const list = z.array(z.record(z.string(), z.unknown()))
  return async (path: string) => {
    const answer = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return list.parse(await answer.json())
  }
}

const [url, folder = 'shots', only] = process.argv.slice(2)
if (url === undefined) throw new Error('url: missing; expected the address of a running service')
await takeShots(url.replace(/\/$/, ''), resolve(folder), only)
