import { defineCommand } from '#bin/command_line/command.ts'
import { count, standardError } from '#bin/report/progress.ts'
import { openLake } from '#lake/lake.ts'
import { verifyLake } from '#lake/verify.ts'

/** Files between two reports. */
const reportEvery = 1_000

/** `tapeline verify`: compares every data file of the lake with the catalog. */
export const verify = defineCommand({
  summary: 'Compare the digest of every data file of the lake with its catalog.',
  define: (command) => command,
  run: async (_, { home, threads, memory, database }) => {
    const lake = await openLake(home, { threads, memory }, database)
    try {
      const { n_files, faults } = await verifyLake(lake, (sofar) => {
        if (sofar.n_files % reportEvery === 0) standardError.write(`${count(sofar.n_files)} files read\n`)
      })
      for (const { path, problem } of faults) process.stdout.write(`${path}: ${problem}; expected as it was stored\n`)
      process.stdout.write(`${count(n_files)} files verified, ${count(faults.length)} faults\n`)
      return faults.length === 0 ? 0 : 1
    } finally {
      await lake.close()
    }
  },
})
