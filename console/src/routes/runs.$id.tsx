import { createFileRoute } from '@tanstack/react-router'
import type { ExecutionTab } from '@/executions/execution-page'
import { RunPage } from '@/runs/run-page'

export const Route = createFileRoute('/runs/$id')({
  validateSearch: (s: Record<string, unknown>): { step?: number; tab?: ExecutionTab } => ({ ...(typeof s['step'] === 'number' ? { step: s['step'] } : {}), ...(s['tab'] === 'journal' ? { tab: 'journal' as const } : {}) }),
  component: function Run() {
    const { id } = Route.useParams()
    const { step, tab } = Route.useSearch()
    return <RunPage key={id} id={id} step={step} tab={tab} />
  },
})
