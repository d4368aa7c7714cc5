import { expect, test } from 'vitest'

import { runMain } from '#test/bin/run_main.ts'

import { fillIn, noBrowser, openSite, signUp } from './site.ts'

const site = openSite()

test.skipIf(noBrowser)('a person signs out, and signs in again', async () => {
  const { page, faults, ...person } = await signUp(site)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  // The session has ended: the settings lead back to this page.
  await page.goto('/settings')
  await page.waitForURL('**/sign-in')
  await fillIn(page, person)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(`Signed in as ${person.email}`).waitFor()
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a wrong password and an unknown e-mail get the same answer, which is announced', async () => {
  const { email, password } = await signUp(site)
  const { page, faults } = await site.visit()
  const answers: string[] = []
  for (const person of [
    { email, password: `${password}r` },
    { email: 'nobody@example.com', password },
  ]) {
    await page.goto('/sign-in')
    await fillIn(page, person)
    await page.getByRole('button', { name: 'Sign in' }).click()
    answers.push(await page.getByRole('alert').filter({ hasText: /./ }).innerText())
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    // The typed text is still there, and the focus is on the button.
    expect(await page.getByLabel('E-mail').inputValue()).toBe(person.email)
    expect(await page.locator(':focus').innerText()).toBe('Sign in')
  }
  expect(answers).toEqual(Array(2).fill('The e-mail or the password is wrong.'))
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)('a short password is refused before it is sent, and a used e-mail after', async () => {
  const { email } = await signUp(site)
  const { page, faults } = await site.visit()
  const sent: string[] = []
  page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
  await page.goto('/sign-up')
  await fillIn(page, { email, password: 'too short' })
  await page.getByRole('button', { name: 'Create the account' }).click()
  expect(await page.locator('input:invalid').getAttribute('name')).toBe('password')
  expect(sent.filter((url) => !url.endsWith('/api/visit'))).toEqual([])
  await fillIn(page, { email, password: 'long enough' })
  await page.getByRole('button', { name: 'Create the account' }).click()
  expect(await page.getByRole('alert').filter({ hasText: /./ }).innerText()).toContain('account already')
  expect(faults).toEqual([])
})

test.skipIf(noBrowser)(
  'the link that the operator prints sets a password once, and ends the other sessions',
  async () => {
    const { page, faults, email, password } = await signUp(site)
    const { page: other } = await site.visit()
    await other.goto('/sign-in')
    await other.getByRole('link', { name: 'Forgotten password' }).click()
    await other.getByLabel('E-mail').fill(email)
    await other.getByRole('button', { name: 'Request a link' }).click()
    await other.getByText(`If ${email} has an account`).waitFor()

    const env = { TAPELINE_HOME: site.home(), TAPELINE_PORT: new URL(site.url()).port }
    const { code, out } = await runMain(['account', 'reset-link', '--email', email], env)
    expect(code).toBe(0)
    const sent: string[] = []
    other.on('request', (request) => void sent.push(request.url()))
    await other.goto(out.trim())
    await other.getByLabel('New password').fill('another password')
    await other.getByRole('button', { name: 'Set the password' }).click()
    await other.getByText('The new password is set').waitFor()
    // The token is a secret: no address that is sent has it.
    expect(sent.filter((url) => new URL(url).search !== '')).toEqual([])

    await page.goto('/settings')
    await page.waitForURL('**/sign-in')
    for (const [attempt, answer] of [
      [password, 'The e-mail or the password is wrong.'],
      ['another password', `Signed in as ${email}`],
    ] as const) {
      await fillIn(page, { email, password: attempt })
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(answer).waitFor()
    }
    await other.goto('about:blank')
    await other.goto(out.trim())
    await other.getByLabel('New password').fill('a third password')
    await other.getByRole('button', { name: 'Set the password' }).click()
    expect(await other.getByRole('alert').filter({ hasText: /./ }).innerText()).toContain(
      'token: unknown, used or expired',
    )
    expect(faults).toEqual([])
  },
)

test.skipIf(noBrowser)(
  'a second link that is opened in the same tab sets the password with its own token',
  async () => {
    const { email } = await signUp(site)
    const env = { TAPELINE_HOME: site.home(), TAPELINE_PORT: new URL(site.url()).port }
    const { out } = await runMain(['account', 'reset-link', '--email', email], env)
    const { page, faults } = await site.visit()
    const alert = page.getByRole('alert').filter({ hasText: /./ })
    const set = async () => {
      await page.getByLabel('New password').fill('another password')
      await page.getByRole('button', { name: 'Set the password' }).click()
    }
    await page.goto('/reset-password#token=expired')
    await set()
    await alert.waitFor()
    // The browser does not load the page anew, since the addresses differ in their fragment alone.
    await page.goto(out.trim())
    await alert.waitFor({ state: 'detached' })
    // The link that skips to the content replaces the fragment.
    await page.getByRole('link', { name: 'Skip to the content' }).focus()
    await page.keyboard.press('Enter')
    await set()
    await page.getByText('The new password is set').waitFor()
    expect(await page.getByText('no token').count()).toBe(0)
    expect(faults).toEqual([])
  },
)

/** A script that cuts off the body of each answer, as a connection that ends does. */
const cut = `const send = fetch
fetch = async (...of) => Object.assign(await send(...of), { text: () => Promise.reject(new TypeError('network error')) })`

test.skipIf(noBrowser)('an answer that is cut off is one of a service that does not answer', async () => {
  const { page } = await site.visit()
  await page.addInitScript({ content: cut })
  await page.goto('/sign-in')
  await fillIn(page, { email: 'nobody@example.com', password: 'correct horse battery' })
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect(await page.getByRole('alert').filter({ hasText: /./ }).innerText()).toContain('The service does not answer')
})

test.skipIf(noBrowser)('a link of a mail that is opened without a session works after the sign-in', async () => {
  const { email, password } = await signUp(site)
  const { page } = await site.visit()
  const tokens: unknown[] = []
  await page.route('**/api/messaging/confirm', async (route) => {
    if (new URL(page.url()).pathname === '/settings' && (await page.getByText(`Signed in as ${email}`).count()) > 0)
      tokens.push(route.request().postDataJSON())
    await route.continue()
  })
  await page.goto('/settings#confirm=token-of-a-mail')
  await page.waitForURL('**/sign-in#confirm=token-of-a-mail')
  await fillIn(page, { email, password })
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText(`Signed in as ${email}`).waitFor()
  await page.getByRole('alert').filter({ hasText: /token/ }).waitFor()
  expect(tokens).toEqual([{ token: 'token-of-a-mail' }])
})
