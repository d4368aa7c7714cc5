import { createHook } from 'node:async_hooks'

import { getMigrations } from 'better-auth/db/migration'
import { beforeEach, expect, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { listEvents } from '#accounts/audit.ts'
import { disableAccount, enableAccount, findAccount } from '#accounts/people.ts'
import { libraryOptions } from '#accounts/sign_in/library.ts'
import { openSignIn, type SignIn } from '#accounts/sign_in/sign_in.ts'
import { describeStores } from '#test/accounts/stores.ts'

const now = Date.UTC(2026, 2, 1, 12) * 1_000
const network = '192.0.2.1'
const ann = { email: 'ann@example.com', password: 'correct horse', name: '', network }

/** The number of password hashings of a request, which are nearly all of its time. */
async function hashings(request: () => Promise<unknown>): Promise<number> {
  let n = 0
  const hook = createHook({ init: (_id, type) => void (type === 'SCRYPTREQUEST' && n++) }).enable()
  await request().catch(() => undefined)
  hook.disable()
  return n
}

describeStores(({ open }) => {
  let accounts: Accounts
  let at: number
  let links: { email: string; url: string }[]
  let people: SignIn

  const openWith = (publicUrl: string) =>
    openSignIn({ accounts, now: () => at, publicUrl, sendResetLink: (to) => void links.push(to) })

  beforeEach(async () => {
    accounts = await open()
    at = now
    links = []
    people = await openWith('http://127.0.0.1:8787')
  })

  const cookieOf = (cookies: string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  const tokenOf = (link: { url: string } | undefined) => link?.url.split('#token=')[1] ?? ''

  test('the tables are those that better-auth expects', async () => {
    const nothing = { secret: Buffer.alloc(32), publicUrl: 'http://localhost' }
    const callbacks = { mayEnter: async () => true, onResetToken: () => undefined, onReset: async () => undefined }
    const found = await getMigrations(libraryOptions({ accounts, ...nothing, ...callbacks }))
    expect(found).toMatchObject({ toBeCreated: [], toBeAdded: [], toBeAddedIndexes: [], schemaProblems: [] })
  })

  test('a person who signs up has an account of the tier free, and a session until the sign-out', async () => {
    const cookie = cookieOf(await people.signUp(ann))
    const session = await people.session(cookie)
    expect(session).toMatchObject({ email: ann.email })
    expect(await findAccount(accounts, ann.email)).toMatchObject({ id: session?.account_id, tier: 'free', n_keys: 0 })
    const second = cookieOf(await people.signIn(ann))
    expect(second).not.toBe(cookie)
    await people.signOut(cookie)
    expect(await people.session(cookie)).toBeNull()
    expect(await people.session(second)).toMatchObject({ account_id: session?.account_id })
  })

  test('cookies are HttpOnly and SameSite=Lax, and Secure with https', async () => {
    const [plain] = await people.signUp(ann)
    expect(plain).toMatch(/^tapeline\.session_token=/)
    expect(plain).toMatch(/; HttpOnly; SameSite=Lax$/)
    expect(plain).not.toMatch(/Secure/)
    const [secure] = await (await openWith('https://tapeline.example')).signIn(ann)
    expect(secure).toMatch(/^__Secure-tapeline\.session_token=.*; HttpOnly; Secure; SameSite=Lax$/)
  })

  test('a wrong password and an unknown e-mail are refused alike', async () => {
    await people.signUp(ann)
    const refusal = (of: Partial<typeof ann>) => people.signIn({ ...ann, ...of }).catch((error: unknown) => error)
    const wrong = await refusal({ password: 'wrong horse' })
    expect(wrong).toMatchObject({ name: 'SignInRefused', code: 'INVALID_EMAIL_OR_PASSWORD' })
    expect(await refusal({ email: 'bob@example.com' })).toEqual(wrong)
  })

  test('a wrong password and an unknown e-mail cost the same hashing, and so does a reset', async () => {
    await people.signUp(ann)
    const bob = { ...ann, email: 'bob@example.com' }
    expect(await hashings(() => people.signIn({ ...ann, password: 'wrong horse' }))).toBe(1)
    expect(await hashings(() => people.signIn({ ...bob, password: 'wrong horse' }))).toBe(1)
    expect([await hashings(() => people.requestReset(ann)), await hashings(() => people.requestReset(bob))]).toEqual([
      0, 0,
    ])
  })

  test('a session id that an attacker planted in the browser is replaced at the sign-in', async () => {
    const planted = cookieOf(await people.signUp({ ...ann, email: 'eve@example.com' }))
    const own = cookieOf(await people.signUp(ann))
    expect(own).not.toBe(planted)
    expect(await people.session(planted)).toMatchObject({ email: 'eve@example.com' })
    expect(await people.session(`${own.split('.').slice(0, -1).join('.')}.forged`)).toBeNull()
  })

  test('a link resets the password once, and ends all sessions and other links', async () => {
    const cookie = cookieOf(await people.signUp(ann))
    await people.requestReset(ann)
    await people.requestReset(ann)
    await people.requestReset({ email: 'bob@example.com', network })
    expect(links.map(({ email }) => email)).toEqual([ann.email, ann.email])
    const [first, second] = links.map(tokenOf)
    const password = 'another horse'
    await people.reset({ token: first ?? '', password, network })
    expect(await people.session(cookie)).toBeNull()
    const again = (token = '') => people.reset({ token, password: 'third horse!', network })
    await expect(again(first)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(again(second)).rejects.toMatchObject({ code: 'INVALID_TOKEN' })
    await expect(people.signIn(ann)).rejects.toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD' })
    expect(await people.signIn({ ...ann, password })).toHaveLength(1)
  })

  test('of two simultaneous resets with one link, one succeeds', async () => {
    await people.signUp(ann)
    await people.requestReset(ann)
    const token = tokenOf(links[0])
    const passwords = ['another horse', 'a third horse']
    const results = await Promise.allSettled(passwords.map((password) => people.reset({ token, password, network })))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('a disabled account has no sessions until it is enabled', async () => {
    const cookie = cookieOf(await people.signUp(ann))
    const { id: account_id = '' } = (await findAccount(accounts, ann.email)) ?? {}
    await disableAccount(accounts, { account_id, now })
    expect(await people.session(cookie)).toBeNull()
    await expect(people.signIn(ann)).rejects.toMatchObject({ code: 'DISABLED' })
    await enableAccount(accounts, { account_id, now })
    expect(await people.signIn(ann)).toHaveLength(1)
  })

  test('attempts of a network for an e-mail are limited across nodes until the window ends', async () => {
    await people.signUp(ann)
    const nodes = [people, await openWith('http://127.0.0.1:8787')]
    const guess = async (n: number) =>
      nodes[n % 2]?.signIn({ ...ann, email: 'Bob@example.com' }).catch((e: unknown) => e)
    const outcomes = await Promise.all(Array.from({ length: 24 }, (_, n) => guess(n)))
    const names = outcomes.map((error) => (error instanceof Error ? error.name : ''))
    expect(names.filter((name) => name === 'SignInRefused')).toHaveLength(20)
    expect(names.filter((name) => name === 'TooManyAttempts')).toHaveLength(4)
    expect(await guess(1)).toMatchObject({ name: 'TooManyAttempts', reset_s: 900 })
    expect(await people.signIn(ann)).toHaveLength(1)
    at -= 7_200_000_000
    expect(await guess(1)).toMatchObject({ name: 'SignInRefused' })
    at += 7_200_000_000 + 900_000_000
    expect(await guess(1)).toMatchObject({ name: 'SignInRefused' })
  })

  test('a stranger cannot lock the owner of an e-mail out', async () => {
    await people.signUp(ann)
    const guess = (from: string) =>
      people.signIn({ ...ann, password: 'wrong horse', network: from }).catch((error: unknown) => error)
    for (let n = 0; n < 30; n++) await guess('198.51.100.7')
    expect(await guess('198.51.100.7')).toMatchObject({ name: 'TooManyAttempts' })
    expect(await people.signIn(ann)).toHaveLength(1)
    const ask = (from: string) => people.requestReset({ email: ann.email, network: from })
    for (let n = 0; n < 5; n++) await ask('198.51.100.7')
    await expect(ask('198.51.100.7')).rejects.toMatchObject({ name: 'TooManyAttempts' })
    await ask(network)
    expect(links).toHaveLength(6)
  })

  test('attempts of many networks for an e-mail are limited', async () => {
    await people.signUp({ ...ann, network: '192.0.2.3' })
    for (let n = 0; n < 15; n++) await people.requestReset({ email: ann.email, network: `192.0.2.${n}` })
    const request = people.requestReset({ email: ann.email, network: '192.0.2.99' })
    await expect(request).rejects.toMatchObject({ name: 'TooManyAttempts' })
    expect(links).toHaveLength(15)
  })

  test('sign-ups of a network are limited', async () => {
    const signUp = (n: number, from: string) =>
      people.signUp({ ...ann, email: `${n}@example.com`, password: 'short', network: from })
    for (let n = 0; n < 20; n++) await expect(signUp(n, network)).rejects.toMatchObject({ code: 'PASSWORD_TOO_SHORT' })
    await expect(signUp(20, network)).rejects.toMatchObject({ name: 'TooManyAttempts', reset_s: 3_600 })
    await expect(signUp(20, '192.0.2.2')).rejects.toMatchObject({ code: 'PASSWORD_TOO_SHORT' })
  })

  test('the audit has each event and no secret', async () => {
    await people.signUp(ann)
    await people.signIn({ ...ann, password: 'wrong horse' }).catch(() => undefined)
    await people.requestReset(ann)
    await people.reset({ token: tokenOf(links[0]), password: 'another horse', network })
    const events = await listEvents(accounts, { most: 10 })
    expect(events.map(({ event }) => event).toSorted()).toEqual(
      ['password_reset', 'reset_requested', 'sign_in_failed', 'signed_up'].toSorted(),
    )
    const text = JSON.stringify(events)
    for (const secret of ['horse', tokenOf(links[0])]) expect(text).not.toContain(secret)
  })
})
