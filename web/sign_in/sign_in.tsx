import { isSignedOut, RequestError } from '#web/client/request.ts'
import { signIn } from '#web/client/sign_in.ts'
import { Field } from '#web/ui/field.tsx'
import { Form, type FieldValues } from '#web/ui/form.tsx'
import { Frame } from '#web/ui/frame.tsx'

/** The page `/sign-in`. */
export function SignIn() {
  return (
    <Frame title="Sign in">
      <Form label="Sign in" submit={submit}>
        <Field name="email" label="E-mail" type="email" autocomplete="username" required />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
      </Form>
      <p>
        <a href="forgot-password">Forgotten password</a>
      </p>
      <p>
        No account yet? <a href="sign-up">Create an account</a>
      </p>
    </Frame>
  )
}

const submit = async (fields: FieldValues): Promise<void> => {
  await signIn({ email: fields('email'), password: fields('password') }).catch((error: unknown) => {
    if (isSignedOut(error)) throw new RequestError('unauthorized', 'The e-mail or the password is wrong.')
    throw error
  })
  location.assign(`settings${location.hash}`)
}
