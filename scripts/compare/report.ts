import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Both } from './describe.ts'
import type { Difference } from './differences.ts'
import { kinds, type Evidence } from './evidence.ts'

/** The names that the table shows of a kind. */
const shown = 8
/** The characters of a line before and after its first difference. */
const around = 160

/** The lines of a world: of each kind of evidence how much there is, and what differs. */
export function describeWorld(
  world: string,
  { before, after }: Both<Evidence>,
  differences: readonly Difference[],
): string {
  const lines = kinds.flatMap((kind) => {
    const [n_before, n_after] = [before[kind].size, after[kind].size]
    const ofKind = differences.filter((difference) => difference.kind === kind)
    const unintended = ofKind.filter(({ reason }) => reason === undefined)
    const n = n_before === n_after ? String(n_before) : `${n_before} / ${n_after}`
    const n_intended = ofKind.length - unintended.length
    const result = [
      ...(ofKind.length === 0 ? ['equal'] : []),
      ...(unintended.length > 0 ? [`${unintended.length} DIFFER`] : []),
      ...(n_intended > 0 ? [`${n_intended} differ as intended`] : []),
    ].join(', ')
    const names = unintended.slice(0, shown).map((difference) => `    ${sideOf(difference)}${difference.name}`)
    const more = unintended.length > shown ? [`    … ${unintended.length - shown} more`] : []
    return [`${world.padEnd(40)} ${kind.padEnd(9)} ${n.padStart(13)}  ${result}`, ...names, ...more]
  })
  return lines.join('\n')
}

const sideOf = ({ before, after }: Pick<Difference, 'before' | 'after'>): string =>
  before === undefined ? 'only after: ' : after === undefined ? 'only before: ' : ''

/** Writes all evidence of both sides, and the places of the differences, into a folder of the world. */
export async function writeWorld(
  folder: string,
  evidence: Both<Evidence>,
  differences: readonly Difference[],
): Promise<void> {
  for (const side of ['before', 'after'] as const) {
    await mkdir(join(folder, side), { recursive: true })
    for (const kind of kinds) {
      const lines = [...evidence[side][kind]].map(([name, text]) => `${name}\n${indented(text)}\n`)
      await writeFile(join(folder, side, `${kind}.txt`), lines.sort().join(''))
    }
  }
  await writeFile(join(folder, 'differences.txt'), differences.map(describeDifference).join('\n'))
}

const indented = (text: string): string => text.replaceAll(/^/gm, '  ')

/** The lines that differ, around their first difference. */
function describeDifference({ kind, name, before, after, reason }: Difference): string {
  const intended = reason === undefined ? '' : `  intended: ${reason}\n`
  const head = `${kind}: ${sideOf({ before, after })}${name}\n${intended}`
  if (before === undefined || after === undefined) return head
  const [old, recent] = [linesBeside(before, after), linesBeside(after, before)]
  const pairs = Array.from({ length: Math.max(old.length, recent.length) }, (_, n) => [old[n] ?? '', recent[n] ?? ''])
  return head + pairs.map(([line = '', other = '']) => `  - ${cut(line, other)}\n  + ${cut(other, line)}\n`).join('')
}

/** The lines of a text that another text lacks. */
function linesBeside(text: string, other: string): string[] {
  const others = new Set(other.split('\n'))
  return text.split('\n').filter((line) => !others.has(line))
}

function cut(line: string, other: string): string {
  let at = 0
  while (at < line.length && line[at] === other[at]) at += 1
  const from = Math.max(0, at - around)
  return `${from > 0 ? '…' : ''}${line.slice(from, at + around)}`
}
