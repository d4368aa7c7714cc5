import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'

import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'

/** A mail that a server was given, and the outcome. `lost`: the connection ended before the answer. */
export type Mail = { to: string; body: string; outcome: 'delivered' | 'limited' | 'failed' | 'cut' | 'lost' }

/** Serves SMTP on the loopback interface. `unknown` receivers are refused for good. */
export async function serveMail({
  disturb = () => null,
  unknown = [],
}: { disturb?: () => Exclude<Mail['outcome'], 'delivered'> | null; unknown?: readonly string[] } = {}) {
  const mails: Mail[] = []
  const listeners: ((mail: Mail) => void)[] = []
  const sockets = new Map<number, Socket>()
  const take = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | null> => {
    const body = await text(stream)
    const outcome = disturb() ?? 'delivered'
    const mail: Mail = { to: session.envelope.rcptTo[0]?.address ?? '', body, outcome }
    mails.push(mail)
    for (const listener of listeners) listener(mail)
    if (outcome === 'cut' || outcome === 'lost') sockets.get(session.remotePort)?.destroy()
    if (outcome === 'limited') return refusal(450, 'Too many mails, try again later')
    return outcome === 'failed' ? refusal(451, 'Local error') : null
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onConnect: (_session, done) => done(),
    onRcptTo: ({ address }, _session, done) =>
      unknown.includes(address) ? done(refusal(550, '5.1.1 No such mailbox')) : done(),
    onData: (stream, session, answer) => {
      void take(stream, session).then(answer, answer)
    },
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket) => void sockets.set(socket.remotePort ?? 0, socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    onMail: (listener: (mail: Mail) => void) => void listeners.push(listener),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const refusal = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode })
