import { Link } from '@tanstack/react-router'
import { useRuns } from '@/runs/hooks'
import { RunRow } from '@/runs/row'
import { Page, Panel } from '@/ui/page'
import { Failure, Skeleton } from '@/ui/state'
import { useInstance } from './hooks'
import { Ready } from './ready'
import { Settings } from './settings'
import { TaskForm, type Draft } from './task-form'

/** One instance: start a task, see its runs, change its settings. */
export function InstancePage({ id, draft }: { id: string; draft: Draft }) {
  const instance = useInstance(id)
  if (instance.error && !instance.data) return <Page title="Instance"><Failure error={instance.error} retry={() => { void instance.refetch() }} /></Page>
  if (!instance.data) return <Page title="Instance"><Skeleton /></Page>
  const n = instance.data
  const active = n.status === 'active'
  return (
    <Page
      title={n.displayName} trail={<Link to="/instances" className="hover:text-ink">Instances</Link>}
      hint={<>A copy of <Link to="/agents/$id" params={{ id: n.agentSlug }} className="link text-ink">{n.agentName}</Link>{n.readOnly ? '. It only reads.' : ''}</>}
    >
      <div className="space-y-8">
        {active ? (
          <Panel label="New task" className="space-y-4 p-4 sm:p-5">
            <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2"><h2 className="font-semibold">New task</h2><Ready id={id} /></div>
            <TaskForm instanceId={id} readOnly={n.readOnly} draft={draft} />
          </Panel>
        ) : <p className="rounded-lg bg-hover px-4 py-3 text-sm">This instance was cancelled. Its runs stay here.</p>}
        <Runs id={id} />
        {active ? <Settings instance={n} /> : null}
      </div>
    </Page>
  )
}

const shown = 8

function Runs({ id }: { id: string }) {
  const runs = useRuns({ instanceId: id })
  return (
    <section aria-labelledby="runs">
      <h2 id="runs" className="mb-2 font-semibold">Runs</h2>
      {runs.error ? <Failure className="mb-3" error={runs.error} retry={runs.retry} /> : null}
      {runs.data?.length === 0 ? <p className="text-sm text-ink-2">None yet</p> : null}
      {runs.data && runs.data.length > 0 ? <Panel className="divide-y divide-line overflow-hidden">{runs.data.slice(0, shown).map((r) => <RunRow key={r.id} run={r} />)}</Panel> : null}
      {(runs.data?.length ?? 0) > shown ? <Link to="/runs" search={{ instance: id }} className="link mt-3 inline-block text-sm">All runs</Link> : null}
    </section>
  )
}
