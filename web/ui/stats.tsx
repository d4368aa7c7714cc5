import type { ComponentChildren } from 'preact'

/** The main figures of a page, in a row. */
export function Stats({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <dl class="strip stats" aria-label={label}>
      {children}
    </dl>
  )
}

type StatProps = {
  name: string
  /** A line below the figure: what it rests on, or what it compares with. */
  note?: ComponentChildren
  children: ComponentChildren
}

export function Stat({ name, note, children }: StatProps) {
  return (
    <div>
      <dt>
        {name}
        {note !== undefined && <span class="note">{note}</span>}
      </dt>
      <dd>{children}</dd>
    </div>
  )
}
