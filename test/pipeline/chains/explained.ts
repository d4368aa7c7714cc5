import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { onTestFinished } from 'vitest'
import { z } from 'zod'

const rowShape = z.object({ part: z.string(), pnl_usd: z.string().nullable(), ref: z.string().nullable() })

/** Asks the analysts' file of a home for the parts of a wallet. */
export async function openExplanations(home: string) {
  const instance = await DuckDBInstance.create(join(home, 'tapeline.duckdb'), { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  onTestFinished(() => {
    connection.closeSync()
    instance.closeSync()
  })
  return async (wallet: string) => {
    const read = await connection.runAndReadAll(
      `select part, pnl_usd::varchar as pnl_usd, ref from core.explain_wallet('${wallet}') where place like 'ethereum%'`,
    )
    const rows = z.array(rowShape).parse(read.getRowObjectsJson())
    const of = (name: string) => rows.filter(({ part }) => part === name)
    return {
      /** Millionths of a US dollar. */
      realized: [...of('disposal'), ...of('unranked')].reduce(
        (sum, { pnl_usd }) => sum + BigInt((pnl_usd ?? '0').replace('.', '')),
        0n,
      ),
      trades: of('trade').map(({ ref }) => ref),
    }
  }
}
