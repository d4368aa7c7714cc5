import { useEffect, useState } from 'preact/hooks'

import { linkMessaging, unlinkMessaging, type Messaging, type MessagingLink } from '#web/client/account.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form } from '#web/ui/form.tsx'
import { Moment } from '#web/ui/moment.tsx'
import { Status } from '#web/ui/notice.tsx'

/** The interval at which the page asks whether the link was opened. */
const poll_ms = 2_000

/** `unlinked` is called once the account is unlinked, whose button is gone then. */
type MessagingAccountProps = { messaging: Messaging; reload: () => Promise<void>; unlinked: () => void }

/** The Telegram account that receives alerts: its handle, the link to the bot, and whether it is linked. */
export function MessagingAccount({ messaging: { bot, handle, linked }, reload, unlinked }: MessagingAccountProps) {
  const [link, setLink] = useState<MessagingLink | null>(null)
  const isWaiting = link !== null && !linked
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload()
    }, poll_ms)
    return () => clearInterval(timer)
  }, [isWaiting, reload])

  return (
    <>
      <p>Alerts are sent to a Telegram account. The bot can write to it after you open a link.</p>
      <Status>{linked ? <p>Linked: {handle} receives your alerts.</p> : <p>No Telegram account is linked.</p>}</Status>
      {linked ? (
        <Confirm
          label="Unlink"
          subject={handle ?? ''}
          question={`Unlink ${handle}?`}
          done={unlinked}
          act={async () => {
            setLink(null)
            await unlinkMessaging()
            await reload()
          }}
        >
          <p>Alerts are no longer delivered.</p>
        </Confirm>
      ) : bot === null ? (
        <p>No Telegram bot is available. The operator of this installation sets one up.</p>
      ) : (
        <Form label="Get a link" submit={async (fields) => setLink(await linkMessaging(fields('handle')))}>
          <Field
            name="handle"
            label="Telegram user name"
            hint="Such as @name"
            defaultValue={handle ?? ''}
            maxLength={100}
            autocomplete="off"
            required
          />
        </Form>
      )}
      {isWaiting && <OpenLink link={link} bot={bot} />}
    </>
  )
}

function OpenLink({ link: { url, expires_at }, bot }: { link: MessagingLink; bot: string | null }) {
  return (
    <div class="notice">
      <p>
        <a href={url} target="_blank" rel="noopener noreferrer">
          Open @{bot} in Telegram
        </a>{' '}
        and press Start. The link works once, until <Moment at={expires_at} format="time" />.
      </p>
      <p>This page notices when the account is linked.</p>
    </div>
  )
}
