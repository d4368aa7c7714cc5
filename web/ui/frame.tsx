import type { ComponentChildren } from 'preact'

import { signOut } from '#web/client/sign_in.ts'

import { Failure } from './notice.tsx'
import { useAction } from './use_action.ts'

type FrameProps = { title: string; isSignedIn?: boolean; children: ComponentChildren }

const visitors = { 'sign-in': 'Sign in', 'sign-up': 'Create an account', docs: 'API documentation' }
const people = { settings: 'Settings', watchlists: 'Watchlists', docs: 'API documentation' }

/** The page around its content: navigation and the heading. */
export function Frame({ title, isSignedIn = false, children }: FrameProps) {
  const { run, error } = useAction(async () => {
    await signOut()
    location.assign('sign-in')
  })
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="./">
          Tapeline
        </a>
        <nav aria-label="Pages">
          {Object.entries(isSignedIn ? people : visitors).map(([page, text]) => (
            <a key={page} href={page} aria-current={location.pathname.endsWith(`/${page}`) ? 'page' : undefined}>
              {text}
            </a>
          ))}
          {isSignedIn && (
            <button type="button" class="plain" onClick={() => void run()}>
              Sign out
            </button>
          )}
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        <h1>{title}</h1>
        <Failure message={error} />
        {children}
      </main>
    </>
  )
}
