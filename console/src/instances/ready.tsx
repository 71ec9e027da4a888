import { Link } from '@tanstack/react-router'
import { useModelKeys } from '@/keys/hooks'
import { cn } from '@/ui/cn'
import { CopyText } from '@/ui/state'
import { useRuntime } from './hooks'

/** Whether a task could run now: a machine that serves the instance, a key to think with; else the one thing to do. */
export function Ready({ id }: { id: string }) {
  const machine = useRuntime(id).data
  const keys = useModelKeys().data
  const offline = machine?.reason === 'never-registered' || machine?.reason === 'runner-offline'
  return (
    <div role="status" className="space-y-2 text-sm empty:hidden">
      {machine ? (
        <div className={cn('flex flex-wrap items-center gap-x-3 gap-y-2', !machine.connected && 'rounded-md bg-wait-soft px-3 py-2')}>
          <span className={cn('inline-flex items-center gap-2', machine.connected ? 'text-ink-2' : 'text-wait')}>
            <span aria-hidden className={cn('size-2 rounded-full', machine.connected ? 'bg-ok' : 'bg-wait')} />
            {machine.connected ? `Runs on ${machine.node ?? 'your machine'}` : offline ? 'No machine is online. Start one:' : machine.remedy}
          </span>
          {offline ? <CopyText text="pags up" label="Copy the command" /> : null}
        </div>
      ) : null}
      {keys?.length === 0 ? <p className="rounded-md bg-wait-soft px-3 py-2 text-wait">No model key yet. <Link to="/keys" className="link">Store one</Link></p> : null}
    </div>
  )
}
