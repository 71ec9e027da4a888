/** A value as JSON that a person reads: a short one on one line. */
export function pretty(value: unknown): string {
  if (value === undefined) return ''
  const text = JSON.stringify(value, null, 2)
  const flat = text.replace(/\n\s*/g, ' ') // line ends inside of texts are escaped: these are the layout's
  return flat.length <= 72 ? flat : text
}
