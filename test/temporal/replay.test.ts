import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { workflowsPath } from '#bin/wiring/engine.ts'
import { bundleOptions } from '#engine/temporal_worker.ts'
import * as workflows from '#workflows/index.ts'

import { sharedBundle } from './support/bundle.ts'

const root = resolve(import.meta.dirname, '..', '..')
const folder = join(root, 'test', 'fixtures', 'histories')
const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ndjson')).toSorted()
const texts = new Map(
  await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const)),
)

const logger = new DefaultLogger('ERROR', () => undefined)
// A history that does not fit is the point of one of these tests.
Runtime.install({ logger, telemetryOptions: { logging: { filter: 'ERROR' } } })

const headShape = z.object({ workflowId: z.string() })
const typeOf = (file: string): string => dirname(file)

/** Replays every history against a bundle; returns the files of those that the code would not have led to. */
async function unlike(code: string): Promise<string[]> {
  const histories = [...texts].map(([file, text]) => {
    const [head, ...events] = text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    return { file, workflowId: headShape.parse(head).workflowId, history: { events } }
  })
  const results = Worker.runReplayHistories({ workflowBundle: { code } }, histories)
  const found: string[] = []
  let n = 0
  for await (const { error } of results) {
    const history = histories[n]
    if (error !== undefined && history !== undefined) found.push(history.file)
    n += 1
  }
  expect(n).toBe(histories.length)
  return found
}

const bundle = async (path: string): Promise<string> =>
  (await bundleWorkflowCode({ ...bundleOptions(path), logger })).code

describe('recorded histories', () => {
  let copy: string
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'tapeline-replay-'))
  })
  afterAll(() => rm(copy, { recursive: true, force: true }))

  it('are there of every workflow, also of runs that went on as new ones, and were steered and cancelled', () => {
    expect(new Set(files.map(typeOf))).toEqual(new Set(Object.keys(workflows)))
    const all = [...texts.values()].join('\n')
    for (const event of ['ContinuedAsNew', 'Signaled', 'Canceled']) {
      expect(all.includes(`"workflowExecution${event}EventAttributes"`)).toBe(true)
    }
  })

  it('do not identify the recording machine', () => {
    for (const [file, text] of texts) {
      const payloads = [...text.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) => Buffer.from(data, 'base64'))
      const whole = [text, ...payloads].join('\n')
      const words = ['/root/', '/home/', '/tmp/', '@', root, hostname()]
      expect(
        words.filter((word) => whole.includes(word)),
        file,
      ).toEqual([])
      expect(whole, file).not.toMatch(/"(identity|stackTrace)"/)
      // Nor any other absolute path.
      expect(whole, file).not.toMatch(/(^|[^\w.-])\/[a-z][\w.-]*\//im)
    }
  })

  it('are short, since looks of a follow at which nothing was due count too', () => {
    for (const [file, text] of texts) expect(text.split('\n').length, file).toBeLessThan(2_000)
    const ended = [...texts].filter(([file, text]) => typeOf(file) === 'follow' && text.includes('ContinuedAsNew'))
    expect(ended.length).toBeGreaterThan(0)
    for (const [file, text] of ended) {
      const looks = text.match(/"activityType":\{"name":"tick"\}/g) ?? []
      const idle = text.match(/"timerFiredEventAttributes"/g) ?? []
      expect({ looks: looks.length, areMostIdle: idle.length > 25 }, file).toEqual({ looks: 50, areMostIdle: true })
    }
  })

  it('are what the code would do today', async () => {
    const shared = await sharedBundle()
    const code = shared === undefined ? await bundle(workflowsPath) : await readFile(shared.codePath, 'utf8')
    expect(await unlike(code)).toEqual([])
  })

  it('are not what other code would do: a sleep more at the beginning of a backfill, and its runs do not fit', async () => {
    for (const name of ['workflows', 'engine', 'package.json']) {
      await cp(join(root, name), join(copy, name), { recursive: true })
    }
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const path = join(copy, 'workflows', 'backfill.ts')
    const changed = (await readFile(path, 'utf8'))
      .replace('import { ', 'import { sleep, ')
      .replace(/(export async function backfill\(.*\{\n)/, '$1  await sleep(1)\n')
    expect(changed.match(/sleep/g)).toHaveLength(2)
    await writeFile(path, changed)
    const found = await unlike(await bundle(join(copy, 'workflows', 'index.ts')))
    expect(found).toEqual(files.filter((file) => typeOf(file) === 'backfill'))
  })
})
