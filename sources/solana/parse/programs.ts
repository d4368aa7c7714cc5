/**
 * A program that trades. `pool` names the pool of a call: the owner of its vaults, or the account at a position where
 * one authority owns the vaults of all pools; null: the program has no pools.
 */
export type DexProgram = { family: string; pool: 'owner' | number | null }

const dex = (family: string, pool: DexProgram['pool'] = null): DexProgram => ({ family, pool })

/**
 * The programs whose calls are evidence of a trade, by address, with the names of protocols. Source: the constants of
 * solana-dex-parser and the interface descriptions of the programs.
 */
export const dexPrograms: ReadonlyMap<string, DexProgram> = new Map([
  // Aggregators, orders and bots: they have no pools.
  ['JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4', dex('jupiter')],
  ['JUP4Fb2cqiRUcaTHdrPC8h2gNsA2ETXiPDD33WcGuJB', dex('jupiter_v4')],
  ['61DFfeTKM7trxYcPQCM78bJ794ddZprZpAwAnLiwTpYH', dex('jupiter_rfq')],
  ['DCA265Vj8a9CEuX1eb1LWRnDT7uK6q1xMipnNyatn23M', dex('jupiter_dca')],
  ['j1o2qRpjcyUwEvwtcfhEQefh773ZgjxcVRry7LDqg5X', dex('jupiter_limit')],
  ['routeUGWgWzqBWFcrCfv8tritsqukccJPu3q5GPP3xS', dex('raydium_router')],
  ['6m2CDdhRgxpH4WjvdzxAYbGxwdGUz5MziiL5jek2kBma', dex('okx')],
  ['BSfD6SHZigAfDWSjzD5Q41jw8LmKwtmjskPH9XW1mrRW', dex('photon')],
  ['BANANAjs7FJiPQqJTGFzkZJndT9o7UmKiYYGaJz6frGu', dex('banana_gun')],
  ['b1oomGGqPKGD6errbyfbVMBuzSC8WtAAYo8MwNafWW1', dex('bloom')],
  ['MaestroAAe9ge5HTc64VbBQZ6fP77pwvrhM8i1XWSAx', dex('maestro')],
  ['NoVA1TmDUqksaj2hB1nayFkPysjJbFiU76dT4qPw2wm', dex('nova')],
  // Pools.
  ['675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8', dex('raydium_amm', 1)],
  ['CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK', dex('raydium_clmm', 'owner')],
  ['CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C', dex('raydium_cpmm', 3)],
  ['LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj', dex('raydium_launchlab', 4)],
  ['whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc', dex('orca_whirlpool', 'owner')],
  ['9W959DqEETiGZocYWCQPaJ6sBmUzgfxXfqGeTEdp3aQP', dex('orca_v2', 'owner')],
  ['6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P', dex('pump_fun', 'owner')],
  ['pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA', dex('pump_swap', 'owner')],
  ['LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo', dex('meteora_dlmm', 'owner')],
  ['Eo7WjKq67rjJQSZxS6z3YkapzY3eMj6Xy8X5EQVn5UaB', dex('meteora_damm', 0)],
  ['cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG', dex('meteora_damm_v2', 1)],
  ['dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN', dex('meteora_dbc', 2)],
  ['PhoeNiXZ8ByJGLkxNfZRnkUfjvmuYqLR89jjFHGqdXY', dex('phoenix', 'owner')],
  ['opnb2LAfJYbRMAHHvqjCwQxanZn7ReEHp1k81EohpZb', dex('openbook', 'owner')],
  ['2wT8Yq49kHgDzXuPxZSaeLaH1qbmGXtEyPy64bL7aD3c', dex('lifinity', 'owner')],
  ['SoLFiHG9TfgtdUXUjWAxi3LtvYuFyDLVhBWxdMZxyCe', dex('solfi', 'owner')],
  ['ZERor4xhbUycZ6gb9ntrhqscUcZmAbQDjEAtCf4hbZY', dex('zerofi', 'owner')],
  ['obriQD1zbpyLz95G5n7nJe6a4DPjpFwa5XYPoNm113y', dex('obric', 'owner')],
])

/** Accounts of block builders. Lamports that they receive are tips. */
export const tipAccounts: ReadonlySet<string> = new Set([
  '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5',
  'HFqU5x63VTqvQss8hp11i4wVV8bD44PvwucfZ2bU7gRe',
  'Cw8CFyM9FkoMi7K7Crf6HNQqf4uEMzpKw6QNghXLvLkY',
  'ADaUMid9yfUytqMBgopwjb2DTLSokTSzL1zt6iGPaS49',
  'DfXygSm4jCyNCybVYYK6DwvWqjKee8pbDmJGcLWNDXjh',
  'ADuUkR4vqLUMWXxW9gh6D6L8pMSawimctcNZ5pGwDcEt',
  'DttWaMuVvTiduZRnguLF7jNxTgiMBZ1hyAumKUiL2KRL',
  '3AVi9Tg9Uo68tJfuvoKvqKNWKkC5wPdSSdeBnizKZ6jT',
  // bloXroute; those above are Jito's.
  'HWEoBxYs7ssKuudEjzjmpfJVX7Dvi7wescFsVx2L5yoY',
])

export const systemProgram = '11111111111111111111111111111111'
export const wrappedSol = 'So11111111111111111111111111111111111111112'
/** The standards of the programs of tokens. */
export const tokenStandards: ReadonlyMap<string, string> = new Map([
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'spl'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'spl_2022'],
])
