import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

import type { NewKey } from '#web/client/account.ts'
import { stayOnPage } from '#web/client/request.ts'
import { Copied } from '#web/ui/copied.tsx'

type ShownKeyProps = { newKey: NewKey; close: () => void; heading: RefObject<HTMLHeadingElement | null> }

/**
 * A new key with a first request. The service stores its hash alone, so the key is never shown again: the page stays
 * until the person leaves it, also if the session ends.
 */
export function ShownKey({ newKey, close, heading }: ShownKeyProps) {
  // An effect after the frame would take the focus from a person who has pressed Tab by then.
  useLayoutEffect(() => heading.current?.focus(), [])
  useLayoutEffect(stayOnPage, [])
  return (
    <div class="notice">
      <h4 ref={heading} tabIndex={-1}>
        Your new key
      </h4>
      <p>Store it now: it is shown once.</p>
      <Copied name="key" text={newKey.key} />
      <p>A first request:</p>
      <Copied name="request" text={firstRequest(newKey.key)} />
      <button type="button" onClick={close}>
        I have stored the key
      </button>
    </div>
  )
}

/** The command of a first request, to an endpoint of every tier. */
const firstRequest = (key: string): string =>
  `curl -H "Authorization: Bearer ${key}" "${new URL('v1/pm-markets?limit=2', document.baseURI).href}"`
