import type { PageQuery } from './use_query.ts'

type ChoicesProps<T extends Record<string, string>> = {
  /** The name of the choice, for screen readers. */
  label: string
  /** The parameter of the page's address that the choice sets. */
  name: keyof T & string
  /** The text of each value. */
  values: Record<string, string>
  page: PageQuery<T>
}

/** A row of links, of which one is current. Each has an address of its own, and is chosen without a new document. */
export function Choices<T extends Record<string, string>>({ label, name, values, page }: ChoicesProps<T>) {
  const changes = (value: string): Partial<T> => ({ [name]: value }) as Partial<T>
  const onClick = (value: string) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    page.change(changes(value))
  }
  return (
    <div class="choices" role="group" aria-label={label}>
      {Object.entries(values).map(([value, text]) => (
        <a
          key={value}
          href={page.hrefWith(changes(value))}
          aria-current={value === page.query[name] ? 'true' : undefined}
          onClick={onClick(value)}
        >
          {text}
        </a>
      ))}
    </div>
  )
}
