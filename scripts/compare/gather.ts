import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { askAll } from './answers.ts'
import { tapeline, whileServing, type Place } from './commands.ts'
import { describeHomes, type Both } from './describe.ts'
import { kinds, type Evidence } from './evidence.ts'
import type { Side } from './sides.ts'
import type { World } from './worlds.ts'

/** Requests to rate limits of a real upstream would take minutes; those of a simulated one need no pause. */
const haste = { COMPARE_HASTE: '20' }
/** The clock stands, so that no allowance of an account is renewed. */
const lifted = { TAPELINE_RATE_FACTOR: '1000000' }

/**
 * Fills a home of each side from a world, and gathers the evidence of both. Throws if a command fails, or if a kind of
 * evidence is empty, which would prove nothing. `scratch` is emptied.
 */
export async function gather(world: World, sides: Both<Side>, scratch: string): Promise<Both<Evidence>> {
  try {
    const filled = {
      before: await fill(world, sides.before, join(scratch, 'before')),
      after: await fill(world, sides.after, join(scratch, 'after')),
    }
    const described = await describeHomes({ before: filled.before.home, after: filled.after.home })
    const evidenceOf = (side: keyof Both<unknown>): Evidence => {
      const { commands, answers } = filled[side]
      const evidence = { ...described[side], commands, answers }
      const empty = kinds.find((kind) => evidence[kind].size === 0)
      if (empty !== undefined) throw new Error(`${world.name}: no ${empty} ${side}; expected some`)
      return evidence
    }
    return { before: evidenceOf('before'), after: evidenceOf('after') }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

type Filled = Pick<Evidence, 'commands' | 'answers'> & { home: string }

/** Runs the commands of a world, then asks the service. */
async function fill(world: World, side: Side, folder: string): Promise<Filled> {
  const [base, temporary] = [join(folder, 'home'), join(folder, 'tmp')]
  const home = join(base, world.home ?? '')
  for (const path of [base, temporary]) await mkdir(path, { recursive: true })
  const { settings, close } = await world.open()
  const commands = new Map<string, string>()
  const run = async (args: readonly string[], place: Place, codes: readonly number[]): Promise<string> => {
    const { code, out, err } = await tapeline(side, args, place)
    commands.set(args.join(' '), String(code))
    if (codes.includes(code ?? -1)) return out
    const asked = `${world.name}: ${args.join(' ')} of ${side.folder}`
    throw new Error(`${asked}: ended with ${code}; expected ${codes.join(' or ')}\n${err}`)
  }
  try {
    const place = { home: base, clock: world.clock, scratch: temporary, settings: { ...settings, ...haste } }
    for (const { args, mayFail = false, clock = world.clock } of world.fills)
      await run(args, { ...place, clock }, mayFail ? [0, 1] : [0])
    const serving = { ...place, home, settings: { ...settings, ...lifted } }
    if (world.home === undefined) await run(['score'], serving, [0])
    const key = (await run(['key', 'create', '--tier', 'enterprise'], serving, [0])).trim()
    const answers = await whileServing(side, serving, (url) =>
      askAll((path, request) => fetch(`${url}${path}`, request), key),
    )
    return { home, commands, answers }
  } finally {
    await close()
  }
}
