import { randomUUID } from 'node:crypto'

import type { Transporter } from 'nodemailer'
import { z } from 'zod'

import { MessengerError, type Connect, type Failure, type Messenger } from './messenger.ts'

/** A mail server, and the sender of its mails. */
export type MailServer = { url: string; from: string }

const settings = z.object({
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/\S+$/, 'expected a URL such as smtps://user:password@host')
    .optional()
    .meta({
      description:
        'A mail server for alerts, and for links that reset a password; by default `tapeline account reset-link` prints these',
      isSecret: true,
    }),
  SMTP_FROM: z.string().min(3).default('tapeline@localhost').describe('The sender of these mails'),
})

/** The mail server of an environment; undefined without one. */
export function mailServerOf(env: Record<string, string | undefined>): MailServer | undefined {
  const { SMTP_URL: url, SMTP_FROM: from } = settings.parse(env)
  return url === undefined ? undefined : { url, from }
}

/** Mails. A person confirms an address by a link, since others know it. */
export const email: Messenger = {
  id: 'email',
  name: 'E-mail',
  linking: 'mail',
  addressForm: 'an e-mail address',
  parseAddress: (text) => {
    const address = z.email().max(254).safeParse(text)
    return address.success ? { chat_id: address.data, handle: address.data } : null
  },
  settings,
  configure: (env) => {
    const server = mailServerOf(env)
    return server && connectMail(server)
  },
  pace: { bot_ms: 50, chat_ms: 1_000, n_at_once: 5 },
}

const limit_ms = 10_000

/** Connects to a mail server. The library is loaded with the first mail. */
export const connectMail =
  ({ url, from }: MailServer): Connect =>
  (ending) => {
    let opening: Promise<Transporter> | undefined
    ending.addEventListener('abort', () => void opening?.then((transport) => transport.close()))
    return {
      send: async (to, text, delivery) => {
        opening ??= openTransport(url)
        const [title = '', ...lines] = text.split('\n')
        const host = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'
        const mail = {
          from,
          to: { name: '', address: to },
          subject: `Tapeline: ${title}`,
          text: `${[title, ...lines].join('\n')}\n\nYour account settings end these mails.\n`,
          // Mail servers and readers drop a repetition by it.
          messageId: `<${delivery?.id ?? randomUUID()}@${host}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        }
        await (await opening).sendMail(mail).catch((error: unknown) => {
          throw faultOf(error)
        })
      },
    }
  }

async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const times = { connectionTimeout: limit_ms, greetingTimeout: limit_ms, socketTimeout: limit_ms }
  return createTransport({ url, pool: true, maxConnections: 5, ...times })
}

const failure = z.object({ code: z.string().optional(), responseCode: z.number().optional() })

/** The codes alone: a message of a mail server may repeat the address. A code of 500 and above is final. */
function faultOf(error: unknown): MessengerError {
  const { code = 'unknown error', responseCode } = failure.safeParse(error).data ?? {}
  // The login of this installation is no fault of the address.
  const kind: Failure = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH' ? 'refused' : 'passing'
  const reason = responseCode === undefined ? code : `${code} ${responseCode}`
  return new MessengerError(`email: ${reason}`, { kind, pause_s: null })
}
