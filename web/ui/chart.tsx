import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'

import { plotOptions, type Series } from './plot_options.ts'
import { messageOf } from './use_action.ts'

type ChartProps = {
  /** The chart in words, for screen readers. */
  label: string
  /** Seconds since 1970, ascending. */
  times: readonly number[]
  series: readonly Series[]
  height?: number
  /** The text of an instant. */
  timeText: (time_s: number) => string
  /** The same figures as a table. */
  children: ComponentChildren
}

/** Lines and bars over time, drawn by uPlot, which is loaded with the first chart. A table has the same figures. */
export function Chart({ label, times, series, height = 240, timeText, children }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const target = place.current
    if (target === null || times.length === 0) return undefined
    return keepDrawn(target, () => ({ times, series, height, onMove: setAt }), setError)
  }, [times, series, height])
  const shown = at ?? times.length - 1
  return (
    <figure class="chart">
      <figcaption class="readout" aria-hidden="true">
        {times[shown] !== undefined && <span class="soft">{timeText(times[shown])}</span>}
        {series.map(({ name, tone, values, text }) => (
          <span key={name} class={`key key-${tone}`}>
            {name} <b>{text(values[shown] ?? null)}</b>
          </span>
        ))}
      </figcaption>
      <div ref={place} role="img" aria-label={label} style={{ height: `${height}px` }} />
      {error !== null && <p class="soft">The chart cannot be drawn: {error}</p>}
      <details>
        <summary>As a table</summary>
        {children}
      </details>
    </figure>
  )
}

type Drawing = {
  times: readonly number[]
  series: readonly Series[]
  height: number
  onMove: (at: number | null) => void
}

/** Draws now, and again after a change of the width or of the colours. Returns the end of that. */
function keepDrawn(target: HTMLElement, drawing: () => Drawing, onError: (message: string) => void): () => void {
  const state: { plot: uPlot | null; isOver: boolean } = { plot: null, isOver: false }
  const draw = async (): Promise<void> => {
    const { default: Plot } = await import('uplot')
    if (state.isOver) return
    state.plot?.destroy()
    const { times, series, height, onMove } = drawing()
    const stepped = Plot.paths.stepped?.({ align: 1 })
    const [width, style] = [target.clientWidth, getComputedStyle(target)]
    const options = plotOptions({ series, height, width, style, stepped, onMove })
    state.plot = new Plot(options, [[...times], ...series.map(({ values }) => [...values])], target)
  }
  const drawAgain = (): void => void draw().catch((error: unknown) => onError(messageOf(error)))
  const sizes = new ResizeObserver(() => {
    if (state.plot !== null && state.plot.width !== target.clientWidth)
      state.plot.setSize({ width: target.clientWidth, height: state.plot.height })
  })
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  drawAgain()
  sizes.observe(target)
  scheme.addEventListener('change', drawAgain)
  return () => {
    state.isOver = true
    sizes.disconnect()
    scheme.removeEventListener('change', drawAgain)
    state.plot?.destroy()
  }
}
