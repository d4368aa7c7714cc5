import { useRef } from 'preact/hooks'

import { readSettings } from '#web/client/account.ts'
import { Frame } from '#web/ui/frame.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useLoad } from '#web/ui/use_load.ts'

import { DeadLetters } from './dead_letters.tsx'
import { Keys } from './keys.tsx'
import { MessagingAccount } from './messaging_account.tsx'
import { Plan } from './plan.tsx'
import { Usage } from './usage.tsx'

/** The page `/settings`. */
export function Settings() {
  const { data: settings, error, reload } = useLoad(readSettings)
  const messaging = useRef<HTMLHeadingElement>(null)
  return (
    <Frame title="Account settings">
      <Failure message={error} />
      {settings !== null && (
        <>
          <p>Signed in as {settings.email}</p>
          <section aria-labelledby="api">
            <h2 id="api">API</h2>
            <Keys keys={settings.keys} reload={reload} />
            <Plan settings={settings} />
            <Usage />
          </section>
          <section aria-labelledby="messaging">
            <h2 id="messaging" ref={messaging} tabIndex={-1}>
              Messaging account
            </h2>
            <MessagingAccount
              messaging={settings.messaging}
              reload={reload}
              unlinked={() => messaging.current?.focus()}
            />
            <DeadLetters />
          </section>
        </>
      )}
    </Frame>
  )
}
