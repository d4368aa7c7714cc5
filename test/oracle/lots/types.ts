/** A chain's event of one wallet; `usd` and `gas` are whole millionths of a US dollar, `ts` microseconds. */
type Place = { wallet: string; chain: string; block: number; tx_index: number; tx: string; seq: number; ts: number }

/** One token down, one up. `usd` is null where no leg is priced. Equal tokens are a round trip. */
export type Trade = Place & {
  token_sold: string
  amount_sold: bigint
  token_bought: string
  amount_bought: bigint
  usd: bigint | null
  gas: bigint
}

/** A movement of a token that is no trade. */
export type Transfer = Place & {
  token: string
  direction: 'in' | 'out'
  amount: bigint
  counterparty: string
  usd: bigint | null
  basis: 'market' | 'carry' | 'unpriced'
}

/** A world of wallets: its movements, the owner of each known address, and the kind of each token. */
export type World = {
  trades: Trade[]
  transfers: Transfer[]
  owners: Map<string, string>
  kinds: Map<string, 'stable' | 'native' | 'other'>
}

export type Lot = {
  wallet: string
  chain: string
  token: string
  lot: number
  ts: number
  tx: string
  origin: 'buy' | 'transfer' | 'carry' | 'arbitrage'
  amount: bigint
  amount_left: bigint
  cost: bigint | null
  cost_left: bigint | null
}

export type Disposal = {
  wallet: string
  chain: string
  token: string
  block: number
  tx_index: number
  tx: string
  seq: number
  lot: number
  ts: number
  kind: 'sale' | 'transfer' | 'carry' | 'arbitrage'
  amount: bigint
  proceeds: bigint | null
  cost: bigint | null
  gas: bigint
  pnl: bigint | null
  held_s: bigint
}

export type Unmatched = Omit<Disposal, 'lot' | 'cost' | 'gas' | 'pnl' | 'held_s'>

export type Ledger = { lots: Lot[]; disposals: Disposal[]; unmatched: Unmatched[] }
