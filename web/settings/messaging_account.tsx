import { useEffect, useId, useState } from 'preact/hooks'

import {
  linkMessaging,
  unlinkMessaging,
  type Messaging,
  type MessagingLink,
  type Messenger,
} from '#web/client/account.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form } from '#web/ui/form.tsx'
import { Moment } from '#web/ui/moment.tsx'
import { Status } from '#web/ui/notice.tsx'

/** The interval at which the page asks whether the link was opened. */
const poll_ms = 2_000

/** `unlinked` is called once the account is unlinked, whose button is gone then. */
type MessagingAccountProps = { messaging: Messaging; reload: () => Promise<void>; unlinked: () => void }

/** The messaging account that receives alerts: its handle, the link to the bot, and whether it is linked. */
export function MessagingAccount({ messaging, reload, unlinked }: MessagingAccountProps) {
  const { platform, handle, linked, messengers } = messaging
  const [link, setLink] = useState<MessagingLink | null>(null)
  const [chosen, setChosen] = useState(platform)
  const isWaiting = link !== null && !linked
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload()
    }, poll_ms)
    return () => clearInterval(timer)
  }, [isWaiting, reload])

  const messenger = messengers.find(({ id }) => id === (linked ? platform : chosen)) ?? messengers[0]
  const account = messenger === undefined ? 'messaging' : messenger.name
  return (
    <>
      <p>Alerts are sent to a {account} account. The bot can write to it after you open a link.</p>
      <Status>{linked ? <p>Linked: {handle} receives your alerts.</p> : <p>No {account} account is linked.</p>}</Status>
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
      ) : messenger === undefined || messenger.bot === null ? (
        <p>No {account} bot is available. The operator of this installation sets one up.</p>
      ) : (
        <Form
          label="Get a link"
          submit={async (fields) => setLink(await linkMessaging({ handle: fields('handle'), messenger: messenger.id }))}
        >
          <Field
            name="handle"
            label={`${account} user name`}
            hint="Such as @name"
            defaultValue={handle ?? ''}
            maxLength={100}
            autocomplete="off"
            required
          />
        </Form>
      )}
      {!linked && messengers.length > 1 && <Choice messengers={messengers} chosen={messenger?.id} choose={setChosen} />}
      {isWaiting && messenger !== undefined && <OpenLink link={link} messenger={messenger} />}
    </>
  )
}

type ChoiceProps = { messengers: readonly Messenger[]; chosen: string | undefined; choose: (id: string) => void }

/** The messengers of the installation, of which a person chooses one. */
function Choice({ messengers, chosen, choose }: ChoiceProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>Messenger</label>
      <select id={id} value={chosen} onChange={({ currentTarget: { value } }) => choose(value)}>
        {messengers.map((messenger) => (
          <option value={messenger.id} key={messenger.id}>
            {messenger.name}
          </option>
        ))}
      </select>
    </div>
  )
}

function OpenLink({ link, messenger: { name, bot } }: { link: MessagingLink; messenger: Messenger }) {
  return (
    <div class="notice">
      <p>
        <a href={link.url} target="_blank" rel="noopener noreferrer">
          Open @{bot} in {name}
        </a>{' '}
        and press Start. The link works once, until <Moment at={link.expires_at} format="time" />.
      </p>
      <p>This page notices when the account is linked.</p>
    </div>
  )
}
