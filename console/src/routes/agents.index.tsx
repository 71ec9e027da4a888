import { createFileRoute, Link } from '@tanstack/react-router'
import { Eye, Globe } from 'lucide-react'
import { useAgents } from '@/agents/hooks'
import { Page } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/agents/')({ component: Agents })

function Agents() {
  const agents = useAgents()
  return (
    <Page title="Agents" hint="Templates you can get a private copy of.">
      {agents.error ? <Failure error={agents.error} retry={agents.retry} /> : null}
      {agents.loading ? <Skeleton rows={2} /> : null}
      {agents.data?.length === 0 ? <Empty title="No agents here" /> : null}
      <ul className="grid gap-4 sm:grid-cols-2">
        {agents.data?.map((a) => (
          <li key={a.id} className="flex rounded-lg border border-line bg-panel">
            <Link to="/agents/$id" params={{ id: a.slug }} className="flex-1 rounded-lg p-5 hover:bg-sunken">
              <span className="grid size-9 place-items-center rounded-lg bg-accent-soft text-accent">{a.readOnly ? <Eye aria-hidden className="size-5" /> : <Globe aria-hidden className="size-5" />}</span>
              <span className="mt-3 block font-medium">{a.name}</span>
              <span className="mt-1 block text-sm text-ink-2">{a.description}</span>
              {a.readOnly ? <span className="mt-3 inline-block rounded-full bg-sunken px-2.5 py-0.5 text-xs text-ink-2">Read only</span> : null}
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  )
}
