import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'

import { z } from 'zod'

import type { OpenStorage, StorageKind } from '#storage/storage.ts'

const settings = z.object({
  OBJECTS_URL: z
    .url({ protocol: /^http$/, error: 'expected an address such as http://localhost:1/bucket' })
    .optional()
    .describe('The bucket of a server of objects for the facts of the lake; by default they are files of the home'),
})

/** A storage of the test: a bucket of a server of objects. Local copies are files of the home, by path and digest. */
export const objects: StorageKind = {
  settings,
  configure: (env) => {
    const { OBJECTS_URL: url } = settings.parse(env)
    return url === undefined ? undefined : openBucket(url)
  },
}

const openBucket =
  (url: string): OpenStorage =>
  (home) => {
    const cache = join(home, 'copies')
    const call = async (method: string, path: string, body?: Buffer): Promise<Response> => {
      const response = await fetch(`${url}/${path}`, { method, ...(body ? { body: new Uint8Array(body) } : {}) })
      if (!response.ok && response.status !== 404)
        throw new Error(`${url}: ${method} ${path}: ${response.status}; expected success`)
      return response
    }
    const fetched = async (path: string): Promise<Response> => {
      const response = await call('GET', path)
      if (response.status === 404) throw new Error(`${url}/${path}: missing; expected an object`)
      return response
    }
    const remove = async (path: string): Promise<void> => {
      await call('DELETE', path)
      await rm(join(cache, path), { recursive: true, force: true })
    }
    const put = async (path: string, body: Buffer): Promise<void> => {
      await call('PUT', path, body)
    }
    return {
      root: `${url}/`,
      list: async (prefix) => z.array(z.string()).parse(await (await call('GET', `?prefix=${prefix}/`)).json()),
      has: async (path) => (await call('HEAD', path)).status === 200,
      modifiedAt: async (path) => {
        const at = (await call('HEAD', path)).headers.get('x-modified-us')
        return at === null ? undefined : Number(at)
      },
      read: (path) =>
        Readable.from(
          (async function* () {
            yield Buffer.from(await (await fetched(path)).arrayBuffer())
          })(),
        ),
      localFile: async (path) => {
        const digest = (await call('HEAD', path)).headers.get('etag') ?? 'missing'
        const copy = join(cache, path, digest)
        if ((await stat(copy).catch(() => undefined)) !== undefined) return copy
        const bytes = Buffer.from(await (await fetched(path)).arrayBuffer())
        if (createHash('sha256').update(bytes).digest('hex') !== digest)
          throw new Error(`${url}/${path}: replaced meanwhile; expected ${digest}`)
        await mkdir(dirname(copy), { recursive: true })
        const part = `${copy}.${randomUUID()}`
        await writeFile(part, bytes)
        await rename(part, copy)
        return copy
      },
      put: async (path, body) => {
        if (!('file' in body)) return put(path, body)
        await put(path, await readFile(body.file))
        await rm(body.file)
      },
      move: async (from, to) => {
        const response = await call('GET', from)
        if (response.status === 404) return false
        await put(to, Buffer.from(await response.arrayBuffer()))
        await remove(from)
        return true
      },
      delete: remove,
    }
  }
