import { createFileRoute, Link } from '@tanstack/react-router'
import { useInstances } from '@/instances/hooks'
import { Button, buttonStyle } from '@/ui/button'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/instances/')({ component: Instances })

function Instances() {
  const list = useInstances()
  return (
    <Page title="Instances" hint="Your private copies of agents, each with its own settings and history." actions={<Link to="/agents" className={buttonStyle({ look: 'primary' })}>Get another</Link>}>
      {list.error ? <Failure error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton /> : null}
      {list.data?.length === 0 ? <Empty title="No instances yet" command="pags instances subscribe browser">Choose an agent, or from the command line:</Empty> : null}
      {list.data && list.data.length > 0 ? (
        <Panel label="Instances" className="divide-y divide-line overflow-hidden">
          {list.data.map((n) => (
            <Link key={n.id} to="/instances/$id" params={{ id: n.id }} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3 hover:bg-sunken">
              <span className="min-w-0"><span className="block truncate font-medium">{n.displayName}</span><span className="text-xs text-ink-2">{n.agentId}</span></span>
              <span className="text-xs text-ink-2">used <Ago at={n.lastActivityAt} /></span>
            </Link>
          ))}
        </Panel>
      ) : null}
      {list.more ? <Button className="mt-4" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
    </Page>
  )
}
