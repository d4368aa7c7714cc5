const mostCharacters = 160

/** Texts that address a program, or promise figures to it, instead of naming a thing. */
const orders =
  /\b(ignore|disregard|forget|override|bypass)\b.{0,40}\b(previous|prior|above|all|any|earlier|instruction|instructions|rules|prompt)\b|\bsystem\s*(prompt|message|:)|\b(you are|act as|pretend)\b.{0,30}\b(now|a|an|admin|root|enterprise|developer)\b|<\/?\s*(script|system|assistant|user|tool)\b|\b(print|reveal|show|send|leak)\b.{0,30}\b(key|keys|secret|secrets|password|prompt)\b/i

/**
 * A text of strangers (a title, the name of a token, a summary) as an answer shows it: one line of plain characters in
 * quotes, without links and markup. A text that gives orders is replaced by the given name.
 */
export function quotedText(text: string, name: string): string {
  const plain = text
    .normalize('NFKC')
    // Control, format (bidi, zero width), private and unassigned characters.
    .replaceAll(/\p{C}+/gu, ' ')
    .replaceAll(/(?:[a-z][\w+.-]*:)?\/\/\S+|\bwww\.\S+/gi, '')
    .replaceAll(/[<>[\](){}`*_#|\\"“”]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (plain === '' || givesOrders(text) || givesOrders(plain)) return name
  // Half of a surrogate pair is no character.
  const cut = plain.slice(0, mostCharacters).replace(/\p{Surrogate}$/u, '')
  return `"${plain.length > mostCharacters ? `${cut}…` : plain}"`
}

/** Whether a text of strangers addresses a program. */
export const givesOrders = (text: string): boolean => orders.test(text)

/** A symbol or a slug of strangers: short, without spaces and signs. Another text is replaced by the given name. */
export const symbolText = (text: string, name: string): string => (/^[\w.$+-]{1,24}$/.test(text) ? text : name)
