import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { pino, type Logger } from 'pino'
import { Registry } from 'prom-client'

/** The metrics of a process that does not serve, in a file of the home that one which serves shows too. */
export type MetricsFile = { registry: Registry; log: Logger; close: () => Promise<void> }

const folderOf = (home: string): string => join(home, 'metrics')
const every_ms = 5_000
/** The file of a killed process is not shown for longer. */
const keep_ms = 60_000

/** Writes the metrics of a command periodically, in Prometheus' text format, until `close`. */
export async function openMetricsFile(home: string, command: string): Promise<MetricsFile> {
  const log = pino({ base: null, level: 'warn' }, pino.destination({ dest: 2, sync: false }))
  const registry = new Registry()
  const file = join(folderOf(home), `${command}.prom`)
  const write = async (): Promise<void> => {
    const text = await registry.metrics()
    if (text.trim() === '') return
    await mkdir(folderOf(home), { recursive: true })
    await writeFile(`${file}.${process.pid}`, text)
    await rename(`${file}.${process.pid}`, file)
  }
  let writing = Promise.resolve()
  const timer = setInterval(() => {
    writing = writing.then(write).catch((error: unknown) => log.error({ err: error }, `${file}: not written`))
  }, every_ms)
  const close = async (): Promise<void> => {
    clearInterval(timer)
    await writing
    await rm(file, { force: true })
  }
  return { registry, log, close }
}

/** The metrics that other processes of a home wrote within the last minute, as one text. */
export async function readMetricsFiles(home: string): Promise<string> {
  const names = await readdir(folderOf(home)).catch(() => [])
  const read = names
    .filter((name) => name.endsWith('.prom'))
    .map(async (name) => {
      const file = join(folderOf(home), name)
      try {
        return (await stat(file)).mtimeMs < Date.now() - keep_ms ? '' : await readFile(file, 'utf8')
      } catch {
        // Its process has ended.
        return ''
      }
    })
  return (await Promise.all(read)).join('')
}
