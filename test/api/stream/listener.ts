import { request, type IncomingMessage } from 'node:http'

/** A client of the stream: the ids and the data of its events so far. */
export type StreamClient = {
  status: number
  ids: string[]
  data: string[]
  headers: IncomingMessage['headers']
  /** Stops and continues to read. */
  pause: () => void
  resume: () => void
  isEnded: () => boolean
  close: () => void
}

/** Opens a stream of the feed. It resolves with the headers of the response. */
export const listen = (
  port: number,
  key: string,
  of: { query?: string; lastEventId?: string } = {},
): Promise<StreamClient> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(of.lastEventId === undefined ? {} : { 'last-event-id': of.lastEventId }),
    }
    const req = request(
      { port, host: '127.0.0.1', path: `/v1/feed${of.query ?? ''}`, headers, agent: false },
      (res) => {
        const [ids, data]: [string[], string[]] = [[], []]
        let rest = ''
        let isEnded = false
        res.setEncoding('utf8')
        res.on('data', (text: string) => {
          const blocks = (rest + text).split('\n\n')
          rest = blocks.pop() ?? ''
          for (const block of blocks) {
            const id = /^id: (.*)$/m.exec(block)?.[1]
            const one = /^data: (.*)$/m.exec(block)?.[1]
            if (id === undefined || one === undefined) continue
            ids.push(id)
            data.push(one)
          }
        })
        res.on('close', () => (isEnded = true))
        res.on('error', () => undefined)
        resolve({
          status: res.statusCode ?? 0,
          ids,
          data,
          headers: res.headers,
          pause: () => void res.pause(),
          resume: () => void res.resume(),
          isEnded: () => isEnded,
          close: () => void req.destroy(),
        })
      },
    )
    req.on('error', reject)
    req.end()
  })
