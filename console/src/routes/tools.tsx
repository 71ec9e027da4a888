import { createFileRoute } from '@tanstack/react-router'
import { ToolsPage, type ToolsSearch } from '@/tools/tools-page'

export const Route = createFileRoute('/tools')({
  validateSearch: (s: Record<string, unknown>): ToolsSearch => {
    const text = (k: string) => (typeof s[k] === 'string' || typeof s[k] === 'number' ? String(s[k]) : '')
    return Object.fromEntries((['q', 'tool', 'in'] as const).map((k) => [k, text(k)]).filter(([, v]) => v !== ''))
  },
  component: function Tools() { return <ToolsPage {...Route.useSearch()} /> },
})
