type ChoicesProps = {
  /** The name of the choice, for screen readers. */
  label: string
  /** The text of each value. */
  values: Record<string, string>
  value: string
  hrefOf: (value: string) => string
  choose: (value: string) => void
}

/** A row of links, of which one is current. Each has an address of its own, and is chosen without a new document. */
export function Choices({ label, values, value, hrefOf, choose }: ChoicesProps) {
  const onClick = (chosen: string) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    choose(chosen)
  }
  return (
    <div class="choices" role="group" aria-label={label}>
      {Object.entries(values).map(([name, text]) => (
        <a key={name} href={hrefOf(name)} aria-current={name === value ? 'true' : undefined} onClick={onClick(name)}>
          {text}
        </a>
      ))}
    </div>
  )
}
