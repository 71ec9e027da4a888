import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { AddSource } from '@/sources/add-page'

export const Route = createFileRoute('/sources/new')({
  validateSearch: (s: Record<string, unknown>): { url?: string } => (typeof s['url'] === 'string' && s['url'] !== '' ? { url: s['url'] } : {}),
  component: function New() {
    const { url = '' } = Route.useSearch()
    const navigate = useNavigate({ from: '/sources/new' })
    return <AddSource url={url} onUrl={(to) => { void navigate({ search: to ? { url: to } : {}, replace: true }) }} />
  },
})
