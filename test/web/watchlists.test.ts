import { expect, test } from 'vitest'

import { faultsOf } from './axe.ts'
import { noBrowser, openSite, signUp } from './site.ts'

const site = openSite()
const vitalik = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'

test.skipIf(noBrowser)('a person creates, reads and deletes watchlists', async () => {
  const { page, faults } = await signUp(site)
  const tokens: string[] = []
  page.on('request', (request) => void (request.url().endsWith('/api/token') && tokens.push(request.url())))
  await page.getByRole('link', { name: 'Watchlists' }).click()
  await page.getByText('You have no watchlist yet.').waitFor()
  await page.getByLabel('Name').fill('Founders')
  await page.getByLabel('Items').fill(`${vitalik.toLowerCase()}\n\n  ${vitalik}\n`)
  await page.getByRole('button', { name: 'Create the watchlist' }).click()
  await page.getByRole('heading', { name: 'Founders' }).waitFor()
  await page.getByText('1 item of the type wallets').waitFor()
  // The form is empty for the next one.
  expect(await page.getByLabel('Name').inputValue()).toBe('')

  await page.getByLabel('Type').selectOption('assets')
  await page.getByLabel('Name').fill('Majors')
  await page.getByLabel('Items').fill('btc\neth')
  await page.getByRole('button', { name: 'Create the watchlist' }).click()
  await page.getByText('2 items of the type assets').waitFor()
  // The form is as before: it sends the values that it shows.
  expect(await page.getByLabel('Type').inputValue()).toBe('wallets')
  await page.getByText('Addresses, such as').waitFor()
  await page.getByText('Items of Majors').click()
  expect(
    await page
      .getByRole('listitem')
      .filter({ hasText: /^(BTC|ETH)$/ })
      .allInnerTexts(),
  ).toEqual(['BTC', 'ETH'])
  expect(await faultsOf(page)).toEqual([])
  // One token serves all requests of the page.
  expect(tokens).toHaveLength(1)

  await page.reload()
  await page.getByRole('button', { name: 'Delete Founders' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Founders', exact: true }).waitFor({ state: 'detached' })
  expect(await page.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(['Majors'])
  await page.locator(':focus', { hasText: 'Your watchlists' }).waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a refused watchlist stays in the form, with the reason', async () => {
  const { page, faults } = await signUp(site)
  await page.goto('/watchlists')
  await page.getByLabel('Name').fill('Founders')
  await page.getByLabel('Items').fill('not an address')
  await page.getByRole('button', { name: 'Create the watchlist' }).click()
  expect(await page.getByRole('alert').filter({ hasText: /./ }).innerText()).toContain('not an address')
  expect(await page.getByLabel('Items').inputValue()).toBe('not an address')
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)(
  'an expired token is replaced, and an ended session leads to the page for signing in',
  async () => {
    const { page, faults } = await signUp(site)
    await page.goto('/watchlists')
    await page.getByText('You have no watchlist yet.').waitFor()
    // The service refuses the token of the page once, as it does after 15 minutes.
    const refused = { status: 401, json: { error: 'unauthorized', message: 'token: expired' } }
    // The route stays: a browser may lose the next request while the last route of a page is removed.
    let n_requests = 0
    await page.route('**/v1/watchlists', (route) => (n_requests++ === 0 ? route.fulfill(refused) : route.continue()))
    await page.getByLabel('Name').fill('Founders')
    await page.getByLabel('Items').fill(vitalik)
    await page.getByRole('button', { name: 'Create the watchlist' }).click()
    await page.getByRole('heading', { name: 'Founders' }).waitFor()

    await page.context().clearCookies()
    await page.goto('/watchlists')
    await page.waitForURL('**/sign-in')
    expect(faults).toEqual([])
  },
)

test.skipIf(noBrowser)('a dialog that is opened again has no error of the attempt before', async () => {
  const { page } = await signUp(site)
  await page.goto('/watchlists')
  await page.getByLabel('Name').fill('Founders')
  await page.getByLabel('Items').fill(vitalik)
  await page.getByRole('button', { name: 'Create the watchlist' }).click()
  const open = page.getByRole('button', { name: 'Delete Founders' })
  const dialog = page.getByRole('dialog')
  const alert = dialog.getByRole('alert').filter({ hasText: /./ })
  await page.route('**/v1/watchlists?id=*', (route) => route.abort())
  await open.click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await alert.getByText('The service does not answer').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await open.click()
  expect(await alert.count()).toBe(0)
  await page.unroute('**/v1/watchlists?id=*')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('You have no watchlist yet.').waitFor()
})
