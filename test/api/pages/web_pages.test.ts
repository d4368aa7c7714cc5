import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import express from 'express'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'

import { webPages } from '#api/pages/web_pages.ts'

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-pages-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** The lines of a log, and the log. */
const newLog = () => {
  const lines: string[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(line) }) }
}

test('a page may load its own assets alone, and an asset may be kept for ever', async () => {
  const dist = await newFolder()
  await mkdir(join(dist, 'assets'))
  await writeFile(join(dist, 'sign-in.html'), '<h1>Sign in</h1>')
  await writeFile(join(dist, 'assets', 'app-1.js'), 'start()')
  const { lines, log } = newLog()
  const routes = webPages(dist, log)
  expect(Object.keys(routes)).toEqual(['/sign-in', '/assets/app-1.js'])
  expect(lines).toEqual([])

  const app = express()
  for (const [path, handler] of Object.entries(routes)) app.get(path, handler)
  const server = app.listen(0)
  onTestFinished(() => void server.close())
  const ask = (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  const page = await ask('/sign-in')
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.headers.get('cache-control')).toBe('no-store')
  const policy = page.headers.get('content-security-policy')
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toMatch(/unsafe|https:|data:|\*/)
  expect(await page.text()).toBe('<h1>Sign in</h1>')
  const asset = await ask('/assets/app-1.js')
  expect(asset.headers.get('content-type')).toMatch(/^text\/javascript/)
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test('without a build there are no pages, and the log names the command that builds them', async () => {
  const { lines, log } = newLog()
  expect(webPages(join(await newFolder(), 'dist'), log)).toEqual({})
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('npm run web')
})
