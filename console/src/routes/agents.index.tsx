import { createFileRoute, Link } from '@tanstack/react-router'
import { useAgents } from '@/agents/hooks'
import { AgentIcon } from '@/agents/icon'
import { Page } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/agents/')({ component: Agents })

function Agents() {
  const agents = useAgents()
  return (
    <Page title="Agents" hint="Get a copy of one and give it tasks.">
      {agents.error ? <Failure className="mb-4" error={agents.error} retry={agents.retry} /> : null}
      {agents.loading ? <Skeleton rows={2} /> : null}
      {agents.data?.length === 0 ? <Empty title="No agents here" /> : null}
      <ul className="grid gap-4 sm:grid-cols-2">
        {agents.data?.map((a) => (
          <li key={a.id} className="flex">
            <Link to="/agents/$id" params={{ id: a.slug }} className="flex flex-1 gap-3 rounded-lg border border-line bg-panel p-4 hover:border-line-strong">
              <AgentIcon readOnly={a.readOnly} />
              <span className="min-w-0">
                <span className="block font-medium">{a.name}</span>
                <span className="mt-0.5 block text-sm text-ink-2">{a.description}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  )
}
