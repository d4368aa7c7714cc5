import type { Get } from '#activities/http/request.ts'
import type { Part, PullSource, Source, Watermark } from '#activities/source.ts'
import type { Unit } from '#lake/units/unit.ts'
import type { Micros } from '#time.ts'

/** Asks how far a part has got. A source of time without a `watermark` is as far as its lag and settle time say. */
export const watermarkOf = (
  source: PullSource,
  part: Part,
  context: { get: Get; at: Micros },
): Watermark | Promise<Watermark> =>
  source.watermark === undefined ? watermarkAt(source, context.at) : source.watermark(part, context)

/** Whether an upstream has to be asked how far it has got. */
export const hasOwnWatermark = (source: Source): boolean => source.kind !== 'stream' && source.watermark !== undefined

/** The watermark of a source of time at an instant. */
export const watermarkAt = ({ lag_s, settle_s }: Pick<Source, 'lag_s' | 'settle_s'>, at: Micros): Watermark => ({
  head: at - lag_s * 1_000_000,
  final: at - settle_s * 1_000_000,
})

/** Whether a unit has ended and settled: from then on its upstream adds nothing to it. */
export const hasEnded = ({ to }: Pick<Unit, 'to'>, { final }: Watermark): boolean => to !== null && to <= final
