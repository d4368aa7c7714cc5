import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { definitions, termNames, type Term } from '#api/chat/definitions.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { saysWords } from '#api/chat/reading/phrases/phrases.ts'
import { archetypeWords, firstOf, tagWords } from '#api/chat/reading/vocabulary.ts'

export const define = defineIntent({
  name: 'define',
  doc: 'The definition of a field, an archetype or a tag.',
  examples: ['What does clv_score mean?', 'How is mindshare computed?'],
  slots: z.strictObject({ term: z.enum(termNames) }),
  match: ({ plain, assets, addresses, text, limit, archetype, titles, subject }) => {
    if (differs.test(plain) && addresses.length + assets.length === 0) {
      const [first, second] = (differs.exec(plain) ?? []).slice(1).map((part) => termOf(part ?? ''))
      if (first && second && first !== second) return { score: 87, slots: { term: first } }
    }
    if (archetype !== null && isUnlisted.has(archetype) && /^\W*\w+(?:[ -]\w+)?\W*$/.test(plain))
      return { score: 74, slots: { term: archetype as Term } }
    if (/\bwhat (?:does|is) (?:this|that) (?:term|word|label|field|metric|tag)\b/.test(plain))
      return { score: 74, missing: 'term' }
    if (/\bsignif(?:y|ies|ication|icance|icate)\b/.test(plain) && addresses.length + assets.length === 0) {
      const term = termOf(plain) ?? (archetype as Term | null)
      if (term !== null) return { score: 74, slots: { term } }
    }
    if (addresses.length > 0 || assets.length > 0 || limit !== null || /<(market|signal)>/.test(text)) return null
    if (
      (!asks(plain) && !/^\W*[a-z]+_[a-z_]+\W*$/.test(plain)) ||
      /\b(doing|buying|selling|up to|between|which|(?<!if )who(?! (is|counts as) an?\b)|show|list|best|top wallets|top traders|latest|my|this|that(?! (?:is )?an?\b| (?:label|term|word|tag)\b)|his|her|their)\b/.test(
        plain,
      )
    )
      return null
    if (ranks.test(plain)) return null
    const term = termOf(plain) ?? (archetype as Term | null)
    if (term === null) return null
    const isValue =
      /\b(is|are) the (odds|price|sentiment|mindshare|volume)\b.*\b(of|for|on|that)\b/.test(plain) ||
      /\b(?:is|are|'s|'re) the (?:odds|prices?|volume)\W*$/.test(plain)
    const isOfMarket = (subject.length > 1 || /\b(of|for|on)\b/.test(plain)) && (titles[0]?.share ?? 0) > 0.6
    return isValue || isOfMarket ? null : { score: 74, slots: { term } }
  },
  answer: async ({ term }) =>
    answerOf({
      headline: `${term}: ${definitions[term]}`,
      facts: [],
      inputs: [term, definitions[term]],
    }),
})

/** Archetypes that no list has: the bare word asks for its rule. */
const isUnlisted = new Set(['swing_trader', 'diamond_hands', 'accumulator', 'dormant', 'sniper', 'scalper'])

/** `what are coins losing mindshare`, `what are wallets by volume`: a list. */
const ranks =
  /\btop\b|\b(?:coins|tokens|assets|alts|traders|bettors|gamblers|punters|wallets|addresses|markets|mkts)\b.*\b(?:by|gaining|losing|rising|falling|growing|shrinking|picking up)\b/

/** Two terms beside each other: the first is defined. */
const differs =
  /\b(?:difference between|how (?:is|are|does|do)|distinguish(?:es)?) (.+?) (?:and|vs\.?|versus|from|differ\w* from|different (?:from|than|to)) (.+)/

const asks = saysWords(`what('s| is| are| does| do|s), define, definition, meaning, means?, explain, explanation
  how (is|are|do|does|did|come), calculat\\w+, comput\\w+, measur\\w+, derived?, stand for, describe, difference
  understand, what exactly, counts? as, qualif\\w+, rule for, formula, eli5
  when (is|does|are|do|would) (a|an|some ?one|some ?body|they|you|it), what makes (a|an|some ?one|some ?body)
  who (is|counts as) (a|an), criteria, distinguish\\w*, decide[sd]?, determin\\w+, classif\\w+, label(?:l?ed|s)?
  work(?:ed)? out, judged?, mean by, meant by, stands for, threshold for, requirements? (for|of)`)

/** The ways to write a field. The first that fits counts. */
const fieldWords: readonly [RegExp, Term][] = [
  [
    /\bmind ?share[ _-]?(delta|change)\b|\bchange (in|of) (the )?mind ?share\b|\bmindshare_delta\b|\bdelta\b/,
    'mindshare_delta',
  ],
  [
    /\bmind ?share\b|\bmindshare_pct\b|\bshare of (?:attention|voice)\b|\battention share\b|\b(?:is|define|measure|calculate|compute) attention\b/,
    'mindshare_pct',
  ],
  [/\bsentiment\b|\bbullish\b|\bbearish\b/, 'sentiment'],
  [/\bclv\b|\bclosing[- ]line\b|\bclv_score\b/, 'clv_score'],
  [/\byes[_ -]?price\b|\bprice of yes\b|\bimplied probability\b|\bodds\b/, 'yes_price'],
  [/\bno[_ -]price\b|\bprice of no\b/, 'no_price'],
  [
    /\bvolume[_ -]?24h\b|\b24[- ]?h(our)?s? volume\b|\bvolume (of|over|in) (the last )?24\b|\bdaily volume\b|\bmarket volume\b/,
    'volume_24h',
  ],
  [/\bvolume[_ -]?30d\b|\b30[- ]?d(ay)?s? volume\b/, 'volume_30d'],
  [/\bpnl[_ -]?30d\b|\b30[- ]?d(ay)?s? pnl\b/, 'pnl_30d'],
  [/\breali[sz]ed\b.*\b(30 ?d|30[- ]days?|month)\b|\b30[- ]?d(ay)?s? reali[sz]ed\b|realized_30d/, 'realized_30d'],
  [
    /\breali[sz]ed\b.*\b(all[_ -]?time|lifetime|total)\b|\ball[- ]time reali[sz]ed\b|realized_all_time/,
    'realized_all_time',
  ],
  [/\btotal[_ -]pnl\b/, 'total_pnl'],
  [/\bmarkets[_ -]traded\b/, 'markets_traded'],
  [/\btier[_ -]required\b|\brequired tier\b/, 'tier_required'],
  [/\bwin[_ -]?rate\b/, 'win_rate'],
  [/\bbehaviou?r[_ -]archetype\b/, 'behavior_archetype'],
  [/\bpnl\b|\bp&l\b|\bprofit and loss\b/, 'pnl'],
  [/\barchetypes?\b/, 'archetype'],
  [/\bholdings?\b/, 'holdings'],
  [/\btags?\b/, 'tags'],
  [/\brank(ing)?\b/, 'rank'],
  [/\bvolume\b/, 'volume_24h'],
]

const termOf = (plain: string): Term | null => {
  const word = termNames.find((name) => name.includes('_') && plain.includes(name))
  return word ?? firstOf(tagWords, plain) ?? firstOf(archetypeWords, plain) ?? firstOf(fieldWords, plain)
}
