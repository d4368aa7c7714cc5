/** The things that a question can lack, with the request for each. */
export const missing = {
  address: 'Which address? Name an EVM or Solana address.',
  asset: 'Which asset? Name a tracked asset by its symbol or name. This one is not tracked.',
  market: 'Which market? No market of that title is known. Name words of its title, or its id.',
  chain: 'Which chain? That name is not a known chain.',
  range:
    'Which period? Attention is known over 7 and 30 days, traders over 30 days, 90 days and all time, ' +
    'on-chain wallets over 7, 30 and 90 days, one on-chain wallet over 30 days and all time. ' +
    'The markets behind a result of a trader, and comparisons of traders, cover all time. ' +
    'Odds are current, volumes of markets cover 24 hours, and signals are listed since an instant.',
  term: 'Which term? Name a field, a tag or an archetype of the documentation.',
  signal: 'Which signal? Name the id of a signal of the feed.',
} as const

/** A thing that a question lacks. */
export type Missing = keyof typeof missing

export const missingNames = Object.keys(missing) as [Missing, ...Missing[]]

/** The sentence that asks for it. */
export const askFor = (thing: Missing): string => missing[thing]
