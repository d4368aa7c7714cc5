import { Field } from '#web/ui/field.tsx'

/** The lengths that the service accepts. */
const lengths = { least: 10, most: 128 }

/** The field of a password that a person chooses; its name is `password`. */
export function NewPassword({ label }: { label: string }) {
  return (
    <Field
      name="password"
      label={label}
      hint={`${lengths.least} characters or more`}
      type="password"
      autocomplete="new-password"
      minLength={lengths.least}
      maxLength={lengths.most}
      required
    />
  )
}
