import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

import { openService, type Service } from '#bin/wiring/service.ts'
import { parseConfig, type Config } from '#config.ts'
import { findChromium } from '#scripts/chromium/find.ts'
import { newMartsDir, publish, type SnapshotRows } from '#test/api/fixture.ts'
import { loader } from '#test/run/loader.ts'
import { oncePerRun } from '#test/run/once.ts'

const found = await findChromium()
if (found === undefined)
  console.warn(
    'skipped: Chromium is missing, which the tests of the pages run in; npx tsx scripts/chromium.ts installs it',
  )

/** Whether nothing can open the pages (`npx tsx scripts/chromium.ts` installs Chromium). */
export const noBrowser = found === undefined

/** Names the step that hangs. It lies far beyond a step on a busy machine, since no test rests on speed. */
const limit_ms = 300_000

/** A visit of a person with an empty browser. */
export type Visit = {
  page: Page
  /** The errors of the pages so far: of scripts, of the content policy, and requests to another host. */
  faults: string[]
}

const markets = ['1', '2', '3'].map((id) => ({ id: `polymarket:${id}`, question: `Will it rain on day ${id}?` }))

/** The service of a home as `tapeline serve` runs it, with markets, and the browser of a file of tests. */
export function openSite(settings: Partial<Config> = {}, rows: SnapshotRows = { markets }): Site {
  const state: { service?: Service; browser?: Browser; home: string; close: (() => Promise<unknown>)[] } = {
    home: '',
    close: [],
  }
  beforeAll(async () => {
    if (found === undefined) return
    await oncePerRun('pages', buildPages)
    const { home, dir, remove } = await newMartsDir()
    state.close.push(remove)
    state.home = home
    await publish(dir, 'first', rows)
    const config = { ...parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), ...settings }
    const service = await openService(config, true)
    state.close.push(service.close)
    state.service = service
    // The browser of root has no sandbox. It opens the pages of this service alone.
    const browser = await chromium.launch({
      executablePath: found.executablePath,
      env: { ...process.env, ...found.env },
      timeout: limit_ms,
    })
    state.close.push(() => browser.close())
    state.browser = browser
  })
  afterAll(async () => {
    for (const close of state.close.toReversed()) await close()
  })
  const url = () => of(state.service).url
  return {
    url,
    home: () => state.home,
    service: () => of(state.service),
    visit: (options = {}) => visit(of(state.browser), url(), options),
  }
}

/** The tests are of the present sources, whatever was built before. */
async function buildPages(marker: string): Promise<void> {
  const root = resolve(import.meta.dirname, '..', '..')
  await promisify(execFile)(process.execPath, [...loader, 'scripts/web.ts'], { cwd: root })
  await writeFile(marker, '')
}

export type Site = {
  url: () => string
  home: () => string
  service: () => Service
  visit: (options?: BrowserContextOptions) => Promise<Visit>
}

const of = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the site is not open')
  return value
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions): Promise<Visit> {
  const origin = options.baseURL ?? url
  const context = await browser.newContext({ baseURL: origin, locale: 'en-GB', timezoneId: 'UTC', ...options })
  context.setDefaultTimeout(limit_ms)
  const faults: string[] = []
  context.on('weberror', (error) => void faults.push(String(error.error())))
  context.on('console', (message) => {
    // Chromium reports each refused request as an error too; the pages show these to the person.
    const isRefusal = /^Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isRefusal) faults.push(message.text())
  })
  context.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`a request to ${request.url()}`)
  })
  return { page: await context.newPage(), faults }
}

let n_people = 0

/** A person who has signed up: their e-mail and password, and their browser on the page of the settings. */
export async function signUp(site: Site, options?: BrowserContextOptions): Promise<Visit & Person> {
  const visited = await site.visit(options)
  const person = { email: `person${++n_people}@example.com`, password: 'correct horse battery' }
  await visited.page.goto('/sign-up')
  await fillIn(visited.page, person)
  await visited.page.getByRole('button', { name: 'Create the account' }).click()
  await visited.page.getByText(`Signed in as ${person.email}`).waitFor()
  return { ...visited, ...person }
}

export type Person = { email: string; password: string }

/** Fills in the two fields of a page for signing in or up. */
export async function fillIn(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
}
