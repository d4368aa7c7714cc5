import { useEffect, useId, useState } from 'preact/hooks'

import {
  confirmMessaging,
  linkMessaging,
  unlinkMessaging,
  type BotLink,
  type Messaging,
  type Linking,
  type Messenger,
} from '#web/client/account.ts'
import { Confirm } from '#web/ui/confirm.tsx'
import { Copied } from '#web/ui/copied.tsx'
import { Field } from '#web/ui/field.tsx'
import { Form } from '#web/ui/form.tsx'
import { Moment } from '#web/ui/moment.tsx'
import { Failure, Status } from '#web/ui/notice.tsx'
import { useAction } from '#web/ui/use_action.ts'

/** The interval at which the page asks whether the link was opened. */
const poll_ms = 2_000

/** `unlinked` is called once the account is unlinked, whose button is gone then. */
type MessagingAccountProps = { messaging: Messaging; reload: () => Promise<void>; unlinked: () => void }

/** The messaging account that receives alerts: its handle, the way to link it, and whether it is linked. */
export function MessagingAccount({ messaging, reload, unlinked }: MessagingAccountProps) {
  const { platform, handle, linked, messengers } = messaging
  const [link, setLink] = useState<Linking | null>(null)
  const [chosen, setChosen] = useState(platform)
  const isWaiting = link !== null && !linked
  const { error } = useConfirmation(reload)
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
      <p>{explanationOf(messenger)}</p>
      <Failure message={error} />
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
      ) : messenger === undefined || (messenger.linking === 'bot' && messenger.bot === null) ? (
        <p>No {account} bot is available. The operator of this installation sets one up.</p>
      ) : (
        <Form
          key={messenger.id}
          label={messenger.linking === 'address' ? 'Link' : 'Get a link'}
          submit={async (fields) => {
            setLink(await linkMessaging({ handle: fields('handle'), messenger: messenger.id }))
            await reload()
          }}
        >
          <Field
            name="handle"
            label={`${account} ${messenger.linking === 'bot' ? 'user name' : 'address'}`}
            hint={messenger.linking === 'bot' ? 'Such as @name' : `Enter ${messenger.form}`}
            defaultValue={messenger.id === platform ? (handle ?? '') : ''}
            maxLength={1000}
            autocomplete="off"
            required
          />
        </Form>
      )}
      {!linked && messengers.length > 1 && <Choice messengers={messengers} chosen={messenger?.id} choose={setChosen} />}
      {isWaiting && messenger !== undefined && 'url' in link && <OpenLink link={link} messenger={messenger} />}
      {isWaiting && 'sent_to' in link && <OpenMail link={link} />}
      {linked && link !== null && 'secret' in link && <Secret secret={link.secret ?? ''} />}
    </>
  )
}

/** How a messenger links, for people. */
function explanationOf(messenger: Messenger | undefined): string {
  if (messenger === undefined) return 'Alerts are sent to a messaging account.'
  if (messenger.linking === 'bot')
    return `Alerts are sent to a ${messenger.name} account. The bot can write to it after you open a link.`
  return messenger.linking === 'mail'
    ? 'Alerts are sent to an e-mail address. You confirm it by a link in a mail.'
    : `Alerts are sent to an address of ${messenger.name}. It gets a message when it is linked.`
}

/** Confirms the address of a link in a mail, whose token is in the fragment of the page. */
function useConfirmation(reload: () => Promise<void>) {
  const confirm = useAction(async (token: string) => {
    await confirmMessaging(token)
    history.replaceState(null, '', location.pathname)
    await reload()
  })
  useEffect(() => {
    const token = /^#confirm=([\w-]+)$/.exec(location.hash)?.[1]
    if (token !== undefined) void confirm.run(token)
  }, [])
  return confirm
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

function OpenLink({ link, messenger: { name, bot } }: { link: BotLink; messenger: Messenger }) {
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

function OpenMail({ link }: { link: { sent_to: string; expires_at: string } }) {
  return (
    <div class="notice">
      <p>
        A mail to {link.sent_to} has a link. Open it in this browser, until{' '}
        <Moment at={link.expires_at} format="time" />.
      </p>
    </div>
  )
}

/** The secret of a webhook, which is shown once. */
function Secret({ secret }: { secret: string }) {
  return (
    <div class="notice">
      <p>Your server verifies the signature of each message with this secret. Store it now: it is shown once.</p>
      <Copied name="secret" text={secret} />
    </div>
  )
}
