import { createdBy } from './created_account.ts'
import { isExactInteger, type ExactInteger } from './exact_json.ts'
import { systemProgram } from './programs.ts'

/** A token account of a transaction, with its amounts before and after it; null where the account did not exist. */
export type TokenAccount = {
  index: number
  owner: string
  mint: string
  program: string | null
  decimals: number
  pre: bigint | null
  post: bigint | null
}

/** A call of a program, top level or inner: positions of its accounts in `keys`. */
export type Call = { program: string; accounts: readonly number[] }

/** An account that a call of the system program made: the rent that it was given, and its payer. */
export type CreatedAccount = { index: number; payer: string; rent: bigint }

/** A transaction with the facts that rows follow from. Lamports are before and after it, by position in `keys`. */
export type SolanaTransaction = {
  signature: string
  isOk: boolean
  fee: bigint
  keys: readonly string[]
  signers: ReadonlySet<string>
  pre: readonly ExactInteger[]
  post: readonly ExactInteger[]
  tokens: readonly TokenAccount[]
  calls: readonly Call[]
  created: readonly CreatedAccount[]
}

/** A transaction that has another shape than the methods `getBlock` and `getTransaction` document. */
export class MalformedTransaction extends Error {
  constructor(problem: string) {
    super(`transaction: ${problem}`)
    this.name = 'MalformedTransaction'
  }
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const fieldsOf = (value: unknown, name: string): Fields => {
  if (isFields(value)) return value
  throw new MalformedTransaction(`${name} ${JSON.stringify(value) ?? 'missing'}; expected an object`)
}
const listOf = (value: unknown, name: string): readonly unknown[] => {
  if (Array.isArray(value)) return value
  throw new MalformedTransaction(`${name} ${JSON.stringify(value) ?? 'missing'}; expected an array`)
}
const optionalList = (value: unknown, name: string): readonly unknown[] =>
  value === null || value === undefined ? [] : listOf(value, name)
const textOf = (value: unknown, name: string): string => {
  if (typeof value === 'string' && value !== '') return value
  throw new MalformedTransaction(`${name} ${JSON.stringify(value) ?? 'missing'}; expected text`)
}

/**
 * Reads a transaction of `getBlock` or `getTransaction`, in the encoding `json` or `jsonParsed`, from
 * `parseExactJson`. Throws a {@link MalformedTransaction}.
 */
export function readTransaction(body: unknown): SolanaTransaction {
  const { transaction, meta } = fieldsOf(body, 'body')
  const sent = fieldsOf(transaction, 'transaction')
  const done = fieldsOf(meta, 'meta')
  const message = fieldsOf(sent['message'], 'message')
  const { keys, signers } = keysOf(message, done)
  const { fee } = done
  if (!isExactInteger(fee)) throw new MalformedTransaction(`fee ${JSON.stringify(fee)}; expected lamports`)
  const lists = [listOf(message['instructions'], 'instructions')]
  for (const inner of optionalList(done['innerInstructions'], 'innerInstructions'))
    lists.push(listOf(fieldsOf(inner, 'innerInstructions')['instructions'], 'instructions'))
  const { calls, created } = callsOf(lists, keys)
  return {
    signature: textOf(listOf(sent['signatures'], 'signatures')[0], 'signature'),
    isOk: done['err'] === null || done['err'] === undefined,
    fee: BigInt(fee),
    keys,
    signers,
    pre: balancesOf(done, 'preBalances', keys.length),
    post: balancesOf(done, 'postBalances', keys.length),
    tokens: tokensOf(done, keys),
    calls,
    created,
  }
}

function balancesOf(done: Fields, name: string, n_keys: number): readonly ExactInteger[] {
  const list = listOf(done[name], name)
  if (list.length === n_keys && list.every(isExactInteger)) return list
  throw new MalformedTransaction(`${name} of ${list.length} accounts; expected lamports of ${n_keys}`)
}

/** All accounts. In `jsonParsed` the accounts of lookup tables already stand among those of the message. */
function keysOf(message: Fields, { loadedAddresses }: Fields): Pick<SolanaTransaction, 'keys' | 'signers'> {
  const messageKeys = listOf(message['accountKeys'], 'accountKeys')
  if (messageKeys.some(isFields)) {
    const parsed = messageKeys.map((key) => fieldsOf(key, 'accountKeys'))
    const keys = parsed.map(({ pubkey }) => textOf(pubkey, 'pubkey'))
    return { keys, signers: new Set(keys.filter((_, n) => parsed[n]?.['signer'] === true)) }
  }
  const loaded = isFields(loadedAddresses) ? loadedAddresses : {}
  const lists = [
    messageKeys,
    optionalList(loaded['writable'], 'writable'),
    optionalList(loaded['readonly'], 'readonly'),
  ]
  const keys: string[] = []
  for (const list of lists) for (const key of list) keys.push(textOf(key, 'accountKeys'))
  const n_signers = fieldsOf(message['header'], 'header')['numRequiredSignatures']
  if (typeof n_signers !== 'number') throw new MalformedTransaction('no numRequiredSignatures; expected a number')
  return { keys, signers: new Set(keys.slice(0, n_signers)) }
}

function tokensOf({ preTokenBalances, postTokenBalances }: Fields, keys: readonly string[]): TokenAccount[] {
  const accounts: TokenAccount[] = []
  for (const entry of optionalList(preTokenBalances, 'preTokenBalances')) addBalance(accounts, entry, 'pre', keys)
  for (const entry of optionalList(postTokenBalances, 'postTokenBalances')) addBalance(accounts, entry, 'post', keys)
  return accounts
}

function addBalance(accounts: TokenAccount[], entry: unknown, side: 'pre' | 'post', keys: readonly string[]): void {
  const { accountIndex, mint, owner, programId, uiTokenAmount } = fieldsOf(entry, 'token balance')
  const { amount, decimals } = fieldsOf(uiTokenAmount, 'uiTokenAmount')
  const index = Number(accountIndex)
  const key = keys[index]
  if (key === undefined || !isExactInteger(amount) || typeof decimals !== 'number')
    throw new MalformedTransaction(`token balance of account ${index}; expected a raw amount of an account`)
  // Nodes before slot 110 million name no owner. The token account then stands for it.
  const holder = typeof owner === 'string' ? owner : key
  const held = BigInt(amount)
  for (const account of accounts)
    if (account.index === index && account.owner === holder) {
      account[side] = held
      return
    }
  accounts.push({
    index,
    owner: holder,
    mint: textOf(mint, 'mint'),
    program: typeof programId === 'string' ? programId : null,
    decimals,
    pre: side === 'pre' ? held : null,
    post: side === 'post' ? held : null,
  })
}

type Calls = { calls: Call[]; created: CreatedAccount[] }

function callsOf(lists: readonly (readonly unknown[])[], keys: readonly string[]): Calls {
  const collected: Calls = { calls: [], created: [] }
  for (const list of lists) for (const body of list) addCall(collected, fieldsOf(body, 'instruction'), keys)
  return collected
}

function addCall({ calls, created }: Calls, body: Fields, keys: readonly string[]): void {
  const { programIdIndex, programId, accounts } = body
  const program = typeof programIdIndex === 'number' ? keys[programIdIndex] : programId
  if (typeof program !== 'string') throw new MalformedTransaction('instruction without a program; expected one')
  if (program === systemProgram) {
    const made = createdBy(body)
    const payer = made === undefined ? undefined : keys[positionOf(made.payer, keys)]
    if (made !== undefined && payer !== undefined)
      created.push({ index: positionOf(made.account, keys), payer, rent: made.rent })
  } else calls.push({ program, accounts: positionsOf(optionalList(accounts, 'accounts'), keys) })
}

const isPosition = (account: unknown): account is number => typeof account === 'number'

/** Positions of accounts that are named by position, or by address in `jsonParsed`. */
const positionsOf = (accounts: readonly unknown[], keys: readonly string[]): readonly number[] =>
  accounts.every(isPosition) ? accounts : accounts.map((account) => positionOf(account, keys))

const positionOf = (account: unknown, keys: readonly string[]): number =>
  isPosition(account) ? account : keys.lastIndexOf(String(account))
