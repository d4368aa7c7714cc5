import type { Use } from '#web/client/account.ts'
import { count } from '#web/ui/moment.tsx'

const [width, height] = [600, 120]

type UsageChartProps = { uses: readonly Use[]; label: string; textOf: (use: Use) => string }

/** A bar for each hour or day; its upper part are the refused requests. The label says the same in words. */
export function UsageChart({ uses, label, textOf }: UsageChartProps) {
  const most = Math.max(1, ...uses.map(({ requests }) => requests))
  const step = width / Math.max(1, uses.length)
  const [first, last] = [uses[0], uses.at(-1)]
  return (
    <figure>
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`Chart: ${label}`}>
        {uses.map((use, i) => (
          <Bar key={use.from} use={use} x={i * step} width={step * 0.8} scale={height / most} />
        ))}
        <line class="axis" x1="0" x2={width} y1={height} y2={height} />
      </svg>
      <div class="axis-labels" aria-hidden="true">
        <span>{first && textOf(first)}</span>
        <span>highest bar: {count(Math.max(0, ...uses.map(({ requests }) => requests)))}</span>
        <span>{last && textOf(last)}</span>
      </div>
    </figure>
  )
}

/** `scale` is the height of one request. */
function Bar({
  use: { requests, limited },
  x,
  width: w,
  scale,
}: {
  use: Use
  x: number
  width: number
  scale: number
}) {
  const accepted = requests - limited
  return (
    <>
      <rect class="accepted" x={x} width={w} y={height - accepted * scale} height={accepted * scale} />
      <rect class="refused" x={x} width={w} y={height - requests * scale} height={limited * scale} />
    </>
  )
}
