import type { Run } from '@/api/model'
import type { CodeInput } from '@/tools/contract'

/** Where a program was started, in words. */
export const via: Record<string, string> = { http: 'the API', cli: 'the command line', mcp: 'an MCP client', console: 'the console', code: 'a program' }

/** What a program was started with; nothing for a browser task. */
export function codeOf(run: Run): CodeInput | undefined {
  return (run as Run & { code?: CodeInput }).code
}
