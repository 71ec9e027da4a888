import type { components } from './schema.gen'

// The nouns as the API describes them; schema.gen.ts is made from its OpenAPI document.
type Schemas = components['schemas']

export type Run = Schemas['Run']
export type RunEvent = Schemas['Event']
export type Interaction = Schemas['Interaction']
export type Instance = Schemas['InstanceView']
export type Agent = Schemas['Agent']
export type Machine = Schemas['Machine']
export type User = Schemas['User']
export type Session = Schemas['Session']

/** One part of a listing. */
export type Page<T> = { items: T[]; nextCursor?: string }
