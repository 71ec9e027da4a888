import { describe, expect, it } from 'vitest'
import type { AuthMethod } from '@/api/model'
import { variables, ways } from './ways'

const method = (id: string, more: Partial<AuthMethod> = {}): AuthMethod => ({ id, kind: 'apiKey', supported: true, confidence: 'high', reason: 'it says so', placements: [{ in: 'header', name: 'X-Key', inputs: ['key'] }], ...more })

describe('ways', () => {
  it('offers what the description has and we can use, then a key in another place and the open door', () => {
    expect(ways([method('a'), method('b', { kind: 'oauth2', supported: false }), method('c', { kind: 'unknown' })]).map((w) => [w.id, w.text, w.inputs])).toEqual([
      ['a', 'API key: header X-Key', ['key']], ['elsewhere', 'A key in another place', ['key']], ['none', 'No authentication', []],
    ])
  })

  it('asks for each value once', () => {
    expect(ways([method('a', { placements: [{ in: 'header', name: 'A', inputs: ['user', 'key'] }, { in: 'query', name: 'b', inputs: ['key'] }] })])[0]?.inputs).toEqual(['user', 'key'])
  })

  it('names the open door once', () => {
    expect(ways([method('none', { kind: 'none', placements: [] })]).map((w) => w.id)).toEqual(['none', 'elsewhere'])
  })
})

describe('variables', () => {
  it('reads lines of name=value', () => { expect(variables('region = eu\n\nurl=a=b')).toEqual({ values: { region: 'eu', url: 'a=b' } }) })
  it('tells the line that is none', () => { expect(variables('region=eu\nwhat')).toEqual({ error: 'Line 2 is not name=value' }) })
})
