import { appendFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { z } from 'zod'

import type { Clock } from '#time.ts'

import { count } from './progress.ts'

const entryShape = z.object({
  command: z.string(),
  /** The source of a backfill; null: the command has none. */
  source: z.string().nullable(),
  began_at: z.string(),
  ended_at: z.string(),
  units: z.number(),
  failed: z.number(),
  quarantined: z.number(),
  rows: z.number(),
  /** The reason why it failed as a whole; null: it ended. */
  error: z.string().nullable(),
})

/** A run of a command that has ended. */
export type PastRun = z.infer<typeof entryShape>

type Figures = Partial<Pick<PastRun, 'units' | 'failed' | 'quarantined' | 'rows'>>

/** The runs that are shown, and about as many bytes as twice that many have. */
const most = 500
const mostBytes = 2 * most * 300

/** The file of a home with its runs, one a line, oldest first. */
export const historyFile = 'history.ndjson'

const fileOf = (home: string): string => join(home, historyFile)

type Recorded = { home: string; clock: Clock; command: string; source?: string }

const none = { units: 0, failed: 0, quarantined: 0, rows: 0 }

/** Runs `work`, and appends its figures to the history of the home. A failure is recorded and thrown. */
export async function recordRun<T>(
  run: Recorded,
  work: () => Promise<T>,
  figuresOf: (result: T) => Figures,
): Promise<T> {
  const began = run.clock()
  const record = (figures: Figures, error: string | null): Promise<void> =>
    append(run.home, {
      command: run.command,
      source: run.source ?? null,
      began_at: new Date(began / 1000).toISOString(),
      ended_at: new Date(run.clock() / 1000).toISOString(),
      ...none,
      ...figures,
      error,
    })
  try {
    const result = await work()
    await record(figuresOf(result), null)
    return result
  } catch (error) {
    await record({}, error instanceof Error ? error.message : String(error))
    throw error
  }
}

/** A failed write must not hide the outcome of the run. */
async function append(home: string, run: PastRun): Promise<void> {
  const file = fileOf(home)
  try {
    await mkdir(dirname(file), { recursive: true })
    await appendFile(file, `${JSON.stringify(run)}\n`)
    if ((await stat(file)).size <= mostBytes) return
    const kept = (await readRuns(home)).map((entry) => `${JSON.stringify(entry)}\n`)
    await writeFile(`${file}.new`, kept.join(''))
    await rename(`${file}.new`, file)
  } catch (error) {
    process.stderr.write(`${file}: not written: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}

/** The newest runs of a home, oldest first. A line that was cut off by a kill is left out. */
export async function readRuns(home: string): Promise<PastRun[]> {
  const text = await readFile(fileOf(home), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').flatMap(runOf).slice(-most)
}

function runOf(line: string): PastRun[] {
  try {
    const { success, data } = entryShape.safeParse(JSON.parse(line))
    return success ? [data] : []
  } catch {
    return []
  }
}

/** A run as a line of text. */
export function describePast({ command, source, began_at, ended_at, error, ...figures }: PastRun): string {
  const { units, failed, quarantined, rows } = figures
  const seconds = Math.round((Date.parse(ended_at) - Date.parse(began_at)) / 1000)
  const parts = [
    error === null ? undefined : `failed: ${error}`,
    source === null ? undefined : `${count(units)} units, ${count(rows)} rows`,
    failed > 0 ? `${count(failed)} units failed` : undefined,
    quarantined > 0 ? `${count(quarantined)} rows quarantined` : undefined,
    `${count(seconds)} s`,
  ].filter((part) => part !== undefined)
  return `${began_at}  ${source === null ? command : `${command} ${source}`}: ${parts.join(', ')}`
}
