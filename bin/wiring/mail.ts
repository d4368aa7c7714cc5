import type { Logger } from 'pino'

import type { SignInParts } from '#accounts/sign_in/sign_in.ts'
import type { Config } from '#config.ts'

/**
 * Sends the links that reset a password through the configured mail server. Without a server it sends nothing: the
 * operator prints the link with `tapeline account reset-link`. The log has neither the link nor the address.
 */
export function resetMails(mail: Config['mail'], log: Logger): SignInParts['sendResetLink'] {
  if (mail === undefined) return () => log.warn('a password reset was requested, but SMTP_URL is not set')
  return ({ email, url }) => {
    // The caller does not wait: the time of a response must not show whether an address has an account.
    send(mail, { to: email, url }).catch((error: unknown) => log.error({ reason: reasonOf(error) }, 'mail: not sent'))
  }
}

async function send({ url: server, from }: NonNullable<Config['mail']>, { to, url }: { to: string; url: string }) {
  // Most processes send no mail.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(server)
  try {
    await transport.sendMail({
      from,
      to,
      subject: 'Reset your Tapeline password',
      text: `Open this link within an hour to set a new password:\n\n${url}\n\nWithout a request of yours, ignore this mail.\n`,
    })
  } finally {
    transport.close()
  }
}

/** The code alone: a message of a mail server may repeat the address. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
