import { oneOf, saysAny, saysWords } from '#api/chat/reading/phrases/phrases.ts'

/** Texts that address the program, or ask for what belongs to others. A text in lower case. */
export const givesOrder = saysAny(
  new RegExp(
    String.raw`\b${oneOf('ignore, disregard, forget, override, bypass')} ${oneOf(
      'all, any, your, the, every, my, previous, prior, everything, these, those, instructions, rules',
    )}\b`,
  ),
  /\bsystem ?:|<script|\bread_csv|\battach '/,
  /\b(?:tier|plan) is (?:now )?(?:pro|enterprise|admin)\b/,
  /\bas (?:an? )?(?:enterprise|admin\w*|root|developer) (?:user|customer|caller|account)\b/,
  /\b(?:your|the) (?:instructions|prompt|rules)\b/,
  /(?<!\bmy )\b(?:api|secret|private|other|another|someone).{0,20} keys?\b/,
  /\b(?:drop|select|insert|delete|union|update) (?:table|\*|into|from|all)\b|\bselect .* from\b/,
  /\bother (?:users?|accounts?|customers?)\b|\banother (?:user|account|customer)(?:'s)?\b/,
  /\bdrain (?:the|a|my|his|her|their|<address>)/,
  saysWords(`system prompt, passwords?, seed phrase, pretend, role ?play, act as, jailbreak, developer mode, you are now, execute
    environment variables?, reveal, hack, steal, exploit, phish, source code, admin`),
)

/** People behind addresses, of which nothing is known. */
export const asksForIdentity = saysWords(
  `who (?:owns|runs|controls|is behind|operates), owner of, who is the owner, (?:real|legal|full|actual) names?
  names? of the (?:person|owner|people|trader), identity, identify (?:the )?(?:person|owner|people|human|man|woman|who)
  (?:person|human|people|man|woman) behind, doxx?(?:ed|ing)?, (?<!\\bmy )(?<!\\bwhat )e-?mail(?: address)?, phone(?: number)?, lives? (?:in|at)
  nationality, gender, home address`,
)
