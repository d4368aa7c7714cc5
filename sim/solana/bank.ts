import { mainnet } from './names.ts'

/** The lamports that a token account is given, and gives back. */
export const rent = 2_039_280n

/** A token account. The lamports of one of wrapped SOL are its rent and its amount. */
export type TokenAccount = { address: string; owner: string; mint: string; amount: bigint }

/** A call of a program, with its accounts by address. */
export type BankCall = { program: string; accounts: readonly string[]; data: string; isInner?: boolean }

/** A transaction as it happened: balances of all its accounts before and after it. */
export type BankTransaction = {
  payer: string
  signers: readonly string[]
  calls: readonly BankCall[]
  fee: bigint
  isOk: boolean
  lamports: ReadonlyMap<string, { pre: bigint; post: bigint }>
  tokens: ReadonlyMap<string, { account: Omit<TokenAccount, 'amount'>; pre: bigint | null; post: bigint | null }>
}

/** The accounts of the chain. */
export type Bank = {
  /** Gives an owner lamports before the first transaction. */
  grant: (owner: string, lamports: bigint) => void
  balanceOf: (owner: string) => bigint
  /** The amount of an owner's account; null if there is none. */
  heldBy: (owner: string, mint: string) => bigint | null
  accountsOf: (owner: string) => TokenAccount[]
  begin: (payer: string, signers?: readonly string[]) => Draft
}

/** A transaction that is being made. Each change takes effect at once. */
export type Draft = {
  send: (from: string, to: string, lamports: bigint) => void
  /** Opens the account of an owner, paid by `payer`, unless it is there. Returns whether it was opened. */
  open: (owner: string, mint: string, payer: string) => boolean
  /** Closes an empty account; the owner gets the rent. */
  close: (owner: string, mint: string) => void
  /** Puts lamports of an owner into its account of wrapped SOL. */
  wrap: (owner: string, lamports: bigint) => void
  move: (mint: string, from: string, to: string, amount: bigint) => void
  mint: (mint: string, to: string, amount: bigint) => void
  call: (call: BankCall) => void
  /** The address of the account of an owner. */
  addressOf: (owner: string, mint: string) => string
  done: (fee: bigint, isOk?: boolean) => BankTransaction
}

/** All accounts: lamports by address, and token accounts by their own. */
type State = {
  lamports: Map<string, bigint>
  accounts: Map<string, TokenAccount>
  addressOf: (owner: string, mint: string) => string
}

/** Makes an empty bank. `addressOf` names the account of an owner and mint. */
export function createBank(addressOf: State['addressOf']): Bank {
  const state: State = { lamports: new Map(), accounts: new Map(), addressOf }
  const { lamports, accounts } = state
  return {
    grant: (owner, amount) => void lamports.set(owner, amount),
    balanceOf: (owner) => lamports.get(owner) ?? 0n,
    heldBy: (owner, mint) => accounts.get(addressOf(owner, mint))?.amount ?? null,
    accountsOf: (owner) => [...accounts.values()].filter((account) => account.owner === owner),
    begin: (payer, signers = [payer]) => beginDraft(state, payer, signers),
  }
}

/** Changes of accounts, with what they were before. */
function openChanges({ lamports, accounts, addressOf }: State) {
  const before = { lamports: new Map<string, bigint>(), tokens: new Map<string, TokenAccount | null>() }
  const touch = (owner: string): void => {
    if (!before.lamports.has(owner)) before.lamports.set(owner, lamports.get(owner) ?? 0n)
  }
  const add = (owner: string, amount: bigint): void => {
    touch(owner)
    lamports.set(owner, (lamports.get(owner) ?? 0n) + amount)
  }
  const note = (address: string): void => {
    const account = accounts.get(address)
    if (!before.tokens.has(address)) before.tokens.set(address, account === undefined ? null : { ...account })
    touch(address)
  }
  const change = (mint: string, owner: string, amount: bigint): void => {
    const address = addressOf(owner, mint)
    note(address)
    const account = accounts.get(address)
    if (account === undefined) throw new Error(`${owner}: no account of ${mint}; expected one`)
    account.amount += amount
    if (mint === mainnet.wrapped) add(address, amount)
  }
  return { before, touch, add, note, change }
}

function beginDraft(state: State, payer: string, signers: readonly string[]): Draft {
  const { lamports, accounts, addressOf } = state
  const { before, touch, add, note, change } = openChanges(state)
  const calls: BankCall[] = []
  const send: Draft['send'] = (from, to, amount) => {
    add(from, -amount)
    add(to, amount)
  }
  return {
    send,
    open: (owner, mint, by) => {
      const address = addressOf(owner, mint)
      note(address)
      if (accounts.has(address)) return false
      accounts.set(address, { address, owner, mint, amount: 0n })
      send(by, address, rent)
      calls.push({ program: mainnet.system, accounts: [by, address], data: 'createAccount', isInner: true })
      return true
    },
    close: (owner, mint) => {
      const address = addressOf(owner, mint)
      note(address)
      send(address, owner, lamports.get(address) ?? 0n)
      accounts.delete(address)
    },
    wrap: (owner, amount) => {
      add(owner, -amount)
      change(mainnet.wrapped, owner, amount)
    },
    move: (mint, from, to, amount) => {
      change(mint, from, -amount)
      change(mint, to, amount)
    },
    mint: (mint, to, amount) => change(mint, to, amount),
    call: (call) => void calls.push(call),
    addressOf,
    done: (fee, isOk = true) => {
      add(payer, -fee)
      for (const owner of calls.flatMap((call) => [call.program, ...call.accounts])) touch(owner)
      for (const signer of signers) touch(signer)
      const changed = [...before.lamports].map(
        ([owner, pre]) => [owner, { pre, post: lamports.get(owner) ?? 0n }] as const,
      )
      return { payer, signers, calls, fee, isOk, lamports: new Map(changed), tokens: tokensOf(before.tokens, accounts) }
    },
  }
}

function tokensOf(
  before: ReadonlyMap<string, TokenAccount | null>,
  after: ReadonlyMap<string, TokenAccount>,
): BankTransaction['tokens'] {
  const tokens = new Map<string, { account: TokenAccount; pre: bigint | null; post: bigint | null }>()
  for (const [address, pre] of before) {
    const post = after.get(address)
    const account = post ?? pre
    if (account) tokens.set(address, { account: { ...account }, pre: pre?.amount ?? null, post: post?.amount ?? null })
  }
  return tokens
}
