import { execFile } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { findKey } from '#accounts/keys.ts'
import { demoHome, keyCommand } from '#bin/commands/key.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { newHome } from '#test/lake/fixture.ts'

const run = promisify(execFile)

/** A home with a character that a shell reads. */
async function newNamedHome(): Promise<string> {
  const home = join(await newHome(), "it's a home")
  await mkdir(home)
  return home
}

/** What the service of a home answers to a key: 401 to an unknown one. */
async function answerOf(url: string, key: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/pm-markets`, { headers: { authorization: `Bearer ${key}` } })
  return status
}

test('the command that a demo prints, pasted into a shell, makes a key that the demo accepts', async () => {
  const home = await newNamedHome()
  const config = parseConfig({ TAPELINE_HOME: demoHome(home), TAPELINE_PORT: '0' })
  const demo = await openService(config, 'silent')
  onTestFinished(demo.close)
  const { stdout } = await run('bash', ['-c', keyCommand(home)])
  expect(stdout).toMatch(/^tl_live_[0-9A-Za-z]{36}\n$/)
  const key = stdout.trim()
  expect(await answerOf(demo.url, `${key.slice(0, -1)}!`)).toBe(401)
  // No snapshot is published in this home: a known key gets to hear so.
  expect(await answerOf(demo.url, key)).toBe(503)
  expect(await findKey(demo.accounts, key)).toMatchObject({ tier: 'pro' })

  const accounts = await openAccounts(join(home, 'accounts.db'))
  onTestFinished(() => accounts.destroy())
  expect(await findKey(accounts, key)).toMatchObject({ tier: 'pro' })
})

test('without a demo, a key is of its home alone', async () => {
  const home = await newNamedHome()
  await run('bash', ['-c', keyCommand(home)])
  expect((await readdir(home)).filter((name) => name === 'demo')).toEqual([])
})

test('the usual home needs no setting', () => {
  expect(keyCommand('./data')).toBe('node bin/tapeline.js key create --tier pro')
})
