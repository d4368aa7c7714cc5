import { restoreHome } from '#bin/backup/restore_home.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { asJson, count, standardError } from '#bin/report/progress.ts'

/** Files between two reports. */
const reportEvery = 1_000

/** `tapeline restore`: copies a backup to the home, and to the database of `DATABASE_URL`. */
export const restore = defineCommand({
  reads: 'backup',
  summary: 'Copy a backup to a new TAPELINE_HOME, and its catalog and accounts to DATABASE_URL if that is set.',
  define: (command) =>
    command.argument('<folder>', 'A folder of `tapeline backup`.').option('--json', 'Write the result as JSON.'),
  run: async ({ json = false }, config, [folder]) => {
    const manifest = await restoreHome(folder, config, (n_files) => {
      if (n_files % reportEvery === 0) standardError.write(`${count(n_files)} files copied\n`)
    })
    const { home } = config
    process.stdout.write(
      json
        ? asJson({ home, ...manifest })
        : `${home}: the lake as of ${manifest.at}, ${count(manifest.n_files)} files, accounts\n`,
    )
    return 0
  },
})
