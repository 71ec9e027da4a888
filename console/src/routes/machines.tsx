import { createFileRoute } from '@tanstack/react-router'
import type { Machine } from '@/api/model'
import { useForget, useMachines } from '@/machines/hooks'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Page, Panel } from '@/ui/page'
import { CopyText, Empty, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/machines')({ component: Machines })

function Machines() {
  const list = useMachines()
  return (
    <Page title="Machines" hint="Your computers that lend agents a browser. They connect outwards only.">
      {list.error ? <Failure className="mb-4" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={2} /> : null}
      {list.data?.length === 0 ? <Empty title="No machine yet" command="pags up">On the computer that shall work for you, run:</Empty> : null}
      {list.data && list.data.length > 0 ? (
        <>
          <Panel className="divide-y divide-line">{list.data.map((m) => <MachineRow key={m.id} m={m} />)}</Panel>
          <p className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink-2">Add another: run <CopyText text="pags up" label="Copy the command" /> on it</p>
        </>
      ) : null}
    </Page>
  )
}

function MachineRow({ m }: { m: Machine }) {
  const forget = useForget()
  return (
    <div className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex items-center gap-3">
            <span className="truncate font-medium">{m.node}</span>
            <span className={cn('inline-flex shrink-0 items-center gap-1.5 text-xs', m.online ? 'text-ok' : 'text-ink-2')}>
              <span aria-hidden className={cn('size-2 rounded-full', m.online ? 'bg-ok' : 'border border-line-strong')} />{m.online ? 'Online' : 'Offline'}
            </span>
          </p>
          <p className="text-xs text-ink-2">{[...(m.capabilities ?? []), `version ${m.version}`].join(' · ')} · {m.online ? <>known since <Ago at={m.createdAt} /></> : <>seen <Ago at={m.lastSeenAt} /></>}</p>
        </div>
        <CopyText text={m.id} label="Copy the machine id" className="w-44" />
        {m.online ? null : <Button size="small" look="danger" busy={forget.isPending} aria-label={`Forget ${m.node}`} onClick={() => { forget.mutate(m.id) }}>Forget</Button>}
      </div>
      {forget.error ? <Failure className="mt-2" error={forget.error} safe="The machine is still known." /> : null}
    </div>
  )
}
