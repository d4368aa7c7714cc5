import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { pino, type Logger } from 'pino'
import { AggregatorRegistry, Gauge, Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

import { exposeMemory } from './process_memory.ts'

/** The metrics of a process that does not serve, in a file of the home that one which serves shows too. */
export type MetricsFile = { registry: Registry; log: Logger; close: () => Promise<void> }

const folderOf = (home: string): string => join(home, 'metrics')
const every_ms = 5_000
/** The metrics of a killed process are not shown for longer. Its file stays, and shows when it was last alive. */
const keep_ms = 60_000

/**
 * Writes the metrics of a command periodically until `close`, which removes the file. Of a command that runs several
 * times in a home, each process has a file, and removes those of killed ones.
 */
export async function openMetricsFile(
  home: string,
  command: string,
  { isOnly = true }: { isOnly?: boolean } = {},
): Promise<MetricsFile> {
  const log = pino({ base: null, level: 'warn' }, pino.destination({ dest: 2, sync: false }))
  const registry = new Registry()
  const name = isOnly ? command : `${command}-${hostname()}-${process.pid}`
  exposeMemory(registry, name)
  const folder = folderOf(home)
  const file = join(folder, `${name}.json`)
  const write = async (): Promise<void> => {
    const text = JSON.stringify(await registry.getMetricsAsJSON())
    await mkdir(folder, { recursive: true })
    await writeFile(`${file}.${process.pid}`, text)
    await rename(`${file}.${process.pid}`, file)
    if (!isOnly) await removeStale(folder, `${command}-`)
  }
  let writing = write().catch((error: unknown) => log.error({ err: error }, `${file}: not written`))
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

async function removeStale(folder: string, start: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(start))) {
    const seen_ms = (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? Date.now()
    if (seen_ms < Date.now() - keep_ms) await rm(join(folder, name), { force: true })
  }
}

type Metrics = MetricObjectWithValues<MetricValue<string>>[]

/**
 * The metrics of the other processes of a home as one text, when each of them was last alive, and the memory of this
 * one, which serves.
 */
export async function readMetricsFiles(home: string): Promise<string> {
  const folder = folderOf(home)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  const seen = new Gauge({
    name: 'tapeline_process_seen_seconds',
    help: 'The last sign of life of a process of the home that did not end by itself, in seconds since 1970',
    labelNames: ['process'],
    registers: [],
  })
  const read = names.map(async (name): Promise<Metrics> => {
    try {
      const { mtimeMs } = await stat(join(folder, name))
      const text = mtimeMs < Date.now() - keep_ms ? '[]' : await readFile(join(folder, name), 'utf8')
      seen.set({ process: name.replace(/\.json$/, '') }, mtimeMs / 1_000)
      // Another process of this version, or of one before, has written it.
      return JSON.parse(text) as Metrics
    } catch {
      // Its process has ended.
      return []
    }
  })
  const serving = new Registry()
  exposeMemory(serving, 'serve')
  const merged = AggregatorRegistry.aggregate([await serving.getMetricsAsJSON(), ...(await Promise.all(read))])
  merged.registerMetric(seen)
  return merged.metrics()
}
