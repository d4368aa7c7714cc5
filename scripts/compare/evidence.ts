/**
 * What a home shows of its commit: by kind, and by name within a kind, a text that equals that of the other side if
 * nothing changed.
 */
export type Evidence = Record<Kind, Map<string, string>>

/** The kinds of evidence, in the order of the report. */
export const kinds = [
  'commands',
  'paths',
  'files',
  'coverage',
  'rows',
  'columns',
  'hashes',
  'tables',
  'answers',
] as const
export type Kind = (typeof kinds)[number]

/** What differs between any two runs, and its replacement. */
const chance: readonly (readonly [pattern: RegExp, mask: string])[] = [
  // Names of builds, requests, signals of a process.
  [/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '<uuid>'],
  // The end of the name of a snapshot.
  [/(?<=\b\d{8}T\d{6}Z-)[\da-f]{8}\b/g, '<chance>'],
  [/\btl_live_\w+/g, '<key>'],
  // Servers of this machine take any free port.
  [/(?<=127\.0\.0\.1:)\d+/g, '<port>'],
  [/(?<=[?&]cursor=)[\w%.~-]+/g, '<cursor>'],
]

/** A text without what differs between any two runs. */
export const masked = (text: string): string =>
  chance.reduce((rest, [pattern, mask]) => rest.replaceAll(pattern, mask), text)
