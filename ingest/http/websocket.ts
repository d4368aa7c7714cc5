import { WebSocket } from 'ws'

import manifest from '#package.json' with { type: 'json' }

import type { Connect } from './stream.ts'

const HANDSHAKE_MS = 30_000
const MESSAGE_BYTES = 16 * 1024 * 1024

/** Opens a websocket. It follows no redirect, and a longer message ends the connection. */
export const connectWebSocket: Connect = (url, { hello, onMessage, onClose }) => {
  const socket = new WebSocket(url, {
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MESSAGE_BYTES,
    headers: { 'user-agent': `tapeline/${manifest.version}` },
  })
  socket.on('open', () => {
    for (const text of hello) socket.send(text)
  })
  socket.on('message', (data, isBinary) => {
    if (!isBinary && Buffer.isBuffer(data)) onMessage(data.toString('utf8'))
  })
  // A close follows every error.
  socket.on('error', () => undefined)
  socket.on('close', onClose)
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    terminate: () => socket.terminate(),
  }
}
