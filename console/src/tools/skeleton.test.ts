import { describe, expect, it } from 'vitest'
import { optional, skeleton } from './skeleton'
import type { Schema } from './schema'

describe('skeleton', () => {
  it.each<[string, Schema | undefined, unknown]>([
    ['no schema: no arguments', undefined, {}],
    ['nothing required: no arguments', { type: 'object', properties: { q: { type: 'string' } } }, {}],
    ['an empty value of each type', { type: 'object', required: ['s', 'i', 'b', 'a', 'o'], properties: { s: { type: 'string' }, i: { type: 'integer', minimum: 1 }, b: { type: 'boolean' }, a: { type: 'array', items: { type: 'string' } }, o: { type: 'object', required: ['x'], properties: { x: { type: 'number' }, y: {} } } } }, { s: '', i: 1, b: false, a: [], o: { x: 0 } }],
    ['default before example before the first choice', { required: ['a', 'b', 'c'], properties: { a: { default: 1, example: 2 }, b: { type: 'string', example: 'x', enum: ['y'] }, c: { enum: ['z', 'y'] } } }, { a: 1, b: 'x', c: 'z' }],
    ['references are followed', { type: 'object', required: ['body'], properties: { body: { $ref: '#/$defs/a~1b' } }, $defs: { 'a/b': { type: 'object', required: ['n'], properties: { n: { type: 'string' } } } } }, { body: { n: '' } }],
    ['parts are put together', { allOf: [{ required: ['a'], properties: { a: { type: 'string' } } }, { required: ['b'], properties: { b: { type: 'boolean' } } }] }, { a: '', b: false }],
    ['the first choice that is something', { required: ['v'], properties: { v: { anyOf: [{ type: 'null' }, { type: 'integer' }] } } }, { v: 0 }],
    ['a type that may be null', { required: ['v'], properties: { v: { type: ['null', 'string'] } } }, { v: '' }],
    ['a required member that is nowhere described is left to the author', { required: ['ghost'] }, {}],
  ])('%s', (_, schema, want) => { expect(skeleton(schema)).toEqual(want) })

  it('ends with schemas that contain themselves', () => {
    const s: Schema = { $ref: '#/$defs/n', $defs: { n: { type: 'object', required: ['n'], properties: { n: { $ref: '#/$defs/n' } } } } }
    expect(skeleton(s)).toEqual({ n: { n: { n: { n: {} } } } })
    expect(skeleton({ $ref: '#' })).toEqual({})
  })
})

it('tells what else a tool takes', () => {
  expect(optional({ type: 'object', required: ['a'], properties: { a: {}, b: {}, c: {} } })).toEqual(['b', 'c'])
})
