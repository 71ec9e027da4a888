import { createFileRoute } from '@tanstack/react-router'
import { useForget, useMachines } from '@/machines/hooks'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/machines')({ component: Machines })

function Machines() {
  const list = useMachines()
  const forget = useForget()
  return (
    <Page title="Machines" hint="Where the hands work: browsers that run on your own computers and connect outwards only.">
      {list.error ? <Failure error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={2} /> : null}
      {list.data?.length === 0 ? <Empty title="No machine yet" command="pags up">On the computer that shall work for you, run:</Empty> : null}
      {forget.error ? <div className="mb-4"><Failure error={forget.error} safe="The machine is still known." /></div> : null}
      <ul className="space-y-3">
        {list.data?.map((m) => (
          <li key={m.id}>
            <Panel className="flex flex-wrap items-center gap-x-6 gap-y-2 p-4">
              <div className="min-w-0 flex-1 basis-48">
                <p className="truncate font-medium">{m.node}</p>
                <p className="truncate font-mono text-xs text-ink-2">{m.id}</p>
              </div>
              <p className={cn('inline-flex items-center gap-2 text-sm', m.online ? 'text-ok' : 'text-ink-2')}>
                <span aria-hidden className={cn('size-2 rounded-full', m.online ? 'bg-ok' : 'border border-line-strong')} />{m.online ? 'Online' : 'Offline'}
              </p>
              <p className="text-xs text-ink-2">version {m.version} · {(m.capabilities ?? []).join(', ')}<br />seen <Ago at={m.lastSeenAt} /></p>
              {m.online ? null : <Button look="quiet" size="small" busy={forget.isPending && forget.variables === m.id} onClick={() => { forget.mutate(m.id) }}>Forget</Button>}
            </Panel>
          </li>
        ))}
      </ul>
    </Page>
  )
}
