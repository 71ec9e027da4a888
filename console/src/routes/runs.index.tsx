import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { FirstRun } from '@/runs/first-run'
import { useRuns } from '@/runs/hooks'
import { RunRow } from '@/runs/row'
import { Button, buttonStyle } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

const filters = ['', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const
type Filter = (typeof filters)[number]

export const Route = createFileRoute('/runs/')({
  validateSearch: (s: Record<string, unknown>): { status?: Filter; instance?: string } => ({
    ...(filters.includes(s['status'] as Filter) && s['status'] !== '' ? { status: s['status'] as Filter } : {}),
    ...(typeof s['instance'] === 'string' ? { instance: s['instance'] } : {}),
  }),
  component: Runs,
})

function Runs() {
  const { status = '', instance } = Route.useSearch()
  const navigate = useNavigate({ from: '/runs/' })
  const runs = useRuns({ status: status || undefined, instanceId: instance })
  return (
    <Page title="Runs" actions={<Link to="/instances" className={buttonStyle({ look: 'primary' })}>Start a task</Link>}>
      <div role="group" aria-label="Show" className="mb-4 flex flex-wrap gap-1.5">
        {filters.map((f) => (
          <button
            key={f} type="button" aria-pressed={f === status}
            onClick={() => { void navigate({ search: (s) => ({ ...(s.instance ? { instance: s.instance } : {}), ...(f ? { status: f } : {}) }) }) }}
            className={cn('min-h-7 rounded-full border px-3 text-xs', f === status ? 'border-transparent bg-ink text-bg' : 'border-line text-ink-2 hover:border-line-strong hover:text-ink')}
          >
            {f === '' ? 'All' : f[0]?.toUpperCase() + f.slice(1)}
          </button>
        ))}
      </div>
      {runs.error ? <Failure className="mb-4" error={runs.error} retry={runs.retry} safe="Running tasks go on." /> : null}
      {runs.loading ? <Skeleton rows={6} /> : null}
      {runs.data?.length === 0 ? status || instance ? <Empty title="No such runs" /> : <FirstRun /> : null}
      {runs.data && runs.data.length > 0 ? (
        <Panel className="divide-y divide-line overflow-hidden">
          {runs.data.map((r) => <RunRow key={r.id} run={r} />)}
        </Panel>
      ) : null}
      {runs.more ? <Button className="mt-4" onClick={runs.more} busy={runs.loadingMore}>Show older</Button> : null}
    </Page>
  )
}
