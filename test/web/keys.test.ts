import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'

import { eventually } from '#test/run/eventually.ts'

import { noBrowser, openSite, signUp } from './site.ts'

const site = openSite()

/** The key that the page shows. */
const shownKey = (page: Page) => page.getByRole('region', { name: 'The key' })

/** The status of a request with a key. */
const statusOf = async (key: string): Promise<number> =>
  (await fetch(`${site.url()}/v1/pm-markets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status

const confirm = async (page: Page, label: string): Promise<void> => {
  await page.getByRole('button', { name: `${label} key` }).click()
  await page.getByRole('dialog').getByRole('button', { name: label }).click()
}

test.skipIf(noBrowser)('a key is shown once, replaced and revoked, and a former key is refused', async () => {
  const { page, faults } = await signUp(site)
  await page.getByLabel('Name of the key').fill('notebook')
  await page.getByRole('button', { name: 'Create a key' }).click()
  const first = await shownKey(page).innerText()
  expect(await statusOf(first)).toBe(200)
  await page.locator(':focus', { hasText: 'Your new key' }).waitFor()

  // The page does not have the key any more, even when it is loaded again.
  await page.getByRole('button', { name: 'I have stored the key' }).click()
  await page.reload()
  await page.getByText('notebook').waitFor()
  expect(await page.content()).not.toContain(first)

  await confirm(page, 'Regenerate')
  await page.locator(':focus', { hasText: 'Your new key' }).waitFor()
  const second = await shownKey(page).innerText()
  expect(second).not.toBe(first)
  expect(await statusOf(second)).toBe(200)
  await eventually(async () => expect(await statusOf(first)).toBe(401))
  await page.getByText('notebook').waitFor()

  await confirm(page, 'Revoke')
  await page.getByText('You have no key yet.').waitFor()
  await page.locator(':focus', { hasText: 'Keys' }).waitFor()
  await eventually(async () => expect(await statusOf(second)).toBe(401))
  expect(await shownKey(page).count()).toBe(0)
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)(
  'a new key is shown while the list is read again, and stays if the session ends there',
  async () => {
    const { page, faults } = await signUp(site)
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/api/settings', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'Create a key' }).click()
    const key = await shownKey(page).innerText()
    expect(await statusOf(key)).toBe(200)

    const answered = page.waitForResponse('**/api/settings')
    await page.context().clearCookies()
    release()
    expect((await answered).status()).toBe(401)
    await page.getByRole('alert').filter({ hasText: 'session' }).waitFor()
    expect(await shownKey(page).innerText()).toBe(key)

    // The person has stored the key: the next request leads to the page for signing in.
    await page.getByRole('button', { name: 'I have stored the key' }).click()
    await page.getByLabel('Period').selectOption('Last 7 days')
    await page.waitForURL('**/sign-in')
    expect(faults).toEqual([])
  },
)

test.skipIf(noBrowser)('a cancelled confirmation changes nothing, and the focus returns to its button', async () => {
  const { page, faults } = await signUp(site)
  await page.getByRole('button', { name: 'Create a key' }).click()
  const key = await shownKey(page).innerText()
  const revoke = page.getByRole('button', { name: 'Revoke key' })
  await revoke.click()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(await revoke.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true)
  expect(await statusOf(key)).toBe(200)
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('the page shows the tier, its limits and the requests of the account', async () => {
  const { page, faults } = await signUp(site)
  await page.getByRole('button', { name: 'Create a key' }).click()
  const key = await shownKey(page).innerText()
  // A minute may end in between.
  let n_requests = 1
  while ((await statusOf(key)) !== 429) n_requests++
  expect(n_requests).toBeGreaterThan(60)

  // Use is written every five seconds.
  await eventually(async () => {
    await page.reload()
    const chart = page.getByRole('img', { name: 'Chart:' })
    expect(await chart.getAttribute('aria-label')).toContain(`${n_requests} requests, 1 of them refused`)
  })
  await page.getByText('Use as a table').click()
  const rows = await page.getByRole('table').getByRole('row').allInnerTexts()
  expect(rows).toHaveLength(25)
  const [requests, refused] = [1, 2].map((cell) =>
    rows.slice(1).reduce((sum, row) => sum + Number(row.split('\t')[cell]), 0),
  )
  expect([requests, refused]).toEqual([n_requests, 1])
  await page.getByLabel('Period').selectOption('Last 7 days')
  await page.getByRole('columnheader', { name: 'Day' }).waitFor()
  expect(await page.getByRole('table').getByRole('row').count()).toBe(8)
  const facts = await page.getByRole('definition').allInnerTexts()
  expect(facts).toEqual(['free', '60', '0', '0', '5'])
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)(
  'of two periods that are chosen in turn the later one is shown, whichever answer is first',
  async () => {
    const { page, faults } = await signUp(site)
    await page.getByText('Use as a table').click()
    const answered = page.waitForResponse('**/api/usage?range=30d')
    await page.route('**/api/usage?range=7d', async (route) => {
      await answered
      await route.continue()
    })
    const late = page.waitForResponse('**/api/usage?range=7d')
    await page.getByLabel('Period').selectOption('Last 7 days')
    await page.getByLabel('Period').selectOption('Last 30 days')
    await (await late).finished()
    await page.evaluate('new Promise(requestAnimationFrame)')
    await page.getByRole('columnheader', { name: 'Day' }).waitFor()
    expect(await page.getByRole('table').getByRole('row').count()).toBe(31)
    expect(faults).toEqual([])
  },
)
