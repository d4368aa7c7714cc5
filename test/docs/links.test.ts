import { access, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')
const isReference = (path: string): boolean => /^docs\/(columns|datasets|metrics)\.md$/.test(path)
const docs = (await readdir(join(root, 'docs'), { recursive: true })).map((name) => join('docs', name))
const files = ['README.md', 'bench/README.md', 'examples/README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs].filter(
  (name) => name.endsWith('.md') && !isReference(name),
)

/** The name that a heading gets in a link, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '')

async function anchorsOf(file: string): Promise<string[]> {
  const headings = withoutCode(await readFile(file, 'utf8')).matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, heading = '']) => anchorOf(heading))
}

/** The fault of a link in a file; undefined if its target exists. */
async function faultOf(file: string, link: string): Promise<string | undefined> {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? join(root, file) : resolve(root, dirname(file), path)
  const isThere = await access(target).then(
    () => true,
    () => false,
  )
  // `npm ci` renders it, so a reader of the repository does not have it.
  if (isReference(relative(root, target))) return `${link}: ${relative(root, target)} is not in git`
  if (!isThere) return `${link}: there is no ${relative(root, target)}`
  if (anchor === undefined || (await anchorsOf(target)).includes(anchor)) return undefined
  return `${link}: ${relative(root, target)} has no such heading`
}

describe('links of the documentation', () => {
  it.each(files)('%s leads where it says', async (file) => {
    const text = withoutCode(await readFile(join(root, file), 'utf8'))
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const own = [...new Set(links)].filter((link) => !/^https?:/.test(link))
    const faults = await Promise.all(own.map((link) => faultOf(file, link)))
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })
})
