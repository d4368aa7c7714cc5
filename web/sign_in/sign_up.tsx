import { signUp } from '#web/client/sign_in.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, type FieldValues } from '#web/ui/form.tsx'
import { Frame } from '#web/ui/frame.tsx'

import { NewPassword } from './new_password.tsx'

/** The page `/sign-up`. */
export function SignUp() {
  return (
    <Frame title="Create an account">
      <p>An account has its own API keys, limits and watchlists.</p>
      <Form label="Create the account" submit={submit}>
        <Field name="email" label="E-mail" type="email" autocomplete="username" maxLength={254} required />
        <NewPassword label="Password" />
      </Form>
      <p>
        You have an account? <a href="sign-in">Sign in</a>
      </p>
    </Frame>
  )
}

const submit = async (fields: FieldValues): Promise<void> => {
  await signUp({ email: fields('email'), password: fields('password') })
  location.assign('settings')
}
