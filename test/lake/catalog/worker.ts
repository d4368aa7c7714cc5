import { openLake } from '#lake/lake.ts'
import { lifeOf, market, noon, quote, storeRows } from '#test/lake/fixture.ts'

/**
 * `worker.ts <home> <key> <n> <first> [<database>]`: stores a unit `n` times, each time as another fork, from the fork
 * `first` on. Its quotes, its market and its coverage all bear the number of the fork. Prints a line for each.
 */
const [home = '', key = '', n = '0', first = '0', database] = process.argv.slice(2)

const lake = await openLake(home, { threads: 1, memory: '256MB' }, database)
for (let fork = Number(first); fork < Number(first) + Number(n); fork += 1) {
  const rows = {
    quotes: Array.from({ length: 1 + (fork % 3) }, (_, i) => quote(key, noon + i, { bid: BigInt(fork) })),
    // Each third fork has no market, so that also a dataset that goes is seen.
    markets: fork % 3 === 2 ? [] : [market(key, { question: String(fork) })],
  }
  await storeRows(lake, lifeOf(key), rows, { reason: String(fork) })
  process.stdout.write(`${fork}\n`)
}
await lake.close()
