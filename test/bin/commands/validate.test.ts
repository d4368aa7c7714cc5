import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { validate } from '#bin/commands/validate.ts'
import { parseConfig } from '#config.ts'
import { runCommand } from '#test/bin/command.ts'
import { lifeOf, market, newHome, newLake, noon, storeRows } from '#test/lake/fixture.ts'

/** Runs the command over a home, and gives what it wrote. */
async function run(home: string, ...args: string[]): Promise<string> {
  const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_THREADS: '1', TAPELINE_MEMORY: '512MB' })
  const { code, output } = await runCommand(validate, args, config)
  expect(code).toBe(0)
  return output
}

/** A lake of one market and one fill, read until 2026-11-20T13:05:00Z. */
async function newHomeWithFill(): Promise<string> {
  const lake = await newLake()
  const seen_at = Date.UTC(2026, 9, 1) * 1000
  await storeRows(lake, { ...lifeOf(''), source: 'venue_markets' }, { markets: [market('rain', { seen_at })] })
  const fill = {
    venue: 'venue',
    token_id: 'rain-0',
    ts: Date.UTC(2026, 10, 1) * 1000,
    tx: '0x1',
    trader: '0xann',
    side: 'buy',
    price: 400_000n,
    size: 10_000_000n,
    seq: 0,
    market_id: 'venue:rain',
    role: 'taker',
    cash_usd: 4_000_000n,
    fee_usd: 0n,
  } as const
  await storeRows(lake, { ...lifeOf('rain'), source: 'venue_trades' }, { fills: [fill] })
  return lake.home
}

it('prints the number of traders and the missing number, and leaves no files', async () => {
  const home = await newHomeWithFill()
  const listed = async () => (await readdir(home, { recursive: true })).filter((name) => !name.startsWith('scratch'))
  const before = await listed()
  const output = await run(home, '--at', '2026-11-10', '--horizon', '10d')
  expect(output).toBe(
    [
      'ranks as of 2026-11-10T00:00:00Z, results from then until 2026-11-20T00:00:00Z: 0 eligible traders',
      '',
      'Traders known as of 2026-11-10T00:00:00Z: 1; of these with a complete history: 0; of these with 20 fills and ' +
        '10 closed markets: 0; of these with an effective sample of 10 clusters: 0.',
      'Eligible traders with a resolved market of their fills between 2026-11-10T00:00:00Z and ' +
        '2026-11-20T00:00:00Z: 0 of 0. 30 are needed, 30 more, so the payout edge has no figures.',
      'Eligible traders with a known close of their fills between 2026-11-10T00:00:00Z and ' +
        '2026-11-20T00:00:00Z: 0 of 0. 30 are needed, 30 more, so the realized closing line value has no figures.',
      'Eligible traders with a resolved market that they entered between 2026-11-10T00:00:00Z and ' +
        '2026-11-20T00:00:00Z: 0 of 0. 30 are needed, 30 more, so the return of markets entered has no figures.',
      '',
    ].join('\n'),
  )
  expect(await listed()).toEqual(before)
})

it('writes a picture, and the same as JSON', async () => {
  const home = await newHomeWithFill()
  const picture = join(await newHome(), 'ranks.svg')
  const output = await run(home, '--at', '2026-11-10', '--horizon', '36h', '--json', '--picture', picture)
  expect(JSON.parse(output)).toMatchObject({
    at: '2026-11-10T00:00:00Z',
    until: '2026-11-11T12:00:00Z',
    funnel: { n_known: 1, n_complete: 0, n_proven: 0, n_scored: 0 },
    reach: { n_markets: 1, n_covered: 1 },
    groups: [],
  })
  expect(await readFile(picture, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s)
})

it('refuses results that were not read, and names the longest horizon', async () => {
  const home = await newHomeWithFill()
  const at = new Date(noon / 1000).toISOString()
  await expect(run(home, '--at', '2026-11-10', '--horizon', '11d')).rejects.toThrow(
    `results until 2026-11-21T00:00:00Z: not stored, fills reach ${at.replace('.000Z', 'Z')}; ` +
      'expected at most --horizon 10d',
  )
  await expect(run(home, '--at', '2026-11-20', '--horizon', '1d')).rejects.toThrow('expected an earlier --at')
})

it('rejects a lake without fills, and invalid options', async () => {
  const home = await newHome()
  await expect(run(home, '--at', '2026-11-10', '--horizon', '1d')).rejects.toThrow(
    'lake: no fills; expected a backfill',
  )
  await expect(run(home, '--at', '2026-11-10')).rejects.toThrow('--horizon: missing; expected --horizon <span>')
  await expect(run(home, '--horizon', '1d')).rejects.toThrow('--at: missing; expected --at <instant>')
  for (const horizon of ['30', '0d', '-1d', '1.5d', '2w', ''])
    await expect(run(home, '--at', '2026-11-10', `--horizon=${horizon}`)).rejects.toThrow('expected days or hours')
})
