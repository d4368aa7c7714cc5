import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { findKey } from '#accounts/keys.ts'
import { key as keyGroup, keyCommand } from '#bin/commands/key.ts'
import { signUpDemo } from '#bin/demo/demo_account.ts'
import { noteDemo, runningDemos } from '#bin/demo/running_demos.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { runCommand } from '#test/bin/command.ts'
import { newHome } from '#test/lake/fixture.ts'

const run = promisify(execFile)

/** Demos of other processes of this machine are not seen. */
beforeEach(async () => {
  vi.stubEnv('TMPDIR', await newHome())
  return () => vi.unstubAllEnvs()
})

/** A home with a character that a shell reads. */
async function newNamedHome(): Promise<string> {
  const home = join(await newHome(), "it's a home")
  await mkdir(home)
  return home
}

const openDemo = async (home: string) => {
  const demo = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), true)
  onTestFinished(demo.close)
  return demo
}

/** The status that a service returns for a key: 401 for an unknown key. */
async function answerOf(url: string, key: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/pm-markets`, { headers: { authorization: `Bearer ${key}` } })
  return status
}

test('the command that a demo prints makes a key that the demo accepts, from any home, and says so', async () => {
  const [home, other] = [await newNamedHome(), await newNamedHome()]
  const demo = await openDemo(home)
  const end = await noteDemo({ home, url: demo.url })
  const env = { ...process.env, TAPELINE_HOME: other }
  const { stdout, stderr } = await run('bash', ['-c', keyCommand()], { env })
  expect(stdout).toMatch(/^tl_live_[0-9A-Za-z]{36}\n$/)
  expect(stderr).toBe(`the key also works in the demo at ${demo.url}\n`)
  const key = stdout.trim()
  expect(await answerOf(demo.url, `${key.slice(0, -1)}!`)).toBe(401)
  // No snapshot is published in this home: a known key gets to hear so.
  expect(await answerOf(demo.url, key)).toBe(503)
  expect(await findKey(demo.accounts, key)).toMatchObject({ tier: 'pro' })

  const accounts = await openAccounts(join(other, 'accounts.db'))
  onTestFinished(() => accounts.destroy())
  expect(await findKey(accounts, key)).toMatchObject({ tier: 'pro' })
  expect((await runCommand(keyGroup, ['revoke', key], parseConfig({ TAPELINE_HOME: other }))).code).toBe(0)
  expect(await findKey(demo.accounts, key)).toBeNull()
  expect(await findKey(accounts, key)).toBeNull()

  await end()
  expect(await runningDemos()).toEqual([])
})

test('the note of a demo that was killed, and a file of another kind, are no demo', async () => {
  const { stdout } = await run(process.execPath, ['-p', 'process.pid'])
  const note = (pid: string) => join(tmpdir(), `tapeline-demo-${userInfo().uid}-${pid}.json`)
  await writeFile(note(stdout.trim()), JSON.stringify({ home: '/nowhere', url: 'http://nowhere' }))
  await writeFile(note('1'), 'not JSON')
  expect(await runningDemos()).toEqual([])
  expect(await readdir(tmpdir())).toEqual([`tapeline-demo-${userInfo().uid}-1.json`])
})

test('the person of a demo signs in, and has a key of the tier enterprise', async () => {
  const demo = await openDemo(await newHome())
  const { key, email, password } = await signUpDemo(demo)
  expect(await findKey(demo.accounts, key)).toMatchObject({ tier: 'enterprise' })
  const headers = { 'content-type': 'application/json', origin: demo.url }
  const body = JSON.stringify({ email, password })
  const signIn = await fetch(`${demo.url}/api/auth/sign-in/email`, { method: 'POST', headers, body })
  expect(signIn.status).toBe(200)
  const cookie = signIn.headers.getSetCookie().map((one) => one.split(';')[0])
  const settings = await fetch(`${demo.url}/api/settings`, { headers: { cookie: cookie.join('; ') } })
  expect(await settings.json()).toMatchObject({ email, tier: 'enterprise', keys: [{ start: key.slice(0, 14) }] })
})
