import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

import { Failure } from './notice.tsx'

type PanelProps = {
  title: string
  /** A line below the title: what the figures are. */
  about?: string
  /** The page with all of it. */
  more?: { href: string; text: string }
  /** Beside the title. */
  aside?: ComponentChildren
  error?: string | null
  children: ComponentChildren
}

/** A titled part of a page. */
export function Panel({ title, about, more, aside, error = null, children }: PanelProps) {
  const id = useId()
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside}
        {more && <a href={more.href}>{more.text}</a>}
        {about !== undefined && <p>{about}</p>}
      </div>
      <Failure message={error} />
      {children}
    </section>
  )
}
