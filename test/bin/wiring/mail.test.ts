import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'

import { resetMails } from '#bin/wiring/mail.ts'
import { until } from '#test/run/eventually.ts'

const link = { email: 'ann@example.com', url: 'https://tapeline.example/reset-password#token=canary' }

const newLog = () => {
  const lines: string[] = []
  return { lines, log: pino({}, { write: (line: string) => void lines.push(line) }) }
}

/** A mail server that accepts each mail, or rejects each recipient. */
async function startSmtp(recipient: string): Promise<{ url: string; received: string[] }> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let isData = false
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      const text = chunk.toString()
      received.push(text)
      if (isData && !text.endsWith('\r\n.\r\n')) return
      const answer = isData ? '250 ok' : (answers[text.slice(0, 4)] ?? '250 ok')
      isData = answer.startsWith('354')
      socket.write(`${text.startsWith('RCPT') ? recipient : answer}\r\n`)
    })
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
const answers: Record<string, string> = { DATA: '354 go on' }

test('the link is sent to the person', async () => {
  const { url, received } = await startSmtp('250 ok')
  const { log, lines } = newLog()
  resetMails({ url, from: 'tapeline@tapeline.example' }, log)(link)
  await until(() => received.at(-1)?.endsWith('\r\n.\r\n') === true)
  const all = received.join('').replaceAll('=\r\n', '').replaceAll('=3D', '=')
  expect(all).toContain('RCPT TO:<ann@example.com>')
  expect(all).toContain('From: tapeline@tapeline.example')
  expect(all).toContain(link.url)
  expect(lines).toEqual([])
})

test('a failure is logged, without the address and the link', async () => {
  const { url } = await startSmtp('550 no such user ann@example.com')
  const { log, lines } = newLog()
  resetMails({ url, from: 'tapeline@tapeline.example' }, log)(link)
  await until(() => lines.length > 0)
  expect(lines.join('')).toContain('"reason":"EENVELOPE","msg":"mail: not sent"')
  for (const secret of ['ann@', 'canary']) expect(lines.join('')).not.toContain(secret)
})

test('without a mail server nothing is sent, and the log says so', () => {
  const { log, lines } = newLog()
  resetMails(undefined, log)(link)
  expect(lines.join('')).toContain('SMTP_URL is not set')
  expect(lines.join('')).not.toContain('canary')
})
