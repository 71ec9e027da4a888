import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAgent } from '@/agents/hooks'
import { useInstances, useSubscribe } from '@/instances/hooks'
import { Button } from '@/ui/button'
import { Fact, Page, Panel } from '@/ui/page'
import { Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/agents/$id')({ component: AgentPage })

function AgentPage() {
  const { id } = Route.useParams()
  const agent = useAgent(id)
  const subscribe = useSubscribe()
  const mine = useInstances().data?.filter((n) => n.agentSlug === agent.data?.slug) ?? []
  const navigate = useNavigate()
  const [key] = useState(() => crypto.randomUUID()) // pressing twice makes one copy
  if (agent.error) return <Page title="Agent"><Failure error={agent.error} retry={() => { void agent.refetch() }} /></Page>
  if (!agent.data) return <Page title="Agent"><Skeleton /></Page>
  const a = agent.data
  const get = () => { subscribe.mutate({ agentId: a.slug, key }, { onSuccess: (r) => { void navigate({ to: '/instances/$id', params: { id: r.instanceId } }) } }) }
  return (
    <Page title={a.name} hint={a.description} trail={<Link to="/agents" className="hover:text-ink">Agents</Link>} actions={<Button look="primary" busy={subscribe.isPending} onClick={get}>Get a copy</Button>}>
      {subscribe.error ? <Failure className="mb-4" error={subscribe.error} safe="No copy was made." /> : null}
      <Panel label="About">
        <dl className="grid gap-4 p-4 sm:grid-cols-3 sm:p-5">
          <Fact name="Works with">{a.capabilities.runtime === 'browser' ? 'A browser on your machine' : 'The cloud only'}</Fact>
          <Fact name="May act">{a.readOnly ? 'No, it only reads' : 'Yes, and asks before a final step'}</Fact>
          <Fact name="Yours">{mine.length === 0 ? 'None yet' : mine.map((n, i) => <span key={n.id}>{i > 0 ? ', ' : ''}<Link to="/instances/$id" params={{ id: n.id }} className="link">{n.displayName}</Link></span>)}</Fact>
        </dl>
        <div className="border-t border-line p-4 sm:p-5">
          <h2 className="text-xs text-ink-2">Instructions</h2>
          <p className="mt-1 max-w-prose text-sm whitespace-pre-wrap">{a.instructions}</p>
        </div>
      </Panel>
    </Page>
  )
}
