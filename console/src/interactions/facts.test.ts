import { describe, expect, it } from 'vitest'
import { facts, visible } from './facts'

describe('visible', () => {
  it.each([
    ['a right-to-left override', 'pay \u202eelpmaxe.moc', 'pay ⟨U+202E⟩elpmaxe.moc'],
    ['a zero-width space', 'exam\u200bple', 'exam⟨U+200B⟩ple'],
    ['a soft hyphen', 'exam\u00adple', 'exam⟨U+00AD⟩ple'],
    ['a control character', 'a\u0007b', 'a⟨U+0007⟩b'],
    ['a byte order mark', '\ufeffa', '⟨U+FEFF⟩a'],
  ])('shows %s by its code', (_, given, shown) => { expect(visible(given)).toBe(shown) })

  it('leaves what a reader can see, and tabs and line ends, as they are', () => {
    for (const s of ['Größe 12 € 🦀', 'a\tb\nc', 'עברית', '日本']) expect(visible(s)).toBe(s)
  })
})

describe('facts', () => {
  const request = { role: 'button', name: 'Send', formAction: 'https://a.example/apply', formMethod: 'post', origin: 'https://a.example', url: 'https://a.example/form', digest: 'abc', fields: [{ name: 'n', label: 'Name', value: 'Ada' }, { name: 'x', value: '' }] }

  it('says what is pressed, where it goes, on which page and with which values', () => {
    expect(facts(request)).toEqual({
      rows: [{ name: 'Presses', value: '“Send”, a button' }, { name: 'Sends to', value: 'POST https://a.example/apply' }, { name: 'On page', value: 'https://a.example/form' }],
      fields: [['Name', 'Ada'], ['x', '']],
    })
  })

  it('warns when a form goes to another site', () => {
    expect(facts({ ...request, formAction: 'https://b.example/apply' }).rows[1]).toEqual({ name: 'Sends to', value: 'POST https://b.example/apply', warn: 'another site' })
  })

  it('shows members that it does not know instead of hiding them', () => {
    expect(facts({ amount: { eur: 12 } }).rows).toEqual([{ name: 'amount', value: '{"eur":12}' }])
  })

  it('shows hidden characters of names and values', () => {
    const { rows, fields } = facts({ name: 'Can\u200bcel', fields: [{ label: 'To\u202e', value: 'a\u00adb' }] })
    expect([rows[0]?.value, fields[0]]).toEqual(['“Can⟨U+200B⟩cel”', ['To⟨U+202E⟩', 'a⟨U+00AD⟩b']])
  })

  it('says of a call which tool, where to, on whose behalf and who asked, and shows its arguments exactly', () => {
    const call = { path: 'shop.main.orders.create', args: { n: 1, text: 'a\u202eb: "c":d' }, source: 'Shop', connection: 'main', host: 'api.shop.example', method: 'post', route: '/orders', digest: 'd', argsSize: 9, policy: { action: 'require_approval', pattern: 'shop.*', reason: 'a rule of yours asks' } }
    expect(facts(call)).toEqual({
      rows: [{ name: 'Calls', value: 'shop.main.orders.create' }, { name: 'Sends to', value: 'POST api.shop.example/orders' }, { name: 'As', value: 'Shop · main' }, { name: 'Policy', value: 'a rule of yours asks (shop.*)' }],
      fields: [], args: '{ "n": 1, "text": "a⟨U+202E⟩b: \\"c\\":d" }',
    })
    expect(facts({ path: 'p', policy: 'writes ask', destructive: true, definition: 'changed', shown: '{ "long…', argsCut: true, argsSize: 9000 })).toEqual({
      rows: [{ name: 'Calls', value: 'p', warn: 'destructive' }, { name: 'Policy', value: 'writes ask' }, { name: 'Definition', value: 'changed upstream since you accepted it' }], fields: [], args: '{ "long…', cut: 9000,
    })
    expect(facts({ path: 'person.ask', message: 'Which day?', schema: {} })).toEqual({ rows: [], fields: [] })
  })

  it('is empty for a request without members', () => { expect(facts({})).toEqual({ rows: [], fields: [] }) })
})
