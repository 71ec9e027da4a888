import { createFileRoute } from '@tanstack/react-router'
import { InstancePage } from '@/instances/instance-page'
import type { Draft } from '@/instances/task-form'

export const Route = createFileRoute('/instances/$id')({
  validateSearch: (s: Record<string, unknown>): Draft => ({
    ...(typeof s['url'] === 'string' ? { url: s['url'] } : {}),
    ...(typeof s['objective'] === 'string' ? { objective: s['objective'] } : {}),
  }),
  component: function Instance() {
    const { id } = Route.useParams()
    return <InstancePage key={id} id={id} draft={Route.useSearch()} />
  },
})
