import type { Schema } from '@/tools/schema'
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

// The tool runtime.
export type Source = Schemas['Source']
export type SourceDraft = Schemas['AddInputBody']
export type SourceChange = Schemas['Change']
export type Found = Schemas['Found']
export type Preview = Schemas['Preview']
export type PreviewTool = Schemas['PreviewTool']
export type Refreshed = Schemas['Refreshed']
export type Drift = Schemas['Drift']
export type AuthMethod = Schemas['AuthMethod']
export type Warning = Schemas['Warning']
export type Connection = Schemas['Connection']
export type ConnectionDraft = Schemas['NewConnection']
export type ConnectionChange = Schemas['ConnectionChange']
export type ConnectionTest = Schemas['Checked']
export type Place = Schemas['Place']
export type Tool = Schemas['ToolFound']
export type ToolPage = Schemas['Listing']
export type Described = Omit<Schemas['Described'], 'inputSchema' | 'outputSchema'> & { inputSchema?: Schema; outputSchema?: Schema }
export type Decision = Schemas['Decision']
export type Action = Decision['action']
export type Policy = Schemas['Policy']
export type PolicyDraft = Schemas['CreateInputBody']
export type PolicyChange = Schemas['ChangeInputBody']
export type PolicyCheck = Schemas['Reach']
/** The answer of a call: of one that was over at once there is no run. */
export type CallAnswer = Schemas['Execution']
/** A program's run. */
export type Execution = CallAnswer & { id: string; runStatus: Run['status']; createdAt: string }
export type ExecutionError = Schemas['Failure']
export type Call = Schemas['Step']
export type CallStatus = Call['status']
export type LogLine = Schemas['Line']
export type Token = Schemas['ProgramToken']
export type NewToken = Schemas['CreateTokenOutBody']
