import type uPlot from 'uplot'

import { momentText } from './moment.tsx'

/** A figure over time. Series of one scale share the axis of the first. */
export type Series = {
  name: string
  /** The CSS colour `--<tone>`. */
  tone: string
  values: readonly (number | null)[]
  text: (value: number | null) => string
  kind: 'area' | 'line' | 'bars'
  /** The figures of one axis. Bars have an axis of their own, of a third of the height. */
  scale: string
  /** The bounds of the axis, if they are not those of the figures. */
  bounds?: readonly [number, number]
}

type PlotParts = {
  series: readonly Series[]
  width: number
  height: number
  style: CSSStyleDeclaration
  /** A line of steps: a figure holds until the next. */
  stepped: uPlot.Series.PathBuilder | undefined
  onMove: (at: number | null) => void
}

/** The options of uPlot for series, in the colours of the page. */
export function plotOptions({ series, width, height, style, stepped, onMove }: PlotParts): uPlot.Options {
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const font = '12px system-ui, sans-serif'
  const grid = { stroke: colour('faint'), width: 1 }
  const lines = series.filter(({ kind }) => kind !== 'bars')
  const scales = [...new Set(series.map(({ scale }) => scale))]
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    hooks: { setCursor: [(plot) => onMove(plot.cursor.idx ?? null)] },
    scales: Object.fromEntries(scales.map((scale) => [scale, { range: rangeOf(series, scale) }])),
    axes: [
      { stroke: colour('soft'), font, grid: { show: false }, ticks: { show: false }, space: 80, values: timeTexts },
      ...scales
        .filter((scale) => lines.some((member) => member.scale === scale))
        .map((scale): uPlot.Axis => ({
          scale,
          stroke: colour('soft'),
          font,
          size: 62,
          grid,
          ticks: { show: false },
          values: (_plot, ticks) =>
            ticks.map((tick) => lines.find((member) => member.scale === scale)?.text(tick) ?? ''),
        })),
    ],
    series: [
      {},
      ...series.map(({ name, tone, kind, scale }): uPlot.Series => ({
        label: name,
        scale,
        stroke: colour(tone),
        width: kind === 'bars' ? 0 : 2,
        points: { show: false },
        spanGaps: true,
        ...(kind === 'line' ? {} : { fill: `${colour(tone)}${kind === 'area' ? '1f' : '80'}` }),
        ...(kind === 'bars' ? { paths: bars } : stepped === undefined ? {} : { paths: stepped }),
      })),
    ],
  }
}

/** The texts of instants: days, or hours of a day where ticks are closer. */
const timeTexts: uPlot.Axis.DynamicValues = (_plot, ticks, _axis, _space, step_s) =>
  ticks.map((tick) => {
    const at = new Date(tick * 1_000).toISOString()
    const isMidnight = new Date(tick * 1_000).getHours() === 0
    return momentText(at, step_s >= 86_400 || isMidnight ? 'shortDay' : 'time')
  })

/** Bars from the bottom, as wide as their share of the plot. */
const bars: uPlot.Series.PathBuilder = (plot, place, from, to) => {
  const path = new Path2D()
  const times = plot.data[0]
  const values = plot.data[place] ?? []
  const scale = plot.series[place]?.scale ?? ''
  const timeScale = plot.series[0]?.scale ?? ''
  const width = Math.max(1, Math.min(plot.bbox.width / Math.max(1, to - from + 1) - 1, 12))
  const ground = plot.valToPos(0, scale, true)
  for (let i = from; i <= to; i++) {
    const value = values[i] ?? 0
    if (value === 0) continue
    const top = plot.valToPos(value, scale, true)
    path.rect(
      plot.valToPos(times[i] ?? 0, timeScale, true) - width / 2,
      Math.min(top, ground),
      width,
      Math.abs(ground - top),
    )
  }
  return { stroke: path, fill: path }
}

/** The bounds of an axis. Bars fill the lowest third of the plot; areas include 0. */
function rangeOf(series: readonly Series[], scale: string): uPlot.Range.MinMax {
  const members = series.filter((member) => member.scale === scale)
  const bounds = members.find((member) => member.bounds !== undefined)?.bounds
  if (bounds !== undefined) return [bounds[0], bounds[1]]
  const values = members.flatMap((member) => member.values).filter((value) => value !== null)
  const highest = values.reduce((most, value) => Math.max(most, value), 0)
  const lowest = values.reduce((least, value) => Math.min(least, value), 0)
  if (members.every(({ kind }) => kind === 'bars')) return [0, Math.max(1, highest) * 4]
  const room = (highest - lowest) * 0.06 || 1
  return [lowest < 0 ? lowest - room : 0, highest + room]
}
