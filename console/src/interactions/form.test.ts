import { describe, expect, it } from 'vitest'
import { contentOf, fieldsOf } from './form'
import type { Schema } from '@/tools/schema'

const schema: Schema = {
  type: 'object', required: ['name', 'size', 'day'],
  properties: {
    name: { type: 'string', title: 'Full name', minLength: 2, description: 'As on the pass.' },
    size: { type: 'integer', minimum: 1, maximum: 9 },
    price: { type: 'number' },
    day: { type: 'string', format: 'date' },
    gift: { type: 'boolean', default: true },
    colour: { enum: ['red', 'green'], default: 'green' },
    plan: { oneOf: [{ const: 1, title: 'Small' }, { const: 2, title: 'Large' }] },
    mail: { type: 'string', format: 'email' },
    code: { type: 'string', pattern: '^[A-Z]{3}$' },
    tags: { type: 'array', items: { type: 'string' } },
  },
}
const fields = fieldsOf(schema)
const good = { name: 'Ada', size: '3', day: '2026-12-07' }

describe('fieldsOf', () => {
  it('gives each member the field that suits it, what is needed first', () => {
    expect(fields.map((f) => `${f.name} ${f.kind}${f.required ? '*' : ''}`)).toEqual([
      'name text*', 'size integer*', 'day date*', 'price number', 'gift boolean', 'colour choice', 'plan choice', 'mail email', 'code text', 'tags json',
    ])
  })

  it('takes label and hint from the schema, and tells the limits', () => {
    expect([fields[0]?.label, fields[0]?.hint, fields[1]?.hint]).toEqual(['Full name', 'As on the pass.', '1 to 9.'])
  })

  it('has no fields where nothing is asked for', () => {
    for (const s of [undefined, {}, { type: 'object' }, { type: 'object', properties: {} }] as (Schema | undefined)[]) expect(fieldsOf(s)).toEqual([])
  })

  it('asks for a single value with one field', () => {
    const one = fieldsOf({ type: 'integer' })
    expect(one.map((f) => [f.label, f.kind])).toEqual([['Answer', 'integer']])
    expect(contentOf(one, { '': '4' })).toEqual({ content: { value: 4 }, errors: {} })
  })
})

describe('contentOf', () => {
  it('reads every kind of field as its type; what is left empty is left out', () => {
    expect(contentOf(fields, { ...good, price: '1.5', gift: 'false', colour: '0', plan: '1', mail: 'a@b.example', code: 'ABC', tags: '["x"]' })).toEqual({
      content: { name: 'Ada', size: 3, price: 1.5, day: '2026-12-07', gift: false, colour: 'red', plan: 2, mail: 'a@b.example', code: 'ABC', tags: ['x'] }, errors: {},
    })
    expect(contentOf(fields, good)).toEqual({ content: { name: 'Ada', size: 3, day: '2026-12-07', gift: true, colour: 'green' }, errors: {} })
  })

  it.each([
    ['a needed field that is empty', { name: ' ' }, 'name', 'This is needed'],
    ['a text that is too short', { name: 'A' }, 'name', 'At least 2 characters'],
    ['a word for a number', { size: 'three' }, 'size', 'This is not a number'],
    ['a part of a whole number', { size: '1.5' }, 'size', 'This has to be a whole number'],
    ['too little', { size: '0' }, 'size', 'This has to be at least 1'],
    ['too much', { size: '10' }, 'size', 'This can be at most 9'],
    ['an address without a host', { mail: 'ada' }, 'mail', 'This is not an address of e-mail'],
    ['what the pattern does not allow', { code: 'abc' }, 'code', 'This has to match ^[A-Z]{3}$'],
    ['what is not JSON', { tags: '[x' }, 'tags', /^This is not JSON: /],
  ])('says what is wrong with %s', (_, wrong, name, message) => {
    const { errors } = contentOf(fields, { ...good, ...wrong })
    expect(Object.keys(errors)).toEqual([name])
    expect(errors[name]).toMatch(message instanceof RegExp ? message : new RegExp(`^${message.replace(/[$[\]{}^]/g, '\\$&')}$`))
  })

  it('leaves patterns that this browser cannot read to the host', () => {
    expect(contentOf(fieldsOf({ type: 'object', properties: { a: { type: 'string', pattern: '(?<!a)(' } } }), { a: 'x' }).errors).toEqual({})
  })
})
