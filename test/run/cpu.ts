import { readFileSync } from 'node:fs'

/**
 * The CPU seconds of this process and of its children that have ended, over all cores. Outside Linux they exclude the
 * children.
 */
export function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The second field, the command, may hold spaces; it ends with the last bracket. Fields 14 to 17 are hundredths.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}
