import { randomBytes } from 'node:crypto'

import { addKey } from '#accounts/account_keys.ts'
import { findAccount, setTier } from '#accounts/people.ts'
import type { Service } from '#bin/wiring/service.ts'
import { machineClock } from '#time.ts'

/** The person of a demo: the e-mail and password of the sign-in page, and an API key of the tier `enterprise`. */
export type DemoAccount = { email: string; password: string; key: string }

const email = 'demo@example.com'

/** Signs up the person of a new demo, as a browser would. */
export async function signUpDemo({ accounts, signIn }: Pick<Service, 'accounts' | 'signIn'>): Promise<DemoAccount> {
  const password = randomBytes(9).toString('base64url')
  const now = machineClock()
  await signIn.signUp({ email, password, name: 'Demo', network: '' })
  const account = await findAccount(accounts, email)
  if (!account) throw new Error(`${email}: no account after its sign-up; expected one`)
  await setTier(accounts, { account_id: account.id, tier: 'enterprise', now })
  const key = await addKey(accounts, { account_id: account.id, actor: 'operator', now }, 'demo')
  if (!key) throw new Error(`${email}: no key was created; expected one`)
  return { email, password, key: key.key }
}
