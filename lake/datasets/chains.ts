import { amount, count, flag, integer, optional, text, texts, time, tiny } from '#lake/columns.ts'

import { dataset } from './dataset.ts'

/** The place of a log in its chain. `log_index` counts inside the block. */
const place = { chain: text, block: count, tx_index: integer, tx: text, log_index: integer }
const placeKey = ['chain', 'block', 'tx_index', 'tx', 'log_index'] as const

export const blocks = dataset({
  name: 'blocks',
  version: 1,
  doc:
    'A block with a row of another dataset, or the last block of a unit, which shows the fork that was read. If ' +
    '`is_exact` is false, its time is interpolated between two blocks.',
  key: ['chain', 'block'],
  columns: {
    chain: text,
    block: count,
    ts: time,
    is_exact: flag,
    hash: text,
    parent_block: count,
    parent_hash: text,
    source: text,
  },
})

export const transactions = dataset({
  name: 'transactions',
  version: 1,
  doc:
    'A transaction that holds a swap or fill, or any transaction of a chain that is read whole. `amount` is the ' +
    'native value sent with it. `amount_fee` is all that was paid for it: gas used x effective gas price, plus the ' +
    '`amount_l1_fee` of a rollup. Of Solana it is the fee of the network, tips, and rent less returned rent.',
  key: ['chain', 'block', 'tx_index', 'tx'],
  columns: {
    chain: text,
    block: count,
    tx_index: integer,
    tx: text,
    ts: time,
    sender: text,
    recipient: optional(text),
    amount,
    nonce: optional(count),
    is_ok: flag,
    gas_used: optional(count),
    amount_fee: amount,
    amount_l1_fee: optional(amount),
    source: text,
  },
})

export const swaps = dataset({
  name: 'swaps',
  version: 1,
  doc:
    'A swap or fill event: evidence and prices, not a trade. Amounts are as the pool sees them: plus is paid into ' +
    'the pool, in every family. `coin0_index` and `coin1_index` are positions in `pools.tokens`; tokens stand here ' +
    'if the event names them, and `native` is the coin of the chain. `trader` is an owner, signer, maker or taker that the ' +
    'event names. Any contract can emit any event: `emitter` is the contract that did, where it is not the pool itself.',
  key: placeKey,
  columns: {
    ...place,
    ts: time,
    family: text,
    pool: optional(text),
    coin0_index: optional(integer),
    coin1_index: optional(integer),
    token0: optional(text),
    token1: optional(text),
    amount0: optional(amount),
    amount1: optional(amount),
    sender: optional(text),
    recipient: optional(text),
    trader: optional(text),
    sqrt_price: optional(text),
    liquidity: optional(text),
    emitter: optional(text),
    source: text,
  },
})

export const transfers = dataset({
  name: 'transfers',
  version: 1,
  doc:
    'A movement of one token: transfer, wrap, unwrap, internal, delta, rent, tip. A wrap mints the wrapped coin, so ' +
    'its sender is empty; an unwrap burns it, so its recipient is empty. Movements without a log (internal) are ' +
    'numbered -1, -2 and so on in the order of the calls. Of Solana a `delta` is what one owner has more or less of ' +
    'a token after a transaction, the fee added back, with SOL and its wrapped form as `native`; the other side is ' +
    'empty. The `rent` and `tip` in it are rows beside it. They are numbered inside the transaction.',
  key: placeKey,
  columns: {
    ...place,
    ts: time,
    kind: text,
    token: text,
    sender: text,
    recipient: text,
    amount,
    source: text,
  },
})

export const calls = dataset({
  name: 'calls',
  version: 1,
  doc:
    'A call of a traced transaction that moved the native coin without a log, in the order of the calls. The call 0 is ' +
    'the transaction itself, also without an amount, so a transaction with a row was traced. Contract creations and ' +
    'self-destructions count as calls. Failed calls, and the calls below them, moved nothing and are left out.',
  key: ['chain', 'block', 'tx_index', 'tx', 'call_index'],
  columns: {
    chain: text,
    block: count,
    tx_index: integer,
    tx: text,
    call_index: integer,
    ts: time,
    seen_at: time,
    sender: text,
    recipient: text,
    amount,
    source: text,
  },
})

export const user_operations = dataset({
  name: 'user_operations',
  version: 1,
  doc:
    'An operation of a smart account (ERC-4337). Its logs are those between the previous operation of the ' +
    'transaction and this one. `amount_fee` is what the account or its paymaster was charged.',
  key: placeKey,
  columns: {
    ...place,
    ts: time,
    sender: text,
    paymaster: text,
    is_ok: flag,
    amount_fee: amount,
    source: text,
  },
})

export const pools = dataset({
  name: 'pools',
  version: 1,
  doc:
    "A pool's tokens and creation. Entry i of `tokens` is coin i of the pool's events. A row with `created_at` is the " +
    'event of a creation, and `factory` the contract that emitted it. Any contract can emit it: the creation counts if ' +
    "the pool's own `factory()`, in a row without `created_at`, names that contract, or if the pool is the hash of its key.",
  key: ['chain', 'pool', 'seen_at', 'factory'],
  columns: {
    chain: text,
    pool: text,
    seen_at: time,
    family: text,
    tokens: texts,
    factory: optional(text),
    created_at: optional(time),
    created_tx: optional(text),
    source: text,
  },
})

export const tokens = dataset({
  name: 'tokens',
  version: 1,
  doc: 'A token as described by its contract.',
  key: ['chain', 'token', 'seen_at'],
  columns: {
    chain: text,
    token: text,
    seen_at: time,
    symbol: optional(text),
    name: optional(text),
    decimals: optional(tiny),
    standard: text,
    source: text,
  },
})
