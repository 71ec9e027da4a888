import { describe, expect, it } from 'vitest'
import { applied, indent, newline, outdent, type Edit, type Selection } from './edit'

// A text with its selection: between two bars, or at one.
function parse(s: string): Selection {
  const from = s.indexOf('|')
  const rest = s.slice(from + 1)
  const second = rest.indexOf('|')
  return second < 0 ? { text: s.replace('|', ''), from, to: from } : { text: s.slice(0, from) + rest.replace('|', ''), from, to: from + second }
}

function show({ text, from, to }: Selection): string {
  return from === to ? `${text.slice(0, from)}|${text.slice(from)}` : `${text.slice(0, from)}|${text.slice(from, to)}|${text.slice(to)}`
}

const run = (edit: (s: Selection) => Edit, s: string) => show(applied(parse(s), edit(parse(s))))

describe('editing', () => {
  it.each([
    ['at the cursor', 'a|b', 'a  |b'],
    ['of the selected lines', 'x\na|b\ncd|\ny', 'x\n  a|b\n  cd|\ny'],
    ['not of a line that is only touched', '|a\n|b', '  |a\n|b'],
    ['not of empty lines', '|a\n\nb|', '  |a\n\n  b|'],
  ])('tab indents %s', (_, given, want) => { expect(run(indent, given)).toBe(want) })

  it.each([
    ['of the line', '  a|b', 'a|b'],
    ['of a line that has one space', ' a|', 'a|'],
    ['of a tab', '\ta|', 'a|'],
    ['of the selected lines', '  a|b\n    c|d', 'a|b\n  c|d'],
    ['of nothing', 'ab|', 'ab|'],
    ['with the cursor in the indent', ' | a', '|a'],
  ])('shift-tab takes an indent off: %s', (_, given, want) => { expect(run(outdent, given)).toBe(want) })

  it.each([
    ['as far as before', '  a|', '  a\n  |'],
    ['further after a bracket', 'if (a) {|', 'if (a) {\n  |'],
    ['between brackets, the closing one below', '  f({|})', '  f({\n    |\n  })'],
    ['in place of what is selected', 'a|b|c', 'a\n|c'],
  ])('enter begins a line %s', (_, given, want) => { expect(run(newline, given)).toBe(want) })
})
