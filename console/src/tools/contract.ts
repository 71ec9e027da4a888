import type { Interaction as ApiInteraction, Run as ApiRun } from '@/api/model'

// The shapes of the tool runtime's API.

export type Placement = { in: 'header' | 'query' | 'cookie'; name: string; prefix?: string; inputs: string[]; basic?: boolean }
export type AuthMethod = { id: string; kind: 'oauth2' | 'bearer' | 'apiKey' | 'basic' | 'none' | 'unknown'; supported: boolean; confidence: 'high' | 'medium' | 'low'; reason: string; placements?: Placement[] }
export type Warning = { code: string; line?: number; message: string }
export type Variable = { default?: string; enum?: string[]; description?: string }
export type Server = { url: string; description?: string; variables?: Record<string, Variable> }

export type Found = { kind: string; confidence: 'high' | 'medium' | 'low'; endpoint?: string; specUrl?: string; name: string; namespace: string; tools: number; warnings?: Warning[]; auth?: AuthMethod[] }
export type PreviewTool = { path: string; name: string; method: string; title?: string; readOnly: boolean; destructive: boolean }
export type Preview = { name: string; namespace: string; format: string; version?: string; description?: string; servers?: Server[]; needsBase?: boolean; auth: AuthMethod[]; warnings?: Warning[]; tools: number; groups: { name: string; count: number }[]; items: PreviewTool[] }
export type Source = {
  slug: string; name: string; description?: string; kind: string; format: string; version?: string; url?: string; baseUrl?: string; enabled: boolean; revision: number
  tools: number; connections: number; held: number; needsBase?: boolean; auth: AuthMethod[]; warnings?: Warning[]; status: 'ready' | 'degraded'; detail?: string; createdAt: string; refreshedAt: string
}
export type Refreshed = { changed: boolean; drift: { added: string[]; removed: string[]; changed: string[] }; source: Source }
export type Drift = { tool: string; kind: 'new' | 'changed' | 'removed'; before?: unknown; after?: unknown }

export type Health = 'healthy' | 'expired' | 'degraded' | 'unknown'
export type Connection = {
  source: string; name: string; namespace: string; method: string; kind: string; inputs: string[]; hints?: Record<string, string>; baseUrl?: string; variables?: Record<string, string>
  enabled: boolean; status?: Health; detail?: string; checkedAt?: string; createdAt: string
}
export type Checked = { status: Health; detail: string; httpStatus?: number; millis: number }

export type Action = 'approve' | 'require_approval' | 'block'
export type Decision = { action: Action; policyId?: string; pattern?: string; reason: string }
export type Policy = { id: string; pattern: string; action: Action; enabled: boolean; note?: string; matches: number; warning?: string; createdAt: string; updatedAt: string }
export type PolicyCheck = { matches: number; examples: string[]; warning?: string; meant?: string[] }

export type Place = { namespace: string; source: string; connection: string; name: string; description?: string; tools: number }
export type ToolItem = { path: string; name: string; description: string; score?: number; readOnly: boolean; destructive: boolean; deprecated: boolean; held?: string; asks?: boolean; policy?: Decision }
export type ToolPage = { items: ToolItem[]; total: number; hasMore: boolean; nextOffset?: number }
export type Described = {
  path: string; name: string; description: string; deprecated?: boolean; readOnly?: boolean; destructive?: boolean; inputTypeScript: string; outputTypeScript: string
  typeScriptDefinitions?: Record<string, string>; inputSchema?: Schema; outputSchema?: Schema; policy?: Decision; held?: string; asks?: boolean; off?: string; method?: string; route?: string; host?: string; source?: string; connection?: string
}

/** A JSON Schema, as far as the console reads it. */
export type Schema = {
  type?: string | string[]; title?: string; description?: string; enum?: unknown[]; const?: unknown; default?: unknown; example?: unknown; examples?: unknown[]; format?: string
  properties?: Record<string, Schema>; required?: string[]; items?: Schema; additionalProperties?: boolean | Schema; oneOf?: Schema[]; anyOf?: Schema[]; allOf?: Schema[]
  minLength?: number; maxLength?: number; pattern?: string; minimum?: number; maximum?: number; $ref?: string; $defs?: Record<string, Schema>
}

export type LogLine = { level: string; text: string }
export type ExecutionStatus = 'pending' | 'running' | 'waiting_for_interaction' | 'completed' | 'failed' | 'cancelled'
export type Frame = { function?: string; line: number; column: number }
export type ExecutionError = { kind: string; name?: string; code?: string; message: string; line?: number; column?: number; stack?: Frame[]; step?: number; expected?: string; actual?: string }
export type Execution = {
  id: string; status: ExecutionStatus; title: string; tool?: string; code?: string; result?: unknown; error?: ExecutionError; logs?: LogLine[]; interactions?: ApiInteraction[]; calls: number
  runStatus: ApiRun['status']; waitingFor?: string; detail?: string; resume?: string; url?: string; createdAt: string; endedAt?: string
}
export type CallStatus = 'pending' | 'waiting' | 'sent' | 'completed' | 'failed' | 'unknown'
export type Call = { seq: number; path: string; args?: unknown; status: CallStatus; result?: unknown; error?: unknown; interactionId?: string; at: string; endedAt?: string; logsBefore?: LogLine[] }

/** What every call of a tool gives. */
export type Result = { ok: true; data?: unknown; http?: { status: number; truncated?: boolean } } | { ok: false; error: { code: string; message: string; status?: number; details?: unknown; retryable?: boolean } }

export type CodeInput = { digest: string; size: number; via: string; tool?: string; autoApprove?: boolean; calls: number }

export type Token = { id: string; name: string; scopes: string[]; createdAt: string; expiresAt: string; lastUsedAt?: string }
