import type { Chain } from '#registry/chains/chain.ts'

import { compile, loadDecoder, type DecodeLog } from './event/compile.ts'
import type { Decoder, LogDataset } from './event/decoder.ts'
import * as protocols from './protocols.ts'

/** All events that are read. */
export const decoders: readonly Decoder[] = Object.values(protocols).flat()

const loaded = decoders.map(loadDecoder)

export const decodeLog: DecodeLog = compile(loaded)

/** The first topics of the events of a dataset. */
export const topicsOf = (dataset: LogDataset): readonly string[] =>
  loaded.filter((decoder) => decoder.dataset === dataset).map(({ topic0 }) => topic0)

/**
 * The views that name the tokens of a pool, by family. Other families name the tokens in their events, or in the events
 * of a creation.
 */
export const tokenViews: Readonly<Record<string, NonNullable<Decoder['tokenViews']>>> = Object.fromEntries(
  decoders.flatMap((decoder) =>
    'family' in decoder && decoder.tokenViews !== undefined ? [[decoder.family, decoder.tokenViews]] : [],
  ),
)

/**
 * The contracts whose logs follow their declaration. A log of theirs that does not parse shows a mistake of a decoder,
 * so it is rejected. A log of any other contract may be made to look like an event.
 */
export const knownEmitters = (chain: Chain): ReadonlySet<string> =>
  new Set(decoders.flatMap(({ emitters }) => emitters?.(chain) ?? []))
