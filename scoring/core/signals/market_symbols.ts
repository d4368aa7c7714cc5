import { readFileSync } from 'node:fs'

import { DuckDBVarCharVector, type DuckDBDataChunk } from '@duckdb/node-api'

import type { Emit, FoldModel } from '#builder/model.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { createMatcher } from '#text/matcher/matcher.ts'
import { strongest } from '#text/matcher/mention.ts'

/**
 * The assets that the questions of markets name, by the matcher of posts. A venue is not about crypto, so a bare symbol
 * needs a context, as in a post. Each asset has the symbol that it has now.
 */
export const marketSymbols: FoldModel = {
  kind: 'fold',
  layer: 'core',
  name: 'market_symbols',
  doc: 'The assets that the questions of markets name.',
  sql: readFileSync(new URL('market_symbols.sql', import.meta.url), 'utf8'),
  outputs: {
    question_symbols: [
      { name: 'market_id', sql: 'VARCHAR', isNullable: false, isKey: true },
      { name: 'symbol', sql: 'VARCHAR', isNullable: false, isKey: true },
    ],
  },
  fold: foldQuestions,
}

async function foldQuestions(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  const assets = assetsAt(shippedAssets(), Infinity)
  const match = createMatcher(assets)
  const symbols = new Map(assets.map(({ asset_id, symbol }) => [asset_id, symbol]))
  for await (const chunk of chunks) {
    const [ids, questions] = [vectorOf(chunk, 0), vectorOf(chunk, 1)]
    const rows: [string[], string[]] = [[], []]
    for (let index = 0; index < chunk.rowCount; index++) {
      const text = questions.getItem(index) ?? ''
      const named = strongest(match({ text, is_crypto: false })).map(({ asset_id }) => symbols.get(asset_id) ?? '')
      for (const symbol of new Set(named)) {
        rows[0].push(ids.getItem(index) ?? '')
        rows[1].push(symbol)
      }
    }
    if (rows[0].length > 0) emit('question_symbols', rows)
  }
}

function vectorOf(chunk: DuckDBDataChunk, index: number): DuckDBVarCharVector {
  const vector = chunk.getColumnVector(index)
  if (!(vector instanceof DuckDBVarCharVector)) throw new Error(`column ${index}: no texts; expected VARCHAR`)
  return vector
}
