/** Where a program was started, in words. */
export const via: Record<string, string> = { http: 'the API', cli: 'the command line', mcp: 'an MCP client', console: 'the console', code: 'a program' }
