import { beforeEach, expect, onTestFinished, test } from 'vitest'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { findKey } from '#accounts/keys.ts'
import { openSignIn, type SignIn } from '#accounts/sign_in/sign_in.ts'
import { account } from '#bin/commands/account.ts'
import { key } from '#bin/commands/key.ts'
import { parseConfig, type Config } from '#config.ts'
import { runCommand } from '#test/bin/command.ts'
import { newHome } from '#test/lake/fixture.ts'
import { machineClock } from '#time.ts'

const ann = { email: 'ann@example.com', password: 'correct horse', name: '', network: '192.0.2.1' }
let config: Config
let accounts: Accounts
let people: SignIn

beforeEach(async () => {
  const home = await newHome()
  config = parseConfig({ TAPELINE_HOME: home, TAPELINE_PUBLIC_URL: 'https://tapeline.example' })
  accounts = await openAccounts(`${home}/accounts.db`)
  onTestFinished(() => accounts.destroy())
  const parts = { accounts, now: machineClock, publicUrl: 'https://tapeline.example' }
  people = await openSignIn({ ...parts, sendResetLink: () => undefined })
  await people.signUp(ann)
})

const run = async (...args: string[]) => (await runCommand(account, args, config)).output
const cells = (output: string) => output.split('\n').map((line) => line.split('\t'))

test('the operator lists accounts, sets a tier, and creates a key of the account', async () => {
  await run('set-tier', ann.email, 'pro')
  const [[id = '', email, tier, n_keys] = []] = cells(await run('list'))
  expect([email, tier, n_keys]).toEqual([ann.email, 'pro', '0'])
  const { output } = await runCommand(key, ['add', ann.email], config)
  expect(await findKey(accounts, output.trim())).toMatchObject({ account_id: id, tier: 'pro' })
  const listed = await runCommand(key, ['list', id], config)
  expect(cells(listed.output)[0]?.[1]).toBe(output.slice(0, 14))
  expect(cells(await run('list'))[0]?.[3]).toBe('1')
})

test('a disabled account has no keys and no sessions, until it is enabled', async () => {
  const { output } = await runCommand(key, ['add', ann.email], config)
  await run('disable', ann.email)
  expect(await findKey(accounts, output.trim())).toBeNull()
  await expect(people.signIn(ann)).rejects.toMatchObject({ code: 'DISABLED' })
  await run('enable', ann.email)
  expect(await findKey(accounts, output.trim())).toMatchObject({ tier: 'free' })
})

test('the operator prints a link that resets the password once', async () => {
  const link = (await run('reset-link', '--email', ann.email)).trim()
  const [page, token = ''] = link.split('#token=')
  expect(page).toBe('https://tapeline.example/reset-password')
  await people.reset({ token, password: 'another horse', network: '' })
  expect(await people.signIn({ ...ann, password: 'another horse' })).toHaveLength(1)
  const audit = await run('audit')
  expect(audit).toContain('reset_link_printed')
  expect(audit).not.toContain(token)
})

test('the audit shows each event, the newest first', async () => {
  await run('set-tier', ann.email, 'pro')
  await run('disable', ann.email)
  const [[id = ''] = []] = cells(await run('list'))
  const events = cells(await run('audit', ann.email)).filter((line) => line.length > 1)
  expect(events.map(([, event, actor, of]) => [event, actor, of])).toEqual([
    ['disabled', 'operator', id],
    ['tier_set', 'operator', id],
    ['signed_up', 'person', id],
  ])
  expect(events[1]?.[5]).toBe('{"tier":"pro"}')
  expect(cells(await run('audit', '--most', '1'))).toHaveLength(2)
})

test('an unknown account is an error', async () => {
  await expect(run('disable', 'bob@example.com')).rejects.toThrow(
    'account bob@example.com: unknown; expected an id or e-mail of `tapeline account list`',
  )
  await expect(runCommand(key, ['revoke', 'tl_live_none'], config)).rejects.toThrow('key: unknown or revoked')
})
