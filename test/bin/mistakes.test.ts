import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { newHome } from '#test/lake/fixture.ts'

import { runMain } from './run_main.ts'

const from = ['--from', '2026-01-01']
const undo = ['undo', 'polymarket_trades/polymarket/0xa']

/** Typical mistakes: the command line, the settings, and the first line of the error. */
const mistakes: [string[], Record<string, string>, RegExp][] = [
  [['backfil'], {}, /^backfil: unknown command; expected .*; did you mean backfill\?$/],
  [['backfill', '--frm', '2026-01-01'], {}, /^--frm: unknown option; expected .*; did you mean --from\?$/],
  [['backfill'], {}, /^--from: missing; expected --from <instant>$/],
  [['backfill', '--from'], {}, /^--from: missing; expected --from <instant>$/],
  [['backfill', '--from', 'yesterday'], {}, /^--from.*yesterday.*; expected /],
  [['backfill', '--from', '2026-13-01'], {}, /^--from.*2026-13-01.*; expected /],
  [['backfill', '--from', '2999-01-01'], {}, /^--from: not before now; expected an earlier instant$/],
  [['backfill', ...from, '--to', '2025-01-01'], {}, /^--from: not before --to; expected an earlier instant$/],
  [['backfill', ...from, '--part', '0xa'], {}, /^--part: no single source; expected one <source>$/],
  [['backfill', ...from, '--accept-loss'], {}, /^--accept-loss: without --refresh; expected both$/],
  [
    ['backfill', 'polymarkt_trades', ...from],
    {},
    /^source polymarkt_trades: unknown; expected one of \d+, such as polymarket_trades, \w+ or \w+$/,
  ],
  [
    ['backfill', 'kalshi_marktes', ...from],
    {},
    /^source kalshi_marktes: unknown; expected one of \d+, such as kalshi_markets, /,
  ],
  [['reparse', 'limitles_odds'], {}, /^source limitles_odds: unknown; expected one of \d+, such as limitless_odds, /],
  [['reparse'], {}, /^<source>: missing; expected tapeline reparse <source> \[--json\]$/],
  [['undo'], {}, /^<unit-or-run>: missing; expected tapeline undo /],
  [['score', 'now'], {}, /^now: too many arguments; expected tapeline score /],
  [['score', '--as-of', '2999-01-01'], {}, /^--as-of: in the future; expected a past instant, /],
  [['serve', '--port', '65536'], {}, /^--port 65536: not in range; expected a whole number from 0 to 65535$/],
  [['serve', '--port', 'http'], {}, /^--port http: .*; expected a whole number from 0 to 65535$/],
  [['key', 'list'], {}, /^<account>: missing; expected tapeline key list <account>$/],
  [['key', 'creat'], {}, /^creat: unknown command; expected create, add, list or revoke; did you mean create\?$/],
  [['key', 'create'], {}, /^--tier: missing; expected --tier <tier>$/],
  [['key', 'create', '--tier', 'gold'], {}, /^--tier gold: unknown; expected free, pro or enterprise$/],
  [['account', 'list', '-x'], {}, /^-x: unknown option; expected --help$/],
  [['status', '--jsn'], {}, /^--jsn: unknown option; expected .*; did you mean --json\?$/],
  [
    ['status'],
    { TAPELINE_HOEM: 'x' },
    /^TAPELINE_HOEM: unknown setting; expected one of \d+, such as TAPELINE_HOME, \w+ or \w+$/,
  ],
  [
    ['status'],
    { TAPELINE_MEMROY: '1GB' },
    /^TAPELINE_MEMROY: unknown setting; expected one of \d+, such as TAPELINE_MEMORY, /,
  ],
  [
    ['status'],
    { POLYMARKET_GAMA_URL: 'http://127.0.0.1:1' },
    /^POLYMARKET_GAMA_URL: unknown setting; expected one of \d+, such as POLYMARKET_GAMMA_URL, /,
  ],
  [
    ['status'],
    { TEMPORAL_ADRESS: 'x:1' },
    /^TEMPORAL_ADRESS: unknown setting; expected one of \d+, such as TEMPORAL_ADDRESS, /,
  ],
  [['status'], { TAPELINE_MEMORY: 'much' }, /^TAPELINE_MEMORY=much: invalid; expected /],
  [['status'], { TAPELINE_PORT: '70000' }, /^TAPELINE_PORT=70000: invalid; expected /],
  [['status'], { TAPELINE_THREADS: '0' }, /^TAPELINE_THREADS=0: invalid; expected /],
  [['status'], { KEEP_RAW: 'yes' }, /^KEEP_RAW=yes: invalid; expected /],
  [['status'], { DATABASE_URL: 'mysql://x' }, /^DATABASE_URL: invalid; expected /],
  [['status'], { POLYMARKET_GAMMA_URL: '127.0.0.1' }, /^POLYMARKET_GAMMA_URL=127\.0\.0\.1: invalid; expected /],
  [['status'], { TAPELINE_CHAINS: 'etherium' }, /^TAPELINE_CHAINS=etherium: .*; expected /],
  [['status'], { TAPELINE_LOG_UNITS: 'xml' }, /^TAPELINE_LOG_UNITS=xml: invalid; expected /],
  [['backfill', ...from], { TAPELINE_WORLD: 'a b' }, /^TAPELINE_WORLD=a b: invalid; expected /],
  [
    ['backfill', ...from],
    { TAPELINE_WORLD: 'sim' },
    /^TAPELINE_WORLD=sim: no address of an upstream of this world; expected one in a setting /,
  ],
  [['backfill', ...from], { CHAT_MODEL: 'x' }, /^CHAT_BASE_URL: missing; expected |^CHAT_MODEL.*; expected /],
]

test.each(mistakes)('%j with %j is refused in a line', async (args, env, expected) => {
  const home = join(await newHome(), 'home')
  const { code, out, err } = await runMain(args, { TAPELINE_HOME: home, ...env })
  const [first = '', ...rest] = err.trimEnd().split('\n')
  expect(first.replace(/^tapeline: /, '')).toMatch(expected)
  expect(first.length).toBeLessThan(300)
  expect(rest.filter((line) => !line.startsWith('usage: '))).toEqual([])
  expect([code, out, existsSync(home)]).toEqual([2, '', false])
})

test.each([['status'], ['serve'], ['verify'], ['maintain'], undo])('%s creates no home', async (...args) => {
  const home = join(await newHome(), 'home')
  const { code, err } = await runMain(args.flat(), { TAPELINE_HOME: home })
  expect(err).toContain(
    `home ${home}: does not exist; expected a folder of \`tapeline backfill\` or \`tapeline start\``,
  )
  expect([code, existsSync(home)]).toEqual([1, false])
})
