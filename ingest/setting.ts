import { isIP } from 'node:net'

import { z } from 'zod'

/** A setting that a source declares for itself: a variable of the environment. */
export type Setting = {
  /** The variable. It begins with `TAPELINE_`. Sources that share a setting name the same declaration. */
  name: string
  /** Parses the text of the variable; its errors begin with `expected`. An unset variable gives the default. */
  shape: z.ZodType
  /** Its line in the table of settings. */
  doc: string
  /** Its value appears in no error. */
  isSecret?: boolean
}

/** The settings of a source, by the names under which its functions receive the values. */
export type Settings = Readonly<Record<string, Setting>>

/** The values of settings. */
export type SettingValues<S extends Settings = Settings> = { readonly [K in keyof S]: z.output<S[K]['shape']> }

/** The values that the functions of a source receive: as configured, or the defaults of a bare declaration. */
export const valuesOf = ({ settings = {}, values }: { settings?: Settings; values?: SettingValues }): SettingValues =>
  values ?? Object.fromEntries(Object.entries(settings).map(([key, { shape }]) => [key, shape.parse(undefined)]))

/** The default of a setting as documentation shows it; empty without one. */
export const defaultText = ({ shape }: Pick<Setting, 'shape'>): string => [shape.parse(undefined)].flat().join()

const variable = /^TAPELINE_[A-Z0-9]+(_[A-Z0-9]+)*$/

/** Checks what the type cannot: the name of the variable, and that it need not be set. */
export function assertSettings(source: string, settings: Settings): void {
  for (const { name, shape } of Object.values(settings)) {
    const fail = (problem: string): never => {
      throw new Error(`source ${source}, setting ${name}: ${problem}`)
    }
    if (!variable.test(name)) fail('invalid; expected a name such as TAPELINE_FEEDS')
    if (!shape.safeParse(undefined).success) fail('no default; expected a shape that parses an unset variable')
  }
}

/** The shape of a whole number between two bounds, both included. */
export const wholeNumber = (least: number, most: number) => {
  const error = `expected a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d+$/, error)
    .transform(Number)
    .refine((value) => value >= least && value <= most, error)
}

/** The shape of a list of names, separated by commas; empty by default. */
export const nameList = (pattern: RegExp, example: string, byDefault: readonly string[] = []) =>
  z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .transform((names) => [...new Set(names.filter((name) => name !== ''))])
    .refine(
      (names) => names.every((name) => pattern.test(name)),
      `expected names such as ${example}, separated by commas`,
    )
    .default([...byDefault])

/** A list of network addresses and networks in CIDR form, separated by commas. */
export const networks = z
  .string()
  .default('')
  .transform((text, context) => {
    const items = text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]))
    for (const item of items.filter((network) => !isNetwork(network))) {
      const message = `"${item}" is not a network; expected addresses such as 10.0.0.7 or 10.0.0.0/8, separated by commas`
      context.addIssue({ code: 'custom', message })
    }
    return items
  })

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
