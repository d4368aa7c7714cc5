import { z } from 'zod'

import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { tradesOf, type SimulatedChain } from '#sim/chains/simulated_chain.ts'

/** The datasets of swaps. */
export const filled = ['blocks', 'transactions', 'swaps', 'transfers', 'user_operations', 'pools'] as const

/** All rows of the datasets of swaps, and the coverage of their units, each as sorted text. */
export async function heldIn(lake: Lake): Promise<Record<string, string[]>> {
  return lake.read(async ({ query }) => {
    const rows = z.record(z.string(), z.unknown())
    const held: Record<string, string[]> = {}
    for (const name of filled satisfies readonly DatasetName[]) {
      const found = await query(`select * from lake.${name} order by ${datasets[name].key.join()}`, rows)
      held[name] = found.map(textOf)
    }
    const coverage =
      'select unit, dataset, state, from_block, to_block, n_rows, digest, proof, reason from lake.coverage'
    held['coverage'] = (await query(`${coverage} order by all`, rows)).map(textOf)
    return held
  })
}

const textOf = (row: unknown): string =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))

const tradeShape = z.object({ block: z.coerce.number(), tx: z.string(), sender: z.string(), moved: z.string() })

/** The trades of the lake: the sender of each transaction with a swap, and its movements of tokens. */
export const tradesIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select t.block, t.tx, t.sender,
         (select string_agg(m.token || ' ' || m.sender || ' ' || m.recipient || ' ' || m.amount, ', ' order by m.log_index)
          from lake.transfers m where m.chain = t.chain and m.block = t.block and m.tx = t.tx) as moved
       from lake.transactions t join lake.swaps s on s.chain = t.chain and s.block = t.block and s.tx = t.tx
       order by t.block, t.tx_index`,
      tradeShape,
    ),
  )

/** The same, as the simulated chain made them. */
export const trueTrades = (chain: SimulatedChain, head: number): z.output<typeof tradeShape>[] =>
  Array.from({ length: head + 1 }, (_, block) => tradesOf(chain, block))
    .flat()
    .map(({ block, tx, wallet, pool, token_sold, amount_sold, token_bought, amount_bought }) => ({
      block,
      tx,
      sender: wallet,
      moved: `${token_sold} ${wallet} ${pool} ${amount_sold}, ${token_bought} ${pool} ${wallet} ${amount_bought}`,
    }))
