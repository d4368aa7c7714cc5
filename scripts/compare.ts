import { rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import type { Both } from './compare/describe.ts'
import { differencesOf, intendedShape, type Intended } from './compare/differences.ts'
import { gather } from './compare/gather.ts'
import { missingRecordings, recordedWorld } from './compare/recorded.ts'
import { describeWorld, writeWorld } from './compare/report.ts'
import { hasCommit, openSide, treeOf, workingTree, type Side } from './compare/sides.ts'
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
  const intended = await intendedBetween(first, second ?? 'HEAD')
  const scratch = await mkdtemp(join(tmpdir(), 'tapeline-compare-'))
  const report = await mkdtemp(join(tmpdir(), 'tapeline-differences-'))
  const stop = (signal: NodeJS.Signals): void => {
    rmSync(scratch, { recursive: true, force: true })
    process.kill(process.pid, signal)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const last = second === undefined ? workingTree(scratch) : treeOf(second)
    const sides: Both<Side> = {
      before: await openSide(await treeOf(first), join(scratch, 'before')),
      after: await openSide(await last, join(scratch, 'after')),
    }
    const unequal: string[] = []
    for (const world of worlds) {
      const compared = compareWorld(world, sides, { scratch: join(scratch, 'homes'), report, intended })
      // A world that one side cannot read says nothing about the others.
      const isEqual = await compared.catch((error: unknown) => console.error(error))
      if (isEqual !== true) unequal.push(world.name)
    }
    const result = unequal.length === 0 ? 'equal, or as intended' : `not as intended: ${unequal.join(', ')}`
    console.log(`${result}; all evidence is in ${report}`)
    if (unequal.length > 0) process.exitCode = 1
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The intended changes that one of two commits has and the other lacks, and those that name no commit. */
async function intendedBetween(first: string, second: string): Promise<Intended> {
  const listed = intendedShape.parse(
    JSON.parse(await readFile(new URL('compare/intended.json', import.meta.url), 'utf8')),
  )
  const between: Intended = []
  for (const change of listed) {
    const { commit } = change
    if (commit === undefined || (await hasCommit(first, commit)) !== (await hasCommit(second, commit)))
      between.push(change)
  }
  return between
}

/** Compares one world and reports it. Returns whether all differences are intended. */
async function compareWorld(
  world: World,
  sides: Both<Side>,
  { scratch, report, intended }: { scratch: string; report: string; intended: Intended },
): Promise<boolean> {
  const begun_ms = performance.now()
  const evidence = await gather(world, sides, scratch)
  const differences = differencesOf(world.name, evidence, intended)
  await writeWorld(join(report, world.name), evidence, differences)
  console.log(describeWorld(world.name, evidence, differences))
  console.log(`${world.name}: ${Math.round((performance.now() - begun_ms) / 1000)} s`)
  return differences.every(({ reason }) => reason !== undefined)
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
    const world = all.find((served) => served.name === name)
    if (world === undefined)
      throw new Error(`${name}: no such world; expected one of ${all.map((served) => served.name).join(', ')}`)
    return world
  })
}

await compare(process.argv.slice(2))
