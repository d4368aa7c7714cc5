import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { createActivities } from '#activities/index.ts'
import { parseConfig } from '#config.ts'
import type { Streams } from '#ingest/http/stream.ts'
import { wholeNumber, type Settings } from '#ingest/setting.ts'
import { defineSource, type Source } from '#ingest/source.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { tinyHost, tinySource, tinyTools, unitOf } from './tiny.ts'

const settings = {
  depth: { name: 'TAPELINE_VENUE_DEPTH', shape: wholeNumber(1, 9).default(3), doc: 'How deep it reads' },
  tag: { name: 'TAPELINE_VENUE_TAG', shape: z.string().optional(), doc: 'What it looks for' },
} satisfies Settings

/** A source whose functions note the values that they receive. */
function pulled(): { source: ReturnType<typeof tinySource>; seen: Record<string, unknown> } {
  const seen: Record<string, unknown> = {}
  const source = tinySource({
    settings,
    watermark: async (_part, context) => {
      seen['watermark'] = context.settings
      return { head: noon, final: noon }
    },
    plan: async (context) => {
      seen['plan'] = context.settings
      return [unitOf('0xa')]
    },
    read: async (_unit, context) => {
      seen['pull'] = context.settings
      return { rows: {}, rejected: [], state: 'complete', proof: 'nothing is asked' }
    },
  })
  return { source, seen }
}

/** The same of a stream. */
function streamed(): { source: Source; seen: Record<string, unknown> } {
  const seen: Record<string, unknown> = {}
  const source = defineSource({
    kind: 'stream',
    name: 'venue_stream',
    doc: 'A stream of quotes.',
    parts: [{ name: 'venue', upstreams: [tinyHost] }],
    datasets: ['quotes'],
    unit: 'hour',
    precedence: 1,
    lag_s: 0,
    settle_s: 60,
    grid_s: 1,
    silence_s: 2,
    follow: null,
    typical: { requests: 1, rows: 1_000, bytes: 100_000 },
    settings,
    connect: (_part, _cursor, { depth, tag }) => {
      seen['connect'] = { depth, tag }
      return { host: tinyHost.name, path: '/' }
    },
    parse: (_text, _after, { depth, tag }) => {
      seen['parse'] = { depth, tag }
      return null
    },
  })
  return { source, seen }
}

describe.each([
  ['set', { TAPELINE_VENUE_DEPTH: '5', TAPELINE_VENUE_TAG: 'a' }, { depth: 5, tag: 'a' }],
  ['unset', {}, { depth: 3, tag: undefined }],
])('settings that are %s reach', (_, env, values) => {
  const at = noon

  test('the watermark, the plan and the reading of a source', async () => {
    const { source, seen } = pulled()
    const lake = await newLake()
    const { sources } = parseConfig(env, [source])
    const { plan, pull } = createActivities({ ...tinyTools(lake, source, at), sources })
    const { units } = await plan({ source: source.name, at, from: 0, to: at, keys: [], after: '', limit: 9 })
    expect(await pull({ units, at, rate: null })).toMatchObject({ units: 1, failed: 0 })
    expect(seen).toEqual({ watermark: values, plan: values, pull: values })
    // The units that workflows hand on name no setting.
    expect(JSON.stringify(units)).not.toMatch(/depth|tag/)
  })

  test('the connection and the messages of a stream', async () => {
    const { source, seen } = streamed()
    const lake = await newLake()
    const { sources } = parseConfig(env, [source])
    const streams: Streams = async function* (connections) {
      if ('next' in connections) connections.next()
      yield ['a message']
    }
    const { stream } = createActivities({ ...tinyTools(lake, source, at), sources, streams })
    expect(await stream({ source: source.name, part: 'venue' })).toMatchObject({ rows: 0 })
    expect(seen).toEqual({ connect: values, parse: values })
  })
})

test('a setting has a name with our prefix, and a default', () => {
  const declare = (more: object) => tinySource({ settings: { depth: { ...settings.depth, ...more } } })
  for (const name of ['VENUE_DEPTH', 'TAPELINE_', 'TAPELINE_depth', 'TAPELINE__DEPTH'])
    expect(() => declare({ name })).toThrow(
      `source venue_quotes, setting ${name}: invalid; expected a name such as TAPELINE_FEEDS`,
    )
  expect(() => declare({ shape: wholeNumber(1, 9) })).toThrow(
    'source venue_quotes, setting TAPELINE_VENUE_DEPTH: no default; expected a shape that parses an unset variable',
  )
})
