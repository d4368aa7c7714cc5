import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { undo } from '#bin/commands/lake/undo.ts'
import { parseConfig } from '#config.ts'
import { unitPath } from '#lake/units/unit.ts'
import { runCommand } from '#test/bin/command.ts'
import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { machineClock } from '#time.ts'

const unit = { ...lifeOf('0xa'), source: 'polymarket_trades', part: 'polymarket' }
const id = unitPath(unit)
const quotesOf = (n: number) => ({ quotes: Array.from({ length: n }, (_, i) => quote('0xa', noon + i)) })

/** A home whose unit had 339 rows until a run replaced them by 170, and the begin of that run. */
async function replacedHome() {
  const home = await newHome()
  const lake = await newLake({ home })
  await storeRows(lake, unit, quotesOf(339))
  await new Promise((resolve) => setTimeout(resolve, 5))
  const began_at = new Date(machineClock() / 1000).toISOString()
  await storeRows(lake, unit, quotesOf(170), { checkedAt: noon + 1 })
  await new Promise((resolve) => setTimeout(resolve, 5))
  const run = {
    command: 'backfill',
    source: 'polymarket_trades',
    began_at,
    ended_at: new Date(machineClock() / 1000).toISOString(),
    units: 1,
    failed: 0,
    quarantined: 0,
    rows: 170,
    error: null,
  }
  const score = { ...run, command: 'score', source: null, began_at: '2026-11-24T01:00:00.000Z' }
  await writeFile(join(home, 'history.ndjson'), `${JSON.stringify(score)}\n${JSON.stringify(run)}\n`)
  await lake.close()
  const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_THREADS: '1', TAPELINE_MEMORY: '500MB' })
  return { config, began_at, rows: async () => rowsIn(home) }
}

async function rowsIn(home: string): Promise<number> {
  const lake = await newLake({ home })
  const rows = await lake.catalog.db
    .selectFrom('tapeline_coverage')
    .select('n_rows')
    .where('end_snapshot', 'is', null)
    .execute()
  await lake.close()
  return rows[0]?.n_rows ?? 0
}

describe('tapeline undo', () => {
  it('brings back what the last reading of a unit, or a run, replaced', async () => {
    const { config, began_at, rows } = await replacedHome()
    const read = 'head, read 2026-11-20T13:05:00.000Z\n'
    expect(await runCommand(undo, [id, '--dry-run'], config)).toMatchObject({
      code: 0,
      output: `${id}: 170 rows would become 339, ${read}1 units would be as before\n`,
    })
    expect(await rows()).toBe(170)
    const { code, output } = await runCommand(undo, [began_at, '--json'], config)
    expect([code, JSON.parse(output)]).toEqual([
      0,
      {
        is_dry_run: false,
        units: [
          {
            unit: id,
            rows: 170,
            former_rows: 339,
            former_state: 'head',
            former_read_at: '2026-11-20T13:05:00.000Z',
          },
        ],
      },
    ])
    expect(await rows()).toBe(339)
    expect(await runCommand(undo, [began_at], config)).toMatchObject({ code: 0, output: '0 units are as before\n' })
  })

  it('names what it does not know', async () => {
    const { config, began_at } = await replacedHome()
    const failed = (name: string) => runCommand(undo, [name], config)
    await expect(failed('yesterday')).rejects.toThrow(
      `run yesterday: unknown; expected the path of a unit, or the begin of a backfill, such as ${began_at}`,
    )
    await expect(failed('2026-11-24T01:00:00.000Z')).rejects.toThrow(
      'run 2026-11-24T01:00:00.000Z: a run of score; expected a backfill',
    )
    await expect(failed('polymarket_trades/polymarket/0xb')).rejects.toThrow(
      'unit polymarket_trades/polymarket/0xb: not stored; expected one of `lake.coverage`',
    )
    await expect(failed('polymarket_push/polymarket/2026-11-20T13')).rejects.toThrow(
      'polymarket_push/polymarket/2026-11-20T13: polymarket_push is a stream; expected a unit or a run of another source',
    )
  })
})
