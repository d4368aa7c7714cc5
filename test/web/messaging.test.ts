import { afterAll, expect, test } from 'vitest'

import { connectTelegram, telegram } from '#api/messaging/telegram.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import { eventually } from '#test/run/eventually.ts'
import { machineClock } from '#time.ts'

import { faultsOf } from './axe.ts'
import { noBrowser, openSite, signUp, type Visit } from './site.ts'

const token = '4242424242:AAbot-token-of-the-tests'
const api = await serveBotApi({ token, username: 'tapeline_bot', clock: machineClock })
afterAll(api.close)
const connect = connectTelegram({ token, apiRoot: api.url, linkRoot: api.url })
const site = openSite({ messengers: [{ messenger: telegram, connect }] })

/** Waits until the service knows its bot. */
const bot = ({ page }: Visit) =>
  eventually(async () => {
    await page.reload()
    await page.getByText('Signed in as').waitFor()
    expect(await page.getByLabel('Telegram user name').count()).toBe(1)
  })

/** Opens a deep link as another device does, and presses Start as a person of Telegram. Returns the last answer. */
async function pressStart(url: string, username: string): Promise<string> {
  const { page } = await site.visit()
  await page.goto(url)
  await page.getByLabel('Telegram user name').fill(username)
  await page.getByRole('button', { name: 'Start' }).click()
  return page.getByRole('listitem').last().innerText()
}

test.skipIf(noBrowser)('a person links their Telegram account, sees it at once, and unlinks it', async () => {
  const person = await signUp(site)
  const { page, faults } = person
  await bot(person)
  await page.getByText('No Telegram account is linked.').waitFor()
  await page.getByLabel('Telegram user name').fill('@ann_lee')
  await page.getByRole('button', { name: 'Get a link' }).click()
  const link = page.getByRole('link', { name: 'Open @tapeline_bot in Telegram' })
  const url = (await link.getAttribute('href')) ?? ''
  expect(await faultsOf(page)).toEqual([])

  // Another person who opens the link is refused, and links nothing.
  await pressStart(url, 'mallory')
  await page.getByText('No Telegram account is linked.').waitFor()
  expect(await pressStart(url, 'ann_lee')).toContain('now linked')
  // The page is not loaded again.
  await page.getByText('Linked: @ann_lee receives your alerts.').waitFor()
  expect(await link.count()).toBe(0)

  await page.getByRole('button', { name: 'Unlink @ann_lee' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click()
  await page.getByText('No Telegram account is linked.').waitFor()
  expect(await page.locator(':focus').innerText()).toBe('Messaging account')
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)(
  'a link is noticed where each answer takes longer than the pause between two questions',
  async () => {
    const person = await signUp(site)
    const { page, faults } = person
    await bot(person)
    const slow_ms = 2_500
    await page.route('**/api/settings', async (route) => {
      const answer = await route.fetch()
      setTimeout(() => void route.fulfill({ response: answer }).catch(() => undefined), slow_ms)
    })
    await page.getByLabel('Telegram user name').fill('@bob_lee')
    await page.getByRole('button', { name: 'Get a link' }).click()
    const link = page.getByRole('link', { name: 'Open @tapeline_bot in Telegram' })
    expect(await pressStart((await link.getAttribute('href')) ?? '', 'bob_lee')).toContain('now linked')
    await page.getByText('Linked: @bob_lee receives your alerts.').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    expect(faults).toEqual([])
  },
)

test.skipIf(noBrowser)('a name that Telegram cannot have is refused with its form', async () => {
  const person = await signUp(site)
  const { page, faults } = person
  await bot(person)
  await page.getByLabel('Telegram user name').fill('a b')
  await page.getByRole('button', { name: 'Get a link' }).click()
  const alert = page.getByRole('alert').filter({ hasText: /./ })
  expect(await alert.innerText()).toContain('4 to 32 letters')
  expect(await page.getByLabel('Telegram user name').inputValue()).toBe('a b')
  expect(faults).toEqual([])
})
