import { deepStrictEqual } from 'node:assert'
import { parseArgs } from 'node:util'

import { runStorm } from '#test/temporal/support/storm.ts'

/**
 * `npm run soak -- kill [--seed N]`: a backfill of 570,000 rows on Temporal. Ten times workers are killed, one worker
 * sleeps for a minute, and the server is killed three times. The lake must equal that of an undisturbed backfill, byte
 * for byte.
 */
export async function kill(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { seed: { type: 'string', default: '1' } } })
  const seed = Number(values.seed)
  const settings = { seed, scale: 1, kills: 10, freezes: 1, freeze_ms: 60_000, restarts: 3 }
  console.log(JSON.stringify(settings))
  const { calm, stormy, rows, struck, looks, complaints } = await runStorm({ ...settings, say: console.log })
  console.log(JSON.stringify({ rows, struck, looks, files: Object.keys(stormy.files).length }))
  deepStrictEqual(complaints, [])
  deepStrictEqual(struck, { kill: settings.kills, freeze: settings.freezes, restart: settings.restarts })
  deepStrictEqual(stormy, calm)
  console.log('the same lake, byte for byte')
}
