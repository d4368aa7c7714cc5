import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { noBrowser, openSite } from './site.ts'

const run = promisify(execFile)
/** The token of the demo's bot; the short form has no bot. */
const botToken = 'a-token-for-the-simulated-bot-api'
const site = openSite()
const root = resolve(import.meta.dirname, '..', '..')

/** A running service: its address, the folder of all that it stores, and its log so far. */
type Running = { url: string; home: string; log: () => string }

/** Runs the demo, as `npm run demo` does. */
async function startDemo(): Promise<Running> {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-demo-'))
  const env = { ...process.env, TAPELINE_HOME: home }
  const demo = spawn('node', ['bin/tapeline.js', 'demo', '--port', '0'], { cwd: root, env })
  let log = ''
  demo.stderr.on('data', (text: Buffer) => (log += text.toString()))
  const ended = new Promise((resolve) => demo.once('close', resolve))
  onTestFinished(async () => {
    demo.kill('SIGTERM')
    await ended
    await rm(home, { recursive: true })
  })
  for await (const line of createInterface({ input: demo.stdout })) {
    const [, url] = /^ready (\S+) /.exec(line) ?? []
    if (url !== undefined) return { url, home, log: () => log }
  }
  throw new Error('the demo ended without its line "ready <address>"')
}

const ofSite = async (): Promise<Running> => ({ url: site.url(), home: site.home(), log: () => '' })

/** The full form is that of a person with the demo; the short form has a service with three markets. */
const start = sized(ofSite, ofSite, startDemo)

/** The files of a folder that hold a text. A file that a running service has removed since holds none. */
async function filesWith(home: string, text: string): Promise<string[]> {
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const found = await Promise.all(
    paths.map(async (path) => ((await readFile(path).catch(() => '')).includes(text) ? [path] : [])),
  )
  return found.flat()
}

test.skipIf(noBrowser)('a person goes from the first page to a first request with their own key', async () => {
  const { url, home, log } = await start()
  const { page, faults } = await site.visit({ baseURL: url })
  const password = 'correct horse battery'
  await page.goto('/')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await page.getByLabel('E-mail').fill('ann@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('button', { name: 'Create a key' }).click()
  const command = await page.getByRole('region', { name: 'The request' }).innerText()
  const [, key = ''] =
    /^curl -H "Authorization: Bearer (tl_live_[0-9A-Za-z]{36})" "http:\/\/[^"]+"$/.exec(command) ?? []
  expect(key, command).not.toBe('')

  const { stdout } = await run('bash', ['-c', command])
  const market = { id: expect.stringMatching(/^\w+:/), question: expect.any(String), yes_price: expect.any(Number) }
  expect(JSON.parse(stdout)).toMatchObject([market, market])
  expect(faults).toEqual([])

  // The lake, the catalog, the marts, the store, the log and the metrics know none of them.
  expect(await filesWith(home, 'ann@example.com')).not.toEqual([])
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain('http_')
  for (const secret of [key, password, botToken]) {
    expect(await filesWith(home, secret)).toEqual([])
    expect(log()).not.toContain(secret)
    expect(metrics).not.toContain(secret)
  }
})

test('the page of the demo names the link and the buttons of that way', async () => {
  const page = await readFile(join(root, 'docs', 'demo.md'), 'utf8')
  const names = ['Create an account', 'Create the account', 'Create a key']
  expect(names.filter((name) => !page.includes(`_${name}_`))).toEqual([])
})
