import { venueIds } from '#registry/venues/index.ts'

/**
 * The words of a text without their endings, between single spaces: `which coins are losing` is ` which coin be los `.
 * The phrases of concepts pass the same function, so that tense and number do not matter.
 */
export const stemsOf = (text: string): string =>
  ` ${text
    .replaceAll(/'(?:s|re|ve|m|d)?(?![a-z])/g, ' ')
    .replaceAll(/(?<=[a-z])_(?=[a-z])/g, ' ')
    .split(/[^\w<>#%$&~|']+/)
    .map(stemOf)
    .filter((word) => word !== '')
    .join(' ')} `

const verbs = `is are was were am been being=be; has had having=have; does did doing done=do; made=make; lost=lose; won=win
  bought=buy; sold=sell; rose risen=rise; fell fallen=fall; grew grown=grow; sank sunk=sink; bled=bleed; shrank shrunk=shrink
  slid=slide; held=hold; kept=keep; went gone goes=go; got gotten=get; gave given=give; took taken=take; came=come; said says=say
  spoke spoken=speak; thought=think; blew blown=blow; saw seen=see; paid=pay; led=lead; ran=run; spent=spend; dying died=die
  using used uses=use; beaten=beat; stood=stand; stole stolen=steal; drove driven=drive; dove=dive; folks persons ppl=people; losses=loss`

const irregular: ReadonlyMap<string, string> = new Map(
  verbs.split(/;\s*|\n\s*/).flatMap((group) => {
    const [forms = '', base = ''] = group.split('=')
    return forms.split(' ').map((form): [string, string] => [form, base])
  }),
)

/** Words that end in `s`, `ed` or `ing` by themselves. */
const whole = new Set(
  `speed need feed red bed fed bleed exceed hundred seed during thing nothing something anything everything evening morning
  his this us as is its yes always ${venueIds.join(' ')} across news less loss plus versus status bonus interesting
  series pnl gas bus notwithstanding closing`.split(/\s+/),
)

/** The stem of a word in lower case. It need not be a word: `lose` and `losing` are `los`. */
export function stemOf(word: string): string {
  const bare = word.replaceAll(/^'+|'+$/g, '')
  const base = irregular.get(bare) ?? bare
  if (base.length < 4 || whole.has(base) || !/^[a-z]+$/.test(base)) return base
  const single = base.endsWith('ies')
    ? `${base.slice(0, -3)}y`
    : base.replace(/(?<=(?:ss|x|z|ch|sh))es$|(?<![su])s$/, '')
  const stem = single.replace(/(?<=[a-z]{2}[a-z])(?:ing|ed)$/, '')
  const short = stem === single || !/[aeiouy]/.test(stem) ? single : stem.replace(/([bdgmnprt])\1$/, '$1')
  return short.length > 3 ? short.replace(/e$/, '').replace(/y$/, 'i') : short
}
