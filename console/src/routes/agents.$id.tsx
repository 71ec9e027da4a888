import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useAgent } from '@/agents/hooks'
import { useSubscribe } from '@/instances/hooks'
import { Button } from '@/ui/button'
import { Fact, Page, Panel } from '@/ui/page'
import { Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/agents/$id')({ component: AgentPage })

function AgentPage() {
  const { id } = Route.useParams()
  const agent = useAgent(id)
  const subscribe = useSubscribe()
  const navigate = useNavigate()
  if (agent.error) return <Page title="Agent"><Failure error={agent.error} retry={() => { void agent.refetch() }} /></Page>
  if (!agent.data) return <Page title="Agent"><Skeleton /></Page>
  const a = agent.data
  const get = () => { subscribe.mutate({ agentId: a.slug }, { onSuccess: (r) => { void navigate({ to: '/instances/$id', params: { id: r.instanceId } }) } }) }
  return (
    <Page title={a.name} hint={a.description} actions={<Button look="primary" busy={subscribe.isPending} onClick={get}>Get a copy</Button>}>
      {subscribe.error ? <Failure error={subscribe.error} safe="No copy was made." /> : null}
      <Panel label="About" className="p-5">
        <dl className="grid gap-5 sm:grid-cols-3">
          <Fact name="Category">{a.category}</Fact>
          <Fact name="On your machine">{a.capabilities.runtime === 'browser' ? 'A browser of its own profile' : 'Nothing'}</Fact>
          <Fact name="May act">{a.readOnly ? 'No: it reads and never commits anything' : 'Yes: it asks you before a final step'}</Fact>
        </dl>
        <h2 className="mt-6 text-xs text-ink-2">Instructions</h2>
        <p className="mt-1 text-sm whitespace-pre-wrap">{a.instructions}</p>
      </Panel>
    </Page>
  )
}
