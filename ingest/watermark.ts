import type { Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

import type { Get } from './http/request.ts'
import { valuesOf } from './setting.ts'
import type { Part, PlannedSource, Source, Watermark } from './source.ts'

/** The watermark of a part. Without a declared `watermark` it follows from the source's lag and settle time. */
export const watermarkOf = (
  source: PlannedSource,
  part: Part,
  context: { get: Get; at: Micros },
): Watermark | Promise<Watermark> =>
  source.watermark === undefined
    ? watermarkAt(source, context.at)
    : source.watermark(part, { ...context, settings: valuesOf(source) })

/** Whether the source reads its watermark from an upstream. */
export const hasOwnWatermark = (source: Source): boolean => source.kind !== 'stream' && source.watermark !== undefined

/** The watermark by the clock, for sources without their own. */
export const watermarkAt = ({ lag_s, settle_s }: Pick<Source, 'lag_s' | 'settle_s'>, at: Micros): Watermark => ({
  head: at - lag_s * 1_000_000,
  final: at - settle_s * 1_000_000,
})

/** Whether a unit has ended and settled, after which its upstream adds no rows. */
export const hasEnded = ({ to }: Pick<Unit, 'to'>, { final }: Watermark): boolean => to !== null && to <= final
