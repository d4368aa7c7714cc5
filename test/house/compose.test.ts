import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { loadCommands } from '#bin/commands/index.ts'
import { parseConfig, settingsOf } from '#config.ts'
import { importGraph } from '#scripts/structure/circles.ts'
import { repositoryFiles } from '#scripts/structure/files.ts'

const root = resolve(import.meta.dirname, '..', '..')
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8')

const compose = (await read('docker-compose.yml')).replaceAll(/^ *#.*\n/gm, '')
const dockerfile = await read('Dockerfile')

/** A block of the file: the lines below a key that are indented deeper, and the key itself. */
const blocks = (text: string, key: RegExp): { name: string; body: string }[] =>
  [...text.matchAll(new RegExp(`^( *)${key.source}(.*\\n(?:\\1 .*\\n|\\n)*)`, 'gm'))].map(
    ([, , name = '', body = '']) => ({ name, body }),
  )

const [services] = blocks(compose, /(services):/)
const all = blocks(services?.body ?? '', /(?<=^ {2})([\w-]+):/)
const ours = all.filter(({ body }) => body.includes('<<: *tapeline'))

/** `NAME: value` lines; of `${NAME:-value}` the default. */
const variables = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^ +([A-Z][A-Z_]+): (.+)$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace(/^\$\{\w+:-(.*)\}$/, '$1'),
    ]),
  )

/** The names of the settings that there are. */
const settings = settingsOf().map(({ name }) => name)

describe('docker-compose.yml', () => {
  it('has the workers, the API, the services that start following and publishing, Temporal and its database', () => {
    expect(ours.map(({ name }) => name)).toEqual(['worker', 'follow', 'publish', 'api'])
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['temporal', 'temporal-ui', 'postgres']))
  })

  it('runs commands that there are', async () => {
    const run = ours.map(({ body }) => /^ +command: \['([^']+)'/m.exec(body)?.[1])
    expect(run).toEqual(['worker', 'follow', 'publish', 'serve'])
    expect(Object.keys(await loadCommands())).toEqual(expect.arrayContaining(run))
  })

  it('sets only known settings, to valid values', () => {
    const [shared] = blocks(compose, /(x-settings):/)
    for (const { name, body } of ours) {
      expect(body, name).toMatch(/environment: \*settings|<<: \*settings/)
      const env = { ...variables(shared?.body ?? ''), ...variables(body) }
      expect(settings).toEqual(expect.arrayContaining(Object.keys(env)))
      expect(parseConfig(env)).toMatchObject({ home: '/data', temporal: { address: 'temporal:7233' } })
    }
  })

  it('pins every image to a version, save the one that it builds', () => {
    const images = [...compose.matchAll(/image: (.+)/g)].map(([, image = '']) => image)
    expect(images.length).toBeGreaterThan(4)
    expect(images.filter((image) => !/:\d+\.\d+[\w.-]*$/.test(image))).toEqual(['tapeline'])
  })

  it('contains no password, and opens no port to other machines', () => {
    const secrets = [...compose.matchAll(/^ +\w*(?:PASSWORD|PWD|SECRET|KEY|TOKEN): (.+)$/gm)].map(([, value]) => value)
    expect(secrets.length).toBeGreaterThan(0)
    for (const secret of secrets) expect(secret).toMatch(/^\$\{POSTGRES_PASSWORD:\?set it in [^}]+\}$/)
    const ports = [...compose.matchAll(/ports: \['(.+)'\]/g)].map(([, port]) => port)
    expect(ports).toHaveLength(2)
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  })
})

describe('the image', () => {
  it('has a pinned version of Node, and runs as a user that owns no files', () => {
    expect(dockerfile).toMatch(/^ARG NODE=24\.\d+\.\d+-bookworm-slim$/m)
    expect(dockerfile.match(/^FROM .+$/gm)).toHaveLength(2)
    expect(dockerfile.match(/^FROM node:\$\{NODE\}( |$)/gm)).toHaveLength(2)
    expect(dockerfile.trim().split('\n').at(-3)).toBe('USER node')
  })

  it('contains the code of the commands, the files that it reads and the sources of the pages, and nothing else', async () => {
    const taken = (await read('.dockerignore')).split('\n').filter((line) => line.startsWith('!'))
    const graph = importGraph(await repositoryFiles(root))
    const reached = new Set(['bin/main.ts', 'engine/temporal_workflow.ts'])
    for (const path of reached) for (const target of graph.get(path) ?? []) reached.add(target)
    const code = new Set([...reached].map((path) => path.split('/')[0]))
    const beside = await Promise.all([...reached].map(async (path) => filesBeside(path, await read(path))))
    const other = beside.flat().filter((path) => !code.has(path.split('/')[0]) && !path.startsWith('web/'))
    const files = [
      '.npmrc',
      'package.json',
      'package-lock.json',
      'web',
      'scripts/docs.ts',
      'scripts/pages',
      'scripts/web.ts',
    ]
    expect(taken.toSorted()).toEqual([...new Set([...files, ...code, ...other])].map((name) => `!${name}`).toSorted())
  })
})

/** The files and folders that a source names by their place beside it. */
const filesBeside = (path: string, text: string): string[] =>
  [...text.matchAll(/new URL\('([^']+)', import\.meta\.url\)/g)].map(([, name = '']) => join(dirname(path), name))
