import type { components } from './schema.gen'

// The nouns as the API describes them; schema.gen.ts is made from its OpenAPI document.
type Schemas = components['schemas']

export type Run = Schemas['Run']
export type RunEvent = Schemas['Event']
export type Interaction = Schemas['Interaction']
export type AnswerBody = Schemas['AnswerBody']
export type BrowseBody = Schemas['BrowseBody']
export type Instance = Schemas['InstanceView']
export type Attachment = Schemas['Attachment']
export type Agent = Schemas['Agent']
export type Machine = Schemas['Machine']
export type ModelKey = Schemas['Key']
export type KeyTest = Schemas['Tested']
export type Me = Schemas['MeOutBody']
export type Session = Schemas['Session']

/** One part of a listing. */
export type Page<T> = { items: T[]; nextCursor?: string }
