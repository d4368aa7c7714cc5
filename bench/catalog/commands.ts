import { timed } from '#bench/ingest/timed_process.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { parseConfig } from '#config.ts'

const commands = [
  ['status'],
  ['status', '--json'],
  ['backfill', 'polymarket_trades', '--from', '2020-01-01', '--dry-run'],
  ['backfill', 'polymarket_activity', '--from', '2020-01-01', '--dry-run'],
]

/** Prints the CPU seconds of commands on a home, and those of the pages of two plans in one process. */
export async function timeCommands(home: string): Promise<void> {
  for (const command of commands) {
    const { cpu_s } = await timed(['node', 'bin/tapeline.js', ...command], { env: { TAPELINE_HOME: home } })
    console.log(`${command.join(' ')}: ${cpu_s.toFixed(2)} CPU s`)
  }
  const { activities, close } = await openPipeline(parseConfig({ TAPELINE_HOME: home }))
  try {
    for (const source of ['polymarket_trades', 'polymarket_activity']) {
      const at = await activities.instant(source)
      const pages: number[] = []
      let [after, n_units, isLast] = ['', 0, false]
      while (!isLast) {
        const before = process.cpuUsage()
        const page = await activities.plan({ source, at, from: 0, to: at, keys: [], after, limit: 1_900 })
        const { user, system } = process.cpuUsage(before)
        pages.push((user + system) / 1e6)
        n_units += page.units.length
        after = page.last
        isLast = page.units.length === page.due
      }
      const each = pages.map((cpu_s) => cpu_s.toFixed(2)).join(' ')
      console.log(`plan of ${source}, ${n_units} units in ${pages.length} pages: ${each} CPU s`)
    }
  } finally {
    await close()
  }
}
