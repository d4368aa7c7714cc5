import { useEffect, useState } from 'preact/hooks'

import { resetPassword } from '#web/client/sign_in.ts'
import { Form } from '#web/ui/form.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { Status } from '#web/ui/notice.tsx'

import { NewPassword } from './new_password.tsx'

/** The page `/reset-password`, which a link opens. The token is in the fragment, which is not sent to the service. */
export function ResetPassword() {
  const [token, setToken] = useState(tokenOfAddress)
  const [used, setUsed] = useState<string | null>(null)
  const isReset = token !== null && token === used
  // A second link that is opened in the same tab changes the fragment alone. The link to the content removes it.
  useEffect(() => {
    const follow = () => setToken((before) => tokenOfAddress() ?? before)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
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
          key={token}
          label="Set the password"
          submit={async (fields) => {
            await resetPassword({ token, newPassword: fields('password') })
            setUsed(token)
          }}
        >
          <NewPassword label="New password" />
        </Form>
      )}
    </Frame>
  )
}

const tokenOfAddress = (): string | null => new URLSearchParams(location.hash.slice(1)).get('token')
