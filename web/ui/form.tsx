import type { ComponentChildren } from 'preact'

import { Failure } from './notice.tsx'
import { useAction } from './use_action.ts'

type FormProps = {
  /** The text of the button. */
  label: string
  /** Resets the fields after success, for forms that are used again. */
  isRepeated?: boolean
  submit: (fields: FieldValues) => Promise<void>
  children: ComponentChildren
}

/** The text of a field by its name. */
export type FieldValues = (name: string) => string

/** A form whose button stays in place while it is sent, so that the focus is not lost. */
export function Form({ label, isRepeated = false, submit, children }: FormProps) {
  const { run, isBusy, error } = useAction(async (form: HTMLFormElement) => {
    const data = new FormData(form)
    await submit((name) => textOf(data.get(name)))
    if (isRepeated) form.reset()
  })
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (event.currentTarget instanceof HTMLFormElement) void run(event.currentTarget)
  }
  // Should the script fail, `post` keeps a password out of the address.
  return (
    <form method="post" onSubmit={onSubmit}>
      {children}
      <Failure message={error} />
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {label}
      </button>
    </form>
  )
}

const textOf = (value: FormDataEntryValue | null): string => (typeof value === 'string' ? value : '')
