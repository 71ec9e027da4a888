import { createFileRoute } from '@tanstack/react-router'
import { Playground } from '@/playground/playground-page'

export const Route = createFileRoute('/playground')({
  validateSearch: (s: Record<string, unknown>): { run?: string } => (typeof s['run'] === 'string' && s['run'] !== '' ? { run: s['run'] } : {}),
  component: function Room() { return <Playground run={Route.useSearch().run} /> },
})
