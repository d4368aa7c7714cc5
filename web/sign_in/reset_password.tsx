import { useState } from 'preact/hooks'

import { resetPassword } from '#web/client/sign_in.ts'
import { Form } from '#web/ui/form.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { Status } from '#web/ui/notice.tsx'

import { NewPassword } from './new_password.tsx'

/** The page `/reset-password`, which a link opens. The token is in the fragment, which is not sent to the service. */
export function ResetPassword() {
  const [isReset, setIsReset] = useState(false)
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  return (
    <Frame title="Set a new password">
      <Status>
        {isReset && (
          <p>
            The new password is set, and all sessions have ended. <a href="sign-in">Sign in</a>
          </p>
        )}
      </Status>
      {token === null && (
        <p>
          This address has no token. <a href="forgot-password">Request a link</a> and open it.
        </p>
      )}
      {token !== null && !isReset && (
        <Form
          label="Set the password"
          submit={async (fields) => {
            await resetPassword({ token, newPassword: fields('password') })
            setIsReset(true)
          }}
        >
          <NewPassword label="New password" />
        </Form>
      )}
    </Frame>
  )
}
