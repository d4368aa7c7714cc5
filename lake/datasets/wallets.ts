import { amount, count, optional, text, time } from '#lake/columns.ts'

import { dataset } from './dataset.ts'

export const addresses = dataset({
  name: 'addresses',
  version: 1,
  doc:
    'The code and owner of an address. `kind` is `contract` for code that is not a known account, otherwise the kind of ' +
    'account: `eoa` without code, `delegated` (EIP-7702), `safe`, or `smart_account` for code that sent a ' +
    'transaction or an operation of ERC-4337. `owner` is the only owner of a Safe; other accounts have none. ' +
    '`first_tx_at` is the block of the first transaction that an `eoa` or `delegated` account sent, or of the ' +
    'delegation that it signed before, if it sent none in the seven days before the day of its first swap. Otherwise ' +
    'it is null: the account is older, has sent nothing, is a contract, or no endpoint had the state of the old ' +
    'blocks. So null never means a fresh wallet.',
  key: ['chain', 'address', 'seen_at'],
  columns: {
    chain: text,
    address: text,
    seen_at: time,
    code_hash: optional(text),
    kind: optional(text),
    owner: optional(text),
    first_tx_at: optional(time),
    source: text,
  },
})

export const balances = dataset({
  name: 'balances',
  version: 1,
  doc:
    'The amount of a token that an address held after a block, 0 included. `native` is the coin of the chain. All ' +
    'rows of a reading are of one final block, and `seen_at` is its time. `core.balance_checks` compares them with ' +
    'the lots. `/v1/wallet` shows the last of them where no node answers. Of a wallet without rows it shows what is ' +
    'left of the lots then, and `stable_share` is null.',
  key: ['chain', 'address', 'token', 'seen_at'],
  columns: {
    chain: text,
    address: text,
    token: text,
    seen_at: time,
    block: count,
    amount,
    source: text,
  },
})
