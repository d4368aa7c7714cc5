import { oracleOf } from '#test/oracle/blind/oracle.ts'
import { revised as revisedClv } from '#test/oracle/blind/rules.ts'

import { balancesOf, type Balance } from './balances.ts'
import type { TraderFacts } from './facts.ts'
import { accountsOf, type Account } from './ledger.ts'
import { listsOf, shownOf, type Listed, type Shown } from './lists.ts'
import { outcomesOf, resultsOf, type Outcome, type Result } from './results.ts'
import type { Rules } from './rules.ts'
import { traitsOf, type Traits } from './traits.ts'
import { washesOf, type Wash } from './washes.ts'

/** The figures of traders as their documentation defines them, in the tables that the models make. */
export type TraderOracle = {
  accounts: Account[]
  outcomes: Outcome[]
  results: Result[]
  balances: Balance[]
  traits: Traits[]
  washes: Map<string, Wash>
  lists: Listed[]
  profiles: Shown[]
}

/** The served closing line values, which no rule here changes. */
export const servedOf = (facts: TraderFacts): Served => oracleOf(facts, revisedClv).served
export type Served = ReturnType<typeof oracleOf>['served']

export function tradersOf(facts: TraderFacts, served: Served, rules: Rules): TraderOracle {
  const accounts = accountsOf(facts, rules)
  const outcomes = accounts.flatMap((account) => outcomesOf(account, rules))
  const results = resultsOf(accounts, outcomes, facts.at, rules)
  const traits = traitsOf({ facts, accounts, outcomes, results, served }, rules)
  const washes = washesOf(facts, rules)
  const judged = { accounts, results, traits, washes, served }
  const profiles = shownOf(judged).filter(({ result }) => result.range === 'all')
  const balances = balancesOf(facts, accounts, rules)
  return { accounts, outcomes, results, balances, traits, washes, lists: listsOf(judged, rules), profiles }
}
