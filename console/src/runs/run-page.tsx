import { Link, useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router'
import { ArrowDownToLine, RotateCw, Square } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import type { Run } from '@/api/model'
import { useKeys } from '@/app/keyboard'
import { ExecutionPage, type ExecutionTab } from '@/executions/execution-page'
import { useInstance } from '@/instances/hooks'
import { InteractionCard } from '@/interactions/card'
import { useInbox } from '@/interactions/hooks'
import { Button, buttonStyle, Keycap } from '@/ui/button'
import { Fact, Page, Panel } from '@/ui/page'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { over, Status } from '@/ui/status'
import { Ago, span, useNow } from '@/ui/time'
import { ExportButton } from './export-button'
import { useCancelRun, useEvents, useRun } from './hooks'
import { StepDetail } from './step-detail'
import { steps } from './timeline'
import { Waterfall } from './waterfall'

/** One run, of either kind. */
export function RunPage({ id, step, tab }: { id: string; step: number | undefined; tab: ExecutionTab | undefined }) {
  const run = useRun(id)
  if (run.error && !run.data) return <Page title="Run"><Failure error={run.error} retry={() => { void run.refetch() }} safe="The run itself is not touched by it." /></Page>
  if (!run.data) return <Page title="Run"><Skeleton rows={6} /></Page>
  return run.data.kind === 'browse' ? <BrowseRun id={id} step={step} /> : <ExecutionPage run={run.data} step={step} tab={tab} />
}

/** A browser task: what needs the person first, then steps on the left and the chosen step on the right. Without a chosen step it follows the newest. */
function BrowseRun({ id, step }: { id: string; step: number | undefined }) {
  const run = useRun(id)
  const inbox = useInbox()
  const { events, error, retry } = useEvents(id, run.data?.lastEvent)
  const rows = useMemo(() => steps(events), [events])
  const last = rows.length - 1
  const chosen = Math.min(step ?? last, last)
  const navigate = useNavigate()
  const router = useRouter()
  const canGoBack = useCanGoBack()
  const choose = useCallback((i: number | undefined) => {
    void navigate({ to: '/runs/$id', params: { id }, search: i === undefined ? {} : { step: Math.max(0, Math.min(last, i)) }, replace: true, resetScroll: false })
  }, [navigate, id, last])

  useKeys(useCallback((key) => {
    if (key === 'j') choose(chosen + 1)
    if (key === 'k') choose(chosen - 1)
    if (key === 'f') choose(undefined)
    if (key === 'Escape') {
      if (canGoBack) router.history.back()
      else void navigate({ to: '/runs' })
    }
  }, [choose, chosen, canGoBack, router, navigate]))

  if (!run.data) return null
  const r = run.data
  const live = !over(r.status)
  const open = live ? inbox.data?.find((x) => x.runId === id) : undefined
  return (
    <Page wide title={<span className="line-clamp-2" title={r.title}>{r.title}</span>} hint={open ? undefined : r.detail} trail={<Trail run={r} />} actions={<Actions run={r} />}>
      <Head run={r} />
      {run.error ? <Failure className="mb-4" error={run.error} retry={() => { void run.refetch() }} safe="The run goes on; this page may be behind." /> : null}
      {open ? <div className="mb-4"><InteractionCard key={open.id} interaction={open} inRun /></div> : null}
      {error ? <Failure className="mb-4" error={error} retry={retry} safe="The timeline below may be incomplete." /> : null}
      <div className="grid gap-4 lg:grid-cols-[minmax(18rem,5fr)_minmax(0,7fr)]">
        <div className="min-w-0 lg:sticky lg:top-5 lg:self-start">
          <Waterfall rows={rows} chosen={chosen} onChoose={choose} live={live} />
          {live && step !== undefined && step < last ? <Button size="small" className="mt-2" aria-keyshortcuts="f" onClick={() => { choose(undefined) }}><ArrowDownToLine aria-hidden className="size-3.5" />Follow<Keycap>f</Keycap></Button> : null}
        </div>
        <Panel label="Step" className="min-w-0 self-start overflow-hidden lg:sticky lg:top-5 lg:max-h-[calc(100dvh-2.5rem)] lg:overflow-auto">
          <StepDetail runId={id} rows={rows} at={chosen} onChoose={choose} />
        </Panel>
      </div>
    </Page>
  )
}

function Trail({ run }: { run: Run }) {
  const instance = useInstance(run.instanceId)
  return (
    <>
      <Link to="/runs" className="hover:text-ink">Runs</Link><span aria-hidden>/</span>
      <Link to="/instances/$id" params={{ id: run.instanceId }} className="truncate hover:text-ink">{instance.data?.displayName ?? 'Instance'}</Link>
    </>
  )
}

function Actions({ run }: { run: Run }) {
  const cancel = useCancelRun(run.id)
  return (
    <>
      <ExportButton id={run.id} />
      {over(run.status) ? (
        <Link to="/instances/$id" params={{ id: run.instanceId }} search={{ url: run.browse?.url, objective: run.browse?.objective }} className={buttonStyle()}><RotateCw aria-hidden className="size-4" />Run again</Link>
      ) : (
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
    <dl className="mb-4 grid grid-cols-3 gap-x-4 gap-y-3 border-y border-line py-3 *:first:col-span-3 *:last:col-span-3 sm:flex sm:flex-wrap sm:gap-x-8">
      <Fact name="Status"><span role="status"><Status status={run.status} waitingFor={run.waitingFor} /></span></Fact>
      <Fact name={over(run.status) ? 'Took' : 'Running for'}>{span(end - Date.parse(run.createdAt))}</Fact>
      <Fact name="Steps">{run.step} of {run.maxSteps}</Fact>
      <Fact name="Started"><Ago at={run.createdAt} /></Fact>
      <Fact name="Model">{run.model ?? 'not asked yet'}</Fact>
      <Fact name="Tokens in">{run.inputTokens.toLocaleString()}</Fact>
      <Fact name="Tokens out">{run.outputTokens.toLocaleString()}</Fact>
      <Fact name="Id"><CopyText text={run.id} label="Copy the run id" className="w-44" /></Fact>
    </dl>
  )
}
