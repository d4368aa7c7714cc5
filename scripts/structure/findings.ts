import { dirname } from 'node:path'

import { importCircles } from './circles.ts'
import { replacedWords } from './words.ts'

export type Finding = { rule: string; violations: string[] }

const filesPerFolder = 15
const linesPerFile = 20

/** Every rule with its violations, one line each. `files` maps a path to its text. */
export function findings(files: Map<string, string>): Finding[] {
  return [
    { rule: `folders with more than ${filesPerFolder} files`, violations: largeFolders([...files.keys()]) },
    { rule: 'import circles, types included', violations: importCircles(files) },
    { rule: `files under ${linesPerFile} lines that are not entries`, violations: smallFiles(files) },
    { rule: 'words that docs/glossary.md replaces', violations: replacedWords(files) },
  ]
}

/** The root is exempt: tools look for their settings there. */
function largeFolders(paths: string[]): string[] {
  const sizes = new Map<string, number>()
  for (const path of paths) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1)
  return [...sizes]
    .filter(([folder, size]) => folder !== '.' && size > filesPerFolder)
    .map(([folder, size]) => `${folder}/: ${size} files`)
}

function smallFiles(files: Map<string, string>): string[] {
  return [...files]
    .filter(([path]) => /\.tsx?$/.test(path) && !isEntry(path))
    .map(([path, text]) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines < linesPerFile)
    .map(({ path, lines }) => `${path}: ${lines} lines`)
}

/** Files that a runner, a bundler, `package.json` or a child process names. */
const entries = [
  /(^|\/)index\.ts$/,
  /\.config\.ts$/,
  /\.test\.ts$/,
  /^(bench|scripts)\/[^/]+\.ts$/,
  /^test\/.*worker\.ts$/,
  /^test\/run\/\w+_setup\.ts$/,
  /^bin\/main\.ts$/,
  /^engine\/temporal_workflow\.ts$/,
]

const isEntry = (path: string): boolean => entries.some((entry) => entry.test(path))
