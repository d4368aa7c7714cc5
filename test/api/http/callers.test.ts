import { request } from 'node:http'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import { openCallers, type Asking } from '#snapshots/queries.ts'
import { plantedEndpoints } from '#test/api/planted.ts'
import { startService } from '#test/api/service.ts'
import { until } from '#test/run/eventually.ts'

test('callers of one answer have all gone only when the last has gone', () => {
  const [first, second] = [new AbortController(), new AbortController()]
  const by = (name: string, { signal }: AbortController): Asking => ({ names: new Set([name]), began_ms: 1, signal })
  const { asking, join } = openCallers(by('a', first))
  join(by('b', second))
  expect([[...asking.names], asking.began_ms]).toEqual([['a', 'b'], 1])
  first.abort()
  expect(asking.signal.aborted).toBe(false)
  second.abort()
  expect(asking.signal.aborted).toBe(true)
})

let n_begun = 0
/** A list that is never read to its end. */
const endless = defineList({
  path: '/pm-markets',
  summary: 'A planted list without an end',
  doc: 'Numbers.',
  reads: ['pulse'],
  query: {},
  item: z.strictObject({ id: z.string().meta({ description: 'The id' }) }).meta({ id: 'PlantedEndless' }),
  example: { id: '1' },
  rows: () => {
    n_begun++
    const sql = 'select max(hash(n * 7))::varchar as id, 1 as k from range(100000000000) as numbers(n)'
    return { sql, params: {}, order: [{ column: 'k', type: 'BIGINT' }] }
  },
})

test('the work of callers who left ends, and the next caller is answered', async () => {
  const service = await startService({
    rows: { markets: [{ id: 'polymarket:1' }] },
    endpoints: [endless, ...plantedEndpoints()],
  })
  onTestFinished(() => service.stop())
  const headers = { authorization: `Bearer ${service.keys.enterprise}` }
  const asked = Array.from({ length: 20 }, (_, i) => {
    const path = `/v1/pm-markets?limit=${i + 1}`
    const req = request({ port: service.port, host: '127.0.0.1', path, headers }).on('error', () => undefined)
    return req.end()
  })
  await until(() => n_begun === asked.length)
  for (const req of asked) req.destroy()
  // Three endless queries would run, and seventeen wait, for ten minutes.
  const reply = await service.ask('/v1/feed', { headers: { authorization: `Bearer ${service.keys.free}` } })
  expect([reply.status, reply.json]).toEqual([200, { id: 'polymarket:1' }])
  expect(service.lines.filter((line) => line.includes('"level":50'))).toEqual([])
})
