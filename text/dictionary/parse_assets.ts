import type { Micros } from '#time.ts'

import type { Asset } from './asset.ts'

/** The number of assets that are tracked by default, the largest first. */
export const N_TRACKED = 300

/**
 * Parses lines of `asset_id|valid_at|symbol|name|bare|aliases|context_any|exclude_any`, the largest asset first; `#`
 * begins a comment. `assets.psv` describes the columns. Throws an error that names the line.
 */
export function parseAssets(text: string): Asset[] {
  const ranks = new Map<string, number>()
  const assets = text.split('\n').flatMap((line, n) => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const asset = parseLine(line.split('|'), n + 1)
    const rank = ranks.get(asset.asset_id) ?? ranks.size + 1
    ranks.set(asset.asset_id, rank)
    return [{ ...asset, market_rank: rank, is_tracked: rank <= N_TRACKED }]
  })
  const keys = new Set(assets.map(({ asset_id, valid_at }) => `${asset_id} ${valid_at}`))
  if (keys.size < assets.length) throw new Error('assets: two lines with one id and instant; expected one')
  return assets
}

function parseLine(fields: string[], line: number): Asset {
  const [asset_id = '', valid = '', symbol = '', name = '', bare = '', aliases = '', context = '', exclude = ''] =
    fields
  if (fields.length !== 8 || asset_id === '' || symbol === '' || name === '') {
    throw new Error(`assets: line ${line} has ${fields.length} fields; expected 8, with an id, a symbol and a name`)
  }
  if (!/^(n?s?|-)!?$/.test(bare) || bare === '')
    throw new Error(`assets: line ${line}: bare ${bare}; expected n, s, ns or -, with or without !`)
  const safe = [...(bare.includes('n') ? [name] : []), ...(bare.includes('s') ? [symbol] : [])]
  return {
    asset_id,
    valid_at: validAt(valid, line),
    symbol,
    name,
    market_rank: null,
    dominance: null,
    is_tracked: false,
    is_never_bare: bare.includes('!'),
    aliases: [...new Set([...safe.map((text) => text.toLowerCase()), ...terms(aliases)])],
    context_any: terms(context),
    exclude_any: terms(exclude),
    tokens: [],
  }
}

function validAt(text: string, line: number): Micros {
  const at = text === '' ? 0 : Date.parse(`${text}T00:00:00Z`) * 1000
  if (Number.isNaN(at)) throw new Error(`assets: line ${line}: date ${text}; expected YYYY-MM-DD`)
  return at
}

const terms = (text: string): string[] => text.split(',').filter((term) => term !== '')
