import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

import type { FoldModel } from '#builder/model.ts'
import type { Mutation } from '#test/skill/build.ts'

import { arithmeticBugs } from './arithmetic.ts'
import type { Bug } from './prices.ts'

const metrics = fileURLToPath(new URL('../../../../scoring/metrics/clv/', import.meta.url))
const packages = fileURLToPath(new URL('../../../../node_modules', import.meta.url))
const folders: string[] = []

/** Loads a file of a copy of the shrinkage's source with a bug, which finds its packages where the real one does. */
export async function sourceWith(bug: Bug): Promise<(name: string) => Promise<object>> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-clv-'))
  folders.push(folder)
  await cp(metrics, folder, { recursive: true })
  await symlink(packages, join(folder, 'node_modules'))
  await writeFile(join(folder, bug.in), replaced(await readFile(join(folder, bug.in), 'utf8'), bug))
  return async (name) => (await import(pathToFileURL(join(folder, name)).href)) as object
}

/** The fold of the shrinkage with a bug of `arithmetic.ts`. */
export async function shrinkingWith(what: string): Promise<Mutation> {
  const bug = arithmeticBugs.find((each) => each.what === what)
  if (bug === undefined) throw new Error(`${what}: no such bug; expected one of bugs/arithmetic.ts`)
  const { clvShrinkage } = (await (await sourceWith(bug))('clv_shrinkage.ts')) as { clvShrinkage: FoldModel }
  return (model) =>
    model.kind === 'fold' && model.name === clvShrinkage.name ? { ...model, fold: clvShrinkage.fold } : model
}

/** A text with a bug. The piece that it replaces must be there. */
export function replaced(text: string, { from, to, in: place }: Bug): string {
  if (!text.includes(from)) throw new Error(`${place} does not hold ${JSON.stringify(from)}`)
  return text.replaceAll(from, to)
}

/** Removes all copies. */
export async function removeSources(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
}
