import { defineCommand } from '#bin/command_line/command.ts'
import { asJson, count, standardError } from '#bin/report/progress.ts'
import { withReadableHome } from '#bin/report/read_only_home.ts'
import type { Config } from '#config.ts'
import { openLake } from '#lake/lake.ts'
import { verifyLake, type Verified } from '#lake/verify.ts'

/** Files between two reports. */
const reportEvery = 1_000

/** `tapeline verify`: compares every data file of the lake with the catalog. */
export const verify = defineCommand({
  reads: 'home',
  summary: 'Compare the digest of every data file of the lake with its catalog.',
  define: (command) => command.option('--json', 'Write the result as JSON.'),
  run: async ({ json = false }, config) => {
    const verified = await withReadableHome(config, verifyHome)
    const { n_files, faults } = verified
    if (json) {
      process.stdout.write(asJson(verified))
    } else {
      for (const { path, problem } of faults) process.stdout.write(`${path}: ${problem}; expected as it was stored\n`)
      process.stdout.write(`${count(n_files)} files verified, ${count(faults.length)} faults\n`)
    }
    return faults.length === 0 ? 0 : 1
  },
})

async function verifyHome({ home, threads, memory, database, storage }: Config): Promise<Verified> {
  const lake = await openLake(home, { threads, memory }, database, storage)
  try {
    return await verifyLake(lake, (sofar) => {
      if (sofar.n_files % reportEvery === 0) standardError.write(`${count(sofar.n_files)} files read\n`)
    })
  } finally {
    await lake.close()
  }
}
