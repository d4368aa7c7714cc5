import { useState } from 'preact/hooks'

import { requestReset } from '#web/client/sign_in.ts'
import { Field } from '#web/ui/field.tsx'
import { Form } from '#web/ui/form.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { Status } from '#web/ui/notice.tsx'

/** The page `/forgot-password`. It does not state whether an account exists. */
export function ForgotPassword() {
  const [email, setEmail] = useState<string | null>(null)
  return (
    <Frame title="Forgotten password">
      <Form
        label="Request a link"
        submit={async (fields) => {
          await requestReset(fields('email'))
          setEmail(fields('email'))
        }}
      >
        <Field name="email" label="E-mail" type="email" autocomplete="username" required />
      </Form>
      <Status>
        {email !== null && (
          <>
            <p>If {email} has an account, a link that sets a new password is on its way. It is valid for an hour.</p>
            <p>An installation that sends no e-mail has the link from its operator.</p>
          </>
        )}
      </Status>
      <p>
        <a href="sign-in">Sign in</a>
      </p>
    </Frame>
  )
}
