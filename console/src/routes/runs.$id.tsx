import { createFileRoute } from '@tanstack/react-router'
import { RunPage } from '@/runs/run-page'

export const Route = createFileRoute('/runs/$id')({
  validateSearch: (s: Record<string, unknown>): { step?: number } => (typeof s['step'] === 'number' ? { step: s['step'] } : {}),
  component: function Run() {
    const { id } = Route.useParams()
    const { step } = Route.useSearch()
    return <RunPage key={id} id={id} step={step} />
  },
})
