import { backupHome } from '#bin/backup/backup_home.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { asJson, count, standardError } from '#bin/report/progress.ts'
import { openLake } from '#lake/lake.ts'

/** Files between two reports. */
const reportEvery = 1_000

/** `tapeline backup`: copies a home while other processes work on it. */
export const backup = defineCommand({
  reads: 'home',
  summary: 'Copy the lake, the accounts and the served snapshots to a folder, while the home is in use.',
  define: (command) =>
    command
      .argument('<folder>', 'An empty folder, or a new one; an unfinished backup of the same lake is continued.')
      .option('--json', 'Write the result as JSON.'),
  run: async ({ json = false }, { home, threads, memory, database, storage }, [folder]) => {
    const lake = await openLake(home, { threads, memory }, database, storage)
    try {
      const copied = await backupHome(lake, { home, database }, folder, (n_files) => {
        if (n_files % reportEvery === 0) standardError.write(`${count(n_files)} files copied\n`)
      })
      const { snapshot, n_files, bytes, n_raw, isContinued: is_continued, ...manifest } = copied
      process.stdout.write(
        json
          ? asJson({ folder, ...manifest, snapshot, n_files, bytes, n_raw, is_continued })
          : `${folder}: snapshot ${count(snapshot)} of the lake, ${count(n_files)} files, ` +
              `${(bytes / 1e6).toFixed(1)} MB, ${count(n_raw)} files of raw responses, accounts\n`,
      )
      return 0
    } finally {
      await lake.close()
    }
  },
})
