import { defineCommand } from '#bin/command_line/command.ts'
import { asJson, count, standardError } from '#bin/report/progress.ts'
import { repairLake } from '#lake/repair/repair.ts'

/** Files between two reports. */
const reportEvery = 1_000

/** `tapeline repair`: rebuilds a lost catalog, and takes damaged data files out of the lake. */
export const repair = defineCommand({
  reads: 'home',
  summary: 'Rebuild a lost catalog of the lake from its data files, and set damaged data files aside.',
  define: (command) => command.option('--json', 'Write the result as JSON.'),
  run: async ({ json = false }, { home, threads, memory, database, storage }) => {
    const limits = { threads, memory }
    const onProgress = (n_files: number): void => {
      if (n_files % reportEvery === 0) standardError.write(`${count(n_files)} files read\n`)
    }
    const repaired = await repairLake({ home, limits, database, storage, onProgress })
    const { rebuilt, damaged, n_missing } = repaired
    if (json) {
      process.stdout.write(asJson(repaired))
      return 0
    }
    process.stdout.write(
      rebuilt === null
        ? 'catalog: whole\n'
        : `catalog: rebuilt from ${count(rebuilt.n_files)} files, ${count(rebuilt.n_units)} units\n`,
    )
    for (const { path, problem } of damaged) process.stdout.write(`${path}: ${problem}; set aside\n`)
    process.stdout.write(
      `${count(damaged.length)} damaged files, ${count(n_missing)} units to read again with \`tapeline backfill\`\n`,
    )
    return 0
  },
})
