/** A set of marts that is built and published together, at its own pace, as one snapshot. */
export type Publication = {
  name: string
  /** The least seconds from the begin of a build to that of the next one. It follows once the lake has newer facts. */
  every_s: number
  /** Figures depend on the time too: after so many seconds it is built again, also from the same facts. */
  stale_s: number
  /** A publication whose marts its signals follow from: a newer snapshot of it counts as newer facts. */
  follows: string | null
  /** Seconds until a replaced snapshot is deleted, at least the lifetime of its cursors. */
  keep_s: number
  /**
   * Whether its build runs every model and stores the tables behind the marts as derived Parquet. This holds for one
   * publication; the others build only the inputs of their marts. The analysts' file is made after it.
   */
  materializes: boolean
  /** The block size of the file. A reader holds whole blocks in memory, so small snapshots take small blocks. */
  block_bytes: number
  /**
   * Rows of a group. A lookup by key scans the one group that may have the key; small groups take a quarter more disk.
   */
  group_rows: number
}

/** The cursors of a replaced snapshot are valid for this long. */
export const cursorLife_s = 15 * 60

/** All publications. A new one is a line here; a mart joins it with the header line `-- publication: <name>`. */
export const publications = [
  {
    name: 'scores',
    every_s: 300,
    stale_s: 300,
    follows: null,
    keep_s: 86_400,
    materializes: true,
    block_bytes: 262_144,
    group_rows: 16_384,
  },
  {
    name: 'pulse',
    every_s: 1,
    stale_s: 60,
    follows: 'scores',
    keep_s: cursorLife_s,
    materializes: false,
    block_bytes: 16_384,
    group_rows: 122_880,
  },
] as const satisfies readonly Publication[]

export type PublicationName = (typeof publications)[number]['name']

export const publicationNames = (): PublicationName[] => publications.map(({ name }) => name)

export const publicationNamed = (name: PublicationName): Publication => {
  const publication = publications.find((candidate) => candidate.name === name)
  if (publication === undefined)
    throw new Error(`publication ${name}: unknown; expected ${publicationNames().join(', ')}`)
  return publication
}

/** The publication that stores the derived tables. A mart without the line `-- publication:` belongs to it. */
export const materializing = (): PublicationName => {
  const publication = publications.find(({ materializes }) => materializes)
  if (publication === undefined) throw new Error('publications: no publication materializes; expected one')
  return publication.name
}
