import { useEffect, useState } from 'preact/hooks'

import { signOut } from '#web/client/sign_in.ts'
import { readAccount, type Account as SignedIn } from '#web/client/visit.ts'

import { isCurrent } from './current_page.ts'
import { Failure } from './notice.tsx'
import { useAction } from './use_action.ts'

const visitors = { 'sign-in': 'Sign in', 'sign-up': 'Create an account' }
const people = { settings: 'Settings', watchlists: 'Watchlists' }

/** The links of the account: of a visitor, or of a signed-in person. They are empty until that is known. */
export function Account() {
  const [account, setAccount] = useState<SignedIn | undefined>()
  useEffect(() => {
    // A page without an answer has other requests that fail, and these say why.
    readAccount().then(setAccount, () => setAccount(null))
  }, [])
  const { run, error } = useAction(async () => {
    await signOut()
    location.assign('sign-in')
  })
  return (
    <>
      <nav aria-label="Account" class="account">
        {account !== undefined &&
          Object.entries(account === null ? visitors : people).map(([page, text]) => (
            <a key={page} href={page} aria-current={isCurrent(page) ? 'page' : undefined}>
              {text}
            </a>
          ))}
        {account !== undefined && account !== null && (
          <button type="button" class="plain" onClick={() => void run()}>
            Sign out
          </button>
        )}
      </nav>
      <Failure message={error} />
    </>
  )
}
