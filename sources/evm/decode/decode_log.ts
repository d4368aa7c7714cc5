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

/** The views that name the tokens of a pool, by family. Other families name the tokens in their events. */
export const viewsOf = (events: readonly Decoder[]): Readonly<Record<string, NonNullable<Decoder['tokenViews']>>> =>
  Object.fromEntries(
    events.flatMap((decoder) =>
      'family' in decoder && decoder.tokenViews !== undefined ? [[decoder.family, decoder.tokenViews]] : [],
    ),
  )

export const tokenViews = viewsOf(decoders)

/**
 * The contracts of a chain whose logs follow their declaration. A log of theirs that does not parse shows a mistake of
 * a decoder, so it is rejected. A log of any other contract may be made to look like an event.
 */
export const emittersOf = (events: readonly Decoder[], chain: Chain): ReadonlySet<string> =>
  new Set(events.flatMap(({ emitters }) => emitters?.(chain) ?? []))

export const knownEmitters = (chain: Chain): ReadonlySet<string> => emittersOf(decoders, chain)
