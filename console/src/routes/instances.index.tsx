import { createFileRoute, Link } from '@tanstack/react-router'
import { AgentIcon } from '@/agents/icon'
import { useInstances } from '@/instances/hooks'
import { Button, buttonStyle } from '@/ui/button'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/instances/')({ component: Instances })

function Instances() {
  const list = useInstances()
  return (
    <Page title="Instances" hint="Your copies of agents, each with its own settings and browser." actions={<Link to="/agents" className={buttonStyle({ look: 'primary' })}>Get another</Link>}>
      {list.error ? <Failure className="mb-4" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton /> : null}
      {list.data?.length === 0 ? <Empty title="No instances yet" command="pags instances subscribe browser"><Link to="/agents" className="link text-ink">Choose an agent</Link>, or from the command line:</Empty> : null}
      {list.data && list.data.length > 0 ? (
        <Panel className="divide-y divide-line overflow-hidden">
          {list.data.map((n) => (
            <Link key={n.id} to="/instances/$id" params={{ id: n.id }} className="flex items-center gap-3 px-4 py-2.5 -outline-offset-2 hover:bg-sunken">
              <AgentIcon readOnly={n.readOnly} />
              <span className="min-w-0 flex-1"><span className="block truncate font-medium">{n.displayName}</span><span className="block text-xs text-ink-2">{n.agentName}{n.runnerNode ? ` · on ${n.runnerNode}` : ''}</span></span>
              <span className="shrink-0 text-xs text-ink-2">used <Ago at={n.lastActivityAt} /></span>
            </Link>
          ))}
        </Panel>
      ) : null}
      {list.more ? <Button className="mt-4" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
    </Page>
  )
}
