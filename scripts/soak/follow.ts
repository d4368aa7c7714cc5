import { deepStrictEqual } from 'node:assert'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { watchLive } from '#test/pipeline/watch.ts'

const speed = 60
/** The largest lag of the odds in world seconds: ten seconds of the machine. */
const mostBehind_s = 10 * speed

/**
 * `npm run soak -- follow [--minutes N] [--seed N]`: follows a world of scale 1 at 60 times its speed beside 50
 * readers. The default is an hour, which is two and a half days of the world.
 */
export async function follow(args: readonly string[]): Promise<void> {
  const options = { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } } as const
  const { values } = parseArgs({ args: [...args], options })
  const home = await mkdtemp(join(tmpdir(), 'tapeline-follow-'))
  try {
    const of = { home, seed: Number(values.seed), scale: 1, speed, watch_s: 60 * Number(values.minutes), readers: 50 }
    const { behind_s, lacking, doubled, wrongOdds, faults, isLateSeen, ...counts } = await watchLive(of)
    const at = (share: number): number => Math.round(behind_s[Math.floor(share * (behind_s.length - 1))] ?? 0)
    console.log(JSON.stringify(counts))
    console.log(`odds were ${at(0.5)} s behind in the middle, ${at(0.99)} s at 99 %, ${at(1)} s at most (world time)`)
    deepStrictEqual({ lacking, doubled, wrongOdds, faults }, { lacking: [], doubled: [], wrongOdds: [], faults: [] })
    deepStrictEqual(isLateSeen, [true, true])
    if (at(1) > mostBehind_s) throw new Error(`odds: ${at(1)} s behind; expected ${mostBehind_s} s at most`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
