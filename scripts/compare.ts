import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import type { Both } from './compare/describe.ts'
import { differencesOf, intendedShape } from './compare/differences.ts'
import { gather } from './compare/gather.ts'
import { missingRecordings, recordedWorld } from './compare/recorded.ts'
import { describeWorld, writeWorld } from './compare/report.ts'
import { openSide, treeOf, workingTree, type Side } from './compare/sides.ts'
import { generatedWorlds, type World } from './compare/worlds.ts'

/**
 * `npm run compare -- <commit> [<commit>] [--world <name>]`: makes the same data with two commits, by default with the
 * working tree as the second, and compares hashes of tables, paths and coverage of the lake, and answers of the API.
 * `scripts/compare/intended.json` lists the changes that are intended. Exits with 1 after any other difference.
 */
async function compare(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { world: { type: 'string', multiple: true } },
  })
  const [first, second, ...others] = positionals
  if (first === undefined || others.length > 0) throw new Error('compare: expected one or two commits')
  const worlds = worldsNamed(values.world)
  const intended = intendedShape.parse(
    JSON.parse(await readFile(new URL('compare/intended.json', import.meta.url), 'utf8')),
  )
  const scratch = await mkdtemp(join(tmpdir(), 'tapeline-compare-'))
  const report = await mkdtemp(join(tmpdir(), 'tapeline-differences-'))
  try {
    const last = second === undefined ? workingTree(scratch) : treeOf(second)
    const sides: Both<Side> = {
      before: await openSide(await treeOf(first), join(scratch, 'before')),
      after: await openSide(await last, join(scratch, 'after')),
    }
    for (const world of worlds) {
      const begun_ms = performance.now()
      const evidence = await gather(world, sides, join(scratch, 'homes'))
      const differences = differencesOf(world.name, evidence, intended)
      await writeWorld(join(report, world.name), evidence, differences)
      console.log(describeWorld(world.name, evidence, differences))
      console.log(`${world.name}: ${Math.round((performance.now() - begun_ms) / 1000)} s`)
      if (differences.some(({ reason }) => reason === undefined)) process.exitCode = 1
    }
    const result = process.exitCode === 1 ? 'differences that are not intended' : 'equal, or as intended'
    console.log(`${result}; all evidence is in ${report}`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The worlds of these names; all by default. Says which of them is left out. */
function worldsNamed(names: readonly string[] | undefined): World[] {
  const missing = missingRecordings()
  const all = [...generatedWorlds(), ...(missing.length === 0 ? [recordedWorld()] : [])]
  if (names === undefined) {
    if (missing.length > 0) console.log(`recordings: skipped, without ${missing.join(', ')}; RECORDINGS_DIR names them`)
    return all
  }
  return names.map((name) => {
    const world = all.find((one) => one.name === name)
    if (world === undefined)
      throw new Error(`${name}: no such world; expected one of ${all.map((one) => one.name).join(', ')}`)
    return world
  })
}

await compare(process.argv.slice(2))
