import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { noBrowser, openSite } from './site.ts'

const run = promisify(execFile)
const site = openSite()
const root = resolve(import.meta.dirname, '..', '..')

/** Runs the demo, and returns the address that it prints. */
async function startDemo(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-demo-'))
  const env = { ...process.env, TAPELINE_HOME: home }
  const demo = spawn('node', ['bin/tapeline.js', 'demo', '--port', '0'], { cwd: root, env })
  demo.stderr.resume()
  const ended = new Promise((resolve) => demo.once('close', resolve))
  onTestFinished(async () => {
    demo.kill('SIGTERM')
    await ended
    await rm(home, { recursive: true })
  })
  for await (const line of createInterface({ input: demo.stdout })) {
    const [, url] = /^ready (\S+) /.exec(line) ?? []
    if (url !== undefined) return url
  }
  throw new Error('the demo ended without its line "ready <address>"')
}

/** The full form is that of a person with the demo; the short form has a service with three markets. */
const address = sized(async () => site.url(), startDemo)

test.skipIf(noBrowser)('a person goes from the first page to a first request with their own key', async () => {
  const { page, faults } = await site.visit({ baseURL: await address() })
  await page.goto('/')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('E-mail').fill('ann@example.com')
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  const command = await page.getByRole('region', { name: 'The request' }).innerText()
  expect(command).toMatch(/^curl -H "Authorization: Bearer tl_live_[0-9A-Za-z]{36}" "http:\/\/[^"]+"$/)

  const { stdout } = await run('bash', ['-c', command])
  const market = { id: expect.stringMatching(/^\w+:/), question: expect.any(String), yes_price: expect.any(Number) }
  expect(JSON.parse(stdout)).toMatchObject([market, market])
  expect(faults).toEqual([])
})

test('the README names the link and the buttons of that way', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const names = ['Create an account', 'Create the account', 'Create a key']
  expect(names.filter((name) => !readme.includes(`_${name}_`))).toEqual([])
})
