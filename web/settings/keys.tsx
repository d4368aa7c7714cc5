import { useRef, useState } from 'preact/hooks'

import { createKey, regenerateKey, revokeKey, type Key, type NewKey } from '#web/client/account.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form } from '#web/ui/form.tsx'
import { Moment } from '#web/ui/moment.tsx'

import { ShownKey } from './shown_key.tsx'

/** The valid keys of the account. A new key is shown until the person leaves it. */
export function Keys({ keys, reload }: { keys: readonly Key[]; reload: () => Promise<void> }) {
  const [shown, setShown] = useState<NewKey | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const headingOfNew = useRef<HTMLHeadingElement>(null)
  const show = async (made: Promise<NewKey>): Promise<void> => {
    // The list is read beside it: the service shows a key once, and that reading may fail.
    setShown(await made)
    void reload()
  }
  const revoke = async ({ id }: Key): Promise<void> => {
    await revokeKey(id)
    if (shown?.id === id) setShown(null)
    await reload()
  }
  const focusHeading = () => heading.current?.focus()
  const hide = () => {
    setShown(null)
    focusHeading()
  }
  return (
    <section aria-labelledby="keys">
      <h3 id="keys" ref={heading} tabIndex={-1}>
        Keys
      </h3>
      {shown !== null && <ShownKey key={shown.id} newKey={shown} close={hide} heading={headingOfNew} />}
      {keys.length === 0 && <p>You have no key yet. Programs need a key to call the API.</p>}
      <ul class="cards">
        {keys.map((key) => (
          <KeyCard
            key={key.id}
            apiKey={key}
            regenerate={() => show(regenerateKey(key.id))}
            regenerated={() => headingOfNew.current?.focus()}
            revoke={() => revoke(key)}
            revoked={focusHeading}
          />
        ))}
      </ul>
      <Form label="Create a key" isRepeated submit={(fields) => show(createKey(fields('name')))}>
        <Field name="name" label="Name of the key" hint="Optional, such as the program that uses it" maxLength={100} />
      </Form>
    </section>
  )
}

type KeyCardProps = {
  apiKey: Key
  regenerate: () => Promise<void>
  regenerated: () => void
  revoke: () => Promise<void>
  revoked: () => void
}

function KeyCard({ apiKey, regenerate, regenerated, revoke, revoked }: KeyCardProps) {
  const subject = `key ${apiKey.start}`
  return (
    <li>
      <p>
        <code>{apiKey.start}…</code> {apiKey.name}
      </p>
      <p class="hint">
        Created <Moment at={apiKey.created_at} />.{' '}
        {apiKey.last_used_at === null ? (
          'Not used yet.'
        ) : (
          <>
            Last used <Moment at={apiKey.last_used_at} />.
          </>
        )}
      </p>
      <div class="actions">
        <Confirm
          label="Regenerate"
          subject={subject}
          question={`Regenerate ${subject}…?`}
          act={regenerate}
          done={regenerated}
        >
          <p>You get a new key. Programs with the old key are refused within 5 seconds.</p>
        </Confirm>
        <Confirm label="Revoke" subject={subject} question={`Revoke ${subject}…?`} act={revoke} done={revoked}>
          <p>Programs with this key are refused within 5 seconds.</p>
        </Confirm>
      </div>
    </li>
  )
}
