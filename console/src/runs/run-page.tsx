import { useNavigate } from '@tanstack/react-router'
import { Download, Square } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { call } from '@/api/call'
import type { Run } from '@/api/model'
import { useKeys } from '@/app/keyboard'
import { InteractionCard } from '@/interactions/card'
import { useInbox } from '@/interactions/hooks'
import { Button } from '@/ui/button'
import { Fact, Page, Panel } from '@/ui/page'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { over, Status } from '@/ui/status'
import { Ago, span, useNow } from '@/ui/time'
import { useCancelRun, useEvents, useRun } from './hooks'
import { StepDetail } from './step-detail'
import { steps } from './timeline'
import { Waterfall } from './waterfall'

/** One run: what needs the person first, then steps on the left and the chosen step on the right. */
export function RunPage({ id, step }: { id: string; step: number | undefined }) {
  const run = useRun(id)
  const { events, error } = useEvents(id, run.data?.lastEvent)
  const rows = useMemo(() => steps(events), [events])
  const chosen = Math.min(step ?? rows.length - 1, rows.length - 1)
  const navigate = useNavigate()
  const choose = useCallback((i: number) => { void navigate({ to: '/runs/$id', params: { id }, search: { step: i }, replace: true, resetScroll: false }) }, [navigate, id])

  useKeys(useCallback((key) => {
    if (key === 'j') choose(Math.min(rows.length - 1, chosen + 1))
    if (key === 'k') choose(Math.max(0, chosen - 1))
    if (key === 'Escape') void navigate({ to: '/runs' })
  }, [choose, chosen, rows.length, navigate]))

  if (run.error) return <Page title="Run"><Failure error={run.error} retry={() => { void run.refetch() }} safe="The run itself goes on." /></Page>
  if (!run.data) return <Page title="Run"><Skeleton rows={6} /></Page>
  const r = run.data
  const selected = rows[chosen]
  return (
    <Page wide title={r.title} hint={r.detail} actions={<Actions run={r} />}>
      <Head run={r} />
      <Needs run={r} />
      {error ? <Failure error={error} safe="The timeline below may be incomplete." /> : null}
      <div className="grid gap-5 lg:grid-cols-[minmax(20rem,5fr)_7fr]">
        <Waterfall rows={rows} chosen={chosen} onChoose={choose} live={!over(r.status)} />
        <Panel label="Step" className="min-w-0 lg:sticky lg:top-5 lg:max-h-[calc(100dvh-2.5rem)] lg:self-start lg:overflow-auto">
          {selected ? <StepDetail runId={id} row={selected} /> : <p className="p-5 text-sm text-ink-2">The first step is on its way.</p>}
        </Panel>
      </div>
    </Page>
  )
}

function Actions({ run }: { run: Run }) {
  const cancel = useCancelRun(run.id)
  const save = async () => {
    const body = await call<unknown>('GET', `/v1/runs/${run.id}/export`)
    const a = document.createElement('a')
    a.href = URL.createObjectURL(new Blob([JSON.stringify(body, null, 2)], { type: 'application/json' }))
    a.download = `${run.id}.json`
    a.click()
    URL.revokeObjectURL(a.href)
  }
  return (
    <>
      <Button look="quiet" onClick={() => { void save() }}><Download aria-hidden className="size-4" />Export</Button>
      {over(run.status) ? null : (
        <Button look="danger" busy={cancel.isPending || run.cancelAsked === true} onClick={() => { cancel.mutate() }}>
          <Square aria-hidden className="size-3.5" />{run.cancelAsked ? 'Stopping' : 'Stop'}
        </Button>
      )}
      {cancel.error ? <Failure error={cancel.error} /> : null}
    </>
  )
}

function Head({ run }: { run: Run }) {
  const now = useNow(1000, !over(run.status))
  const end = run.endedAt ? Date.parse(run.endedAt) : now
  return (
    <dl className="mb-5 grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-4 xl:grid-cols-7">
      <Fact name="Status"><span aria-live="polite"><Status status={run.status} waitingFor={run.waitingFor} /></span></Fact>
      <Fact name={over(run.status) ? 'Took' : 'Running for'}><span className="tabular-nums">{span(end - Date.parse(run.createdAt))}</span></Fact>
      <Fact name="Steps"><span className="tabular-nums">{run.step} of {run.maxSteps}</span></Fact>
      <Fact name="Model">{run.model ?? 'not asked yet'}</Fact>
      <Fact name="Tokens"><span className="tabular-nums">{run.inputTokens.toLocaleString()} in, {run.outputTokens.toLocaleString()} out</span></Fact>
      <Fact name="Started"><Ago at={run.createdAt} /></Fact>
      <Fact name="Id"><CopyText text={run.id} label="Copy the run id" className="w-40" /></Fact>
    </dl>
  )
}

/** The open question of this run, answered on the spot. */
function Needs({ run }: { run: Run }) {
  const open = useInbox('open').data?.find((x) => x.runId === run.id)
  return open && !over(run.status) ? <div className="mb-5"><InteractionCard interaction={open} inRun /></div> : null
}
