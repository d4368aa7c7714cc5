/** A word for how an address trades: an archetype or a tag. */
export function Tag({ name }: { name: string }) {
  return <span class={`tag tag-${toneOf(name)}`}>{name.replaceAll('_', ' ')}</span>
}

const good = new Set(['sharp', 'value_hunter', 'smart_money', 'profitable_90d', 'early_buyer', 'proven'])
const bad = new Set(['fade_target', 'losing_90d', 'wash_like', 'sandwich_like'])

const toneOf = (name: string): string => (good.has(name) ? 'good' : bad.has(name) ? 'bad' : 'plain')
